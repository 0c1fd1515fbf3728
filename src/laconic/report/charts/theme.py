"""Colours, fonts and lines of light and dark pages: Vega's `config`.

Colours follow Okabe and Ito (for any colour vision), darkened or lightened to a contrast of at
least 3:1 with the page. Text in cells has a contrast of at least 4.5:1 with every cell colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of a page. `methods` starts with that of the baseline.

    `verdicts` range from clearly better to clearly worse; `shares` from 0 to 1.
    """

    ink: str
    faint: str
    grid: str
    methods: tuple[str, ...]
    verdicts: tuple[str, ...]
    shares: tuple[str, ...]
    in_cell: str


LIGHT = Palette(
    ink="#1f2328",
    faint="#59636e",
    grid="#e4e7eb",
    methods=(
        "#57606a",
        "#0072b2",
        "#d55e00",
        "#009e73",
        "#b5498a",
        "#3f97cf",
        "#b07d00",
        "#847d00",
    ),
    verdicts=("#4fa3dc", "#8cc4ea", "#c3e0f4", "#eceef0", "#fbdcbc", "#f6b57c", "#ef8b3e"),
    shares=("#f0f5fa", "#bfdcf1", "#87bfe6", "#4fa3dc"),
    in_cell="#14181c",
)
DARK = Palette(
    ink="#e6edf3",
    faint="#9aa4af",
    grid="#30363d",
    methods=(
        "#a5b0bb",
        "#4a9fe0",
        "#f0772b",
        "#1fbf92",
        "#e08fc0",
        "#8fd0f7",
        "#e6a817",
        "#ded34a",
    ),
    verdicts=("#1d6fae", "#1d5580", "#1d3f5a", "#2a3036", "#54391f", "#7a4718", "#a6560f"),
    shares=("#28333e", "#1f415c", "#1c5882", "#1d6fae"),
    in_cell="#ffffff",
)


def theme(dark: bool = False) -> dict[str, Any]:
    """The `config` that the page adds to each specification."""
    palette = DARK if dark else LIGHT
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "range": {
            "category": list(palette.methods),
            "diverging": list(palette.verdicts),
            "ramp": list(palette.shares),
        },
        "style": {
            "in-cell": {"color": palette.in_cell, "fontSize": 12},
            "note": {"color": palette.ink, "fontSize": 12},
            "leader": {"color": palette.faint},
        },
        "title": {
            "color": palette.ink,
            "subtitleColor": palette.faint,
            "fontSize": 13,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "anchor": "start",
            "frame": "group",
            "offset": 12,
        },
        "axis": {
            "labelColor": palette.faint,
            "titleColor": palette.faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": palette.grid,
            "domainColor": palette.faint,
            "tickColor": palette.faint,
        },
        "legend": {
            "labelColor": palette.ink,
            "titleColor": palette.faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "symbolBaseFillColor": palette.faint,
            "symbolBaseStrokeColor": palette.faint,
        },
    }
