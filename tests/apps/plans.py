"""Policies in the forms that matter for a plan, and configurations around them."""

import pytest

from labeler.config import RunConfig
from labeler.policies import Adaptive, Bisection, Exhaustive, Omega, Policy, Scan

POLICIES = [
    Exhaustive(n=3),
    Scan(n=3),
    Scan(n=4, early_stop=True),
    Bisection(n=3),
    Bisection(n=4, early_stop=True, batch=3),
    Bisection(n=2, right_answers=True),
]
ADAPTIVE = Adaptive(budget=12, n=8)
OMEGA = Omega(n=4, searches=6)
"""Plans of these two rest on worlds of another nature, and on texts."""
every_policy = pytest.mark.parametrize("policy", POLICIES, ids=repr)
really_every_policy = pytest.mark.parametrize(
    "policy", [*POLICIES, ADAPTIVE, OMEGA], ids=lambda policy: f"{policy.kind}-{policy.n}"
)


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
