"""Charts: a `View` becomes Vega-Lite specifications, plain values with their data inlined.

A name from a stranger's file is data here, never markup or an expression. The page gives `config`
(`theme`) and sets the parameters, whose values are listed in `usermeta.choices`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from laconic.report.charts.agreements import agreement
from laconic.report.charts.confusions import confusion
from laconic.report.charts.costs import cost
from laconic.report.charts.qualities import curves
from laconic.report.charts.saving import FORMATS, check_figures, write_figures
from laconic.report.charts.significances import significance
from laconic.report.charts.stabilities import stability
from laconic.report.charts.styling import Spec, plain
from laconic.report.charts.theme import theme
from laconic.report.view import View

__all__ = [
    "agreement",
    "all_charts",
    "check_save",
    "confusion",
    "cost",
    "curves",
    "plain",
    "save",
    "significance",
    "stability",
    "theme",
]


NAMES = ("curves", "cost", "significance", "stability", "agreement", "confusion")


def all_charts(view: View) -> dict[str, Spec]:
    """Every chart that has data, by name. Confusions after the first are numbered from 2."""
    made = {
        "curves": curves(view),
        "cost": cost(view),
        "significance": significance(view),
        "stability": stability(view),
        "agreement": agreement(view),
    }
    confusions = (confusion(view, detail.problem) for detail in view.details)
    for i, spec in enumerate(filter(None, confusions), start=1):
        made["confusion" if i == 1 else f"confusion-{i}"] = spec
    return {name: spec for name, spec in made.items() if spec is not None}


def check_save(folder: Path) -> None:
    """Whether `save` may write into the folder, before there is a view."""
    check_figures(folder, NAMES)


def save(view: View, folder: Path | str, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Every chart as `folder/figures/<name>.svg` and `.png`; the files written."""
    return write_figures(all_charts(view), folder, formats)
