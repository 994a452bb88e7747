r"""normalise.py - one spelling for an answer span, whichever way it was typed.

`normalise` is total (any text, surrogates included) and linear. It changes
spelling only: unicode mathematics becomes LaTeX, LaTeX synonyms become one, typography goes.
Words inside `\text{}` come out between double quotes, so that a word never looks like a
product of variables. It does not know numbers or units.
"""

import re
import unicodedata
from collections.abc import Iterable

_UNICODE = str.maketrans(
    {
        "−": "-", "–": "-", "—": "-", "‑": "-", "‐": "-", "﹣": "-", "－": "-",
        "×": "\\times ", "·": "\\cdot ", "⋅": "\\cdot ", "∙": "\\cdot ", "÷": "/", "⁄": "/",
        "∕": "/", "π": "\\pi ", "∞": "\\infty ", "≤": "\\le ", "≥": "\\ge ", "≠": "\\ne ",
        "⩽": "\\le ", "⩾": "\\ge ",
        "±": "\\pm ", "∪": "\\cup ", "∩": "\\cap ", "∈": "\\in ", "∅": "\\emptyset ",
        "º": "°", "α": "\\alpha ", "β": "\\beta ", "γ": "\\gamma ", "θ": "\\theta ",
        "λ": "\\lambda ", "φ": "\\phi ", "²": "^2", "³": "^3", "¹": "^1", "⁰": "^0", "⁴": "^4",
        "⁵": "^5", "⁶": "^6", "⁷": "^7", "⁸": "^8", "⁹": "^9", "½": " 1/2", "¼": " 1/4",
        "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3", "⅕": " 1/5", "⅛": " 1/8", "√": "\\sqrt ",
        "≈": "\\approx ", "ℝ": "\\mathbb{R}", "∗": "*", "˚": "°", "¢": "\\text{ cents}",
        "\u200b": "", "\u200c": "", "\u200d": "", "\ufeff": "", "\u2060": "", "…": "\\dots ",
        "“": '"', "”": '"', "\x00": " ",
    }
)  # fmt: skip
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_SPACES = re.compile(r"\\[,;:! ]|\\(?:quad|qquad|displaystyle|limits)(?![A-Za-z])|[~\s]")
_TEXT = re.compile(
    r"\\(?:text|mbox|hbox|mathrm|textbf|textit|textrm|textnormal|emph|mathbf|mathit|operatorname"
    r"|boldsymbol|textsf|texttt|mathsf)"
    r" ?\{([^{}]*)\}"
)


def _spellings(*rows: tuple[str, str, str]) -> tuple[tuple[str, re.Pattern[str], str], ...]:
    return tuple((sign, re.compile(pattern), new) for sign, pattern, new in rows)


