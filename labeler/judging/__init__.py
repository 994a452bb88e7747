r"""judging - a judge reads a solution and names its first wrong step: what it sees, what it says.

A judge is any sampler. Its prompt is the problem with the numbered steps, as a question of its own;
its answers are rollouts of that question in the unit's log, under a fingerprint of their own: so
they resume as all rollouts do, and reading them again, or filtering by them, costs no model.
Nothing is guessed: an answer that does not end with a step's number in \boxed{} is unparsed, and
answers of which no more than half agree name nothing.
"""

from labeler.judging.config import JudgeConfig
from labeler.judging.reading import Judged, Saying, read, vote

__all__ = ["JudgeConfig", "Judged", "Saying", "read", "vote"]
