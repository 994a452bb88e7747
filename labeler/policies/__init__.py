"""policies - which prefixes to roll out, and how often.

A policy is a frozen piece of configuration with one method, `search(task)`: a generator over
one problem with all its solutions (see search.py). To add one: a file here, its name in the
union below, a config in configs/. The laws in tests/test_laws.py then run on it by themselves.
"""

from typing import Annotated

from pydantic import Field

from labeler.policies.adaptive import Adaptive
from labeler.policies.bisection import Bisection
from labeler.policies.exhaustive import Exhaustive
from labeler.policies.omega import Omega
from labeler.policies.scan import Scan

Policy = Annotated[Exhaustive | Scan | Bisection | Adaptive | Omega, Field(discriminator="kind")]

__all__ = ["Adaptive", "Bisection", "Exhaustive", "Omega", "Policy", "Scan", "needs_solutions"]


def needs_solutions(policy: Policy) -> bool:
    """Whether a problem without a solution is of no use to a policy."""
    return not isinstance(policy, Omega)
