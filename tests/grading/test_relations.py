r"""Laws of relations: what only rearranges or scales says the same, what turns round does not."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.grading.intervals import same_pieces
from labeler.grading.normalise import normalise
from labeler.grading.parser import parse
from labeler.grading.regions import region, same_region
from labeler.grading.relations import same_relation
from labeler.grading.tree import Relation, add, mul, neg
from labeler.grading.values import read
from tests.grading.trees import number, polynomials, tree

SLOW = settings(max_examples=25)
SIGNS = ("=", "<", "<=", "!=")
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
ENDS = st.fractions(min_value=-20, max_value=20, max_denominator=6)
FACTORS = st.fractions(min_value=-9, max_value=9, max_denominator=7).filter(bool)
LINES = st.tuples(*[st.integers(-9, 9).filter(bool)] * 3)


def relation(text: str) -> Relation:
    found = parse(normalise(text))
    assert isinstance(found, Relation)
    return found


def related(one: str, other: str) -> bool | None:
    found = same_relation(relation(one), relation(other))
    assert same_relation(relation(other), relation(one)) is found
    return found


def regional(one: str, other: str) -> bool | None:
    found = same_region(read(one), read(other))
    assert same_pieces(read(one), read(other)) in (None, found)
    assert same_region(read(other), read(one)) is found
    return found


@SLOW
@given(LINES, FACTORS, st.sampled_from(SIGNS))
def test_a_scaled_relation_says_the_same(
    line: tuple[int, int, int], factor: Fraction, sign: str
) -> None:
    """Scaled by a negative number it is turned round, and so is its sign."""
    a, b, c = line
    left, right = tree(f"{a}x+({b})y"), number(c)
    gold = Relation((left, right), (sign,))
    scaled = mul(number(factor), left), mul(number(factor), right)
    new = sign if factor > 0 else _TURNED[sign]
    assert same_relation(gold, Relation(scaled, (new,))) is True
    assert same_relation(gold, Relation(scaled[::-1], (_TURNED[new],))) is True
    moved = Relation((add(scaled[0], neg(scaled[1])), number(0)), (new,))
    assert same_relation(moved, gold) is True
    if sign in ("<", "<="):
        assert same_relation(gold, Relation(scaled, (_TURNED[new],))) is False
        other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[new]
        assert same_relation(gold, Relation(scaled, (other,))) is False
    shifted = add(scaled[1], number(Fraction(1, 10**30)))
    assert same_relation(gold, Relation((scaled[0], shifted), (new,))) is False


@SLOW
@given(polynomials(), st.sampled_from(SIGNS))
def test_a_relation_is_not_that_of_one_side_changed(node: object, sign: str) -> None:
    gold = Relation((node, tree("xyk+y")), (sign,))  # type: ignore[arg-type]
    other = Relation((node, tree("xyk+y+1")), (sign,))  # type: ignore[arg-type]
    assert same_relation(gold, gold) is True
    assert same_relation(gold, other) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2x+y=3", "4x+2y=6"),
        ("2x+y=3", "y=-2x+3"),
        ("y-1=2(x-3)", "y=2x-5"),
        ("\\frac{x}{2}+\\frac{y}{3}=1", "3x+2y=6"),
        ("(x-1)^2+(y+2)^2=9", "x^2+y^2-2x+4y-4=0"),
        ("\\frac{x^2}{4}+\\frac{y^2}{9}=1", "9x^2+4y^2=36"),
        ("y=\\sqrt{3}x", "\\frac{y}{\\sqrt3}=x"),
        ("x+y<1", "-x-y>-1"),
        ("2x+2y\\le 4", "2\\ge x+y"),
        ("1<x+y<5", "5>x+y>1"),
        ("a=b=c", "c=b=a"),
        ("x+y\\ne 0", "-x\\ne y"),
        ("\\sin^2 x+y=0", "y=\\cos^2 x-1"),
        ("xy=1", "1=yx"),
    ],
)
def test_the_same_relation(one: str, other: str) -> None:
    assert related(one, other) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2x+y=3", "2x-y=3"),
        ("2x+y=3", "2x+y=4"),
        ("2x+y=3", "2x+y<3"),
        ("2x+y=3", "2a+b=3"),
        ("x+y<1", "x+y>1"),
        ("x+y<1", "-x-y<-1"),
        ("x+y<1", "x+y\\le 1"),
        ("x^2+y^2=9", "x^2+y^2=3"),
        ("(x-1)^2+(y+2)^2=9", "(x+1)^2+(y-2)^2=9"),
        ("1<x+y<5", "1<x+y\\le 5"),
        ("1<x+y<5", "1<x+y<6"),
        ("a=b", "a=-b"),
        ("y=x^2", "y=x^3"),
        ("y=x^2", "x=y^2"),
        ("x+y\\ne 0", "x+y=0"),
        ("y=|x|", "y=x"),
        ("y=|x+12|", "y=x+12"),
        ("y=2x+1", "y=2x+1+10^{-40}"),
    ],
)
def test_another_relation(one: str, other: str) -> None:
    assert related(one, other) is not True
    if one.count("<") < 2:
        assert related(one, other) is False


def written(end: Fraction) -> str:
    return f"\\frac{{{end.numerator}}}{{{end.denominator}}}" if end.denominator > 1 else f"{end}"


@st.composite
def intervals(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Spellings of one interval, and of others."""
    left, right = sorted((draw(ENDS), draw(ENDS)))
    if left == right:
        right += 1
    a, b = written(left), written(right)
    opened, closed = draw(st.booleans()), draw(st.booleans())
    one, two = ("(" if opened else "["), (")" if closed else "]")
    first, second = ("<" if opened else "\\le "), ("<" if closed else "\\le ")
    back = {"<": ">", "\\le ": "\\ge "}
    middle = written((left + right) / 2)
    same = [
        f"{one}{a},{b}{two}",
        f"{a}{first}x{second}{b}",
        f"{b}{back[second]}x{back[first]}{a}",
        f"\\{{x\\mid {a}{first}x{second}{b}\\}}",
        f"x\\in{one}{a},{b}{two}",
        f"x{back[first]}{a} \\text{{ and }} x{second}{b}",
        f"{one}{a},{middle}]\\cup[{middle},{b}{two}",
        f"2x{back[first]}2({a}), 3x{second}3({b})",
    ]
    wrong = "[" if opened else "("
    turned = "\\le " if closed else "<"
    others = [
        f"{wrong}{a},{b}{two}",
        f"{one}{a},{written(right + 1)}{two}",
        f"{a}{first}x{turned}{b}",
        f"{one}{a},\\infty)",
        f"{one}{a},{middle})\\cup({middle},{b}{two}",
        f"\\{{{a},{b}\\}}",
        f"x{first}{a} \\text{{ or }} x{back[second]}{b}",
    ]
    return same, others


