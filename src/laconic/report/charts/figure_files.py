"""Charts as files for papers, drawn without a browser."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import vl_convert

from laconic.errors import LaconicError
from laconic.files import draft, make_folder, remove_drafts
from laconic.report.charts.style import Spec
from laconic.report.charts.svg_minify import minified
from laconic.report.charts.theme import theme
from laconic.studies.layout import FIGURE_FILES, FIGURE_FONT, PNG_SOFTWARE, StudyFolder

WIDTH = 720
# Twice the pixels of a screen: sharp in print.
SCALE = 2.0
VERSION = "6.4"
PNG_HEADER = 8 + 25
FORMATS = tuple(FIGURE_FILES)


def write_figures(
    charts: dict[str, Spec], folder: Path | str, formats: Iterable[str] = FORMATS
) -> list[Path]:
    """Write each chart into `figures`, light, with the default of each switch."""
    requested = tuple(dict.fromkeys(formats))
    if unknown := [name for name in requested if name not in FIGURE_FILES]:
        raise LaconicError(
            f"figures as {', '.join(unknown)}: choose from {', '.join(FIGURE_FILES)}"
        )
    study = StudyFolder(Path(folder))
    files = {study.figure(name, kind): (name, kind) for name in charts for kind in requested}
    make_folder(study.figures)
    remove_drafts(study.figures, [file.name for file in files])
    for file, (name, kind) in files.items():
        with draft(file, FIGURE_FILES[kind]) as stream:
            stream.write(svg(charts[name]).encode() if kind == "svg" else png(charts[name]))
    return list(files)


def svg(spec: Spec, dark: bool = False) -> str:
    """The chart as SVG."""
    drawing = vl_convert.vegalite_to_svg(
        static(spec, dark), vl_version=VERSION, allowed_base_urls=[]
    )
    return minified(drawing)


def png(spec: Spec, dark: bool = False) -> bytes:
    """The chart as PNG."""
    picture = vl_convert.vegalite_to_png(
        static(spec, dark), vl_version=VERSION, scale=SCALE, allowed_base_urls=[]
    )
    return signed(bytes(picture))


def signed(picture: bytes) -> bytes:
    """The PNG with a chunk after its header that names Laconic as its software."""
    chunk = b"tEXt" + PNG_SOFTWARE
    framed = (len(PNG_SOFTWARE).to_bytes(4), chunk, zlib.crc32(chunk).to_bytes(4))
    return b"".join((picture[:PNG_HEADER], *framed, picture[PNG_HEADER:]))


def static(spec: Spec, dark: bool = False) -> str:
    """The specification for print: fixed width, white background, no descriptions of parts."""
    config: dict[str, Any] = theme(dark)
    config |= {"font": FIGURE_FONT, "background": "#0d1117" if dark else "white", "padding": 12}
    config["mark"] = {"aria": False}
    config["axis"] = config["axis"] | {"aria": False}
    config["legend"] = config["legend"] | {"aria": False}
    return json.dumps(spec | {"width": WIDTH, "config": config}, allow_nan=False)
