"""Colours, fonts and lines for light and for dark pages: Vega's `config`.

Colours follow Okabe and Ito (readable with any colour vision), each made darker or lighter until
it stands out from the page at 3:1. Text in cells stands out from every colour of a cell at 4.5:1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"


@dataclass(frozen=True)
class Palette:
    """Colours of a page. `methods` begins with the one of the baseline.

    `verdicts` go from clearly better over no difference to clearly worse; `shares` from 0 to 1.
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
    """The `config` that the page gives to each specification."""
    of = DARK if dark else LIGHT
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "range": {
            "category": list(of.methods),
            "diverging": list(of.verdicts),
            "ramp": list(of.shares),
        },
        "style": {
            "in-cell": {"color": of.in_cell, "fontSize": 12},
            "note": {"color": of.ink, "fontSize": 12},
            "leader": {"color": of.faint},
        },
        "title": {
            "color": of.ink,
            "subtitleColor": of.faint,
            "fontSize": 13,
            "fontWeight": 600,
            "subtitleFontSize": 12,
            "anchor": "start",
            "frame": "group",
            "offset": 12,
        },
        "axis": {
            "labelColor": of.faint,
            "titleColor": of.faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
            "gridColor": of.grid,
            "domainColor": of.faint,
            "tickColor": of.faint,
        },
        "legend": {
            "labelColor": of.ink,
            "titleColor": of.faint,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "symbolStrokeWidth": 2,
            "symbolBaseFillColor": of.faint,
            "symbolBaseStrokeColor": of.faint,
        },
    }
