r"""Grading: completion text and a gold answer to a verdict with its reason.

The walk: `extract` finds the one span that a completion states as its answer, `normalise`
gives it one spelling, `values` (with `brackets`, `numerals` and `units`) reads it as a number,
word, tuple, set, ..., and `compare` decides by shape, part by part, under the `conventions`.
Two expressions are parsed (`tokens`, `parser`, `commands`) to a `tree`, and `settle` decides
what structure (`structure`), exact arithmetic (`exact`) and exact values at random `points` can.
What is left goes through the `pool` to a killable `worker` process, where `slow` asks mpmath and
sympy (`symbolic`, `evaluate`, `relations`) within a `budget`. `grader` ties them together and
remembers.

Nothing evaluates model text: only trees that the parser built are ever computed with.
"""

from labeler.grading.conventions import Conventions
from labeler.grading.explain import Explanation
from labeler.grading.grader import AnswerGrader, GradingConfig
from labeler.grading.server import GraderError

__all__ = ["AnswerGrader", "Conventions", "Explanation", "GraderError", "GradingConfig"]
