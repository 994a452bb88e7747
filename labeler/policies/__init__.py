"""policies - which prefixes to roll out, and how often.

A policy is a frozen piece of configuration with one method, `search(task)`: a generator over
one problem with all its solutions (see search.py). To add one: a file here, its name in the
union below, a config in configs/. The laws in tests/test_laws.py then run on it by themselves.
"""

from typing import Annotated

from pydantic import Field

from labeler.policies.bisection import Bisection
from labeler.policies.exhaustive import Exhaustive
from labeler.policies.scan import Scan

Policy = Annotated[Exhaustive | Scan | Bisection, Field(discriminator="kind")]

__all__ = ["Bisection", "Exhaustive", "Policy", "Scan"]
