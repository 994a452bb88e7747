"""curves.py - the pictures of noise against the number of rollouts. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from labeler.apps.report.plots import OF, Plot, Row, Series, points

_N = "rollouts a prefix, N"
_ZEROS = "no success"
_RULES = {"first_zero": "first zero", "bisection": "bisection", "posterior": "posterior"}
_ONE_SIDED = {("hard_wrong", "pool"), ("hard_false_good", "pool")}
"""Against the pool a label cannot be falsely good, so that all wrong ones are falsely bad."""


@dataclass(frozen=True, slots=True)
class _Noise:
    """A plot against N: its measures, each with a name."""

    key: str
    title: str
    y: str
    says: str
    measures: Mapping[str, str]
    shares: bool = True


_HARD = _Noise(
    "hard",
    "Hard labels: how often wrong",
    "share of steps",
    "A hard label calls a step good where any of N rollouts succeeds. More rollouts miss fewer "
    "good steps (false bad, of good steps) and find more lucky ways out of wrong ones (false good, "
    "of wrong steps).",
    {"hard_wrong": "wrong", "hard_false_good": "false good", "hard_false_bad": "false bad"},
)
_OTHERS = (
    _Noise(
        "soft",
        "Soft labels: how far off",
        "difference in value",
        "Root mean square error of correct / N. Against the whole pool it ends at zero, against "
        "the value itself it does not. Against the truth (good 1, wrong 0) luck is not all that "
        "is wrong.",
        {"soft_rmse": "error", "soft_bias": "bias"},
        shares=False,
    ),
    _Noise(
        "reliability",
        "Soft labels: how much is signal",
        "share of variance",
        "The part of the differences between soft labels that differences between values make; the "
        "rest is the luck of N draws. Beyond the pool it is a model's.",
        {"soft_reliability": "reliability"},
    ),
    _Noise(
        "order",
        "Order and direction",
        "share of steps",
        "Inversions: correct steps that score below a wrong step of the same solution. Sign "
        "errors: steps whose progress points the other way than in the whole pool.",
        {"rank_inversion": "inversions", "progress_sign": "sign errors"},
    ),
    _Noise(
        "zeros",
        "Prefixes without any success",
        "share of prefixes",
        "Prefixes that look dead with N rollouts. What still falls at the right was unlucky, not "
        "dead; beyond the pool the curve is a model's.",
        {"zero_share": _ZEROS},
    ),
)
_LOCATED = {
    "located_exact": ("First error: exactly found", "The labels name the step itself."),
    "located_early": ("First error: named too early", "A right step is taken for the first error."),
    "located_late": ("First error: named too late", "The first error is passed over as good."),
    "located_undecided": ("First error: undecided", "No step is named."),
}


def curves(rows: Sequence[Row]) -> Iterator[Plot]:
    """The pictures that these rows have a number for, in order."""
    whole = [row for row in rows if not row["group"]]
    yield _noise(_HARD, whole)
    yield from (_located(measure, whole) for measure in _LOCATED)
    yield from (_noise(one, whole) for one in _OTHERS)


def _noise(noise: _Noise, rows: Sequence[Row]) -> Plot:
    held = [r for r in rows if r["measure"] in noise.measures and r["n"] is not None]
    held = [r for r in held if (r["measure"], r["reference"]) not in _ONE_SIDED]
    kinds = {(r["measure"], r["reference"]) for r in held if r["value"]}
    several = len({reference for _, reference in kinds}) > 1
    series = []
    for measure, name in noise.measures.items():
        for reference in ("truth", "pool", "value", ""):
            if (measure, reference) in kinds:
                of = (r for r in held if (r["measure"], r["reference"]) == (measure, reference))
                called = _called(name, reference if several else "")
                series.append(Series(called, points(of)))
    kind = noise.key, noise.title, noise.says, _N, noise.y
    return Plot(*kind, tuple(series), "rollouts", shares=noise.shares)


def _called(name: str, reference: str) -> str:
    """A series by its name, and, where there are others, what it is measured against."""
    if name == _ZEROS:
        return "by a model" if reference == "value" else "counted"
    return f"{name}, {OF[reference]}" if reference else name


def _located(measure: str, rows: Sequence[Row]) -> Plot:
    """By rule, against the truth where that is known."""
    title, says = _LOCATED[measure]
    of = [r for r in rows if r["measure"] == measure]
    held = {r["reference"] for r in of}
    best = next((reference for reference in ("truth", "pool") if reference in held), "")
    of = [r for r in of if r["reference"] == best]
    series = (
        Series(name, points(r for r in of if r["rule"] == rule), look)
        for look, (rule, name) in enumerate(_RULES.items())
    )
    kept = tuple(s for s in series if any(p.value for p in s.points))
    by = "by rule" if len(kept) != 1 else f"rule {kept[0].name}"
    against = f" Solutions with a wrong answer, {OF[best]}, {by}." if best else ""
    key = measure.replace("_", "-")
    return Plot(key, title, says + against, _N, "share of solutions", kept, "rollouts")