_GROUPS = _spellings(
    ("\\!", r"\\!\s?", ""),
    ("{,}", r"\{,\}", ","),
    (",", r"(?<=[0-9]),(?:\s|\\[,;: ]|~)+(?=[0-9])", ";"),  # a list: a lone comma groups digits
    ("\\,", r"(?<=[0-9])\\,(?=[0-9]{3}(?![0-9]))", ""),
)
_SYNONYMS = _spellings(
    ("frac", r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
    ("binom", r"\\[dt]binom(?![A-Za-z])", r"\\binom"),
    ("\\backslash", r"\\backslash(?![A-Za-z])", r"\\setminus "),
    ("\\mathbb", r"\\mathbb ([A-Z])", r"\\mathbb{\1}"),
    ("\\", r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\.?", ""),
    ("brace", r"\\lbrace(?![A-Za-z])", r"\\{"),
    ("brace", r"\\rbrace(?![A-Za-z])", r"\\}"),
    ("\\", r"\^ ?(?:\\circ(?![A-Za-z])|\{ ?\\circ ?\})|\\degree(?![A-Za-z])", "°"),
    ("°", r"\^ ?\{?°\}?", "°"),
    ("\\leq", r"\\leq(?:slant)?(?![A-Za-z])", r"\\le "),
    ("\\geq", r"\\geq(?:slant)?(?![A-Za-z])", r"\\ge "),
    ("\\neq", r"\\neq(?![A-Za-z])", r"\\ne "),
    ("<=", r"<=", r"\\le "),
    (">=", r">=", r"\\ge "),
    ("!=", r"(?<![0-9)])!=", r"\\ne "),
    ("\\lt", r"\\lt(?![A-Za-z])", "<"),
    ("\\gt", r"\\gt(?![A-Za-z])", ">"),
    ("\\ast", r"\\ast(?![A-Za-z])", "*"),
    ("\\colon", r"\\colon(?![A-Za-z])", ":"),
    ("\\%", r"\\%", "%"),
    ("\\varnothing", r"\\varnothing(?![A-Za-z])", r"\\emptyset"),
    ("dots", r"\\(?:dotsc|dotsb|ldots|cdots)(?![A-Za-z])", r"\\dots"),
    ("**", r"\*\*", "^"),
    ("^", r"\^ ?([0-9]{2,})", r"^{\1}"),
    ("^", r"\^\{([A-Za-z0-9])\}(?![A-Za-z0-9])", r"^\1"),
    ("_", r"_\{([A-Za-z0-9])\}(?![A-Za-z0-9])", r"_\1"),
    ("pmod", r"\\pmod ?([A-Za-z0-9])", r"\\pmod{\1}"),
    ("...", r"\.\.\.", r"\\dots"),
    ("{:}", r"\{:\}", ":"),
    ("\\", r"\\(?:bf|it|rm|sf|large|Large|small|bfseries|normalsize)(?![A-Za-z])", " "),
    ("\\tag", r"\\tag ?\{[^{}]*\}", ""),
    ("color", r"\\(?:textcolor|colorbox) ?\{[^{}]*\} ?(?=\{)|\\color ?\{[^{}]*\}", ""),
    ("\\underline", r"\\underline(?= ?\{)", ""),
    ("\\", r"(?<=[0-9.])\\(?:bar|dot|overline) ?\{?([0-9]+)\}?", r"\\overline{\1}"),
    (".(", r"\.\(([0-9]{1,12})\)", r".\\overline{\1}"),
)
"""A part that the text must have (looked for first: it is cheap), a pattern, its one spelling."""
_LEFT_BAR, _RIGHT_BAR = re.compile(r"\\left ?\|"), re.compile(r"\\right ?\|")
_BRACED_GROUPS = re.compile(r"(?<=[ct^}]\{)[0-9]{1,3}(?:,[0-9]{3})+(?=\})")
_ROW_ENDS = re.compile(r"\\\\(?: ?\[[^\]]{0,9}\])?|\\cr(?![A-Za-z])")
_ROW = "\x02"
"""Ends a matrix row meanwhile: its backslashes are no command."""
_NUMBERS = re.compile(r"[-0-9.,/ ]+(?:(?:and|or)[-0-9.,/ ]+)*")
_COUNTED = re.compile(r"(-?[0-9][0-9.,/]*) ([A-Za-z][A-Za-z .'-]*)")
"""A number and what is counted."""
_WIDE = re.compile(r"[0-9]+|\\(?!frac|sqrt|binom|left)[A-Za-z]+")
_GAP = re.compile(r" (?=[^A-Za-z0-9\"])|(?<=[^A-Za-z0-9\"]) ")


def normalise(span: str) -> str:
    """The span in its one spelling; equal spellings of one answer mostly give equal text."""
    if not span.isascii():
        span = _raised(span)
        span = unicodedata.normalize("NFKC", span.translate(_UNICODE)).translate(_UNICODE)
    span = _single(span)
    if "\\begin" in span:
        span = _ROW_ENDS.sub(_ROW, span)
    elif "\\\\" in span:
        span = re.sub(r"\\\\(?=[A-Za-z])", lambda _: "\\", span)
    if "\\left" in span and len(_LEFT_BAR.findall(span)) == len(_RIGHT_BAR.findall(span)):
        span = _RIGHT_BAR.sub(r"\\rvert ", _LEFT_BAR.sub(r"\\lvert ", span))
    span = _rewritten(_dollars(span), _GROUPS)
    if "\\" in span or "~" in span:
        span = _SPACES.sub(" ", _TEXT.sub(_quoted, span))
    span = _rewritten(span, _SYNONYMS)
    for command, count in (("\\frac", 2), ("\\binom", 2), ("\\sqrt", 1)):
        span = _arguments(span, command, count)
    if "," in span:
        span = _BRACED_GROUPS.sub(lambda group: group.group().replace(",", ""), span)
    if " " in span:
        span = _GAP.sub("", re.sub(r" +", " ", span)).strip()
    return span.replace(_ROW, "\\\\")


def _raised(span: str) -> str:
    """Runs of small raised and lowered signs as exponents and subscripts."""
    for mark, signs in (("^", _SUPERSCRIPTS), ("_", _SUBSCRIPTS)):
        span = re.sub(
            f"[{signs}]{{2,}}" if mark == "^" else f"[{signs}]+",
            lambda run, mark=mark: f"{mark}{{{unicodedata.normalize('NFKC', run.group())}}}",  # type: ignore[misc]
            span,
        )
    return span


def _rewritten(span: str, spellings: Iterable[tuple[str, re.Pattern[str], str]]) -> str:
    for sign, pattern, new in spellings:
        if sign in span:
            span = pattern.sub(new, span)
    return span


def _quoted(match: re.Match[str]) -> str:
    if match.group(1).strip() == ":":
        return ":"
    word = match.group(1).strip(" .,:")
    if len(word) == 1 and word.isalnum() and not _is_unit(match, word):
        return word
    if _NUMBERS.fullmatch(word):
        return f" {word} "
    counted = _COUNTED.fullmatch(word)
    if counted is not None:
        return f' {counted.group(1)} "{counted.group(2)}" '
    return f' "{word}" ' if word else " "


def _is_unit(match: re.Match[str], letter: str) -> bool:
    """Whether one letter in a text macro follows a number: metres, no digit of base 16."""
    before = match.string[: match.start()].rstrip(" \\,;:!")[-1:]
    subscript = match.string[match.end() : match.end() + 1] == "_"
    return letter in "mgshlL" and (before.isdigit() or before == "}") and not subscript


def _single(span: str) -> str:
    return re.sub(r"\s+", " ", span).replace('"', "").strip()


def _dollars(span: str) -> str:
    """Maths fences out; a dollar sign before a number is money and stays."""
    if "\\" not in span and "$" not in span:
        return span
    span = span.replace("\\(", "").replace("\\)", "").replace("\\[", "").replace("\\]", "")
    marked = span.replace("\\$", "\x01")
    if marked.count("$") != 1 or not re.search(r"\$ ?-?[0-9.]", marked):
        marked = marked.replace("$", "")
    return marked.replace("\x01", "$")


def _arguments(span: str, command: str, count: int) -> str:
    r"""`\frac12`, `\frac 1{72}` and `\sqrt2`, `\sqrt(2)` with their arguments braced."""
    if command not in span:
        return span
    pieces = span.split(command)
    out = [pieces[0]]
    for piece in pieces[1:]:
        out += [command, piece if piece[:1].isalpha() else _braced(piece, count)]
    return "".join(out)


def _braced(piece: str, count: int) -> str:
    done = ""
    for _ in range(count):
        piece = piece.lstrip(" ")
        if piece[:1] == "{":
            end = _argument_end(piece, "{", "}")
            if end < 0:
                break
            done, piece = done + piece[:end], piece[end:]
        elif count == 1 and piece[:1] == "(" and (end := _argument_end(piece, "(", ")")) > 0:
            done, piece = done + "{" + piece[1 : end - 1] + "}", piece[end:]
        elif piece[:1].isalnum() or piece[:1] == "\\":
            wide = _WIDE.match(piece) if count == 1 or piece[:1] == "\\" else None
            if wide is None and piece[:1] == "\\":
                break
            width = wide.end() if wide else 1
            done, piece = done + "{" + piece[:width] + "}", piece[width:]
        else:
            break
    return done + piece


def _argument_end(piece: str, opening: str, closing: str) -> int:
    """One past the bracket that closes the first one, or -1."""
    depth = 0
    for at, mark in enumerate(piece):
        depth += (mark == opening) - (mark == closing)
        if depth == 0:
            return at + 1
    return -1


def same_but_for_blanks(gold: str, answer: str) -> bool:
    """Whether two normalised texts differ in blanks alone, none of them between two numbers."""
    if " " not in gold and " " not in answer:
        return False
    if _BESIDE.search(gold) or _BESIDE.search(answer):
        return False
    return gold.replace(" ", "") == answer.replace(" ", "")


_BESIDE = re.compile("[0-9] [0-9]")
