r"""Grading: completion text and a gold answer to a verdict with its reason.

The walk: `extract` finds the one span that a completion states as its answer, `normalise`
gives it one spelling, `values` (with `brackets`, `numerals` and `units`) reads it as a number,
word, tuple, set, ..., and `compare` decides what structure and exact arithmetic can. What is
left is symbolic: `budget` refuses what is too big, and `pool` hands the pair to a killable
`worker` process, where `slow` asks sympy (`parsing`, `evaluate`). `grader` ties them together
and remembers.

Model text never reaches a symbolic engine, `eval` or `sympify` in the caller's process.
"""

from labeler.grading.grader import AnswerGrader, GradingConfig
from labeler.grading.pool import GraderError

__all__ = ["AnswerGrader", "GraderError", "GradingConfig"]
