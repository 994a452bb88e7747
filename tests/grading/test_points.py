r"""Laws of the points: drawn from content, of the right sort, and telling where they can."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labeler.grading.exact import Budget
from labeler.grading.points import ENOUGH, bind, counted, exactly, points, vanishes
from labeler.grading.structure import canonical
from labeler.grading.tree import BINDERS, Apply, Node, Number, Symbol, add, free_symbols, neg, walk
from tests.grading.trees import agree, expressions, form, number, polynomials, tree

AT = exactly(Budget(bits=4096, steps=10_000))
TREES = (polynomials() | expressions()).filter(lambda node: form(node) is not None)


def rows(gold: Node, answer: Node) -> list[dict[str, Node]]:
    return list(points(gold, answer))


@given(TREES, TREES)
def test_points_follow_from_the_two_expressions_in_either_order(one: Node, other: Node) -> None:
    drawn = rows(one, other)
    assert drawn == rows(one, other) == rows(other, one)
    names = free_symbols(one) | free_symbols(other)
    assert len(drawn) > 5
    assert all(point.keys() == names for point in drawn)
    for name in names:
        assert len({point[name] for point in drawn}) > 3


@given(TREES, TREES)
def test_both_signs_are_tried_and_counted_variables_are_whole(one: Node, other: Node) -> None:
    whole = counted(one) | counted(other)
    for name in free_symbols(one) | free_symbols(other):
        values = [point[name] for point in rows(one, other)]
        sizes = [value.value for value in values if isinstance(value, Number)]
        assert len(sizes) == len(values)
        if name in whole:
            assert all(size.denominator == 1 and size >= 0 for size in sizes)
            assert {int(size) % 2 for size in sizes} == {0, 1}
        else:
            assert min(sizes) < 0 < max(sizes)


@given(TREES)
def test_a_difference_and_its_negative_have_the_same_points(node: Node) -> None:
    gap = form(node)
    if gap is not None:
        assert list(points(gap)) == list(points(canonical(neg(gap))))


@given(TREES)
def test_a_bound_tree_has_no_variables(node: Node) -> None:
    for point in rows(node, node)[:2]:
        assert not free_symbols(bind(node, point))
    assert bind(node, {}) == node
    assert bind(node, {"z": number(5)}) == node


@given(polynomials(), polynomials(), st.sampled_from(["Sum", "Product", "Integral"]))
def test_a_variable_of_its_own_is_not_bound(body: Node, end: Node, op: str) -> None:
    (binder,) = (b for b in BINDERS if b.value == op)
    node = Apply(binder, (body, Symbol("k"), number(1), end))
    bound = bind(node, {"k": number(7), "x": number(3)})
    assert isinstance(bound, Apply)
    assert bound.args[0] == bind(body, {"x": number(3)})
    assert bound.args[1:] == (Symbol("k"), number(1), bind(end, {"k": number(7), "x": number(3)}))


@given(polynomials(), polynomials())
def test_polynomials_are_told_apart(one: Node, other: Node) -> None:
    """Exactly where the difference has a canonical form that is a number, agree must follow."""
    assert agree(one, one, AT) is True
    assert agree(one, add(one, number(Fraction(1, 10**40))), AT) is False
    assert agree(one, other, AT) is agree(other, one, AT)
    if form(one) == form(other):
        assert agree(one, other, AT) is True


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=10))
def test_one_difference_decides_and_silence_tells_nothing(told: list[bool | None]) -> None:
    answers = iter([*told, *[None] * 50])
    found = vanishes(tree("x+y"), lambda _: next(answers))
    if found is False:
        assert False in told
    elif found is True:
        assert told.count(True) >= ENOUGH
    else:
        assert told.count(True) < ENOUGH


@pytest.mark.parametrize("shift", [1, 2, 3, 5, 7, 10, 12, 25, 40, 60, 100, 500, 2004])
def test_expressions_that_bend_are_not_what_they_are_on_one_side(shift: int) -> None:
    for one, other in (
        (f"|x+{shift}|", f"x+{shift}"),
        (f"|x-{shift}|", f"{shift}-x"),
        (f"|x-{shift}|", f"x-{shift}"),
        (f"|x+y-{shift}|", f"x+y-{shift}"),
        (f"\\max(x,{shift})", f"{shift}"),
        (f"\\max(x,{shift})", "x"),
        (f"\\min(x,-{shift})", f"-{shift}"),
        (f"\\lfloor x/{shift}\\rfloor", "0"),
        (f"\\lceil x+{shift}\\rceil", f"x+{shift}"),
    ):
        assert agree(tree(one), tree(other), AT) is False, (one, other)
        assert agree(tree(other), tree(one), AT) is False, (one, other)


@pytest.mark.parametrize("shift", range(12))
def test_counted_variables_take_both_parities_and_more(shift: int) -> None:
    for one, other in (
        (f"(-1)^n+{shift}", f"1+{shift}"),
        (f"{shift + 2}(-1)^n", f"{shift + 2}"),
        (f"{shift + 2}(-1)^n", f"-{shift + 2}"),
        (f"(n+{shift}) mod 2", f"{shift} mod 2"),
        (f"n mod 3+{shift}", f"n mod 4+{shift}"),
        (f"n!+{shift}", f"n+{shift}"),
        (f"\\binom{{n}}{{2}}+{shift}", f"n+{shift}"),
        (f"\\gcd(n,6)+{shift}", f"\\gcd(n,3)+{shift}"),
        (f"(-1)^n(-1)^m+{shift}", f"1+{shift}"),
        (f"(-1)^n+{shift}", f"(-1)^m+{shift}"),
        (f"\\binom{{n}}{{m}}+{shift}", f"\\binom{{m}}{{n}}+{shift}"),
    ):
        assert agree(tree(one), tree(other), AT) is False, (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(x+1)^2", "x^2+2x+1"),
        ("\\frac{x^2-1}{x-1}", "x+1"),
        ("\\frac{1}{x}+\\frac{1}{y}", "\\frac{x+y}{xy}"),
        ("\\binom{n}{2}", "\\frac{n(n-1)}{2}"),
        ("\\frac{(n+1)!}{n!}", "n+1"),
        ("\\sum_{k=1}^{n} k", "\\frac{n(n+1)}{2}"),
        ("\\sum_{k=1}^{n} k^3", "(\\sum_{k=1}^{n} k)^2"),
        ("\\prod_{k=1}^{n} k", "n!"),
        ("(-1)^{2n}", "1"),
        ("|x||y|", "|xy|"),
        ("|x-y|", "|y-x|"),
        ("\\max(x,y)", "\\frac{x+y+|x-y|}{2}"),
        ("\\lfloor x \\rfloor", "-\\lceil -x \\rceil"),
        ("n mod 2", "\\frac{1-(-1)^n}{2}"),
        ("\\gcd(n,m)\\cdot\\text{}lcm(n,m)", "nm"),
    ],
)
def test_rational_identities(one: str, other: str) -> None:
    assert agree(tree(one), tree(other), AT) is True
    assert agree(tree(other), tree(one), AT) is True
    assert agree(tree(one), add(tree(other), number(Fraction(1, 10**30))), AT) is False


def test_what_has_no_value_anywhere_tells_nothing() -> None:
    for text in ("\\frac{1}{x-x}", "\\frac{x}{0x}", "\\frac{1}{(x-y)-(x-y)}"):
        assert agree(tree(text), tree("x"), AT) is None
        assert agree(tree("1"), tree(text), AT) is None


def test_counted_variables_are_found_where_they_count() -> None:
    texts = {
        "n!": "n", "\\binom{n}{k}": "nk", "\\sum_{k=1}^{n} kx": "n", "(-1)^n x": "n",
        "n mod m": "nm", "\\gcd(a,b)": "ab", "x^n": "", "2^n": "", "(-2)^{n+m}": "nm",
        "(2n)!!": "n",
    }  # fmt: skip
    assert {text: "".join(sorted(counted(tree(text)))) for text in texts} == {
        text: "".join(sorted(names)) for text, names in texts.items()
    }
    assert not any(counted(part) for part in walk(tree("\\sin x+|x|")))
