r"""tokens.py - normalised text to tokens, the words of parser.py.

Linear time; any text gives tokens or raises Unreadable at the first thing that is not written
in mathematics. A run of letters without a backslash is read as known names (`sqrt`, `pi`,
`sin`) and one-letter variables, so `2xy` is 2, x, y. A subscript and primes belong to their
letter: `x_{12}'` is one symbol.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from labeler.grading.tree import Op

MAX_TOKENS = 2000
"""A text of more is no answer: reading stops there."""
MAX_DIGITS = 1000
"""Characters of one number."""


class Unreadable(Exception):  # noqa: N818 - an outcome, not a fault
    """The text is no mathematics that this grader reads."""


class TooBig(Exception):  # noqa: N818 - an outcome, not a fault
    """The text is beyond a budget: tokens, depth, or the size of what it stands for."""


class Lexeme(StrEnum):
    """What a token is to the parser."""

    NUMBER = "number"
    SYMBOL = "symbol"
    FUNCTION = "function"
    SIGN = "sign"
    """An operator, a bracket or a relation sign."""
    COMMAND = "command"
    """Something with a syntax of its own, like `frac`."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One word of an expression, in one spelling."""

    lexeme: Lexeme
    text: str


_PLAIN = "sin cos tan cot sec csc sinh cosh tanh coth exp log gcd lcm floor"
FUNCTIONS = {
    **{name: Op(name) for name in _PLAIN.split() if name != "exp"},
    **{f"arc{name}": Op(f"a{name}") for name in ("sin", "cos", "tan", "cot", "sec", "csc")},
    **{f"ar{name}": Op(f"a{name}") for name in ("sinh", "cosh", "tanh")},
    **{f"arc{name}": Op(f"a{name}") for name in ("sinh", "cosh", "tanh")},
    **{f"a{name}": Op(f"a{name}") for name in ("sin", "cos", "tan")},
    "ln": Op.LOG, "lg": Op.LOG, "abs": Op.ABS, "max": Op.MAX, "min": Op.MIN,
    "ceil": Op.CEILING, "cosec": Op.CSC, "binomial": Op.BINOMIAL, "factorial": Op.FACTORIAL,
}  # fmt: skip
"""Names of functions, with and without a backslash."""

_GREEK = """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho
    sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega
"""
_SYMBOLS = {name: name for name in (*_GREEK.split(), "pi", "ell", "hbar")} | {
    "infty": "oo",
    "infinity": "oo",
    "inf": "oo",
}
BARE_SYMBOLS = ("pi", "infinity", "infty", "inf", "theta", "alpha", "beta", "gamma", "lambda",
                 "omega", "phi")  # fmt: skip
"""Symbols of more than one letter that need no backslash."""
_COMMANDS = ("frac", "sqrt", "binom", "sum", "prod", "int", "lim", "lfloor", "rfloor", "lceil",
             "rceil", "exp", "bmod", "choose", "over", "to", "begin", "end", "cbrt")  # fmt: skip
_COMMAND_SPELLINGS = {name: name for name in _COMMANDS} | {
    "dbinom": "binom", "tbinom": "binom", "mod": "bmod", "pmod": "bmod", "rightarrow": "to",
}  # fmt: skip
_BARE_COMMANDS = ("sqrt", "cbrt", "exp", "mod", "binom")
_SIGNS = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "le": "<=", "ge": ">=", "ne": "!=",
    "mid": "|", "vert": "|", "lvert": "|(", "rvert": "|)", "lbrack": "[", "rbrack": "]",
    "lparen": "(", "rparen": ")",
}  # fmt: skip
_DECORATIONS = ("hat", "vec", "bar", "overline", "tilde", "underline", "widehat", "angle",
                "triangle", "overrightarrow")  # fmt: skip
_BLANKS = ("displaystyle", "textstyle", "limits", "nolimits", "quad", "qquad")

