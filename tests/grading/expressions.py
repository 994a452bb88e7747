r"""Random well-formed expressions, each in two spellings: LaTeX, and plain text.

Every part is bracketed where it could bind otherwise, so both spellings are one expression by
any reading. Most have no simple value: they are for laws that need none.
"""

from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True, slots=True)
class Spelled:
    """One expression."""

    latex: str
    plain: str


def _leaf(latex: str, plain: str | None = None) -> Spelled:
    return Spelled(latex, latex if plain is None else plain)


ATOMS = st.one_of(
    st.integers(0, 12).map(lambda n: _leaf(str(n))),
    st.integers(0, 10**30).map(lambda n: _leaf(str(n))),
    st.integers(1, 99).map(lambda n: _leaf(f"{n / 10}")),
    st.sampled_from("xynabk").map(_leaf),
    st.sampled_from((("\\pi", "pi"), ("\\theta", "theta"), ("e", "e"), ("i", "i"))).map(
        lambda pair: _leaf(*pair)
    ),
    st.sampled_from(("x_1", "x_{12}", "a_n", "y'")).map(_leaf),
)
BINARY = [
    ("(@+@)", "(@ + @)"), ("\\left(@-@\\right)", "(@-@)"), ("(@\\cdot @)", "(@*@)"),
    ("\\frac{@}{@}", "((@)/(@))"), ("(@)\\times(@)", "(@)*(@)"), ("(@)(@)", "(@) (@)"),
    ("(@)^{@}", "(@)^(@)"), ("(@)^{@}", "(@)**(@)"), ("\\log_{@}(@)", "log_{@}(@)"),
    ("\\binom{@}{@}", "\\dbinom{@}{@}"), ("(@) \\div (@)", "(@)/(@)"),
    ("\\gcd(@, @)", "gcd(@,@)"), ("\\max(@, @)", "max(@, @)"),
]  # fmt: skip
UNARY = [
    ("-(@)", "-(@)"), ("\\sqrt{@}", "sqrt(@)"), ("\\sqrt[3]{@}", "cbrt(@)"), ("(@)!", "(@)!"),
    ("\\sin(@)", "sin(@)"), ("\\cos\\left(@\\right)", "cos(@)"), ("\\tan{(@)}", "tan(@)"),
    ("\\ln(@)", "ln(@)"), ("|@|", "abs(@)"), ("\\arctan(@)", "arctan(@)"), ("e^{@}", "exp(@)"),
    ("(@)^{2}", "(@)^2"), ("(@)^{-1}", "1/(@)"), ("\\lfloor @ \\rfloor", "floor(@)"),
    ("(@)^\\circ", "(@)°"), ("\\sum_{j=1}^{4} (@)", "\\sum_{j=1}^4(@)"), ("{(@)}", "(@)"),
    ("\\sinh(@)", "sinh(@)"), ("\\frac{1}{2}(@)", "(1/2)*(@)"),
]  # fmt: skip


def _filled(layouts: tuple[str, str], *parts: Spelled) -> Spelled:
    latex, plain = layouts
    for part in parts:
        latex = latex.replace("@", part.latex.replace("@", ""), 1)
        plain = plain.replace("@", part.plain.replace("@", ""), 1)
    return Spelled(latex, plain)


def _grown(smaller: st.SearchStrategy[Spelled]) -> st.SearchStrategy[Spelled]:
    return st.builds(_filled, st.sampled_from(BINARY), smaller, smaller) | st.builds(
        _filled, st.sampled_from(UNARY), smaller
    )


def expressions(leaves: int = 8) -> st.SearchStrategy[Spelled]:
    """Expressions of up to about so many leaves."""
    return st.recursive(ATOMS, _grown, max_leaves=leaves)