@SLOW
@given(intervals(), st.data())
def test_an_interval_in_any_form(forms: tuple[list[str], list[str]], data: st.DataObject) -> None:
    same, others = forms
    gold = data.draw(st.sampled_from(same))
    assert regional(gold, data.draw(st.sampled_from(same))) is True
    assert regional(gold, data.draw(st.sampled_from(others))) is False


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x>2", "(2,\\infty)"),
        ("[\\sqrt{3+2\\sqrt2}-1-\\sqrt2,1]", "[0,1]"),
        ("x\\ge\\sqrt{8}", "[2\\sqrt2,\\infty)"),
        ("x^2<4", "(-2,2)"),
        ("x^2\\ge 4", "(-\\infty,-2]\\cup[2,\\infty)"),
        ("|x-1|<2", "-1<x<3"),
        ("x\\ne 0", "(-\\infty,0)\\cup(0,\\infty)"),
        ("\\mathbb{R}\\setminus\\{0\\}", "(-\\infty,0)\\cup(0,\\infty)"),
        ("\\mathbb{R}\\setminus\\{0\\}", "x\\ne 0"),
        ("\\mathbb{R}\\setminus\\{1,2\\}", "(-\\infty,1)\\cup(1,2)\\cup(2,\\infty)"),
        ("\\mathbb{R}", "(-\\infty,\\infty)"),
        ("x<-1 \\text{ or } x>1", "(1,\\infty)\\cup(-\\infty,-1)"),
        ("[0,1]\\cup[1,2]", "[0,2]"),
        ("[0,1)\\cup[1,2]", "[0,2]"),
        ("(0,3)\\cup(2,5]", "0<x\\le 5"),
        ("[\\frac{1}{\\sqrt2},1]", "\\frac{\\sqrt2}{2}\\le x\\le 1"),
        ("(0,\\frac{\\pi}{2})", "0<t<\\frac{\\pi}{2}"),
        ("\\{x\\mid x>2\\}", "\\{y\\mid y>2\\}"),
        ("(-\\infty,\\log_2 8)", "x<3"),
        ("(-\\infty,1)\\cup(2,3)\\cup(5,\\infty)", "(5,\\infty)\\cup(-\\infty,1)\\cup(2,3)"),
    ],
)
def test_the_same_region(one: str, other: str) -> None:
    assert regional(one, other) is True


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x>2", "[2,\\infty)"),
        ("x>2", "x<2"),
        ("x>2", "(-\\infty,2)"),
        ("x>a", "(2,\\infty)"),
        ("x>2 \\text{ or } y>3", "(2,\\infty)"),
        ("x^2<4", "x<2"),
        ("[0,1)\\cup(1,2]", "[0,2]"),
        ("\\mathbb{R}\\setminus\\{0\\}", "\\mathbb{R}"),
        ("\\mathbb{R}\\setminus\\{0\\}", "\\mathbb{R}\\setminus\\{1\\}"),
        ("\\mathbb{R}", "\\emptyset"),
        ("(1,\\infty)", "(1+10^{-40},\\infty)"),
        ("[1,2]", "\\{1,2\\}"),
        ("x<-1 \\text{ or } x>1", "x<-1 \\text{ and } x>1"),
        ("(0,\\pi)", "(0,3.14159265)"),
        ("(2,1)", "(1,2)"),
    ],
)
def test_another_region(one: str, other: str) -> None:
    assert regional(one, other) is not True


@pytest.mark.parametrize("text", ["5", "x", "x=y", "(1,2,3)", "\\text{even}", "x+y<2"])
def test_what_is_no_set_of_reals(text: str) -> None:
    assert region(read(text)) is None
