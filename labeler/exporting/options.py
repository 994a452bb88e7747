"""options.py - what an export takes of a run's labels, and what it makes of them."""

from typing import Literal

from pydantic import Field, model_validator

from labeler.params import Params


class ExportOptions(Params):
    """Which labels are written, which solutions are taken, and where they go."""

    labels: Literal["hard", "soft", "ratings"] = "hard"
    """hard: whether each step comes before the first error (`target`). soft: the value after each
    step: `soft_posterior`, which steps without rollouts have as well and which is not biased
    where the number of rollouts hung on their outcomes; `soft` where a row has none. ratings: the
    column `rating`, -1, 0 or 1, which the label setting `neutral` fills."""
    zero: Literal["good", "bad"] = "good"
    """What a step that is rated 0 (neutral) is as a hard label. good: as Lightman et al. and Qwen
    read it, and as `target` has it. bad: as TRL does; it needs the column `rating`."""
    after_error: Literal["keep", "cut", "hard"] = "keep"
    """Steps after the first error. keep: written as wrong. cut: left out. hard: labelled by their
    own `hard`, whether any of their rollouts succeeded; a solution with a step there that has
    none is dropped."""
    undecided: Literal["drop", "keep"] = "drop"
    """Solutions whose first error is undecided. keep: for soft labels only."""
    min_confidence: float | None = Field(default=None, ge=0, le=1)
    """Take only solutions whose `first_error_confidence` is as high."""
    keep_only: bool = False
    """Take only what consensus filtering keeps (`keep` is true)."""
    balance: bool = False
    """As many solutions with an error as without, in each split."""
    test_share: float = Field(default=0.0, ge=0, lt=1)
    """Share of the questions that go to the split `test`, with all their solutions."""
    seed: int = 0
    """Decides which questions are `test`, and which solutions `balance` leaves out."""

    @model_validator(mode="after")
    def _goes_together(self) -> "ExportOptions":
        if self.labels != "hard" and self.after_error == "hard":
            raise ValueError(
                "--after-error hard labels steps with their own `hard`; soft labels have a value "
                "of their own at every step, and ratings are -1 there: use keep or cut"
            )
        if self.labels != "hard" and self.zero == "bad":
            raise ValueError(
                f"--zero bad makes hard labels of ratings: --labels {self.labels} has none"
            )
        needs = [
            what
            for what, does in (
                (f"--labels {self.labels}", self.labels != "soft"),
                ("--after-error cut", self.after_error == "cut"),
                ("--balance", self.balance),
            )
            if does
        ]
        if self.undecided == "keep" and needs:
            raise ValueError(f"{needs[0]} needs to know the first error: use --undecided drop")
        return self
