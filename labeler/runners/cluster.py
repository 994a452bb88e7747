"""cluster.py - a Ray of our own, or a place in a running one, and whether it has room for us."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import ray

from labeler.config import RayRunner
from labeler.model import LabelerError

log = logging.getLogger(__name__)


@contextmanager
def cluster(runner: RayRunner) -> Iterator[None]:
    """Ray is initialised while the context lasts; one of our own ends with it.

    Raises LabelerError where there is no cluster at the address, or where this machine can
    never hold an actor. A cluster may grow, so there that is only said.
    """
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    local = runner.address == "local"
    if local:
        options |= {"include_dashboard": False, "num_cpus": _local_cpus(runner)}
    elif not _listens(runner.address):
        raise LabelerError(f"no Ray cluster at {runner.address!r}: nothing listens there")
    try:
        ray.init(address=runner.address, **options)
    except (ConnectionError, ValueError) as error:
        raise LabelerError(f"no Ray cluster at {runner.address!r}: {error}") from error
    try:
        if lack := _lack(runner):
            if local:
                raise LabelerError(f"this machine has no room for an engine: {lack}")
            log.warning("no node has room for an engine yet: %s", lack)
        yield
    finally:
        ray.shutdown()


def _lack(runner: RayRunner) -> str:
    """What an actor wants and no node has, in words; empty where one has it all."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    wanted = {"CPU": runner.cpus, "GPU": runner.gpus}
    if any(all(node.get(kind, 0) >= n for kind, n in wanted.items()) for node in nodes):
        return ""
    largest = {kind: max((node.get(kind, 0) for node in nodes), default=0) for kind in wanted}
    lines = [f"{n:g} {kind} wanted, {largest[kind]:g} at most there" for kind, n in wanted.items()]
    return ", ".join(lines)


def _listens(address: str) -> bool:
    """Whether something answers at host:port. Ray itself would try for minutes.

    Ray takes a loopback address for this node's own, so that is tried too.
    """
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit() or "//" in host:
        return True  # `auto` and ray:// are Ray's to explain
    for name in (host, ray.util.get_node_ip_address()):
        with suppress(OSError), socket.create_connection((name, int(port)), timeout=5):
            return True
    return False


def _local_cpus(runner: RayRunner) -> int:
    """All CPUs of this machine, or as many as the actors were promised."""
    return max(os.cpu_count() or 1, int(runner.actors * runner.cpus))
