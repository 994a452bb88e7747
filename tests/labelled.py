"""Rows of labels from counts, for tests that look at nothing else.

row = made(WRONG, {0: (8, 4), 1: (8, 0)}, steps=2)    # (n, correct) by prefix
"""

from collections.abc import Mapping

from labeler.labels import Evidence, LabelConfig, SolutionLabel, Tally, believe, label
from labeler.model import Outcome, Problem, Reason, Solution, Step, Verdict
from tests.posterior.drawn import MODEL

RIGHT = Verdict(Outcome.CORRECT, Reason.MATCH, "42", 0)
WRONG = Verdict(Outcome.INCORRECT, Reason.WRONG, "41", 0)
UNGRADABLE = Verdict(Outcome.UNGRADABLE, Reason.TIMEOUT, None, 0)
CUT = Verdict(Outcome.INCORRECT, Reason.TRUNCATED, None, 0)
PROBLEM = Problem("p", "What is 6 * 7?", "42", "made up")
ZERO = LabelConfig(rule="first_zero", value_model=MODEL)
LOOK = LabelConfig(rule="first_zero", right_answers=True, value_model=MODEL)
LIKELIEST = LabelConfig(rule="posterior", value_model=MODEL)


def solution(steps: int) -> Solution:
    return Solution(
        "s", "p", tuple(Step(f"step {k}", "\n") for k in range(1, steps + 1)), "someone"
    )


def made(
    own: Verdict, counts: Mapping[int, tuple[int, int]], steps: int, config: LabelConfig = ZERO
) -> SolutionLabel:
    """The row of a solution; counts are (n, correct) by prefix."""
    tallies = {k: Tally(n, c, n_tokens=10 * n) for k, (n, c) in counts.items()}
    return labelled(Evidence(own, tallies), steps, config)


def labelled(evidence: Evidence, steps: int, config: LabelConfig = ZERO) -> SolutionLabel:
    """The row of a problem's only solution."""
    keys = [str(k) for k in range(steps)]
    tallies = {str(k): t for k, t in evidence.tallies.items() if k in range(steps)}
    [belief] = (
        believe([keys], [evidence.is_correct], tallies, config.value_model, config.confidence)
        if steps
        else [None]
    )
    return label(PROBLEM, solution(steps), evidence, config, belief)
