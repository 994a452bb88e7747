r"""Expressions in their many spellings: radicals, multiples of pi, complex numbers, polynomials,
equations of lines and inequalities, each with changed values.
"""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import assume
from hypothesis import strategies as st

from tests.grading.spelled_numbers import Rendered, fraction_forms

NONZERO = st.integers(-12, 12).filter(bool)
SURDS = st.sampled_from((2, 3, 5, 6, 7, 10, 11, 13, 14, 15))
ROOT_17 = "\\sqrt{17}"  # 17 is in no SURDS
VARIABLES = st.sampled_from("xytnzakrp")


def times(coefficient: int, factor: str, mark: str = "") -> str:
    """A coefficient before a factor, 1 not written."""
    if abs(coefficient) == 1:
        return ("-" if coefficient < 0 else "") + factor
    return f"{coefficient}{mark}{factor}"


def total(terms: Sequence[str], gap: str = "") -> str:
    """Terms added up; a term's own minus sign subtracts it."""
    text = terms[0]
    for term in terms[1:]:
        minus = term.startswith("-")
        text += f"{gap}{'-' if minus else '+'}{gap}{term[1:] if minus else term}"
    return text


@st.composite
def radicals(draw: st.DrawFn) -> Rendered:
    r"""`a + b\sqrt c`, a possibly zero."""
    a, b, c = draw(st.integers(-20, 20)), draw(NONZERO), draw(SURDS)
    front = [str(a)] if a else []
    roots = [times(b, f"\\sqrt{{{c}}}"), times(b, f"√{c}"), times(b, f"\\sqrt{{{c}}}", "\\cdot ")]
    roots += [times(b, f"\\sqrt{{{c}}}", " "), times(b, f"{{\\sqrt{{{c}}}}}")]
    roots += [times(b, f"\\sqrt{c}") if c < 10 else times(b, f"\\sqrt {{{c}}}")]
    roots.append(("-" if b < 0 else "") + f"\\sqrt{{{b * b * c}}}")
    plain = [times(b, f"sqrt({c})", "*"), times(b, f"sqrt({c})"), times(b, f"{c}^(1/2)", "*")]
    plain += [times(b, f"{c}**(1/2)", "*"), times(b, f"√({c})")]
    halves = [times(b, f"{c}^{{1/2}}", "\\cdot "), times(b, f"{c}^{{\\frac{{1}}{{2}}}}", "\\cdot ")]
    forms = [total([*front, root]) for root in (*roots, *plain, *halves)]
    forms += [total([root, *front], " ") for root in (*roots, *plain)]
    double = (
        total([str(2 * a), times(2 * b, f"\\sqrt{{{c}}}")]) if a else times(2 * b, f"\\sqrt{{{c}}}")
    )
    forms += [f"\\frac{{{double}}}{{2}}", f"({double})/2", f"\\frac{{1}}{{2}}({double})"]
    changed = [(a + 1, b, c), (a, -b, c), (a, b, 17), (a, 2 * b, c), (-a - 1, b, c)]
    others = [total([str(p), times(q, f"\\sqrt{{{r}}}")]) for p, q, r in changed]
    return Rendered(tuple(forms), (*others, str(a + b), f"{a + b * c}"))


@st.composite
def surds(draw: st.DrawFn) -> Rendered:
    r"""`p / (q \sqrt c)`, rationalised or not."""
    p, q, c = draw(st.integers(1, 9)), draw(st.integers(1, 9)), draw(SURDS)
    root, value = f"\\sqrt{{{c}}}", Fraction(p, q * c)
    below = times(q, root)
    forms = [f"\\frac{{{p}}}{{{below}}}", f"{p}/({below})", f"\\dfrac{{{p}}}{{{below}}}"]
    top, bottom = value.numerator, value.denominator
    over = times(top, root)
    forms += [
        f"\\frac{{{over}}}{{{bottom}}}",
        f"{over}/{bottom}",
        f"\\frac{{{top}}}{{{bottom}}}{root}",
    ]
    forms += [
        f"{root} \\cdot \\frac{{{top}}}{{{bottom}}}",
        f"\\sqrt{{\\frac{{{p * p}}}{{{q * q * c}}}}}",
    ]
    forms += [f"{times(top, f'sqrt({c})', '*')}/{bottom}", f"{times(top, f'√{c}')}/{bottom}"]
    others = [f"\\frac{{{p}}}{{{times(q + 1, root)}}}", f"-\\frac{{{over}}}{{{bottom}}}"]
    others += [
        f"\\frac{{{over}}}{{{bottom + 1}}}",
        f"\\frac{{{times(top, ROOT_17)}}}{{{bottom}}}",
    ]
    return Rendered(tuple(forms), (*others, f"\\frac{{{top}}}{{{bottom}}}"))


