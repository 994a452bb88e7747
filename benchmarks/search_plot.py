"""Accuracy against rollouts, all policies, as a picture that needs no caption."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from search_rules import DEFAULT
from search_scores import Score
from search_tables import adaptives, named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXHAUSTIVE = [f"exhaustive {n}" for n in (4, 8, 16, 64)]
PROBES = ("bisection 8", "scan 8", "bisection 8 early", "scan 8 early")
INK, GREY, BLUE, RED = "#222222", "#8a8a8a", "#1f5fbf", "#c0392b"
TICKS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def plot(scores: Sequence[Score], path: Path, caption: str) -> None:
    """Write the picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9.5, 6.0), dpi=130)
    _line(axes, adaptives(scores), BLUE, "o-")
    for rule, colour, style in (("first_zero", GREY, "s--"), ("posterior", RED, "s:")):
        _line(axes, [named(scores, name, rule) for name in EXHAUSTIVE], colour, style)
    for height, name in enumerate(PROBES):
        score = named(scores, name)
        axes.plot(score.ratio("rollouts"), score.ratio("right"), "D", color=INK, markersize=5)
        label = name.replace(" 8", ", N = 8").replace(" early", ", early stop")
        _point(axes, score, label, 0.96 - 0.05 * height)
    for name in EXHAUSTIVE:
        _write(axes, named(scores, name), name.replace("exhaustive ", "N = "), GREY, (0, -14))
        _write(axes, named(scores, name, "posterior"), name.split()[1], RED, (0, 8))
    for score in adaptives(scores):
        confidence = float(score.contender.name.split()[1])
        star = " (default)" if confidence == DEFAULT else ""
        _write(axes, score, f"{confidence:g}{star}", BLUE, (-5, 6))
    _names(axes, scores)
    axes.set_xscale("log")
    axes.set_xticks(TICKS, labels=map(str, TICKS))
    axes.minorticks_off()
    axes.set_xlabel("rollouts a solution, prefixes that solutions share counted once (log scale)")
    axes.set_ylabel("first errors found at their very step")
    axes.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0, decimals=0))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.suptitle("Finding the first wrong step: accuracy by rollouts spent", x=0.07, ha="left")
    axes.set_title(caption, fontsize=8.5, color=GREY, loc="left")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def _line(axes: "Axes", scores: Sequence[Score], colour: str, style: str) -> None:
    points = sorted((s.ratio("rollouts"), s.ratio("right"), *s.interval("right")) for s in scores)
    x, y, low, high = zip(*points, strict=True)
    axes.plot(x, y, style, color=colour, markersize=5, linewidth=1.6)
    axes.vlines(x, low, high, color=colour, alpha=0.25, linewidth=1)


def _write(axes: "Axes", score: Score, text: str, colour: str, offset: tuple[int, int]) -> None:
    axes.annotate(
        text, (score.ratio("rollouts"), score.ratio("right")), xytext=offset,
        textcoords="offset points", fontsize=7.5, color=colour,
        ha="right" if offset[0] else "center",
    )  # fmt: skip


def _point(axes: "Axes", score: Score, text: str, height: float) -> None:
    """A name in the upper left corner, with a line to its point."""
    axes.annotate(
        text, (score.ratio("rollouts"), score.ratio("right")), xytext=(0.22, height),
        textcoords="axes fraction", fontsize=9, color=INK, va="center", ha="right",
        arrowprops={
            "arrowstyle": "-", "color": INK, "linewidth": 0.5, "shrinkB": 3, "relpos": (1, 0.5)
        },
    )  # fmt: skip


def _names(axes: "Axes", scores: Sequence[Score]) -> None:
    """What each line is, beside it."""
    last = EXHAUSTIVE[-1]
    cheap = sorted(adaptives(scores), key=lambda s: s.ratio("rollouts"))[2]
    for score, text, colour, offset, side in (
        (cheap, "adaptive\n(numbers: the confidence\nat which it stops)", BLUE, (30, -62), "left"),
        (named(scores, last, "posterior"), "exhaustive,\nposterior rule", RED, (4, 20), "right"),
        (named(scores, last), "exhaustive,\nfirst zero rule", GREY, (4, -40), "right"),
    ):
        axes.annotate(
            text, (score.ratio("rollouts"), score.ratio("right")), xytext=offset,
            textcoords="offset points", fontsize=9.5, color=colour, ha=side, weight="bold",
        )  # fmt: skip
