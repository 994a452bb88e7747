"""The doctor on whole configurations, with the planted completer in a process of its own."""

import asyncio
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from labeler.apps.checks import Check, Status, guarded, ok
from labeler.apps.checks.inputs import FIRST_ROWS, directory_checks, first_rows, gold_checks
from labeler.apps.doctor import config_checks, doctor
from labeler.config import RunConfig
from labeler.files import RunDir
from tests.apps.configurations import by_name, config_of, write_problems


def test_a_check_that_raises_fails_and_keeps_what_it_found() -> None:
    def look() -> Iterator[Check]:
        yield ok("first", "found")
        raise ValueError("broken [red]check[/red]")

    first, second = guarded("second", look)
    assert first == ok("first", "found")
    assert (second.name, second.status) == ("second", Status.FAIL)
    assert second.detail == "broken [red]check[/red]"


def checked(config: RunConfig, folder: Path) -> dict[str, Check]:
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    return by_name(list(config_checks(config, RunDir(scratch))))


def test_a_sound_configuration(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", ["423"] * 3)
    found = checked(config_of(tmp_path), tmp_path)
    assert found.keys() == {"run directory", "problems", "golds", "completer: completions"}
    assert all(check.status is Status.OK for check in found.values())
    assert "The answer is" in found["completer: completions"].detail
    assert not (tmp_path / "runs").exists()


def test_no_input(tmp_path: Path) -> None:
    found = checked(config_of(tmp_path), tmp_path)
    assert found["problems"].status is Status.FAIL
    assert "in.jsonl" in found["problems"].detail
    assert found["run directory"].status is Status.OK


def test_refused_rows_are_counted_with_their_reasons(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", ["423", None, None])
    found = checked(config_of(tmp_path), tmp_path)["problems"]
    assert found.status is Status.WARN
    assert "missing_gold" in found.detail
    write_problems(tmp_path / "in.jsonl", [None, None])
    assert checked(config_of(tmp_path), tmp_path / "scratch")["problems"].status is Status.FAIL


def test_golds_that_cannot_be_graded_are_listed(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", ["423", *("." * i for i in range(1, 26))])
    found = checked(config_of(tmp_path), tmp_path)["golds"]
    assert found.status is Status.WARN
    assert "25 of 26" in found.detail
    assert ".. (unparsed_gold)" in found.detail
    assert "and 5 more (5 unparsed_gold)" in found.detail


def test_golds_beyond_the_first_rows_are_graded_too(tmp_path: Path) -> None:
    row = {"question": "1 + 1?", "solution": "a\nb"}
    golds = [*map(str, range(FIRST_ROWS)), "..."]
    rows = [row | {"question": f"{gold}?", "gold": gold} for gold in golds]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    config = config_of(tmp_path)
    tasks = first_rows(config, RunDir(tmp_path / "scratch")).tasks
    [found] = asyncio.run(gold_checks(config, tasks))
    assert found.status is Status.WARN
    assert found.detail == "1 of 1,001 cannot be graded: ... (unparsed_gold)"


def test_problems_without_solutions_need_a_generator_or_a_tree_search(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"question": "1 + 1?", "gold": "2"}\n', encoding="utf-8")
    assert checked(config_of(tmp_path), tmp_path)["solutions"].status is Status.FAIL
    for change in ({"generator": {"per_problem": 2}}, {"policy": {"kind": "omega"}}):
        assert "solutions" not in checked(config_of(tmp_path, **change), tmp_path)


def test_a_completer_that_cannot_complete_fails(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        '{"question": "not planted", "gold": "2", "solution": "a\\nb"}\n', encoding="utf-8"
    )
    found = checked(config_of(tmp_path), tmp_path)["completer: completions"]
    assert found.status is Status.FAIL
    assert "Planted problem" in found.detail
    absent = {"kind": "recorded", "path": str(tmp_path / "nowhere")}
    found = checked(config_of(tmp_path, completer=absent), tmp_path)["completer: completions"]
    assert found.status is Status.FAIL
    assert "nowhere" in found.detail


def test_the_generators_own_completer_is_checked_too(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", ["423"])
    other = {"completer": {"kind": "recorded", "path": str(tmp_path / "nowhere")}}
    found = checked(config_of(tmp_path, generator=other), tmp_path)
    assert found["completer: completions"].status is Status.OK
    assert found["generator: completions"].status is Status.FAIL


def test_run_directories(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file", encoding="utf-8")
    [found] = directory_checks(config_of(tmp_path))
    assert found.status is Status.FAIL
    (tmp_path / "runs").unlink()
    root = config_of(tmp_path).root
    root.mkdir(parents=True)
    (root / "config.json").write_text('{"hash": "another"}', encoding="utf-8")
    [found] = directory_checks(config_of(tmp_path))
    assert found.status is Status.FAIL
    assert "another run" in found.detail
    (root / "config.json").write_text(
        json.dumps({"hash": config_of(tmp_path).hash}), encoding="utf-8"
    )
    [found] = directory_checks(config_of(tmp_path))
    assert found.status is Status.OK


@pytest.mark.engine
def test_this_environment_is_sound_and_the_doctor_prints_plain_lines(tmp_path: Path) -> None:
    write_problems(tmp_path / "in.jsonl", ["423", None])
    out = io.StringIO()
    healthy = doctor(config_of(tmp_path), Console(file=out, width=80))
    shown = out.getvalue()
    assert healthy, shown
    assert "nothing FAILED" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    assert "warn problems:" in shown
    assert "to mend:" in shown