@st.composite
def multiples_of_pi(draw: st.DrawFn) -> Rendered:
    value = draw(st.builds(Fraction, NONZERO, st.integers(1, 9)))
    top, bottom = value.numerator, value.denominator
    minus, size = "-" if top < 0 else "", abs(top)
    pis = [times(size, "\\pi"), times(size, "π"), times(size, "\\pi", " "), times(size, "pi", "*")]
    if bottom == 1:
        forms = [
            *(minus + pi for pi in pis),
            f"\\pi \\cdot {top}" if top > 0 else f"-\\pi\\cdot {size}",
        ]
    else:
        forms = [f"{minus}{pi}/{bottom}" for pi in pis]
        forms += [
            f"{minus}\\frac{{{pis[0]}}}{{{bottom}}}",
            f"\\frac{{{minus}{pis[1]}}}{{{bottom}}}",
        ]
        forms += [f"{minus}\\frac{{{size}}}{{{bottom}}}\\pi", f"{minus}({size}/{bottom})*pi"]
        forms += [f"{minus}\\frac{{{size}}}{{{bottom}}} π"]
    others = [f"{minus}\\frac{{{size + 1}\\pi}}{{{bottom}}}", f"{minus}{size}/{bottom}"]
    others += [
        f"{minus}\\frac{{{pis[0]}}}{{{bottom + 1}}}",
        f"{'' if minus else '-'}{pis[0]}/{bottom}",
    ]
    return Rendered(tuple(forms), (*others, f"{minus}\\frac{{{pis[0]}^2}}{{{bottom}}}"))


@st.composite
def complex_numbers(draw: st.DrawFn) -> Rendered:
    a, b = draw(st.integers(-20, 20)), draw(NONZERO)
    front = [str(a)] if a else []
    parts = [times(b, "i"), times(b, " i"), times(b, "i", "\\cdot "), times(b, "i", "*")]
    parts.append(times(b, "\\mathrm{i}"))
    parts.append(f"i \\cdot {b}" if b > 1 else times(b, "i"))
    forms = [total([*front, part], gap) for part in parts for gap in ("", " ")]
    forms += [total([part, *front]) for part in parts]
    changed = [(a, -b), (a + 1, b), (a, b + 1 or 2), (-a - 1, b), (2 * a + 1, 2 * b)]
    others = [total([str(p), times(q, "i")]) for p, q in changed if (p, q) != (a, b)]
    return Rendered(tuple(forms), (*others, str(a), str(a + b)))


def power(variable: str, exponent: int, style: str) -> str:
    """A power in one of the styles {}, ^, **, unicode."""
    if exponent == 1:
        return variable
    if style == "²":
        return variable + "²³⁴"[exponent - 2]
    return f"{variable}^{{{exponent}}}" if style == "{}" else f"{variable}{style}{exponent}"


def polynomial(terms: Sequence[tuple[int, int]], variable: str, style: str, mark: str = "") -> str:
    """Terms (coefficient, exponent), zeros left out, in the given order."""
    kept = [(c, e) for c, e in terms if c]
    return total(
        [times(c, power(variable, e, style), mark) if e else str(c) for c, e in kept] or ["0"]
    )


STYLES = (("{}", ""), ("^", ""), ("**", "*"), ("^", "*"), ("{}", "\\cdot "), ("²", ""), ("{}", " "))


@st.composite
def polynomials(draw: st.DrawFn) -> Rendered:
    r"""`a(x - r)(x - s)`, expanded in any order or factored."""
    a, r, s = draw(NONZERO), draw(NONZERO), draw(NONZERO)
    v, w = draw(st.tuples(VARIABLES, VARIABLES).filter(lambda pair: pair[0] != pair[1]))
    terms = [(a, 2), (-a * (r + s), 1), (a * r * s, 0)]
    orders = draw(st.permutations(terms)), terms, terms[::-1]
    forms = [polynomial(order, v, *style) for order in orders for style in STYLES]
    one, other = (f"({total([v, str(-root)])})" for root in (r, s))
    forms += [times(a, one + other), times(a, other + one), times(a, f"{one}*{other}", "*")]
    forms += [times(a, f"{one} \\cdot {other}"), times(a, f"\\left{one[:-1]}\\right){other}")]
    forms += [times(a, f"{one}^2")] if r == s else []
    assume(polynomial(terms, v, "^") not in ("0", v))
    changed = [[(a + 1 or 2, 2), *terms[1:]], [terms[0], (-a * (r + s) + 1, 1), terms[2]]]
    changed += [[*terms[:2], (a * r * s - 1, 0)], [(a, 3), *terms[1:]], [(-c, e) for c, e in terms]]
    others = [polynomial(row, v, "^") for row in changed]
    others.append(polynomial(terms, w, "{}"))
    return Rendered(tuple(forms), tuple(others))


