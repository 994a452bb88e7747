"""Policies in the forms that matter for a plan, and configurations around them."""

import pytest

from labeler.config import RunConfig
from labeler.policies import Bisection, Exhaustive, Policy, Scan

POLICIES = [
    Exhaustive(n=3),
    Scan(n=3),
    Scan(n=4, early_stop=True),
    Bisection(n=3),
    Bisection(n=4, early_stop=True, batch=3),
    Bisection(n=2, right_answers=True),
]
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=repr)


def config_of(policy: Policy = POLICIES[0], **changes: object) -> RunConfig:
    return RunConfig(
        **{
            "name": "planned",
            "problems": {"path": "unread.jsonl"},
            "completer": {"kind": "planted"},
            "policy": policy,
            "runner": {"kind": "inline"},
            **changes,
        }
    )
