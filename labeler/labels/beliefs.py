"""beliefs.py - what all counts of a problem say of each of its solutions (labeler/posterior)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from labeler.labels.rows import StepProbability
from labeler.labels.values import Tally
from labeler.posterior import Tree, ValueModel

if TYPE_CHECKING:
    from labeler.posterior.values import Posterior

ENTRIES = 5
"""Entries of a posterior that a row keeps, at most,"""
LEAST = 0.01
"""each of at least this probability."""


def believe(
    keys: Sequence[Sequence[str]],
    own: Sequence[bool | None],
    tallies: Mapping[str, Tally],
    model: ValueModel,
    confidence: float,
) -> "list[Posterior | None]":
    """The posterior of each solution of a problem.

    None where nothing is known of it: neither its own answer nor a rollout of any prefix.
    `keys` are those of prefix 0..K-1, for each solution; `tallies` the counts by key.
    """
    if not keys:
        return []
    from labeler.posterior.belief import Belief
    from labeler.posterior.values import posterior_of

    tree = Tree.of(keys, own)
    belief = Belief(tree, model)
    nodes = {
        node: tallies.get(key, Tally())
        for solution, path in zip(keys, tree.paths, strict=True)
        for key, node in zip(solution, path, strict=True)
    }
    belief.observe(list(nodes), [t.n for t in nodes.values()], [t.correct for t in nodes.values()])
    known = [
        right is not None or any(belief.n[node] for node in path)
        for right, path in zip(own, tree.paths, strict=True)
    ]
    return [posterior_of(belief, s, confidence) if ok else None for s, ok in enumerate(known)]


def entries(belief: "Posterior") -> tuple[StepProbability, ...]:
    """The likeliest first errors, the likeliest first; step 0 is none."""
    *steps, none = belief.first_error.tolist()
    ranked = sorted(enumerate((none, *steps)), key=lambda entry: (-entry[1], entry[0]))
    return tuple(StepProbability(step, p) for step, p in ranked[:ENTRIES] if p >= LEAST)
