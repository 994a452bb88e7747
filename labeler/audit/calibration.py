"""calibration.py - is what was said with probability p so in a share p of cases?

    rule posterior    of likeliest first errors with a probability in a bin, the share that is right
                      by truth, from N rollouts a prefix
    rule labels       likewise, as the run's own labels name them with their confidence
    no rule           of steps 1..K-1 with soft_posterior in a bin, from N rollouts a prefix, the
                      mean value among the pool's other rollouts: an unbiased judge, since given V
                      they are independent of those drawn

`calibration` is that share, `calibration_said` the mean of what was said in the bin.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from labeler.audit.batch import Batch, Cell, Part
from labeler.audit.chains import Floats

BINS = 10


def parts(batch: Batch) -> Iterator[Part]:
    """That of the run's own labels; nothing where they give no confidence."""
    chains = batch.chains
    if chains.confidence is None:
        return
    said = np.asarray(chains.confidence, dtype=float)[:, None]
    known = (chains.truth >= 0) & (chains.located >= 0)
    hit = (chains.truth == chains.located)[:, None].astype(float)
    of = known[:, None] & np.isfinite(said)
    yield from binned((Cell(),), ("truth", "labels"), said, hit, of)


def binned(
    cells: Sequence[Cell], against: tuple[str, str], said: Floats, hit: Floats, of: Floats
) -> Iterator[Part]:
    """The two calibration parts of (I, C) claims; `against` is the reference and rule."""
    columns = len(cells) * BINS
    bins = np.clip((np.nan_to_num(said) * BINS).astype(int), 0, BINS - 1)
    where = (bins[:, :, None] == np.arange(BINS)) & of[:, :, None]
    names = tuple(
        Cell(n, f"bin={i / BINS:.1f}-{(i + 1) / BINS:.1f}") for n, _ in cells for i in range(BINS)
    )
    over = where.reshape(-1, columns).astype(float)
    for measure, value in (("calibration", hit), ("calibration_said", np.nan_to_num(said))):
        total = (where * value[:, :, None]).reshape(-1, columns)
        yield Part(measure, *against, names, total, over)
