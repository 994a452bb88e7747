"""How good are values estimated from few rollouts?

    python benchmarks/estimation.py [--quick]

1. On the recorded pool: the error of soft_posterior (all counts of a problem, under a value model
   fitted to the other half of the problems) beside that of the raw mean. The reference is the
   mean of rollouts that no estimate uses (those after the sixteenth); its own binomial variance
   is taken off the mean square.
2. On planted worlds: how many of the true values lie in their 95% credible intervals; values that
   are exactly zero apart.
3. On planted worlds: what optional stopping does to c/n and to Best-of-4 (its unbiased estimator
   1 - C(n-c, 4) / C(n, 4), where n >= 4), and to soft_posterior: mean of estimate less truth over
   the prefixes that were rolled out. (A posterior mean is drawn to its prior, so where it was
   decided by looking which prefixes to roll out, it stays right on average; c/n does not.)
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import chain
from math import comb

import numpy as np
import search_pool
from numpy.typing import NDArray
from search_cases import Case, play
from search_rules import BASELINES, Contender, Counts, adaptive, belief_of
from search_run import FOLDS, Job, Source, each, fold, pool
from search_scores import weights

from labeler.model import Outcome
from labeler.policies import Exhaustive
from labeler.posterior import ValueModel
from labeler.posterior.values import Posterior, posterior_of

Floats = NDArray[np.float64]
HELD = 16
"""Rollouts of a prefix that estimates may use; the reference is the rest."""
J = 4
MODEL = ValueModel()


def believed(case: Case, counts: Counts, model: ValueModel) -> list[Posterior]:
    """What counts say of each solution."""
    belief = belief_of(case.task, counts, model)
    return [posterior_of(belief, i) for i in range(len(case.task.solutions))]


def prefixes(case: Case) -> Iterator[tuple[str, int, int]]:
    """Each distinct prefix once: its key, a solution's place, and k."""
    seen = set()
    for i, solution in enumerate(case.task.solutions):
        for k in range(len(solution.steps)):
            key = case.task.prefix(solution, k).key
            if key not in seen:
                seen.add(key)
                yield key, i, k


def squares(job: Job) -> list[Floats]:
    """For each problem, sums over prefixes: see `_squares`."""
    source, (contender,) = job
    return [_squares(case, contender.model) for case in source.cases()]


def _squares(case: Case, model: ValueModel) -> Floats:
    """Prefixes; squared errors of posterior 8, raw 8 and raw 16; the reference's variance."""
    counts = play(Exhaustive(n=8), case).counts(case.task)
    found = believed(case, counts, model)
    sums = np.zeros(5)
    for key, i, k in prefixes(case):
        right = [g.verdict.outcome is Outcome.CORRECT for g in case.take(key, 10**6)]
        reference = np.mean(right[HELD:])
        estimates = np.array([found[i].mean[k], np.mean(right[:8]), np.mean(right[:HELD])])
        variance = reference * (1 - reference) / (len(right) - HELD - 1)
        sums += [1, *(estimates - reference) ** 2, variance]
    return sums


def errors(most: int) -> Iterator[str]:
    """The first table."""
    models = search_pool.models(most)
    jobs = [
        (fold(number, luck, right=None, most=most), [adaptive(models[number])])
        for luck in (0, 1)
        for number in FOLDS
    ]
    sums = np.array(list(chain.from_iterable(each(squares, jobs))))
    roots, whole = _roots(weights(len(sums)) @ sums), _roots(sums.sum(axis=0)[None])[0]
    yield f"{int(sums[:, 0].sum() / 2):,} prefixes, two lucks"
    for i, name in enumerate(
        ("soft_posterior at N = 8", "raw mean at N = 8", "raw mean at N = 16")
    ):
        yield f"  {name:24} RMSE {_interval(whole[i], roots[:, i])}"
    ratio = _interval(whole[0] / whole[2], roots[:, 0] / roots[:, 2])
    yield f"  {'the first over the last':24}      {ratio}"


def _roots(sums: Floats) -> Floats:
    found: Floats = np.sqrt(np.maximum(sums[:, 1:4] - sums[:, 4:], 0.0) / sums[:, :1])
    return found


def _interval(value: float, resampled: Floats) -> str:
    low, high = np.percentile(resampled, [2.5, 97.5])
    return f"{value:.4f} ({low:.4f}-{high:.4f})"


def truths(job: Job) -> list[Floats]:
    """For each problem and contender, sums over prefixes: see `_truths`."""
    source, contenders = job
    return [np.array([_truths(case, c) for c in contenders]) for case in source.cases()]


def _truths(case: Case, contender: Contender) -> Floats:
    """What is counted, one after the other.

    Values above zero, those covered; zeros, those covered; prefixes that were rolled out, errors
    of c/n and of soft_posterior; those with four rollouts, error of Best-of-4.
    """
    counts = play(contender.policy, case).counts(case.task)
    found = believed(case, counts, contender.model)
    sums = np.zeros(9)
    for _, i, k in prefixes(case):
        solution = case.task.solutions[i]
        value, (n, correct) = case.chains[solution.id].values[k], counts[solution.id][k]
        covered = found[i].low[k] <= value <= found[i].high[k]
        sums[:4] += [value > 0, covered and value > 0, value == 0, covered and value == 0]
        if n:
            sums[4:7] += [1, correct / n - value, found[i].mean[k] - value]
        if n >= J:
            best = 1 - comb(n - correct, J) / comb(n, J)
            sums[7:] += [1, best - (1 - (1 - value) ** J)]
    return sums


def planted(family: str, count: int, contenders: Sequence[Contender]) -> Iterator[str]:
    """The second and third table, for one family."""
    sums = np.array(
        list(chain.from_iterable(each(truths, [(Source(family, range(count)), contenders)])))
    )
    resampled = np.tensordot(weights(len(sums)), sums, axes=1)
    for i, contender in enumerate(contenders):
        whole, drawn = sums[:, i].sum(axis=0), resampled[:, i]
        covers = [
            _interval(whole[a] / whole[b], drawn[:, a] / drawn[:, b]) for a, b in ((1, 0), (3, 2))
        ]
        bias = [
            _interval(whole[a] / whole[b], drawn[:, a] / drawn[:, b])
            for a, b in ((5, 4), (6, 4), (8, 7))
        ]
        yield (
            f"{family:10} {contender.name:18} {covers[0]:24} {covers[1]:24} "
            f"{bias[0]:25} {bias[1]:25} {bias[2]}"
        )


def main() -> None:
    """Print the tables and the headline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print("== the pool")
    print(*errors(40 if quick else len(pool())), sep="\n")
    names = ("exhaustive 4", "exhaustive 8", "exhaustive 64", "bisection 8 early")
    contenders = [Contender(name, BASELINES[name], "posterior", MODEL) for name in names]
    contenders.append(adaptive(MODEL))
    print("\n== planted worlds: 95% intervals' coverage, and bias (estimate less truth)")
    print(
        f"{'family':10} {'policy':18} {'covered, above zero':24} {'covered, zeros':24} "
        f"{'bias of c/n':25} {'of soft_posterior':25} of Best-of-4"
    )
    for family in ("assumed", "plain"):
        print(*planted(family, 20 if quick else 400, contenders), sep="\n")


if __name__ == "__main__":
    main()
