"""posterior - the value model's mathematics: what all counts of a problem say together.

The model. A problem's solutions form a tree of prefixes (`tree`); its root is the bare question.
1. The problem has a difficulty for this completer, the value of prefix 0, Beta(v_a, v_b).
2. Each step is the first wrong one with a probability, given that none before it was: `hazard`,
   larger where the value is lower, by `steepness`. So solutions that share steps share their
   errors. The first error of a solution is T, one of 1..K, or there is none.
3. A prefix k < T is alive: its value is that of prefix k-1, moved by `drift` and a normal step of
   `walk` on the log odds, or, with probability `jump`, drawn anew. Prefix 0 is always alive.
4. From T on the prefix is dead. With probability `zero` the error cannot be mended, and all values
   from T on are exactly zero; else each is a Beta, of concentration `kappa_dead`, about
   `recovery` times the power `scaling` of the value before the error: recovery by luck. Which of
   the two it is, all later prefixes share.
5. A solution without an error has a right answer, but for the probability `slip`, which counts as
   an error in the last step: so an error that no rollout can see ends up there. One with an error
   has a wrong answer, unless luck mends it, with probability `mended`. Own answers are given:
   they say where a solution's own error is, and are no evidence for or against a model; wrong
   ones say nothing of siblings (belief.py).
6. Of n rollouts of a prefix, Binomial(n, value) are correct. The value of a whole solution is the
   verdict of its own answer.

So a prefix looks dead when its value drops against the values before it, not when it is zero.
Alive values lie on a grid of levels; all else is exact: a hidden Markov model on the tree.

`value_model` has the parameters, `tree` the shape, `chain` the parameters as arrays, `belief` the
counts and what passes between solutions, `path` the posterior along one of them, `values` the
values under it, `information` what a further rollout would tell; `evidence` the likelihood of many
problems at once, `fitting` the parameters that fit best, `checking` how well they predict. Pure:
they know counts, not rollouts, and neither rules nor thresholds.
"""

from labeler.posterior.tree import Tree, tree_of
from labeler.posterior.value_model import ValueModel

__all__ = ["Tree", "ValueModel", "tree_of"]
