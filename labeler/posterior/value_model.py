"""value_model.py - the parameters of the value model (see the package's docstring)."""

from pydantic import Field, PositiveFloat, PositiveInt

from labeler.params import Params


class ValueModel(Params):
    """What is assumed of a completer's values, to be fitted for each (`labeler calibrate`).

    The defaults suit no completer in particular: they are near a fit to many kinds of planted
    worlds together (benchmarks/search_defaults.py), but for `hazard`, `steepness`, `slip` and
    `mended`, which those worlds say little of: with these four in ten solutions of ten steps have
    an error, and one right answer in ten.
    """

    v_a: PositiveFloat = 1.2
    v_b: PositiveFloat = 1.1
    """The prior of a problem's difficulty, Beta(v_a, v_b)."""
    drift: float = Field(default=0.0, ge=-10, le=10)
    """How far a right step moves the value, in log odds, on average."""
    walk: PositiveFloat = 0.45
    """How far it moves the value beside that, in log odds: a standard deviation."""
    jump: float = Field(default=0.05, gt=0, lt=1)
    """Probability that a right step draws the value anew, as the difficulty is drawn."""
    hazard: float = Field(default=0.05, gt=0, lt=1)
    """Probability that a step is the first wrong one, given that none before it is, where the
    value before it is one half. Large: first errors come early."""
    steepness: float = Field(default=0.1, ge=0, le=10)
    """How much likelier that is where the value is lower: log odds for log odds."""
    zero: float = Field(default=0.45, gt=0, lt=1)
    """Probability that nothing mends a wrong step: the values from it on are exactly zero."""
    recovery: float = Field(default=0.2, gt=0, lt=1)
    """Mean value of other dead prefixes, where the value before the error was one."""
    scaling: float = Field(default=0.6, ge=0, le=10)
    """Power with which dead values fall with the value before the error: 0 not at all, 1 in
    proportion."""
    kappa_dead: PositiveFloat = 5.0
    """Concentration of the values of dead prefixes that luck can mend."""
    slip: float = Field(default=0.01, gt=0, lt=1)
    """Probability that the last step goes wrong, beside the hazard: errors that lower no value
    before the end are found there."""
    mended: float = Field(default=0.3, gt=0, lt=1)
    """Probability that a solution with an error that luck can mend has a right answer. With the
    hazard it makes the prior that a right answer has a wrong step (94 of 500 right answers in
    ProcessBench's MATH part have one; generators differ)."""
    grid: PositiveInt = Field(default=20, le=256)
    """Levels that alive values are told apart by."""
