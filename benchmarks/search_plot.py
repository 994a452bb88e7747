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
INK, GREY, BLUE, RED = "#222222", "#8a8a8a", "#1f5fbf", "#c0392b"


def plot(scores: Sequence[Score], path: Path, caption: str) -> None:
    """Write the picture."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(9.5, 6.0), dpi=130)
    _line(axes, adaptives(scores), BLUE, "o-")
    for rule, colour, style in (("first_zero", GREY, "s--"), ("posterior", RED, "s:")):
        _line(axes, [named(scores, name, rule) for name in EXHAUSTIVE], colour, style)
    for name in ("bisection 8", "bisection 8 early", "scan 8", "scan 8 early"):
        _line(axes, [named(scores, name)], INK, "D")
        _write(axes, named(scores, name), name.replace(" 8", ", N = 8"), INK, (6, -11))
    for name in EXHAUSTIVE:
        label = name.replace("exhaustive ", "N = ")
        _write(axes, named(scores, name), label, GREY, (0, -14))
        _write(axes, named(scores, name, "posterior"), label, RED, (0, 8))
    for score in adaptives(scores):
        confidence = score.contender.name.split()[1]
        star = " (default)" if float(confidence) == DEFAULT else ""
        _write(axes, score, f"{float(confidence):g}{star}", BLUE, (0, 9))
    _legend(axes)
    axes.set_xscale("log")
    axes.set_xticks([4, 8, 16, 32, 64, 128, 256], labels=map(str, [4, 8, 16, 32, 64, 128, 256]))
    axes.minorticks_off()
    axes.set_xlabel("rollouts a solution (log scale)")
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
        ha="left" if offset[0] else "center",
    )  # fmt: skip


def _legend(axes: "Axes") -> None:
    lines = (
        (BLUE, "o-", "adaptive, by the confidence at which it stops"),
        (RED, "s:", "exhaustive (N rollouts of every prefix), read by the posterior rule"),
        (GREY, "s--", "exhaustive, read by the rule first zero"),
        (INK, "D", "bisection and scan, read by the rule first zero"),
    )
    for colour, style, text in lines:
        axes.plot([], [], style, color=colour, markersize=5, linewidth=1.6, label=text)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
