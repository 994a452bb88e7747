"""`labeler inspect`: what a person sees, on terminals wide and narrow, with and without colour."""

import io
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from rich.console import Console

from labeler import manifest
from labeler.apps.inspect import InspectError, Seen, colour, inspect, rollout_text
from labeler.config import RunConfig, parse
from labeler.files import (
    PROBLEMS,
    ROLLOUTS,
    SOLUTIONS,
    VERDICTS,
    RunDir,
    parts,
    read_rows,
    write_json,
    write_table,
)
from labeler.labels import Evidence, LabelConfig, SolutionLabel, Tally, believe, label
from labeler.model import Outcome, Problem, Reason, Solution, Step, Task, Verdict
from labeler.shards import publish, write_labels

WRONG = Verdict(Outcome.INCORRECT, Reason.WRONG, "[red]41[/red]", 0)
PROBLEM = Problem("p", "What is [bold]6 * 7[/bold]?", "42", "made up")
TEXTS = ("Add [red]six[/red].", "Take \x1b[31mseven.", "The answer is 41.")


def solution(name: str) -> Solution:
    return Solution(name, "p", tuple(Step(t, "\n") for t in TEXTS), "someone")


def labelled(name: str, evidence: Evidence, decided: float = 0.5) -> SolutionLabel:
    """A row by the rule that stands by default."""
    config, keys = LabelConfig(decided=decided), ["0", "1", "2"]
    tallies = {keys[k]: t for k, t in evidence.tallies.items()}
    [belief] = believe([keys], [False], tallies, config.value_model, config.confidence)
    return label(PROBLEM, solution(name), evidence, config, belief)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """Two labelled solutions, and a log with two rollouts of prefixes 0 and 1."""
    run = RunDir(tmp_path / "run")
    config = parse(
        {"name": "demo", "problems": {"path": "in.jsonl"}, "completer": {"kind": "planted"}}, ""
    )
    write_json(run.config, {"config": config.model_dump(mode="json"), "hash": config.hash})
    tallies = {0: Tally(8, 4), 1: Tally(8, 6, n_tokens=9)}
    evidence = Evidence(WRONG, tallies, failures={2: "no [b]engine"})
    rows = [labelled(name, evidence, decided=0.9) for name in ("first", "second")]
    write_labels(run.staged / "u.parquet", rows, config.hash)
    publish(run, {"labels": [run.staged / "u.parquet"]})
    _log(run, config)
    return run


def _log(run: RunDir, config: RunConfig) -> None:
    template = config.prompt.digest
    task = Task(PROBLEM, (solution("first"),), template)
    solutions = [
        {"solution_id": name, "problem_id": "p", "steps": list(TEXTS), "separators": ["\n"] * 3}
        for name in ("first", "second")
    ]
    keys = [task.prefix(task.solutions[0], k).key for k in (0, 1)]
    places = [
        {"prefix_key": key, "completer": completer, "index": i, "step": k}
        for k, key in enumerate(keys)
        for i in (1, 0)
        for completer in ("another", "mine")
    ]
    rollouts = [
        {**p, "text": f"[i]{p['completer']} {p['step']}.{p['index']}", "finish": "stop"}
        for p in places
    ]
    verdicts = [
        {**p, "gold_key": gold, "verdict": verdict, "reason": "timeout", "answer": "[x]"}
        for p in places
        for gold, verdict in ((PROBLEM.gold_key, "ungradable"), ("of another gold", "correct"))
    ]
    for path, rows, schema in (
        (run.solutions / "u.parquet", solutions, SOLUTIONS),
        (run.problems / "u.parquet", [], PROBLEMS),
        (run.rollouts / "u-1.parquet", rollouts, ROLLOUTS),
        (run.verdicts("v1") / "u-1.parquet", verdicts, VERDICTS),
    ):
        write_table(path, pa.Table.from_pylist(rows, schema=schema), "")
    entry = manifest.Entry("u", "", {}, 0, {}, "mine", "v1", "u.parquet", 1, 2)
    manifest.commit(run, entry)


def shown(
    run: RunDir,
    solution: str | None = None,
    count: int = 1,
    rollouts: int = 0,
    **terminal: object,
) -> str:
    out = io.StringIO()
    console = Console(file=out, **{"width": 100, "color_system": None, **terminal})
    inspect(run.root, solution, count, rollouts, console)
    return out.getvalue()


