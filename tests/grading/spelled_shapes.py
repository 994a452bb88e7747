r"""Tuples, intervals, sets, lists, matrices, words and choice letters in their many spellings."""

import re
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from tests.grading.spelled_numbers import FRACTIONS, Rendered, fraction_forms


def spelled(draw: st.DrawFn, values: Sequence[Fraction]) -> list[str]:
    """Each value in some spelling."""
    return [draw(st.sampled_from(fraction_forms(value))) for value in values]


def plainly(values: Sequence[Fraction]) -> list[str]:
    return [fraction_forms(value)[0] for value in values]


def bumped(values: Sequence[Fraction], at: int) -> list[Fraction]:
    return [value + (place == at) for place, value in enumerate(values)]


@st.composite
def tuples(draw: st.DrawFn) -> Rendered:
    values = draw(st.lists(FRACTIONS, min_size=2, max_size=4))
    forms = []
    for opening, closing in (
        ("(", ")"),
        ("\\left(", "\\right)"),
        ("\\left( ", " \\right)"),
        ("\\big(", "\\big)"),
    ):
        forms += [
            opening + gap.join(spelled(draw, values)) + closing
            for gap in (",", ", ", ",\\,", ",\\ ")
        ]
    changed = [bumped(values, place) for place in range(len(values))]
    changed += [[values[0] + 50, *values[1:]], [*values, Fraction(1)]]
    if values[::-1] != values:
        changed.append(values[::-1])
    others = [f"({', '.join(plainly(other))})" for other in changed]
    return Rendered(tuple(forms), (*others, f"\\{{{', '.join(plainly(values))}\\}}"))


ENDS = st.lists(FRACTIONS, min_size=4, max_size=4, unique=True).map(sorted)
LE = ("\\le ", "\\leq ", "≤", "<=", "\\leqslant ")


@st.composite
def intervals(draw: st.DrawFn) -> Rendered:
    low, high, further, _ = draw(ENDS)
    opens, shuts = draw(st.sampled_from("([")), draw(st.sampled_from(")]"))
    forms = []
    for left, right in (("", ""), ("\\left", "\\right"), ("\\big", "\\big")):
        a, b = spelled(draw, (low, high))
        forms += [f"{left}{opens}{a}{gap}{b}{right}{shuts}" for gap in (",", ", ", ",\\,")]
    forms += [f"x \\in {forms[0]}", f"x ∈ {forms[1]}"]
    for le in LE:
        a, b = spelled(draw, (low, high))
        forms.append(f"{a} {'<' if opens == '(' else le} x {'<' if shuts == ')' else le} {b}")
    a, b = plainly((low, high))
    others = [
        f"{'[' if opens == '(' else '('}{a}, {b}{shuts}",
        f"{opens}{a}, {b}{']' if shuts == ')' else ')'}",
    ]
    others += [f"{opens}{a}, {plainly((further,))[0]}{shuts}", f"{opens}{a}, \\infty)", f"x > {a}"]
    return Rendered(tuple(forms), tuple(others))


@st.composite
def unions(draw: st.DrawFn) -> Rendered:
    ends = draw(ENDS)
    marks = [draw(st.sampled_from(pair)) for pair in ("([", ")]", "([", ")]")]
    if draw(st.booleans()):
        low, high, marks[0], marks[3] = "-\\infty", "\\infty", "(", ")"
    else:
        low, high = plainly((ends[0], ends[3]))

    def union(
        inner: Sequence[str], mark: str, *, turned: bool = False, brackets: Sequence[str] = marks
    ) -> str:
        one = f"{brackets[0]}{low}, {inner[0]}{brackets[1]}"
        two = f"{brackets[2]}{inner[1]}, {high}{brackets[3]}"
        return f"{two}{mark}{one}" if turned else f"{one}{mark}{two}"

    inside = ends[1:3]
    forms = [union(spelled(draw, inside), mark) for mark in ("\\cup", " \\cup ", "∪", " ∪ ")]
    forms += [union(spelled(draw, inside), " \\cup ", turned=True), f"x \\in {forms[1]}"]
    forms += [
        forms[1].replace("\\infty", "∞"),
        re.sub(r"([\])])", r"\\right\1", re.sub(r"([\[(])", r"\\left\1", forms[1])),
    ]
    flipped = [marks[0], ")" if marks[1] == "]" else "]", *marks[2:]]
    others = [
        union(plainly(inside), "\\cup ", brackets=flipped),
        f"{marks[0]}{low}, {high}{marks[3]}",
    ]
    others += (
        [union(plainly([inside[0] - 100, inside[1]]), "\\cup")] if low.startswith("-\\inf") else []
    )
    return Rendered(tuple(forms), (*others, forms[0].split("\\cup")[0]))


