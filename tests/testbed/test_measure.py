"""Figures: counted on solutions whose faults are planted."""

from labeler.testbed import measure
from labeler.testbed.problems import HELD, draw
from labeler.testbed.truth import split

PROBLEM = draw(HELD, 0, 0)
STEPS = split(PROBLEM.solution)
WRONG = "\n".join([*STEPS[:-1], "The answer is 0."])
RECOVERED = "\n".join(["Nothing to see.", *STEPS])


def test_figures_of_a_right_a_wrong_and_a_recovered_solution() -> None:
    solutions = [measure.judged(PROBLEM, text) for text in (PROBLEM.solution, WRONG, RECOVERED)]
    assert [s.solved for s in solutions] == [True, False, True]
    assert [s.recovered for s in solutions] == [False, False, True]
    rows = measure.figures(solutions)
    assert rows["solved"] == "66.7% (2 of 3)"
    assert rows["with a state error among the solved"] == "50.0% (1 of 2)"
    places = measure.positions(solutions)
    assert places["part"] == {"fifth 1": 1, "fifth 5": 1}
    assert measure.reasons(solutions) == {"state: final": 1, "state: unreadable": 1}
    assert measure.by_length(solutions) == {f"{len(STEPS):2d} steps": "66.7% (2 of 3)"}


def test_the_last_final_statement_counts() -> None:
    assert measure.stated_answer(["The answer is 3.", "The answer is 4."]) == "4"
    assert measure.stated_answer(["3"]) is None


def test_a_table_is_markdown() -> None:
    assert measure.table("a", {"b": 1}) == "| a | |\n|---|---|\n| b | 1 |"