def test_a_solution_reads_step_by_step(run: RunDir) -> None:
    text = shown(run)
    wanted = [
        "solution first",
        "What is [bold]6 * 7[/bold]?",
        "gold 42  own answer [red]41[/red] (wrong)  first error undecided (0.",
        ")  rollouts 16",
        "prefix 0  0.50 [0.20, 0.80] 4/8",
        "1 Add [red]six[/red].",
        "0.75 [0.41, 0.94] 6/8  progress +0.25  target true",
        "2 Take \N{REPLACEMENT CHARACTER}[31mseven.",
        "not measured, posterior ",
        "target undecided",
        "3 The answer is 41.",
        "0.00 its own answer  target false",
        "prefix 2 failed: no [b]engine",
    ]
    at = [text.index(w) for w in wanted]
    assert at == sorted(at)
    assert "second" not in text


def test_the_first_error_is_marked_once(run: RunDir) -> None:
    tallies = {1: Tally(8, 6), 2: Tally(8, 0)}
    row = labelled("s", Evidence(WRONG, tallies))
    write_labels(run.staged / "v.parquet", [row], "")
    publish(run, {"labels": [run.staged / "v.parquet"]})
    lines = shown(run).splitlines()
    marked = [line for line in lines if "<- first error" in line]
    assert len(marked) == 1
    assert "seven" in marked[0]


def test_an_inferred_target_says_so(run: RunDir) -> None:
    row = labelled("s", Evidence(WRONG, {2: Tally(8, 3)}))
    write_labels(run.staged / "v.parquet", [row], "")
    publish(run, {"labels": [run.staged / "v.parquet"]})
    assert "target true (inferred)" in shown(run)


def test_count_and_id_choose(run: RunDir) -> None:
    assert "solution second" in shown(run, count=2)
    by_id = shown(run, solution="second", count=1)
    assert "solution second" in by_id
    assert "solution first" not in by_id


def test_rollouts_are_this_completers_in_order_against_this_gold(run: RunDir) -> None:
    text = shown(run, rollouts=2)
    wanted = ["[i]mine 0.0", "[i]mine 0.1", "1 Add", "[i]mine 1.0", "[i]mine 1.1"]
    at = [text.index(w) for w in wanted]
    assert at == sorted(at)
    assert "#0 ungradable (timeout), answer [x]: [i]mine 0.0" in text
    assert "another" not in text
    assert text.count("ungradable") == 4
    assert shown(run, rollouts=1).count("ungradable") == 2


def test_verdicts_are_those_of_the_units_own_grader(run: RunDir) -> None:
    before = shown(run, rollouts=2)
    (part,) = parts(run.verdicts("v1"))
    rows = [row | {"verdict": "correct", "answer": "42"} for row in read_rows([part])]
    table = pa.Table.from_pylist(rows, schema=VERDICTS)
    write_table(run.verdicts("v2") / part.name, table, "")
    (entry,) = manifest.read(run).values()
    manifest.commit(run, replace(entry, unit="w", grader="v2"))
    assert shown(run, rollouts=2) == before


def test_colours_run_from_orange_to_blue_and_are_never_alone(run: RunDir) -> None:
    assert [colour(v) for v in (0.0, 0.5, 1.0, None)] == ["#d55e00", "#999999", "#0072b2", "dim"]
    coloured = shown(run, color_system="truecolor", force_terminal=True)
    assert "\x1b[38;2;86;180;233m" in coloured  # 0.75
    assert "\x1b[31m" not in coloured  # the one in the data
    plain = shown(run, color_system=None)
    assert "\x1b" not in plain
    assert "0.75" in plain


@pytest.mark.parametrize("width", [20, 40])
def test_narrow_terminals_lose_nothing(run: RunDir, width: int) -> None:
    narrow = shown(run, count=2, rollouts=2, width=width)
    assert max(len(line) for line in narrow.splitlines()) <= width
    assert "".join(narrow.split()) == "".join(shown(run, count=2, rollouts=2).split())


def test_a_very_long_rollout_is_cut() -> None:
    text = rollout_text(Seen(0, "x" * 10_000, "incorrect", "truncated", None)).plain
    assert len(text) < 2100
    assert "(10,000 characters)" in text


def test_what_is_not_there_is_said(run: RunDir, tmp_path: Path) -> None:
    with pytest.raises(InspectError, match="there is no run at"):
        shown(RunDir(tmp_path / "elsewhere"))
    with pytest.raises(InspectError, match="no labelled solution 'third'"):
        shown(run, solution="third")
    (tmp_path / "new").mkdir()
    with pytest.raises(InspectError, match="no labels yet"):
        shown(RunDir(tmp_path / "new"))
    publish(run, {})
    with pytest.raises(InspectError, match="no labelled solution"):
        shown(run)
