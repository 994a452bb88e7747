"""location.py - where the first error is found with N rollouts a prefix, exactly.

Rollouts of different prefixes are independent draws, so the rules are Markov chains. With z_k the
probability that prefix k has no correct rollout among N (draws.py):

    first_zero   P(T = k) = z_k prod_{j<k} (1 - z_j),  P(T = K) = prod_{j<K} (1 - z_j)
    bisection    mass 1 at (alive, dead) = (0, K); from each pair that are no neighbours, with
                 m = (alive + dead) // 2, z_m of it goes to (alive, m), the rest to (m, dead); T is
                 the dead one where it ends (policies/bisection.py)

Both are about solutions with a wrong answer, whose own answer makes prefix K dead. `scan` asks for
prefixes up to T, bisection for those it meets, exhaustive for all.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from labeler.audit.batch import Batch, Cell, Part
from labeler.audit.chains import Bools, Floats, Ints


class Walk(NamedTuple):
    """How a rule ends and what it asked for; R solutions of K steps, G sizes."""

    found: Floats
    """(R, K, G): the probability that T = 1..K."""
    asked: Floats
    """(R, K, G): the probability that prefix 0..K-1 is asked for."""


def scan(zero: Floats) -> Walk:
    """First zero, left to right; `zero` is (R, K-1, G), of prefixes 1..K-1."""
    ones = np.ones((zero.shape[0], 1, zero.shape[2]))
    before = np.concatenate((ones, np.cumprod(1 - zero, axis=1)), axis=1)  # alive up to k-1
    found = before * np.concatenate((zero, ones), axis=1)
    return Walk(found, np.concatenate((0 * ones, before[:, :-1]), axis=1))


def exhaustive(zero: Floats) -> Walk:
    """First zero of all prefixes, that of the bare question among those asked for."""
    walk = scan(zero)
    return Walk(walk.found, np.ones_like(walk.asked))


def bisection(zero: Floats) -> Walk:
    """Halving, until neighbours."""
    rows, inner, sizes = zero.shape
    found, asked = np.zeros((2, rows, inner + 1, sizes))
    waiting = [(0, inner + 1, np.ones((rows, sizes)))]
    while waiting:
        alive, dead, mass = waiting.pop()
        if dead - alive == 1:
            found[:, dead - 1] = mass
            continue
        middle = (alive + dead) // 2
        asked[:, middle] = mass
        falls = mass * zero[:, middle - 1]
        waiting += [(alive, middle, falls), (middle, dead, mass - falls)]
    return Walk(found, asked)


RULES = {"first_zero": exhaustive, "bisection": bisection}
POLICIES = {"exhaustive": exhaustive, "scan": scan, "bisection": bisection}
PLACES = ("exact", "early", "late")
COST = "cost_"
"""How the parts of `costs` are called: they become no rows."""


def pool_end(dead: Bools) -> Ints:
    """(R,): where bisection ends when it sees whole pools; `dead` is (R, K-1)."""
    found = bisection(dead[:, :, None].astype(float)).found[:, :, 0]
    ends: Ints = np.argmax(found, axis=1) + 1
    return ends


def parts(batch: Batch) -> Iterator[Part]:
    """located_exact, _early and _late of both rules, against truth and their own pool's end."""
    wrong = batch.whole & (batch.chains.right == 0)
    known = wrong & (batch.chains.truth > 0)
    for rule, walk in RULES.items():
        places = {
            (reference, place): batch.empty(len(batch.sizes))
            for reference in ("truth", "pool")
            for place in PLACES
        }
        for block in batch.blocks(wrong):
            zero = batch.zero[batch.pair[block.at[:, 1:]]]
            found = walk(zero).found
            ends = _ends(batch, rule, block.solutions, block.at[:, 1:])
            truth = np.maximum(batch.chains.truth[block.solutions], 1)
            for reference, first in (("truth", truth), ("pool", ends)):
                for place, value in zip(PLACES, _places(found, first), strict=True):
                    places[reference, place][block.solutions] = value
        for (reference, place), value in places.items():
            over = (known if reference == "truth" else wrong)[:, None].astype(float)
            yield Part(
                measure=f"located_{place}",
                reference=reference,
                rule=rule,
                cells=batch.cells,
                numerator=value * over,
                denominator=np.repeat(over, len(batch.sizes), axis=1),
                by_group=place == "exact",
            )


def _ends(batch: Batch, rule: str, solutions: Ints, at: Ints) -> Ints:
    if rule == "first_zero":
        return batch.first_zero[solutions]
    return pool_end(batch.chains.correct[at] == 0)


def _places(found: Floats, first: Ints) -> tuple[Floats, Floats, Floats]:
    """Each (R, G): the probability of T = first, T < first and T > first."""
    steps = np.arange(1, found.shape[1] + 1)[None, :, None]
    at = first[:, None, None]
    exact, early, late = (
        np.where(where, found, 0.0).sum(axis=1) for where in (steps == at, steps < at, steps > at)
    )
    return exact, early, late


def costs(batch: Batch) -> Iterator[Part]:
    """Rollouts and tokens that each policy is expected to ask for, a wrong-answer solution.

    A prefix that several of them share is paid for in equal parts, which is exact where all of them
    ask for it. Its tokens are the mean of its pool's. Not measures, but what advice.py weighs.
    """
    wrong = batch.whole & (batch.chains.right == 0)
    prefixes = batch.pooled & wrong[batch.chains.owner]
    number = np.unique(batch.chains.keys, return_inverse=True)[1].reshape(-1)
    sharing = np.bincount(number[prefixes], minlength=len(number))
    part = 1 / np.maximum(sharing[number], 1)
    rolled = np.maximum(batch.chains.n + batch.chains.ungradable, 1)
    each = {"rollouts": part, "tokens": part * batch.chains.tokens / rolled}
    for policy, walk in POLICIES.items():
        totals = {kind: batch.empty(len(batch.sizes)) for kind in each}
        for block in batch.blocks(wrong):
            asked = walk(batch.zero[batch.pair[block.at[:, 1:]]]).asked
            for kind, price in each.items():
                totals[kind][block.solutions] = np.einsum("rkg,rk->rg", asked, price[block.at])
        over = np.repeat(wrong[:, None].astype(float), len(batch.sizes), axis=1)
        for kind, total in totals.items():
            cells = tuple(Cell(n) for n in batch.sizes)
            yield Part(f"{COST}{kind}", "", policy, cells, total * np.array(batch.sizes), over)
