"""The planted worlds' part of the bench: every family, chain lengths, wrong parameters, the bound.

All contenders use the value model's default parameters: one set for all families. It comes from a
fit to other problems of the families outside the model (search_defaults.py).
"""

from collections.abc import Iterable, Iterator, Sequence
from math import nan

import numpy as np
from search_calibration import Point, calibration, points
from search_families import FAMILIES, Family
from search_genie import Bound, Known, bound
from search_rules import DEFAULT, Contender, adaptive, contenders
from search_run import Source, score
from search_scores import Score
from search_tables import Curve, adaptives, named, shown
from search_worlds import TOKENS

from labeler.posterior import ValueModel

MODEL = ValueModel()
CURVE = tuple(sorted({0.8, 0.9, 0.98, DEFAULT}))
"""Adaptive's confidences here."""
WRONG = {
    "values half of what they are": {"v_a": MODEL.v_a / 2, "v_b": MODEL.v_b + MODEL.v_a / 2},
    "recovery a third": {"recovery": MODEL.recovery / 3},
    "recovery threefold": {"recovery": MODEL.recovery * 3},
    "drift higher by 0.1 a step": {"drift": MODEL.drift + 0.1},
    "drift lower by 0.1 a step": {"drift": MODEL.drift - 0.1},
}
"""On worlds of the model itself; that values are doubled is tried on `assumed_low`."""


HEADS = (
    "solutions", "bisect. 8", "rollouts", "exh. 8", "rollouts", "post. 64", f"adapt. {DEFAULT:.2g}",
    "rollouts", "at equal", "its cost", "rollouts/", "tokens/", "vs exh. 8", "bound",
)  # fmt: skip
LEGEND = f"""bisect. 8, exh. 8: right by the rule first zero, and rollouts a solution; post. 64: the
posterior rule on 64 rollouts of every prefix; adapt. {DEFAULT:.2g}: adaptive at its default
confidence; at equal: adaptive's accuracy at bisection's rollouts, less bisection's; its cost:
adaptive's rollouts at bisection's accuracy, then as a share of bisection's, in rollouts and in
tokens; vs exh. 8: its share of exhaustive's rollouts at exhaustive's accuracy; bound: rollouts
below which no policy of bisection's accuracy can go, knew it all values."""


def families(count: int) -> Iterator[str]:
    """One line a family: who finds how much at what cost."""
    yield LEGEND
    yield f"{'family':12}" + _cells(HEADS)
    for name in FAMILIES:
        source = Source(name, range(count))
        found = score([(source, _rivals(MODEL))])
        yield f"{name:12}" + _cells(_family(name, source, found))


def _rivals(model: ValueModel) -> list[Contender]:
    """Those that are compared here, and adaptive's curve."""
    kept = {
        ("bisection 8", "first_zero"),
        ("exhaustive 8", "first_zero"),
        ("exhaustive 64", "posterior"),
    }
    every = contenders(model, CURVE)
    return [c for c in every if (c.name, c.rule) in kept or c.name.startswith("adaptive")]


def _cells(cells: Iterable[str]) -> str:
    return "".join(f"{cell:>12}" for cell in cells)


def _family(name: str, source: Source, found: Sequence[Score]) -> Iterator[str]:
    bisection, exhaustive = named(found, "bisection 8"), named(found, "exhaustive 8")
    accuracy, spent = bisection.ratio("right"), bisection.ratio("rollouts")
    curve = Curve(adaptives(found))
    yield str(int(bisection.of("solutions")[0]))
    yield from (f"{accuracy:.3f}", f"{spent:.1f}")
    yield from (f"{exhaustive.ratio('right'):.3f}", f"{exhaustive.ratio('rollouts'):.1f}")
    yield f"{named(found, 'exhaustive 64', 'posterior').ratio('right'):.3f}"
    default = named(found, f"adaptive {DEFAULT:.2f}", "posterior")
    yield from (f"{default.ratio('right'):.3f}", f"{default.ratio('rollouts'):.1f}")
    yield shown(curve.accuracy(spent) - accuracy)
    yield shown(curve.cost(accuracy), 1)
    yield shown(curve.cost(accuracy) / spent)
    tokens = Curve(adaptives(found), "tokens").cost(accuracy)
    yield shown(tokens / bisection.ratio("tokens"))
    yield shown(curve.cost(exhaustive.ratio("right")) / exhaustive.ratio("rollouts"))
    yield shown(bounded(name, source, accuracy), 1)


def bounded(name: str, source: Source, accuracy: float) -> float:
    """The bound, where there is one: not where slips hide T, or where values tell of it."""
    known = isinstance(FAMILIES[name], Family) and not FAMILIES[name].slips
    return genie(source).cost(accuracy) if known else nan


def genie(source: Source, cost: str = "rollouts") -> Bound:
    """The bound on a planted source."""
    known = []
    for case in source.cases():
        for chain in case.chains.values():
            later = np.arange(len(chain.alive) - 1, 0, -1)
            spent = np.ones(len(later)) if cost == "rollouts" else float(TOKENS) * later
            alive, dead = np.array(chain.alive[1:]), np.array(chain.dead[1:])
            known.append(Known(alive, dead, np.array(chain.first), spent))
    return bound(known)


def honest(count: int) -> tuple[list[str], float]:
    """Calibration on worlds of the model's own family, well and wrongly specified; and the ECE."""
    base = _points("assumed", count, MODEL)
    lines = [_ece("as drawn", base)]
    for name, change in WRONG.items():
        model = MODEL.model_copy(update=change)
        found = _points("assumed", max(count // 4, 4), model)
        lines.append(_ece(name, found) + _equal("assumed", max(count // 10, 4), model))
    found = _points("assumed_low", max(count // 4, 4), MODEL)
    lines.append(
        _ece("values double what they are", found)
        + _equal("assumed_low", max(count // 10, 4), MODEL)
    )
    return lines, calibration(base, "truth").ece


def _points(family: str, count: int, model: ValueModel) -> list[Point]:
    source = Source(family, range(count), luck=1)
    one = adaptive(model)
    return points([(source, one, one)])


def _ece(name: str, found: Sequence[Point]) -> str:
    return f"{name:30} {len(found):6d} solutions  ECE {calibration(found, 'truth')}"


def _equal(family: str, count: int, model: ValueModel) -> str:
    """Adaptive less bisection at bisection's rollouts, under a model."""
    rivals = [c for c in _rivals(model) if not c.name.startswith("exh")]
    found = score([(Source(family, range(count), luck=2), rivals)])
    bisection = named(found, "bisection 8")
    gain = Curve(adaptives(found)).accuracy(bisection.ratio("rollouts")) - bisection.ratio("right")
    return f"   at equal rollouts {shown(gain)} over bisection 8"
