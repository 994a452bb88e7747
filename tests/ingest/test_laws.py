"""Ingest: everything is accounted for, once, however often and in whatever parts it comes."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from labeler.files import RunDir
from labeler.ingest import ingest, read_unit
from labeler.problems import Rejected, read
from tests.ingest.taking import STEPS, everything, quarantined, reasons, source, take, tree, write

SOLUTIONS = st.sampled_from(
    ["a", "a\nb", "b\n", "", " \n", "1\n2\n3\n4", "x" * 31, "\ud800", 5, None, ["a", "b"],
     ["a", ""], [], {"text": "c", "generator": "g"}]
)  # fmt: skip
ROWS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["i", "j", "k", 1, "1", None, [], "\ud800"]),
        "question": st.sampled_from(["q1", "q2", "q3", "", None, "w" * 60]),
        "answer": st.sampled_from([1, "1", "2", "text\n#### 2", "", None, True]),
        "solution": SOLUTIONS,
        "solutions": st.lists(SOLUTIONS, max_size=4),
        "generator": st.sampled_from(["m", "n", 3]),
    },
).map(lambda row: json.dumps(row).encode())
GOOD_ROWS = st.builds(
    lambda i, q, a, s: json.dumps({"id": i, "question": q, "answer": a, "solutions": s}).encode(),
    st.sampled_from(["i", "j", "k", None]),
    st.sampled_from(["q1", "q2", "q3"]),
    st.sampled_from(["1", "2"]),
    st.lists(SOLUTIONS, max_size=4),
)

LINES = st.one_of(ROWS, GOOD_ROWS, st.sampled_from([b"", b"{", b"[]", b'{"question": "\xff"}']))
INPUTS = st.lists(LINES, max_size=14)


@settings(max_examples=50)
@given(INPUTS, st.integers(1, 4))
def test_rows_in_are_rows_kept_and_rows_quarantined(lines: list[bytes], unit_size: int) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "in.jsonl"), lines)
        run = RunDir(Path(folder, "run"))
        made = take(path, run, unit_size)
        entries = [
            1 if isinstance(r, Rejected) else len(r.solutions) or 1 for r in read(source(path))
        ]
        assert made.rows_in == sum(entries) == made.kept + made.quarantined
        assert made.quarantined == len(quarantined(run)) == len(set(reasons(run)))
        held = list(everything(run, made))
        assert made.problems == sum(s is None for _, s in held)
        assert made.solutions == sum(s is not None for _, s in held) <= made.kept


@settings(max_examples=50)
@given(INPUTS)
def test_what_is_kept_is_what_a_plain_dictionary_would_keep(lines: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "in.jsonl"), lines)
        run = RunDir(Path(folder, "run"))
        made = take(path, run)
        golds: dict[str, tuple[str, str]] = {}
        texts: set[tuple[str, str]] = set()
        for row in read(source(path)):
            if isinstance(row, Rejected):
                continue
            given_texts = [
                "\n".join(s.content).strip() if isinstance(s.content, tuple) else s.content.strip()
                for s in row.solutions
                if s.fault is None
            ]
            usable = [t for t in given_texts if t and len(t) < 31 and t.count("\n") < 3]
            mine = (row.problem.question, row.problem.gold)
            if (usable or not row.solutions) and golds.setdefault(row.problem.id, mine) == mine:
                texts |= {(row.problem.id, t) for t in usable}
        held = list(everything(run, made))
        assert {p.id: (p.question, p.gold) for p, _ in held} == golds
        assert {(p.id, s.text) for p, s in held if s} == texts
        assert made.solutions == len(texts)


@settings(max_examples=40)
@given(INPUTS)
def test_ingest_twice_is_ingest_once(lines: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "in.jsonl"), lines)
        run = RunDir(Path(folder, "run"))
        once = take(path, run)
        before = tree(run.root)
        assert take(path, run) == once
        assert tree(run.root) == before


@settings(max_examples=40)
@given(INPUTS, INPUTS)
def test_two_parts_are_the_whole(first: list[bytes], second: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        a = write(Path(folder, "in", "a.jsonl"), first)
        b = write(Path(folder, "in", "b.jsonl"), second)
        whole, parts = RunDir(Path(folder, "whole")), RunDir(Path(folder, "parts"))
        once = take(Path(folder, "in"), whole)
        one, two = take(a, parts), take(b, parts)
        assert set(everything(whole, once)) == set(everything(parts, two))
        assert quarantined(whole) == quarantined(parts)
        assert once.rows_in == one.rows_in + two.rows_in
        assert (once.problems, once.solutions) == (two.problems, two.solutions)


@settings(max_examples=30)
@given(INPUTS, st.integers(1, 10))
def test_a_raised_limit_gives_the_same_tables(lines: list[bytes], limit: int) -> None:
    with TemporaryDirectory() as folder:
        path = write(Path(folder, "in.jsonl"), lines)
        whole, grown = RunDir(Path(folder, "whole")), RunDir(Path(folder, "grown"))
        once = ingest(source(path), STEPS, whole, "hash", 1000)
        ingest(source(path).model_copy(update={"limit": limit}), STEPS, grown, "hash", 1000)
        assert ingest(source(path), STEPS, grown, "hash", 1000) == once
        assert {k: v[0] for k, v in tree(grown.root).items()} == {
            k: v[0] for k, v in tree(whole.root).items()
        }


@settings(max_examples=30)
@given(INPUTS, INPUTS, st.integers(1, 3))
def test_units_partition_the_problems_and_keep_questions_together(
    first: list[bytes], second: list[bytes], unit_size: int
) -> None:
    with TemporaryDirectory() as folder:
        run = RunDir(Path(folder, "run"))
        homes: list[dict[str, str]] = []
        for name, lines in [("a", first), ("b", second)]:
            made = take(write(Path(folder, f"{name}.jsonl"), lines), run, unit_size)
            home = {p.id: u.unit for u in made.units for p, _ in read_unit(run, u.unit)}
            assert len(home) == made.problems
            of_question: dict[str, set[str]] = {}
            for unit in made.units:
                for problem, solutions in read_unit(run, unit.unit):
                    of_question.setdefault(problem.question, set()).add(unit.unit)
                    assert all(s.problem_id == problem.id for s in solutions)
            assert all(len(units) == 1 for units in of_question.values())
            homes.append(home)
        assert homes[0].items() <= homes[1].items()
