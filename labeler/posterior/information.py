"""information.py - what further rollouts would tell of a solution's first error."""

import numpy as np

from labeler.posterior.belief import Belief
from labeler.posterior.chain import Floats, successes
from labeler.posterior.path import Joint


def information(belief: Belief, solution: int, joint: Joint, count: int) -> Floats:
    """(K,): bits that `count` further rollouts of prefix 0..K-1 are expected to tell of T.

    The mutual information of T and the number of successes under the belief: exact, siblings'
    counts included, for prefixes on the solution's own path.
    """
    steps = len(joint.alive)
    betas = belief.predictive(belief.tree.paths[solution])
    alive, lucky = (successes(b, count) for b in betas)  # (count+1, K, G)
    both = np.matmul(joint.alive, alive.transpose(1, 2, 0))  # (K, K+1, count+1): T and successes
    mended = lucky @ joint.lucky.T  # (count+1, K, K+1)
    mended[0] += joint.first_error - joint.lucky.sum(axis=1)
    dead = np.arange(1, steps + 2)[None, :] <= np.arange(steps)[:, None]  # (K, T): T <= k
    both += (mended * dead).transpose(1, 2, 0)
    after = _entropy(both.sum(axis=1)).sum(axis=1) - _entropy(both).sum(axis=(1, 2))
    whole = _entropy(joint.first_error).sum()
    found: Floats = np.maximum(whole + after, 0.0)
    return found


def _entropy(p: Floats) -> Floats:
    """-p log2 p, zero at zero."""
    found: Floats = -p * np.log2(np.maximum(p, 1e-300))
    return found