@st.composite
def sets(draw: st.DrawFn) -> Rendered:
    """Braces and bare lists: their order does not count."""
    values = draw(st.lists(FRACTIONS, min_size=2, max_size=5, unique=True))

    def shuffled() -> list[str]:
        return spelled(draw, draw(st.permutations(values)))

    braces = (
        ("\\{", "\\}"),
        ("\\left\\{", "\\right\\}"),
        ("\\lbrace ", "\\rbrace"),
        ("\\{ ", " \\}"),
        ("{", "}"),
    )
    forms = [f"{opening}{', '.join(shuffled())}{closing}" for opening, closing in braces]
    forms += [", ".join(shuffled()), ",\\ ".join(shuffled()), f"x = {', '.join(shuffled())}"]
    for word in (" \\text{ and } ", "\\text{ or }", " and ", " or "):
        *first, last = shuffled()
        forms.append(f"{', '.join(first)}{word}{last}")
    forms.append(" \\text{ or } ".join(f"x = {value}" for value in shuffled()))
    changed = [
        bumped(values, place) for place in range(len(values)) if values[place] + 1 not in values
    ]
    changed += [[*values[:-1], Fraction(99)], [*values, Fraction(77)], values[1:]]
    others = [f"\\{{{', '.join(plainly(other))}\\}}" for other in changed if len(other) > 1]
    return Rendered(tuple(forms), (*others, plainly(values)[0]))


@st.composite
def assignments(draw: st.DrawFn) -> Rendered:
    """Conjunctions of assignments to different variables."""
    x, y = draw(st.tuples(FRACTIONS, FRACTIONS))
    names = draw(st.sampled_from(("xy", "ab", "mn")))

    def pair(p: Fraction, q: Fraction) -> list[str]:
        one, two = spelled(draw, (p, q))
        return [f"{names[0]} = {one}", f"{names[1]} = {two}"]

    forms = [", ".join(pair(x, y)), ", ".join(pair(x, y)[::-1]), " \\text{ and } ".join(pair(x, y))]
    forms += [",\\ ".join(pair(x, y)).replace(" = ", "="), " and ".join(pair(x, y)[::-1])]
    others = [", ".join(pair(*other)) for other in ((x + 1, y), (x, y + 1), (y + 2, x + 3))]
    others += [", ".join(pair(y, x))] if x != y else []
    return Rendered(tuple(forms), (*others, pair(x, y)[0]))


def grid(rows: Sequence[Sequence[str]], *, row_end: str = " \\\\ ") -> str:
    return row_end.join(" & ".join(row) for row in rows)


@st.composite
def matrices(draw: st.DrawFn) -> Rendered:
    height, width = draw(st.sampled_from(((1, 2), (2, 1), (2, 2), (2, 3), (3, 1))))
    rows = [[draw(FRACTIONS) for _ in range(width)] for _ in range(height)]
    forms = []
    for name in ("pmatrix", "bmatrix"):
        for row_end in (" \\\\ ", "\\\\", " \\\\\n"):
            body = grid([spelled(draw, row) for row in rows], row_end=row_end)
            forms.append(f"\\begin{{{name}}} {body} \\end{{{name}}}")
    body = grid([spelled(draw, row) for row in rows])
    forms += [f"\\left(\\begin{{array}}{{{'c' * width}}} {body} \\end{{array}}\\right)"]
    forms += [
        f"\\left[\\begin{{matrix}} {body} \\end{{matrix}}\\right]",
    ]
    if height > 1:
        listed = ", ".join("[" + ", ".join(plainly(row)) + "]" for row in rows)
        forms.append(f"[{listed}]")
    changed = [[bumped(row, 0), *rows[1:]] for row in rows[:1]] + [
        [*rows[:-1], bumped(rows[-1], width - 1)]
    ]
    changed += [[[value + 1 for value in row] for row in rows], [*rows, rows[0]]]
    changed += [[list(column) for column in zip(*rows, strict=True)]] if height != width else []
    others = [
        f"\\begin{{pmatrix}} {grid([plainly(row) for row in other])} \\end{{pmatrix}}"
        for other in changed
    ]
    return Rendered(tuple(forms), tuple(others))


WORDS = (
    "even",
    "odd",
    "Tuesday",
    "Friday",
    "Evelyn",
    "hyperbola",
    "ellipse",
    "isosceles",
    "true",
    "never",
    "blue",
    "both of them",
    "Carl Gauss",
)


@st.composite
def words(draw: st.DrawFn) -> Rendered:
    word, *rest = draw(st.permutations(WORDS))
    forms = [
        word,
        f"\\text{{{word}}}",
        f"\\textbf{{{word}}}",
        f"\\mathrm{{{word}}}" if " " not in word else word,
    ]
    forms += [f"\\text{{ {word} }}", f'"{word}"', f"\\mbox{{{word}}}", f"\\text{{{word}.}}"]
    return Rendered(
        tuple(forms), (*rest[:3], f"\\text{{{rest[0]}}}", f"\\text{{{word}d}}", f"not {word}", "0")
    )


@st.composite
def letters(draw: st.DrawFn) -> Rendered:
    letter, *rest = draw(st.permutations("ABCDE"))
    forms = [
        letter,
        f"({letter})",
        f"\\text{{{letter}}}",
        f"\\text{{({letter})}}",
        f"\\mathrm{{{letter}}}",
    ]
    forms += [
        f"\\textbf{{({letter})}}",
        f"\\textbf{{{letter}}}",
        f"(\\text{{{letter}}})",
        f"\\mathbf{{{letter}}}",
    ]
    others = [*rest[:2], f"({rest[0]})", f"\\text{{{rest[0]}}}", f"\\text{{({rest[1]})}}", "1"]
    return Rendered(
        tuple(forms),
        tuple(others),
        (letter.lower(), f"({letter.lower()})", f"{letter}.", f"{letter})"),
    )
