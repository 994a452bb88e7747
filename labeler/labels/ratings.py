"""ratings.py - three-way labels, as people gave them in PRM800K.

-1 wrong, 0 neutral, 1 good (Lightman et al. 2023, section 2.4). The stated rule, for a threshold t:

    -1    target is false: the first error and every step after it;
    0     target is true, and progress with its whole interval lies inside (-t, t): the step is
          not wrong, and is shown to bring nothing;
    1     target is true otherwise;
    None  target is undecided.

Neutral must be shown: few rollouts have wide intervals, and then hardly any step is rated 0 (8 of 8
correct before and after it: -0.26 to 0.26; 64 of 64: -0.04 to 0.04). A step after the first error
is not neutral, however little it changes: nothing can be brought any more.
"""


def rating(
    target: bool | None, low: float | None, high: float | None, threshold: float
) -> int | None:
    """The three-way label of a step with this target and this interval of its progress.

    The interval is None where progress was not measured: then nothing is shown.
    """
    if target is None:
        return None
    if not target:
        return -1
    if low is None or high is None:
        return 1
    return 0 if -threshold < low and high < threshold else 1
