"""The pictures of `labeler report`: which there are, and that they can stand in one page."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from labeler.apps.report.drawing import draw
from labeler.apps.report.pictures import pictures
from labeler.apps.report.plots import numbers
from labeler.model import LabelerError


def measured(measure: str, n: int | None, value: float | None, **more: object) -> dict[str, object]:
    row = {"measure": measure, "reference": "truth", "rule": "", "n": n, "group": "",
           "value": value, "low": value, "high": value, "over": 9}  # fmt: skip
    return row | more


TABLE = [
    *(measured("hard_wrong", n, 1 / n) for n in (1, 2, 4)),
    *(measured("hard_false_bad", n, 1 / n, reference="pool") for n in (1, 2, 4)),
    *(measured("hard_wrong", n, 1 / n, reference="pool") for n in (1, 2, 4)),
    measured("soft_rmse", 2, None),
    *(measured("located_exact", n, 0.1 * n, rule=r) for n in (1, 2) for r in ("posterior", "scan")),
    *(measured("profile", None, 0.5, group=f"offset={d}") for d in range(-2, 3)),
    measured("label_soft", None, 0.5, reference="", group="bin=0.0-0.1"),
    measured("calibration", 8, 0.3, group="bin=0.2-0.3", rule="posterior"),
    measured("calibration_said", 8, 0.25, group="bin=0.2-0.3", rule="posterior"),
]


def test_a_plot_is_there_where_a_number_is() -> None:
    found = {plot.key: plot for _, plot in pictures(TABLE, [("this", 3)], [])}
    assert list(found) == [
        "hard", "located-exact", "profile", "labels", "calibration-errors", "savings"
    ]  # fmt: skip
    names = [s.name for s in found["hard"].series]
    assert names == ["wrong, against the truth", "false bad, against the whole pool"]
    assert [s.name for s in found["located-exact"].series] == ["posterior"]
    [[point]] = [s.points for s in found["calibration-errors"].series]
    assert (point.x, point.value) == (0.25, 0.3)
    assert [p.x for p in found["profile"].series[0].points] == [-2, -1, 0, 1, 2]
    assert list(pictures([], [], [])) == []
    for plot in found.values():
        head, *rows = numbers(plot)
        assert len(rows) == sum(len(s.points) for s in plot.series)
        assert {len(row) for row in rows} == {len(head)}
        assert plot.x in head
        assert plot.y in head


def test_pictures_stand_beside_each_other_in_one_page(tmp_path: Path) -> None:
    drawn = [draw(plot, tmp_path) for _, plot in pictures(TABLE, [("this", 3)], [])]
    roots = [ET.fromstring(svg) for svg in drawn]
    ids = [e.get("id") for root in roots for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    for svg in drawn:
        assert set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)", svg))
        assert {a or b for a, b in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)', svg)} <= set(ids)
        assert not re.search(r"style=|<style|<metadata|#010203", svg)
        assert "currentColor" in svg
    assert ">rollouts a prefix, N</text>" in drawn[0]
    assert (tmp_path / "hard.png").read_bytes().startswith(b"\x89PNG")
    assert "Hard labels: how often wrong" in (tmp_path / "hard.svg").read_text()


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    [(_, plot)] = pictures([], [("this", 3)], [])
    with pytest.raises(LabelerError, match=r"labeler\[report\]"):
        draw(plot, None)
