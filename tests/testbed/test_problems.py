"""Problems: drawn from a seed, in range, 3 to 10 steps, and not the training ones."""

import json
import re
from itertools import islice

from hypothesis import assume, given
from hypothesis import strategies as st

from labeler.testbed import problems, wording
from labeler.testbed.drawing import MAX_STEPS, MIN_STEPS, TESTBED, WIDE, Setting
from labeler.testbed.problems import HELD, Problem, draw, draw_many
from labeler.testbed.program import OPERATIONS, Program, answer, groups, needed, sound_values
from labeler.testbed.train import Options, examples
from labeler.testbed.truth import split
from labeler.testbed.wording import Define, Equation, Final, Happen, Start
from tests.conftest import ROOT
from tests.testbed.strategies import problems as some_problems
from tests.testbed.strategies import styles

SHIPPED = ROOT / "data" / "testbed" / "problems.jsonl"


@given(some_problems)
def test_gold_solutions_have_3_to_10_steps_with_numbers_in_range(problem: Problem) -> None:
    check_gold(problem, TESTBED)


@given(st.integers(0, 100_000))
def test_so_have_the_wider_ones(index: int) -> None:
    check_gold(draw("test", 0, index, WIDE), WIDE)


def check_gold(problem: Problem, setting: Setting) -> None:
    steps = split(problem.solution)
    assert MIN_STEPS <= len(steps) <= MAX_STEPS
    assert all(1 <= int(n) <= setting.limit for n in re.findall(r"\d+", problem.solution))
    assert steps[-1] == f"The answer is {problem.answer}."


@given(some_problems)
def test_every_needed_quantity_has_its_step_and_no_other(problem: Problem) -> None:
    lines = [wording.read(step) for step in split(problem.solution)]
    worked_out = [line.name for line in lines if isinstance(line, Define)]
    useful = needed(problem.program)
    assert sorted(worked_out) == sorted(n.name for n in problem.program.nodes if n.name in useful)
    assert sum(isinstance(line, Happen) for line in lines) == len(problem.program.moves)


@given(st.integers(0, 5000), st.integers(0, 3))
def test_a_problem_is_a_function_of_stream_seed_and_index(index: int, seed: int) -> None:
    assert draw("test", seed, index) == draw("test", seed, index)
    assert draw("test", seed, index) != draw("test", seed, index + 1)


@given(some_problems)
def test_rows_survive_json(problem: Problem) -> None:
    assert Problem.from_json(json.loads(json.dumps(problem.to_json()))) == problem


@given(some_problems)
def test_constants_of_a_problem_differ(problem: Problem) -> None:
    program = problem.program
    operands = [n.right for n in program.nodes] + [m.operand for m in program.moves]
    constants = [n for n in operands if isinstance(n, int)] + list(program.given.values())
    assert len(constants) == len(set(constants))


@given(some_problems)
def test_each_part_of_the_program_is_told(problem: Problem) -> None:
    program, question = problem.program, problem.question
    assert all(name in question for name in program.given)
    assert all(node.name in question for node in program.nodes)
    assert all(move.occasion in question for move in program.moves)
    assert question.endswith(("?", "."))
    assert program.items in question


numbers = st.integers(-999, 999_999)
equations = st.builds(Equation, numbers, st.sampled_from(OPERATIONS), numbers, numbers)
names = st.sampled_from(wording.NAMES)
lines = st.one_of(
    st.builds(Start, names, numbers),
    st.builds(Define, names, equations),
    st.builds(Happen, st.sampled_from(wording.OCCASIONS), names, equations),
    st.builds(Final, numbers),
)


@given(lines, styles, st.booleans())
def test_lines_are_read_back(line: wording.Line, style: int, corrected: bool) -> None:
    text = wording.CORRECTION * corrected + wording.write(line, "shells", style)
    found = wording.read(text)
    if isinstance(line, Happen) and isinstance(found, Happen) and found.owner is None:
        line = Happen(line.occasion, None, line.equation)
    assert found == line


@given(st.text())
def test_reading_never_fails(text: str) -> None:
    wording.read(text)


@given(some_problems)
def test_full_and_empty_sets_of_moves_are_sound(problem: Problem) -> None:
    program: Program = problem.program
    places = sound_values(program)
    everything = frozenset(range(len(program.moves)))
    assert frozenset() in places
    assert places[everything] == answer(program)


@given(some_problems)
def test_groups_are_runs_of_one_kind(problem: Problem) -> None:
    number = groups(problem.program)
    assume(number)
    for group in set(number):
        ops = {m.op for m, n in zip(problem.program.moves, number, strict=True) if n == group}
        assert ops <= set("+-") or ops <= set("*/")


def test_the_shipped_problems_are_the_generators() -> None:
    shipped = problems.load(SHIPPED)
    assert len(shipped) == 400
    assert shipped == list(draw_many(HELD, 0, 400))
    assert len({p.question for p in shipped}) == len({p.id for p in shipped}) == 400


def test_held_out_questions_are_not_training_questions() -> None:
    held = {p.question for p in problems.load(SHIPPED)}
    for phase in Options().phases:
        trained = islice(examples(0, phase.stream, phase.setting), 3000)
        assert not held & {example.question for example in trained}
