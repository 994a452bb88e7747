"""Units on a real Ray cluster of several nodes: joined, left standing, and losing a node."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from labeler.files import FileError, RunDir
from labeler.runners.actor import _probe
from tests.conftest import ROOT
from tests.processes import finished, labeler, until
from tests.runs import doubles, label_rows, planted_config, write_config

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(600)]

CLUSTER = """
import json, sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
nodes = {name: cluster.add_node(num_cpus=1) for name in ("one", "two")}
print(json.dumps({"address": cluster.address}), flush=True)
for line in sys.stdin:
    verb, name = line.split()
    if verb == "remove":
        cluster.remove_node(nodes.pop(name), allow_graceful=False)
    else:
        nodes[name] = cluster.add_node(num_cpus=1)
    print("done", flush=True)
cluster.shutdown()
"""


class RunningCluster:
    """A cluster in a process of its own: a head without CPUs and nodes of one CPU each."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CLUSTER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.address: str = json.loads(self._read())["address"]

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def tell(self, verb: str, name: str) -> None:
        """Add or remove a node."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{verb} {name}\n")
        self._process.stdin.flush()
        assert self._read().strip() == "done"

    def close(self) -> None:
        """End the cluster's processes, which this process started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


def config_on(cluster: RunningCluster, folder: Path) -> Path:
    runner: dict[str, Any] = {"kind": "ray", "address": cluster.address, "actors": 2, "cpus": 1}
    planted = {"kind": "planted", "delay_ms": 150}
    return planted_config(
        folder,
        count=24,
        completer=planted,
        policy={"kind": "scan", "n": 4},
        runner=runner,
        unit_size=2,
        flush_seconds=0.2,
    )


def test_a_cluster_is_joined_loses_a_node_grows_again_and_stays(tmp_path: Path) -> None:
    cluster = RunningCluster()
    try:
        config, root = config_on(cluster, tmp_path), tmp_path / "run"
        with labeler("run", config) as command:
            until(lambda: list(root.glob("manifest/*.json")))
            cluster.tell("remove", "one")
            cluster.tell("add", "three")
            code, output = command.wait()
        assert code == 0, output
        assert doubles(root) == 0
        labels = label_rows(root)

        other = tmp_path / "other"
        code, output = finished("run", config, f"run_dir={other}")  # the cluster is still there
        assert code == 0, output
        assert label_rows(other) == labels
    finally:
        cluster.close()


def test_no_cluster_at_that_address_is_explained(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=2, runner={"kind": "ray", "address": "127.0.0.1:1"})
    code, output = finished("run", config)
    assert code == 1
    assert "no Ray cluster at '127.0.0.1:1'" in output
    assert "Traceback" not in output


def test_a_machine_without_room_says_what_is_missing(tmp_path: Path) -> None:
    config = planted_config(tmp_path, count=2, runner={"kind": "ray", "gpus": 64})
    code, output = finished("run", config)
    assert code == 1
    assert "no room for an engine" in output
    assert "64 GPU wanted" in output


def test_an_error_in_the_actor_reaches_the_user(tmp_path: Path) -> None:
    completer = {"kind": "vllm", "model": str(tmp_path / "no-model-here")}
    config = planted_config(tmp_path, count=2, completer=completer, runner={"kind": "ray"})
    code, output = finished("run", config)
    assert code == 1
    assert f"labeler: no model directory {tmp_path / 'no-model-here'}" in output
    assert 'File "' not in output


def test_an_actor_that_does_not_see_the_run_directory_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a directory that all nodes share"):
        _probe(RunDir(tmp_path / "elsewhere"))
    write_config(tmp_path / "config.json", {})
    _probe(RunDir(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == ["config.json"]
