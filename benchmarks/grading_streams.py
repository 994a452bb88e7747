r"""Streams for speed: pairs (gold, completion, wanted), no two alike, so that no memo answers them.

Coefficients are functions of a pair's number: the same stream on every machine. Half of the
pairs are wrong by a coefficient. `bombs` would cost seconds, gigabytes or the process if they
were evaluated; their wanted verdict is anything but correct. What this module does not know:
any grader, and any data.
"""

from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import NamedTuple


class Pair(NamedTuple):
    """A gold and a completion's text."""

    gold: str
    text: str
    right: bool


def numeric(n: int) -> list[Pair]:
    """Decimals, fractions, percents, grouped digits, money and mixed numbers."""
    return list(islice(_filled(_NUMERIC), n))


def symbolic(n: int) -> list[Pair]:
    """Equivalent re-writings that no comparison of numbers or strings decides."""
    return list(islice(_filled(_SYMBOLIC), n))


def bombs(n: int) -> list[Pair]:
    """Resource bombs, each against a gold of its own kind."""
    kinds = len(_BOMBS)
    return [
        Pair(gold.replace("@", str(i + 2)), _boxed(bomb(i)), False)
        for i in range(n)
        for gold, bomb in (_BOMBS[i % kinds],)
    ]


def with_bombs(pairs: list[Pair]) -> list[Pair]:
    """The stream with a bomb after every 100 pairs: 1%."""
    few = iter(bombs(len(pairs) // 100))
    return [
        x for i, pair in enumerate(pairs, 1) for x in ([pair] if i % 100 else [pair, next(few)])
    ]


def _boxed(answer: str) -> str:
    return f"Working it out step by step, the answer is $\\boxed{{{answer}}}$."


def _filled(forms: tuple[Callable[[int, int], tuple[str, str]], ...]) -> Iterator[Pair]:
    """Each form in turn; in every second round the answer has another coefficient."""
    for i in count():
        k = i // len(forms)
        form, right = forms[i % len(forms)], k % 2 == 0
        gold, answer = form(k + 2, 0)
        yield Pair(gold, _boxed(answer if right else form(k + 2, 1)[1]), right)


_NUMERIC: tuple[Callable[[int, int], tuple[str, str]], ...] = (
    lambda k, e: (f"{k}.25", f"\\frac{{{4 * k + 1 + e}}}{{4}}"),
    lambda k, e: (f"\\frac{{{k}}}{{{k + 7}}}", f"\\frac{{{3 * k + e}}}{{{3 * k + 21}}}"),
    lambda k, e: (f"\\frac{{{k}}}{{100}}", f"{k + e}\\%"),
    lambda k, e: (str(1237 * k), f"{1237 * k + e:,}"),
    lambda k, e: (f"{k}.5", f"\\${k + e}.50"),
    lambda k, e: (f"\\frac{{{3 * k + 2}}}{{3}}", f"{k}\\frac{{{2 - e}}}{{3}}"),
    lambda k, e: (f"{k}00", f"{k + e} \\times 10^2"),
    lambda k, e: (str(k), f"{k + e}\\text{{ apples}}"),
)
"""(k, error) -> gold, answer."""

_SYMBOLIC: tuple[Callable[[int, int], tuple[str, str]], ...] = (
    lambda k, e: (f"x^2+{2 * k}x+{k * k}", f"(x+{k + e})^2"),
    lambda k, e: (f"(a+{k})(b+{k + 1})", f"ab+{k + 1}a+{k + e}b+{k * (k + 1)}"),
    lambda k, e: (f"{k}\\sqrt{{{k + 1}}}", f"\\sqrt{{{k * k * (k + 1) + e}}}"),
    lambda k, e: (f"\\frac{{\\sqrt{{{k}}}}}{{{k}}}", f"\\dfrac{{1}}{{\\sqrt{{{k + e}}}}}"),
    lambda k, e: (f"\\sqrt{{{k}}}+\\sqrt{{{k + 1}}}",
                  f"\\sqrt{{{2 * k + 1 + e}+2\\sqrt{{{k * (k + 1)}}}}}"),
    lambda k, e: (f"\\cos {2 * k}x", f"1-2\\sin^2 {k + e}x"),
    lambda k, e: (f"\\tan^2 {k}y+1", f"\\sec^2 {k + e}y"),
    lambda k, e: (f"{k}\\sin^2 t", f"{k + e}-{k}\\cos^2 t"),
    lambda k, e: (f"\\frac{{x+{k}}}{{7}}", f"\\frac{{x}}{{7}}+\\frac{{{k + e}}}{{7}}"),
    lambda k, e: (f"\\frac{{{k}}}{{x^2-1}}",
                  f"\\frac{{{k}}}{{2(x-1)}}-\\frac{{{k + e}}}{{2(x+1)}}"),
    lambda k, e: (f"2\\ln {k}", f"\\ln {k * k + e}"),
    lambda k, e: (f"{2**(k % 9)}\\cdot 2^n+{k}", f"2^{{n+{k % 9 + e}}}+{k}"),
    lambda k, e: (f"\\frac{{1}}{{{k}+i}}", f"\\frac{{{k + e}-i}}{{{k * k + 1}}}"),
    lambda k, e: (f"{k}x^5-{k + 1}x^3+x-1", f"-1+x+{k + e}x^5-{k + 1}x^3"),
    lambda k, e: (f"x+{k}y=3", f"2x+{2 * k + e}y=6"),
    lambda k, e: (f"(x-{k})^2+y^2=4", f"x^2-{2 * k + e}x+y^2+{k * k - 4}=0"),
    lambda k, e: (f"\\left({k}\\sqrt{{2}},\\frac{{\\pi}}{{{k}}}\\right)",
                  f"(\\sqrt{{{2 * k * k + e}}}, \\pi/{k})"),
    lambda k, e: (f"({k}\\sqrt{{3}},\\infty)", f"x > \\sqrt{{{3 * k * k + e}}}"),
    lambda k, e: (f"\\begin{{pmatrix}} {k}/2 \\\\ \\sqrt{{8}} \\end{{pmatrix}}",
                  f"\\begin{{bmatrix}} \\frac{{{k + e}}}{{2}} \\\\ 2\\sqrt{{2}} \\end{{bmatrix}}"),
    lambda k, e: (f"{k}\\pi+\\frac{{{k}}}{{\\pi}}",
                  f"\\frac{{{k}\\pi^2+{k + e}}}{{\\pi}}"),
)  # fmt: skip
"""(k, error) -> gold, answer."""

_BOMBS: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("@", lambda i: f"{i + 9}^{{9^{{9^9}}}}"),
    ("\\sqrt{@}", lambda i: f"9**9**{i + 9}"),
    ("@", lambda i: f"{10**8 + i}!"),
    ("@", lambda i: f"\\binom{{{10**9 + i}}}{{500000000}}"),
    ("@", lambda i: f"\\sum_{{k=1}}^{{{10**8 + i}}} \\frac{{1}}{{k^2+1}}"),
    ("@", lambda i: f"\\prod_{{k=1}}^{{{10**6 + i}}} (k^2+1)"),
    ("@", lambda i: "(" * (500 + i) + f"{i}" + ")" * (500 + i)),
    ("@", lambda i: f"\\sin(10^{{10^{{{i + 10}}}}})"),
    ("(a+b+c+d)^{@}", lambda i: f"(a+b+c+d)^{{{i + 15}}}(a+b+c-d)^{{15}}"),
    ("@", lambda i: f"1.3^{{{6472416997 + i}}}"),
    ("x+@", lambda i: f"2^{{16^{{{i + 16}}}}}"),
    ("@", lambda i: f"{i + 1} " * 20000),
    ("@", lambda i: f"{i + 7}" * 5000),
    ("x^@", lambda i: "+".join(f"x^{{{j + i}}}" for j in range(2000))),
    ("@", lambda i: "\\sqrt{" * 400 + f"{i}" + "}" * 400),
    ("@", lambda i: f"{3 + i}^{{1000000}} \\bmod 10"),
)
"""Gold with its number at @, and the bomb of a number."""
