r"""problems.py - draws testbed problems, and writes data/testbed/problems.jsonl.

1. A problem is a function of (stream, seed, index): no clock, no global random state.
2. A gold solution has 3 to 10 steps, its last one "The answer is N."; every number in it is
   a whole one from 1 to 199.
3. Rows are self-sufficient: `truth` needs `program` alone. One row, shortened:

    {"id": "held-0-7", "question": "Nina has 14 shells. At the fair ...", "answer": "37",
     "gold_solution": "Nina starts with 14 shells.\n...\nThe answer is 37.", "program": {...}}

    python -m labeler.testbed.problems --out data/testbed/problems.jsonl --count 400
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from labeler.testbed import questions, wording
from labeler.testbed.drawing import TESTBED, Setting, draw_program
from labeler.testbed.program import (
    Move,
    Node,
    Program,
    answer,
    apply,
    groups,
    needed,
    resolve,
    sound_values,
    values,
)
from labeler.testbed.wording import Define, Equation, Final, Happen, Line, Start

HELD, TRAINING = "held", "train"

Job = Node | Start | Move
Alter = Callable[[int, Equation], Equation]
"""(the job's place, the equation that does it) -> the equation to write instead."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem with its gold solution, as a row of problems.jsonl."""

    id: str
    question: str
    answer: str
    solution: str
    program: Program

    def to_json(self) -> dict[str, object]:
        """The row."""
        return {
            "id": self.id,
            "question": self.question,
            "answer": self.answer,
            "gold_solution": self.solution,
            "program": self.program.to_json(),
        }

    @staticmethod
    def from_json(row: Mapping[str, object]) -> Problem:
        """The problem of a row."""
        program = row["program"]
        assert isinstance(program, Mapping)
        return Problem(
            id=str(row["id"]),
            question=str(row["question"]),
            answer=str(row["answer"]),
            solution=str(row["gold_solution"]),
            program=Program.from_json(program),
        )


def draw(stream: str, seed: int, index: int, setting: Setting = TESTBED) -> Problem:
    """The problem with this number in this stream."""
    rng = Random(f"{stream}:{seed}:{index}")
    program = draw_program(rng, setting)
    question = word_question(program, rng, setting)
    lines = solve(program, rng)
    style = rng.randrange(wording.STYLES)
    return Problem(
        id=f"{stream}-{seed}-{index}",
        question=question,
        answer=str(answer(program)),
        solution=render(lines, program.items, style),
        program=program,
    )


def render(lines: Iterable[Line], items: str, style: int) -> str:
    """A solution's text."""
    return wording.SEPARATOR.join(wording.write(line, items, style) for line in lines)


def word_question(program: Program, rng: Random, setting: Setting) -> str:
    """The question: facts (in any order), what happens (in order), then what is asked."""
    items = program.items
    facts = [questions.give(name, n, items, rng) for name, n in program.given.items()]
    facts += [questions.relate(node, items, rng) for node in program.nodes]
    if rng.random() < setting.shuffled:
        rng.shuffle(facts)
    told = [questions.tell(move, program.owner, items, rng) for move in program.moves]
    lines = facts + told
    others = [x for x in wording.ITEMS if x != items]
    for _ in range(rng.choices((0, 1, 2), setting.asides)[0]):
        name = rng.choice(list(values(program)))
        line = questions.aside(name, rng.randint(3, 99), others, rng)
        lines.insert(rng.randint(0, len(lines)), line)
    return " ".join([*lines, questions.ask(program.owner, items, bool(told), rng)])


def solve(program: Program, rng: Random) -> list[Line]:
    """A right solution; quantities may come in any order that works, some moves swapped."""
    return carry_out(program, plan(program, rng))


def plan(program: Program, rng: Random) -> list[Job]:
    """What to write in which order: quantities, then the owner's start, then the moves."""
    jobs: list[Job] = list(_quantities(program, rng))
    if program.moves and program.owner in program.given:
        jobs.append(Start(program.owner, program.given[program.owner]))
    return jobs + [program.moves[index] for index in order(program, rng)]


def carry_out(program: Program, jobs: Sequence[Job], alter: Alter | None = None) -> list[Line]:
    """The lines that do these jobs; what `alter` makes of an equation is carried through."""
    known = dict(program.given)
    value: int | None = None
    lines: list[Line] = []
    for index, job in enumerate(jobs):
        if isinstance(job, Start):
            lines.append(job)
            continue
        if isinstance(job, Node):
            equation = _work_out(job.op, resolve(job.left, known), resolve(job.right, known))
        else:
            here = known[program.owner] if value is None else value
            equation = _work_out(job.op, here, resolve(job.operand, known))
        equation = alter(index, equation) if alter else equation
        if isinstance(job, Node):
            known[job.name] = equation.result
            lines.append(Define(job.name, equation))
        else:
            value = equation.result
            lines.append(Happen(job.occasion, program.owner, equation))
    return [*lines, Final(known[program.owner] if value is None else value)]


def _work_out(op: str, left: int, right: int) -> Equation:
    result = apply(op, left, right)
    assert result is not None, (op, left, right)
    return Equation(left, op, right, result)


def order(program: Program, rng: Random) -> list[int]:
    """The moves in the order told, now and then with two that commute swapped."""
    path = list(range(len(program.moves)))
    number, table = groups(program), sound_values(program)
    for i in range(len(path) - 1):
        here = frozenset([*path[:i], path[i + 1]])
        swappable = number[path[i]] == number[path[i + 1]] and table.get(here, 0) > 0
        if swappable and table[here] < 1000 and rng.random() < 0.08:
            path[i], path[i + 1] = path[i + 1], path[i]
    return path


def _quantities(program: Program, rng: Random) -> list[Node]:
    useful = needed(program)
    todo = [node for node in program.nodes if node.name in useful]
    path: list[Node] = []
    while todo:
        waits = {node.name for node in todo}
        ready = [node for node in todo if not {node.left, node.right} & waits]
        node = ready[0] if rng.random() < 0.7 else rng.choice(ready)
        path.append(node)
        todo.remove(node)
    return path


def draw_many(stream: str, seed: int, count: int) -> Iterator[Problem]:
    """The first `count` problems of a stream whose questions all differ."""
    seen: set[str] = set()
    index = 0
    while len(seen) < count:
        problem = draw(stream, seed, index)
        index += 1
        if problem.question not in seen:
            seen.add(problem.question)
            yield problem


def load(path: Path) -> list[Problem]:
    """The problems of a file that `main` wrote."""
    with path.open(encoding="utf-8") as file:
        return [Problem.from_json(json.loads(line)) for line in file]


def main() -> None:
    """Write the held-out problems."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("data/testbed/problems.jsonl"))
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = [json.dumps(p.to_json()) for p in draw_many(HELD, options.seed, options.count)]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