_NAMES = sorted({*FUNCTIONS, *BARE_SYMBOLS, *_BARE_COMMANDS, "nan"}, key=len, reverse=True)
_WORD = re.compile(r"[A-Za-z]{6,}|[A-Za-z]{3,}(?=\()")
"""A long word, or one before a bracket: without a known name in it, it is no product."""
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[0-9]*\.[0-9]*\\overline\{[0-9]+\}|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    rf"|\\(?P<decoration>{'|'.join(_DECORATIONS)}) ?\{{?(?P<decorated>[A-Za-z]{{1,4}})\}}?"
    r"|\\(?P<environment>(?:begin|end) ?\{[A-Za-z]{1,12}\})"
    r"|\\(?P<command>[A-Za-z]+)"
    r'|"(?P<word>[A-Za-z]+)"'
    rf"|(?P<name>{'|'.join(_NAMES)})"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<sign>\\\\|\\[{}]|<=|>=|[-+*/^_(){}\[\]|!°%,;=<>&])"
)
_SIGN_SPELLINGS = {";": ",", "\\{": "{", "\\}": "}"}
_AFTER = re.compile(r"(?:_(\{[^{}]{1,40}\}|[A-Za-z0-9]))?('{0,3})")
"""A subscript and primes."""


def tokens(text: str) -> list[Token]:
    """The tokens of normalised text, an END last. Raises Unreadable or TooBig."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        if _is_word(text, at):
            raise Unreadable("a word")
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unreadable(text[at])
        at = match.end()
        found += _read(match)
        if found and found[-1].lexeme is Lexeme.SYMBOL and not match.group("space"):
            after = _AFTER.match(text, at)
            if after is not None and after.end() > at:
                at = after.end()
                found[-1] = Token(Lexeme.SYMBOL, found[-1].text + _subscript(*after.groups()))
        if len(found) > MAX_TOKENS:
            raise TooBig("tokens")
    return [*found, Token(Lexeme.END, "")]


def _is_word(text: str, at: int) -> bool:
    """Whether a word begins here that is neither a product nor a function's name."""
    if text[at - 1 : at].isalpha() or text[at - 1 : at] == "\\":
        return False
    word = _WORD.match(text, at)
    return word is not None and not any(name in word.group() for name in _NAMES)


def _subscript(subscript: str | None, primes: str) -> str:
    inside = "" if subscript is None else subscript.strip("{}").replace(" ", "").replace('"', "")
    return (f"_{inside}" if inside else "") + primes


def _read(match: re.Match[str]) -> Iterator[Token]:
    kind, text = match.lastgroup or "", match.group(match.lastgroup or 0)
    if kind == "number":
        if len(text) > MAX_DIGITS:
            raise TooBig("digits")
        yield Token(Lexeme.NUMBER, text)
    elif kind == "letter":
        yield Token(Lexeme.SYMBOL, text)
    elif kind == "sign":
        yield Token(Lexeme.SIGN, _SIGN_SPELLINGS.get(text, text))
    elif kind == "decorated":
        yield Token(Lexeme.SYMBOL, f"{match.group('decoration')} {text}")
    elif kind == "environment":
        if text.startswith("begin") and "vmatrix" not in text:
            raise Unreadable(text)
        yield Token(Lexeme.COMMAND, text[: text.index("{")].rstrip())
    elif kind in ("command", "name", "word"):
        yield from _named(text)


def _named(name: str) -> Iterator[Token]:
    if name in FUNCTIONS:
        yield Token(Lexeme.FUNCTION, name)
    elif name in _SYMBOLS:
        yield Token(Lexeme.SYMBOL, _SYMBOLS[name])
    elif name in _SIGNS:
        yield Token(Lexeme.SIGN, _SIGNS[name])
    elif name in _COMMAND_SPELLINGS:
        yield Token(Lexeme.COMMAND, _COMMAND_SPELLINGS[name])
    elif name not in _BLANKS:
        raise Unreadable(name)


class Cursor:
    """A place among tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def place(self) -> int:
        """How many tokens were taken."""
        return self._at

    def at(self, lexeme: Lexeme, *texts: str, ahead: int = 0) -> bool:
        """Whether the next token (or one after it) is of a kind, and one of these if any."""
        token = self._tokens[min(self._at + ahead, len(self._tokens) - 1)]
        return token.lexeme is lexeme and (not texts or token.text in texts)

    def take(self, lexeme: Lexeme, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        found = self.at(lexeme, *texts)
        self._at += found and lexeme is not Lexeme.END
        return found

    def expect(self, lexeme: Lexeme, *texts: str) -> str:
        """The text of the token that has to come now. Raises Unreadable where another does."""
        token = self._tokens[self._at]
        if not self.take(lexeme, *texts):
            raise Unreadable(token.text)
        return token.text
