"""provers.py - further completers of a run: more columns of values, from rollouts of their own.

A prover is a completer under which progress is measured (Setlur et al. 2024, section 3): best
another one than the model that wrote the solutions. It rolls out the same prefixes, and adding one
to a run samples its own rollouts and no others.
"""

from typing import Annotated

from pydantic import AfterValidator, Field, PositiveInt, field_validator

from labeler.params import Params
from labeler.posterior import ValueModel
from labeler.samplers import CompleterConfig, Sampling

BEST_OF = "best_of_"
"""How the names of Best-of-J provers begin (labels/provers.py)."""


class ProverConfig(Params):
    """A further completer: prefixes 0..K-1 of every labelled solution are rolled out under it."""

    name: str = Field(pattern=r"^\w[\w.-]*$", max_length=100)
    """Names its columns in `provers`."""
    completer: CompleterConfig | None = None
    """Another model; null means the run's own completer and its engine, with other `sampling`."""
    sampling: Sampling | None = None
    """How it samples; null means as its completer's own configuration says."""
    n: PositiveInt = 8
    """Rollouts of each prefix."""
    value_model: ValueModel | None = None
    """What is assumed of its values: written out, or a file of `labeler calibrate`. Without one
    its soft_posterior is null, unless it is the run's own completer once more."""

    @field_validator("name")
    @classmethod
    def _is_free(cls, value: str) -> str:
        if value.startswith(BEST_OF):
            raise ValueError(f"names that begin with {BEST_OF} are those of labels.best_of")
        return value

    @property
    def role(self) -> str:
        """What its sampler is called among a run's samplers: no other role has a slash."""
        return f"prover/{self.name}"


def _distinct(provers: tuple[ProverConfig, ...]) -> tuple[ProverConfig, ...]:
    names = [p.name for p in provers]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two completers are called {twice}")
    return provers


Provers = Annotated[tuple[ProverConfig, ...], AfterValidator(_distinct)]
"""The further completers of a run, each with a name of its own."""
