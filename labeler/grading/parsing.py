r"""parsing.py - normalised text to a sympy object; runs only inside a worker process.

Math-Verify's LaTeX parser, set up so that it drops nothing: no units, no case, no boxes.
Decimals become exact rationals, odd roots of negative numbers are real, `i` is the imaginary
unit, degrees are radians, `\log` without a base is the natural logarithm.
"""

import re
from functools import lru_cache
from typing import Any


def is_expression(parsed: Any) -> bool:  # noqa: ANN401 - sympy has no types
    """Whether a parsed object has a value at a point: no set, relation or matrix."""
    from sympy import Expr

    return isinstance(parsed, Expr)


@lru_cache(maxsize=1024)
def parse(text: str) -> Any:  # noqa: ANN401 - sympy has no types
    """The sympy object that text is. Raises anything on text that is none."""
    from latex2sympy2_extended import (
        NormalizationConfig,
        latex2sympy,
    )
    from latex2sympy2_extended.latex2sympy2 import (
        ConversionConfig,
    )
    from math_verify.grader import should_treat_as_complex
    from sympy import Float, I, Pow, Rational

    latex = _as_latex(text)
    parsed = latex2sympy(
        latex,
        is_real=not should_treat_as_complex(latex),
        convert_degrees=True,
        normalization_config=NormalizationConfig(basic_latex=True, boxed="none"),
        conversion_config=ConversionConfig(lowercase_symbols=False),
    )
    if not is_expression(parsed):
        return parsed
    parsed = parsed.xreplace({name: I for name in parsed.free_symbols if str(name) == "i"})
    parsed = parsed.xreplace({number: Rational(str(number)) for number in parsed.atoms(Float)})
    roots = {
        power: -Pow(-power.base, power.exp)
        for power in parsed.atoms(Pow)
        if power.exp.is_Rational
        and power.exp.q % 2 == 1
        and power.exp.q > 1
        and power.exp.p % 2 == 1
        and power.base.is_number
        and power.base.is_negative
    }
    return parsed.xreplace(roots)


def _as_latex(text: str) -> str:
    """Plain-text functions and operators as LaTeX; LaTeX stays as it is."""
    text = text.replace('"', "").replace("*", r"\cdot ")
    text = re.sub(r"(?<![\\A-Za-z])sqrt ?\(([^()]*)\)", r"\\sqrt{\1}", text)
    text = re.sub(r"(?<![\\A-Za-z])(sqrt|sin|cos|tan|ln|log|exp|pi|theta)(?![a-z])", r"\\\1 ", text)
    text = re.sub(r"(?<![\\A-Za-z])(?:infinity|inf)(?![a-z])", r"\\infty ", text)
    text = re.sub(r"\\log(?![A-Za-z]| ?_)", r"\\ln", text)
    return text.replace("°", r"^{\circ}")
