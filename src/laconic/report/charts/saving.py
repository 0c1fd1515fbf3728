"""Charts as files for papers, drawn without a browser."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import vl_convert

from laconic.errors import LaconicError
from laconic.files import Kind, check_folder, check_output, draft, make_folder, remove_drafts
from laconic.report.charts.lightening import lighter
from laconic.report.charts.styling import Spec
from laconic.report.charts.theme import theme

FIGURES = "figures"
WIDTH = 720
# Twice the pixels of a screen: sharp in print.
SCALE = 2.0
VERSION = "6.4"
# One that vl-convert brings along, so that text takes the same room on every machine.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
# Vega's class and our font: only `lighter` puts a font there.
ROOT = rb'\A<svg [^>]*class="marks"[^>]* font-family="%b">' % FONT.encode()
DRAWING = Kind("drawing", re.compile(ROOT))
PNG_HEADER = 8 + 25
SOFTWARE = b"Software\0Laconic"
PICTURE = Kind("picture", re.compile(rb"\A\x89PNG\r\n\x1a\n.*tEXt%b" % SOFTWARE, re.DOTALL))
KINDS = {"svg": DRAWING, "png": PICTURE}
FORMATS = tuple(KINDS)


def write_figures(
    charts: dict[str, Spec], folder: Path | str, formats: Iterable[str] = FORMATS
) -> list[Path]:
    """`figures/curves.svg` and so on in the folder, light, with the default of each switch."""
    asked = tuple(dict.fromkeys(formats))
    if unknown := [name for name in asked if name not in KINDS]:
        raise LaconicError(f"figures as {', '.join(unknown)}: choose from {', '.join(KINDS)}")
    where = Path(folder) / FIGURES
    make_folder(where)
    remove_drafts(where, [f"{name}.{kind}" for name in charts for kind in asked])
    written = []
    for name, spec in charts.items():
        for kind in asked:
            file = where / f"{name}.{kind}"
            with draft(file, KINDS[kind]) as stream:
                stream.write(svg(spec).encode() if kind == "svg" else png(spec))
            written.append(file)
    return written


def check_figures(folder: Path, names: Collection[str]) -> None:
    """Charts may replace charts of these names, never other files."""
    check_folder(folder / FIGURES)
    for file in (folder / FIGURES).glob("*"):
        if file.stem.partition("-")[0] in names and file.suffix[1:] in KINDS:
            check_output(file, KINDS[file.suffix[1:]])


def svg(spec: Spec, dark: bool = False) -> str:
    """The chart as a drawing with lines and text."""
    drawn = vl_convert.vegalite_to_svg(still(spec, dark), vl_version=VERSION, allowed_base_urls=[])
    return lighter(drawn)


def png(spec: Spec, dark: bool = False) -> bytes:
    """The chart as pixels."""
    drawn = vl_convert.vegalite_to_png(
        still(spec, dark), vl_version=VERSION, scale=SCALE, allowed_base_urls=[]
    )
    return signed(bytes(drawn))


def signed(picture: bytes) -> bytes:
    """The PNG with a chunk that names its maker, behind the header, which every PNG has first."""
    chunk = b"tEXt" + SOFTWARE
    framed = (len(SOFTWARE).to_bytes(4), chunk, zlib.crc32(chunk).to_bytes(4))
    return b"".join((picture[:PNG_HEADER], *framed, picture[PNG_HEADER:]))


def still(spec: Spec, dark: bool = False) -> str:
    """The specification for paper: of a fixed width, on white, its parts not read out singly."""
    config: dict[str, Any] = theme(dark)
    config |= {"font": FONT, "background": "#0d1117" if dark else "white", "padding": 12}
    config["mark"] = {"aria": False}
    config["axis"] = config["axis"] | {"aria": False}
    config["legend"] = config["legend"] | {"aria": False}
    return json.dumps(spec | {"width": WIDTH, "config": config}, allow_nan=False)
