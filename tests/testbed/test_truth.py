"""Truth: laws about what is planted, then cases worked out by hand."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from labeler.testbed import wording
from labeler.testbed.flaws import training_solution
from labeler.testbed.problems import Problem, carry_out, plan
from labeler.testbed.program import Move, Node, Program, groups, sound_values
from labeler.testbed.truth import FirstErrors, Kind, first_errors, judge, split
from labeler.testbed.wording import Define, Equation, Final, Happen, Start
from tests.testbed.strategies import problems, styles, texts

NO_ERROR = FirstErrors(None, None)
deltas = st.integers(-500, 500).filter(bool)


def errors_of(problem: Problem, steps: list[str]) -> FirstErrors:
    return first_errors(judge(problem.program, steps))


@given(problems, st.randoms(use_true_random=False), styles)
def test_right_solutions_have_no_error(problem: Problem, rng: Random, style: int) -> None:
    steps = texts(problem, carry_out(problem.program, plan(problem.program, rng)), style)
    truths = judge(problem.program, steps)
    assert all(truth.kind is Kind.RIGHT and not truth.repaired for truth in truths)
    assert errors_of(problem, list(split(problem.solution))) == NO_ERROR


@given(problems, st.data(), deltas)
def test_a_changed_result_is_the_first_error_and_changes_the_state(
    problem: Problem, data: st.DataObject, delta: int
) -> None:
    lines = carry_out(problem.program, plan(problem.program, Random(0)))
    at = data.draw(st.integers(0, len(lines) - 1))
    match lines[at]:
        case Start(name, n):
            lines[at] = Start(name, n + delta)
        case Final(n):
            lines[at] = Final(n + delta)
        case Define(name, e):
            lines[at] = Define(name, Equation(e.left, e.op, e.right, e.result + delta))
        case Happen(where, owner, e):
            lines[at] = Happen(where, owner, Equation(e.left, e.op, e.right, e.result + delta))
    assert errors_of(problem, texts(problem, lines)) == FirstErrors(at + 1, at + 1)


@given(problems, st.data(), deltas, st.booleans())
def test_a_changed_operand_beside_the_right_result_is_a_slip(
    problem: Problem, data: st.DataObject, delta: int, left: bool
) -> None:
    lines = carry_out(problem.program, plan(problem.program, Random(0)))
    places = [i for i, line in enumerate(lines) if isinstance(line, Define | Happen)]
    at = data.draw(st.sampled_from(places))
    line = lines[at]
    assert isinstance(line, Define | Happen)
    e = line.equation
    changed = Equation(e.left + delta * left, e.op, e.right + delta * (not left), e.result)
    assume((changed.left, changed.right) != (e.right, e.left))
    lines[at] = (
        Define(line.name, changed)
        if isinstance(line, Define)
        else Happen(line.occasion, line.owner, changed)
    )
    assert errors_of(problem, texts(problem, lines)) == FirstErrors(at + 1, None)


@given(problems, st.data(), deltas)
def test_a_wrong_result_carried_through_is_one_error(
    problem: Problem, data: st.DataObject, delta: int
) -> None:
    jobs = plan(problem.program, Random(0))
    places = [i for i, job in enumerate(jobs) if not isinstance(job, Start)]
    at = data.draw(st.sampled_from(places))

    def alter(index: int, e: Equation) -> Equation:
        return Equation(e.left, e.op, e.right, e.result + delta) if index == at else e

    steps = texts(problem, carry_out(problem.program, jobs, alter))
    assert errors_of(problem, steps) == FirstErrors(at + 1, at + 1)


@given(problems, st.data(), deltas)
def test_a_corrected_step_repairs_the_state(
    problem: Problem, data: st.DataObject, delta: int
) -> None:
    steps = texts(problem, lines := carry_out(problem.program, plan(problem.program, Random(0))))
    places = [i for i, line in enumerate(lines) if isinstance(line, Define | Happen)]
    at = data.draw(st.sampled_from(places))
    right = steps[at]
    line = lines[at]
    assert isinstance(line, Define | Happen)
    e = line.equation
    wrong = right.replace(f"= {e.result} ", f"= {e.result + delta} ")
    steps[at : at + 1] = [wrong, wording.CORRECTION + right]
    truths = judge(problem.program, steps)
    assert first_errors(truths) == FirstErrors(at + 1, at + 1)
    assert truths[at + 1].kind is Kind.RIGHT
    assert truths[at + 1].repaired
    assert all(truth.kind is Kind.RIGHT for truth in truths[at + 1 :])


@given(problems, st.data())
def test_commuting_moves_may_swap_if_carried_through(problem: Problem, data: st.DataObject) -> None:
    program = problem.program
    number, sound = groups(program), sound_values(program)
    path = list(range(len(program.moves)))
    pairs = [
        i
        for i in path[:-1]
        if number[i] == number[i + 1] and frozenset([*path[:i], i + 1]) in sound
    ]
    assume(pairs)
    at = data.draw(st.sampled_from(pairs))
    jobs = [job for job in plan(program, Random(0)) if not isinstance(job, Move)]
    told = [*program.moves[:at], program.moves[at + 1], program.moves[at], *program.moves[at + 2 :]]
    assert errors_of(problem, texts(problem, carry_out(program, [*jobs, *told]))) == NO_ERROR

    steps = texts(problem, carry_out(program, [*jobs, *program.moves]))
    at += len(jobs)
    steps[at], steps[at + 1] = steps[at + 1], steps[at]
    assert errors_of(problem, steps) == FirstErrors(at + 1, None)


@given(problems, st.data())
def test_a_move_left_out_is_an_error_no_earlier_than_its_place(
    problem: Problem, data: st.DataObject
) -> None:
    jobs = plan(problem.program, Random(0))
    places = [i for i, job in enumerate(jobs) if isinstance(job, Move)]
    assume(places)
    at = data.draw(st.sampled_from(places))
    steps = texts(problem, carry_out(problem.program, jobs[:at] + jobs[at + 1 :]))
    found = errors_of(problem, steps)
    assert found.state is not None
    assert found.state > at


@given(problems, st.randoms(use_true_random=False), st.data())
def test_truth_of_a_prefix_does_not_change(
    problem: Problem, rng: Random, data: st.DataObject
) -> None:
    steps = training_solution(problem.program, rng).split("\n")
    rng.shuffle(steps)
    cut = data.draw(st.integers(0, len(steps)))
    assert judge(problem.program, steps)[:cut] == judge(problem.program, steps[:cut])


@given(problems, problems, st.lists(st.text(), max_size=4), st.randoms(use_true_random=False))
def test_any_text_can_be_judged(
    problem: Problem, other: Problem, junk: list[str], rng: Random
) -> None:
    steps = [*split(problem.solution), *split(other.solution), *junk]
    rng.shuffle(steps)
    truths = judge(problem.program, steps)
    assert len(truths) == len(steps)
    found = first_errors(truths)
    assert found.state is None or (found.any is not None and found.any <= found.state)


STORY = Program(
    owner="Nina",
    items="shells",
    given={"Nina": 14, "Omar": 9, "Tess": 50},
    nodes=(Node("Leo", "*", "Omar", 3), Node("Uma", "+", "Tess", 6)),
    moves=(Move("fair", "+", 23), Move("lake", "-", "Leo"), Move("farm", "*", 4)),
)
"""14 + 23 = 37, 37 - 27 = 10, 10 * 4 = 40; Uma is a distractor."""

CASES = [
    pytest.param(
        ["Leo: 9 * 3 = 27.", "Fair: 14 + 23 = 37.", "Lake: 37 - 27 = 10.", "Farm: 10 * 4 = 40."],
        "right right right right",
        id="the start need not be said",
    ),
    pytest.param(
        ["Leo: 9 * 3 = 27.", "Lake: 14 - 27 = -13.", "Fair: -13 + 23 = 10.", "Farm: 10 * 4 = 40."],
        "right right right right",
        id="a path below zero is a path",
    ),
    pytest.param(
        ["Fair: 14 + 23 = 37.", "Lake: 37 - 27 = 10.", "Leo: 9 * 3 = 27.", "Farm: 10 * 4 = 40."],
        "right slip right right",
        id="a number used before its line",
    ),
    pytest.param(
        ["Fair: 14 + 23 = 37.", "Farm: 37 * 4 = 148.", "The answer is 148."],
        "right state carried",
        id="multiplying too early leaves the lake out for good",
    ),
    pytest.param(
        ["Leo: 9 * 3 = 27.", "Lake: 37 - 27 = 10.", "Farm: 10 * 4 = 40.", "The answer is 40."],
        "right slip right right",
        id="the fair counted but not written",
    ),
    pytest.param(["Lake: 14 + 23 = 37.", "Fair: 37 - 27 = 10."], "slip slip", id="labels swapped"),
    pytest.param(
        ["Fair: 14 + 23 = 38.", "Lake: 37 - 27 = 10.", "Farm: 10 * 4 = 40."],
        "state slip right",
        id="a wrong result nobody used; Leo is not yet written",
    ),
    pytest.param(
        ["Leo: 9 * 3 = 26.", "Fair: 14 + 23 = 37.", "Lake: 37 - 26 = 11.", "Farm: 11 * 4 = 44."],
        "state right carried carried",
        id="a wrong quantity is carried into the moves",
    ),
    pytest.param(
        ["Leo: 9 * 3 = 26.", "Fair: 14 + 23 = 37.", "Lake: 37 - 27 = 10."],
        "state right right",
        id="a wrong quantity that is not used after all",
    ),
    pytest.param(
        ["Uma: 50 + 6 = 56.", "Uma: 50 + 6 = 57.", "Uma: 50 + 6 = 56."],
        "right slip right",
        id="nobody needs Uma",
    ),
    pytest.param(
        ["Nina starts with 41 shells.", "Fair: 41 + 23 = 64.", "Fair: 14 + 23 = 37."],
        "state carried right",
        id="a wrong start, put right later",
    ),
    pytest.param(
        ["Fair: 14 + 23 = 37.", "Fair: 14 + 23 = 37.", "Fair: 37 + 23 = 60."],
        "right slip state",
        id="a restatement, then a move done twice",
    ),
    pytest.param(["Fair: 14 + 23 = 37.", "The answer is 37."], "right state", id="an early end"),
    pytest.param(["The answer is 40."], "slip", id="the answer out of the blue"),
    pytest.param(["Nina thinks hard.", ""], "state right", id="outside the grammar; blank"),
    pytest.param(["Circus: 14 + 23 = 37."], "slip", id="an unknown label, the fair's numbers"),
    pytest.param(["Circus: 14 + 24 = 38."], "state", id="an unknown label and numbers"),
    pytest.param(["Fair: 23 + 14 = 37."], "right", id="a sum the other way round"),
    pytest.param(["Leo: 9 + 3 = 27."], "slip", id="the wrong operation, the right result"),
    pytest.param(["Leo: 9 + 3 = 12."], "state", id="the wrong operation"),
]


@pytest.mark.parametrize(("steps", "kinds"), CASES)
def test_cases(steps: list[str], kinds: str) -> None:
    assert " ".join(truth.kind for truth in judge(STORY, steps)) == kinds


def test_a_division_that_does_not_divide_is_carried_rounded_down() -> None:
    program = Program("Ada", "coins", {"Ada": 10}, (), (Move("fair", "+", 4), Move("lake", "/", 2)))
    truths = judge(program, ["Fair: 10 + 4 = 15.", "Lake: 15 / 2 = 7.", "The answer is 7."])
    assert [truth.kind for truth in truths] == [Kind.STATE, Kind.CARRIED, Kind.RIGHT]
    assert truths[1].repaired
