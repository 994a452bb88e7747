"""drawing.py - a Plot as SVG that can stand in a page, and as files.

A picture is drawn once. In the page its ink is the page's own (`currentColor`), its text is text,
and its styles are attributes, since the page's policy lets no style in that it does not know.
Colours are Okabe and Ito's; line styles and markers differ as well, so that none of it depends on
them.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from labeler.apps.report.plots import Plot
from labeler.model import LabelerError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INK = "#010203"
"""Stands for the page's ink; in files it is as good as black."""
_HATCH = "#ffffff"
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "P")
_SIZE = (4.2, 2.8)
"""Inches: about the width of a card, so that text keeps its size from a phone to a wide screen."""
_LINE = 0.19
"""Inches that each line of the legend adds."""
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"
_LOOK: Any = {
    "svg.fonttype": "none", "svg.hashsalt": "labeler", "text.parse_math": False,
    "text.color": _INK, "axes.labelcolor": _INK, "axes.edgecolor": _INK, "xtick.color": _INK,
    "ytick.color": _INK, "grid.color": _INK, "grid.alpha": 0.14, "grid.linewidth": 0.7,
    "axes.grid": True, "axes.spines.top": False, "axes.spines.right": False, "font.size": 10,
    "font.family": "sans-serif", "lines.linewidth": 1.8, "lines.markersize": 5,
    "axes.linewidth": 0.8, "legend.frameon": False, "legend.fontsize": 9.5,
    "legend.handlelength": 3.0, "legend.columnspacing": 1.4, "legend.borderaxespad": 0.1,
    "axes.axisbelow": True, "figure.facecolor": "none", "axes.facecolor": "none",
}  # fmt: skip


def ready() -> None:
    """Raise LabelerError without matplotlib."""
    try:
        import matplotlib.figure  # noqa: F401 - it is all that is asked
    except ImportError as error:
        raise LabelerError(
            "the report's pictures need matplotlib: install it with `pip install 'labeler[report]'`"
        ) from error


def draw(plot: Plot, folder: Path | None) -> str:
    """The picture as an <svg> element; with a folder, also PLOT.svg and PLOT.png there.

    Raises LabelerError without matplotlib.
    """
    with _drawn(plot) as figure:
        held = io.BytesIO()
        figure.savefig(held, format="svg", metadata={"Date": None, "Creator": None})
        if folder is not None:
            _save(figure, plot, folder)
    return inlined(held.getvalue(), plot.key, plot.title)


@contextmanager
def _drawn(plot: Plot) -> "Iterator[Figure]":
    ready()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_LOOK):
        width, height = _SIZE
        figure = Figure((width, height + _LINE * _legend_lines(plot)), layout="constrained")
        axes = figure.add_subplot()
        if plot.kind == "bars":
            _bars(axes, plot)
        else:
            _lines(axes, plot)
        _legend(figure, plot)
        yield figure


def _save(figure: "Figure", plot: Plot, folder: Path) -> None:
    """With its title, which the page says beside the picture, on white."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.axes[0].set_title(plot.title, fontsize=11, fontweight="bold", loc="left")
    for kind in ("svg", "png"):
        metadata = {"Date": None} if kind == "svg" else {}
        path = folder / f"{plot.key}.{kind}"
        figure.savefig(path, format=kind, dpi=160, facecolor="white", metadata=metadata)


def _lines(axes: "Axes", plot: Plot) -> None:
    for i, series in enumerate(plot.series):
        look = (i if series.look is None else series.look) % len(_COLOURS)
        colour = _COLOURS[look]
        xs = [p.x for p in series.points]
        axes.plot(
            xs, [p.value for p in series.points], color=colour, label=series.name,
            linestyle=_DASHES[look], marker=_MARKERS[look],
        )  # fmt: skip
        known = ((p.x, p.low, p.high) for p in series.points)
        band = [(x, low, high) for x, low, high in known if low is not None and high is not None]
        at, lows, highs = ([triple[i] for triple in band] for i in range(3))
        axes.fill_between(at, lows, highs, color=colour, alpha=0.16, linewidth=0)
    if plot.kind in ("rollouts", "cost"):
        _logarithmic(axes, plot)
    elif plot.kind == "calibration":
        axes.plot([0, 1], [0, 1], color=_INK, linewidth=0.9, alpha=0.5, linestyle=(0, (2, 2)))
        axes.set_xlim(-0.02, 1.02)
    _named(axes, plot)


def _legend(figure: "Figure", plot: Plot) -> None:
    """Above the axes, in as many columns as fit."""
    if lines := _legend_lines(plot):
        figure.legend(loc="outside upper left", ncols=-(-len(plot.series) // lines))


def _legend_lines(plot: Plot) -> int:
    """None for a single series, which is what the title says."""
    several = len(plot.series) if len(plot.series) > 1 else 0
    return -(-several // 2) if max(len(s.name) for s in plot.series) < 16 else several


def _logarithmic(axes: "Axes", plot: Plot) -> None:
    """Rollouts a prefix have a tick at each N; costs at 1, 2 and 5 times powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if plot.kind == "cost":
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _short(x, plot)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        grid = sorted({p.x for s in plot.series for p in s.points})
        axes.set_xscale("log", base=2)
        axes.set_xticks(grid, [f"{x:g}" for x in grid])
    axes.minorticks_off()


