"""conventions.py - the choices that mathematics leaves open, as configuration.

The defaults are what we vouch for. Another choice is another grader version: its verdicts stand
beside the old ones, and `labeler grade --diff` shows what it changes.
"""

from typing import Literal

from pydantic import PositiveInt

from labeler.params import Params


class Conventions(Params):
    """What counts as the same answer where careful people differ."""

    percent: Literal["bare", "value"] = "bare"
    """bare: a gold 25% accepts 25%, 0.25 and a bare 25, and a gold 25 accepts 25%.
    value: 25% is 0.25 and nothing else. A gold 25 never accepts 0.25."""
    rounded_digits: PositiveInt | None = 6
    """Significant digits that a correctly rounded decimal has to show to stand for an exact
    gold; null accepts none."""
    rounded_gold_digits: PositiveInt | None = 3
    """Significant digits of a decimal gold from which on an exact answer that rounds to it is
    correct; null accepts none."""
    order: Literal["brackets", "always", "never"] = "brackets"
    """brackets: order counts in (1, 2), not in {1, 2} or a bare 1, 2. always: in bare lists,
    too. never: nowhere."""
    units: Literal["optional", "required", "ignored"] = "optional"
    """optional: a missing unit, currency or base is accepted, a different one is not.
    required: a missing unit is wrong, too. ignored: units never count."""
