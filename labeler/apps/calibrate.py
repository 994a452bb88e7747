"""calibrate.py - `labeler calibrate`: fit the value model to what a run's completer showed.

1. The model is fitted to counts alone; what is true of a solution is not asked for. A sample of
   problems is enough: those that come first by the digests of their questions.
2. How well it fits is said of problems that it was not fitted to, where there are enough of them:
   the first half is fitted for that, the second one predicted. The model that is written is
   fitted to both.
3. `first_error_confidence` is a statement about the drop of values. How it compares with the value
   reference (the posterior from all rollouts, where a log is deep) is told whenever it can be,
   and with the truth where a file has it; from that comes a monotone map, kept beside the model.

It writes one YAML file, which a configuration names (`value_model: FILE`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from labeler.apps.counted import NoRolloutsError, Seen, open_source, read
from labeler.apps.reliability import Calibration, Point, calibration, cross_fitted, monotone_map
from labeler.apps.truths import Name, known, read_truths
from labeler.config import ConfigError
from labeler.files import RunDir
from labeler.posterior import ValueModel
from labeler.posterior.belief import Belief
from labeler.posterior.chain import Floats
from labeler.posterior.checking import Check, check
from labeler.posterior.evidence import Counted
from labeler.posterior.fitting import evidence, fit

if TYPE_CHECKING:
    from rich.console import Console

PROBLEMS = 100
"""Problems that the model is fitted to, at most."""
ENOUGH = 40
"""With so many of them, half are kept apart to check the fit."""
FEW, DEEP = 8, 32
"""A solution tells of the value reference where each of its prefixes has DEEP rollouts: its
posterior from the first FEW of each is compared with that from all."""


@dataclass(frozen=True, slots=True)
class Goodness:
    """How well the model explains counts."""

    apart: bool
    """Whether these are of problems that it was not fitted to."""
    bits: float
    """Bits a rollout by which it explains them better than the default model."""
    check: Check


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What came out."""

    run: str
    completer: str
    problems: int
    """Problems fitted to, of `of`."""
    of: int
    solutions: int
    rollouts: int
    model: ValueModel
    goodness: Goodness
    reference: Calibration | None
    """Of confidences from FEW rollouts a prefix against the value reference; None where the log
    is not deep."""
    truth: Calibration | None
    """Of confidences from all rollouts against the truth."""
    mapped: Calibration | None
    """The same through a map that was fitted to the other half of the problems."""
    truth_map: tuple[tuple[float, float], ...] | None
    """From confidences to shares of right first errors, linear between these."""


def calibrate(root: Path, truth: Path | None, out: Path | None, console: "Console") -> Calibrated:
    """Fit, write the file (by default value_model.yaml in the run directory), and print.

    Raises ConfigError where the directory is no run, `out` is no file, or the file of truths does
    not fit; LabelerError where the run has no graded rollouts or cannot be read.
    """
    from labeler.apps.calibrate_show import show, write

    if out is not None and out.is_dir():
        raise ConfigError(f"--out: {out} is a directory; name a file in it, such as model.yaml")
    truths = read_truths(truth) if truth is not None else {}
    source = open_source(RunDir(root))
    seen = list(islice(read(source, FEW), PROBLEMS if truth is None else None))
    if not seen:
        raise NoRolloutsError(
            f"{root} holds no graded rollouts of given or generated solutions: there is nothing to "
            "fit to (a tree's branches are chosen since they are wrong, and no fair sample)"
        )
    sample = seen[:PROBLEMS]
    counted = [s.counted for s in sample]
    model, goodness = _fit(counted)
    deep = list(_against_reference(seen, model))
    right = list(_against_truth(seen, model, truths))
    if truth is not None and not right:
        raise ConfigError(f"{truth} names none of the solutions of {root}")
    made = Calibrated(
        run=source.config.name,
        completer=source.completer,
        problems=len(sample),
        of=source.problems,
        solutions=sum(len(s.task.solutions) for s in sample),
        rollouts=sum(int(c.n.sum()) for c in counted),
        model=model,
        goodness=goodness,
        reference=calibration(deep) if deep else None,
        truth=calibration(right) if right else None,
        mapped=calibration(cross_fitted(right)) if len({p.problem for p in right}) > 1 else None,
        truth_map=tuple(monotone_map(right)) if right else None,
    )
    path = out or root / "value_model.yaml"
    write(made, path)
    show(made, path, console)
    return made


def _fit(counted: Sequence[Counted]) -> tuple[ValueModel, Goodness]:
    """The model of all problems, and how well one of the first half explains the second."""
    default = ValueModel()
    model = fit(counted, default).model
    apart = len(counted) >= ENOUGH
    tested = counted[1::2] if apart else counted
    judged = fit(counted[::2], default).model if apart else model
    nats = evidence(tested, judged) - evidence(tested, default)
    rollouts = sum(int(c.n.sum()) for c in tested)
    return model, Goodness(apart, nats / rollouts / _LN2, check(tested, judged))


_LN2 = 0.6931471805599453


def _against_reference(seen: Iterable[Seen], model: ValueModel) -> Iterator[Point]:
    """Solutions whose prefixes all have DEEP rollouts: what the first FEW say, and all."""
    for s in seen:
        deep = [s.counted.n[list(path)].min() >= DEEP for path in s.counted.tree.paths]
        if any(deep):
            few, all_ = _posteriors(s.first, model), _posteriors(s.counted, model)
            for one, other, ok in zip(few, all_, deep, strict=True):
                if ok:
                    named = int(one.argmax())
                    yield Point(s.task.problem.id, float(one[named]), float(other[named]))


def _against_truth(
    seen: Iterable[Seen], model: ValueModel, truths: Mapping[Name, int]
) -> Iterator[Point]:
    """Solutions that the file of truths has."""
    for s in seen:
        steps = known(s.task, truths) if truths else []
        if any(step is not None for step in steps):
            for found, step in zip(_posteriors(s.counted, model), steps, strict=True):
                if step is not None:
                    named = int(found.argmax())
                    hit = float(named == (step - 1) % len(found))  # none, 0, is the last entry
                    yield Point(s.task.problem.id, float(found[named]), hit)


def _posteriors(counted: Counted, model: ValueModel) -> list[Floats]:
    """The first error's posterior of each solution of a problem."""
    belief = Belief(counted.tree, model)
    belief.observe(range(len(counted.n)), counted.n.tolist(), counted.correct.tolist())
    return [belief.joint(s).first_error for s in range(len(counted.tree.paths))]