def _bars(axes: "Axes", plot: Plot) -> None:
    """Bars that lie, each beside its name; several series beside each other."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    height = 0.76 / len(plot.series)
    for i, series in enumerate(plot.series):
        places = [p.x + (i - (len(plot.series) - 1) / 2) * height for p in series.points]
        values = [p.value for p in series.points]
        bars = axes.barh(
            places, values, height=height, color=_COLOURS[i], label=series.name,
            hatch="////" if i else None, edgecolor=_HATCH, linewidth=0,
        )  # fmt: skip
        if len(plot.series) == 1:
            axes.bar_label(bars, [_number(v, plot) for v in values], padding=4, fontsize=9)
    axes.set_yticks(range(len(plot.ticks)), plot.ticks)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.05 if len(plot.series) > 1 else 0.24)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: _short(x, plot)))
    axes.set_xlabel(plot.y)
    axes.set_ylabel(plot.x)


def _number(value: float, plot: Plot) -> str:
    return f"{value:.1%}" if plot.shares else f"{value:,.0f}"


def _short(value: float, plot: Plot) -> str:
    """A tick's number."""
    if value < 1:
        return f"{value:g}"
    size, unit = next(((s, u) for s, u in ((1e6, "M"), (1e3, "k")) if value >= s), (1, ""))
    return f"{value / size:g}{unit}"


def _named(axes: "Axes", plot: Plot) -> None:
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    lowest = min(v for s in plot.series for p in s.points for v in (p.value, p.low or 0.0))
    if lowest >= 0:
        axes.set_ylim(bottom=0)
    else:
        axes.axhline(0, color=_INK, linewidth=0.8, alpha=0.5)


_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_SIZE_IN_FONT = re.compile(r"[\d.]+px")


def inlined(svg: bytes, key: str, title: str) -> str:
    """An SVG file as an element of a page: ids that are its own, no style but attributes.

    `key` begins each id, since a page has one space of names for all its pictures.
    """
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _restyle(element, key)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", title)
    return ET.tostring(root, encoding="unicode").replace(_INK, "currentColor")


def _restyle(element: ET.Element, key: str) -> None:
    for name, value in _declared(element.attrib.pop("style", "")):
        element.set(name, value)
    for name, value in list(element.attrib.items()):
        if name == "id":
            element.set("id", f"{key}-{value}")
        elif name == _LINK:
            element.set(_LINK, f"#{key}-{value.removeprefix('#')}")
        else:
            element.set(name, _REFERENCE.sub(rf"url(#{key}-\1)", value))


def _declared(style: str) -> Iterator[tuple[str, str]]:
    """The declarations of a style; of a font its size alone, the rest is the page's."""
    for declaration in style.split(";"):
        name, _, value = (piece.strip() for piece in declaration.partition(":"))
        if name == "font":
            found = _SIZE_IN_FONT.search(value)
            yield "font-size", found[0] if found else "10px"
        elif name:
            yield name, value