@st.composite
def functions(draw: st.DrawFn) -> Rendered:
    """`y = mx + b`: with and without its left side."""
    m, b = draw(NONZERO.filter(lambda m: m != -1)), draw(NONZERO)  # y = b - x is its own mirror
    rules = [
        total([times(m, "x"), str(b)]),
        total([str(b), times(m, "x")]),
        total([times(m, "x", "*"), str(b)]),
    ]
    forms = [*rules, *(f"y = {rule}" for rule in rules), *(f"y={rule}" for rule in rules)]
    forms += [f"{rules[0]} = y"]
    changed = [
        total([times(p, "x"), str(q)])
        for p, q in ((m, -b), (m + 1 or 2, b), (-m, b), (b, m))
        if (p, q) != (m, b)
    ]
    return Rendered(
        tuple(forms),
        (*(f"y={rule}" for rule in changed), *changed, f"x = {total([times(m, 'y'), str(b)])}"),
    )


@st.composite
def lines(draw: st.DrawFn) -> Rendered:
    """`ax + by = c`, scaled and rearranged."""
    a, b, c = draw(NONZERO), draw(NONZERO), draw(NONZERO)
    k = draw(st.sampled_from((2, 3, 5, -1, -2)))

    def left(p: int, q: int) -> str:
        return total([times(p, "x"), times(q, "y")])

    forms = [f"{left(a, b)} = {c}", f"{c} = {left(a, b)}", f"{total([left(a, b), str(-c)])} = 0"]
    forms += [
        f"{left(k * a, k * b)}={k * c}",
        f"{times(a, 'x')} = {total([str(c), times(-b, 'y')])}",
    ]
    forms += [f"{total([times(b, 'y'), times(a, 'x')])}={c}", f"0={total([left(a, b), str(-c)])}"]
    forms += [f"{total([times(a, 'x', '*'), times(b, 'y', '*')])} = {c}"]
    others = [f"{left(a, b)} = {c + 1 or 2}", f"{left(a, b)}={-c}", f"{left(a, -b)}={c}"]
    others += [f"{left(a + 1 or 2, b)}={c}"]
    return Rendered(tuple(forms), (*others, str(c)))


@st.composite
def inequalities(draw: st.DrawFn) -> Rendered:
    end, strict, above = (
        draw(st.builds(Fraction, NONZERO, st.integers(1, 4))),
        draw(st.booleans()),
        draw(st.booleans()),
    )
    v, (shown, *_), far = draw(VARIABLES), fraction_forms(end), fraction_forms(end + 1)[0]
    more = (">", "\\gt ") if strict else ("≥", "\\ge ", "\\geq ", ">=", "\\geqslant ")
    less = ("<", "\\lt ") if strict else ("≤", "\\le ", "\\leq ", "<=", "\\leqslant ")
    right, turned = (more, less) if above else (less, more)
    forms = [f"{v} {sign}{shown}" for sign in right] + [f"{shown} {sign}{v}" for sign in turned]
    opening, closing = ("(", ")") if strict else ("[", "]")
    rays = (
        [f"{opening}{shown}, \\infty)", f"{opening}{shown},∞)"]
        if above
        else [f"(-\\infty, {shown}{closing}"]
    )
    forms += [*rays, f"{v} \\in {rays[0]}", f"{v} ∈ {rays[0]}"]
    others = [f"{v} {turned[0]} {shown}", f"{v} {right[0]} {far}", shown, f"{v} = {shown}"]
    strictness = {
        (True, True): "\\ge",
        (True, False): "\\le",
        (False, True): ">",
        (False, False): "<",
    }
    others.append(f"{v} {strictness[strict, above]} {shown}")
    return Rendered(tuple(forms), tuple(others))


@st.composite
def plus_minuses(draw: st.DrawFn) -> Rendered:
    a, c = draw(st.integers(-9, 9)), draw(SURDS)
    front, root = (str(a) if a else ""), f"\\sqrt{{{c}}}"
    plus, minus = f"{front}{'+' if a else ''}{root}", f"{front}-{root}"
    forms = [f"{front}\\pm {root}", f"{front} ± √{c}", f"{front}±{root}", f"{plus}, {minus}"]
    forms += [f"{minus}, {plus}", f"\\{{{minus}, {plus}\\}}", f"{plus} \\text{{ and }} {minus}"]
    forms += [f"x = {front}\\pm{root}", f"x={plus} \\text{{ or }} x={minus}"]
    others = [plus, minus, f"{a + 1}\\pm {root}", f"{front}\\pm \\sqrt{{17}}", f"{plus}, {plus}"]
    return Rendered(tuple(forms), tuple(others))
