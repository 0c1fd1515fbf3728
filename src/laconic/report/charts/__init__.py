"""Charts: a `View` becomes Vega-Lite specifications with their data inlined.

Names from a user's files are data here, never markup or an expression. The page adds `config`
(`theme`) and sets the parameters, whose values are listed in `usermeta.choices`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from laconic.report.charts.confusion import confusion
from laconic.report.charts.cost import cost
from laconic.report.charts.figure_files import FORMATS, write_figures
from laconic.report.charts.overlap import overlap
from laconic.report.charts.quality import curves
from laconic.report.charts.significance import significance
from laconic.report.charts.stability import stability
from laconic.report.charts.style import Spec, plain
from laconic.report.charts.theme import theme
from laconic.report.view import View

__all__ = [
    "NAMES",
    "all_charts",
    "confusion",
    "confusions",
    "cost",
    "curves",
    "overlap",
    "plain",
    "save",
    "significance",
    "stability",
    "theme",
]


NAMES = ("curves", "cost", "significance", "stability", "overlap", "confusion")


def all_charts(view: View) -> dict[str, Spec]:
    """Every chart that has data, by name: on the page and as a file."""
    charts = {
        "curves": curves(view),
        "cost": cost(view),
        "significance": significance(view),
        "stability": stability(view),
        "overlap": overlap(view),
    }
    drawn = {name: spec for name, spec in charts.items() if spec is not None}
    return drawn | {name: spec for name, (_, spec) in confusions(view).items()}


def confusions(view: View) -> dict[str, tuple[int, Spec]]:
    """The confusion matrix of each problem in `view.details`, with the problem's position.

    Their names are "confusion", "confusion-2" and so on.
    """
    specs = ((at, confusion(view, detail.problem)) for at, detail in enumerate(view.details))
    drawn = [(at, spec) for at, spec in specs if spec is not None]
    names = ("confusion" if i == 1 else f"confusion-{i}" for i in range(1, len(drawn) + 1))
    return dict(zip(names, drawn, strict=True))


def save(view: View, folder: Path | str, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write every chart as `folder/figures/<name>.svg` and `.png`. Returns the files."""
    return write_figures(all_charts(view), folder, formats)
