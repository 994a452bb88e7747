"""Models, tokenizers and servers that are really there, or really not."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from labeler.apps.checks import Status
from labeler.apps.checks.completer import completer_checks, prefixes_of, round_trip
from labeler.apps.checks.trial import attempt
from labeler.config import RunConfig
from labeler.samplers import EndpointConfig, VllmConfig
from tests.apps.configurations import by_name, config_of
from tests.planted_worlds import planted_task
from tests.tiny_model import write_model, write_tokenizer


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
