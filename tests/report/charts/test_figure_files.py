"""Charts as files for papers."""

from __future__ import annotations

import re
import zlib
from xml.etree import ElementTree

import pytest
import vl_convert

from laconic.errors import LaconicError
from laconic.report.charts import NAMES, all_charts, confusion, save
from laconic.report.charts.figure_files import VERSION, static, svg
from laconic.report.charts.svg_minify import minified
from laconic.report.view import Confusion, Detail
from laconic.studies.layout import StudyFolder
from tests.report.charts.specs import made


@pytest.mark.full
def test_figures_are_written(pets_view, tmp_path):
    files = save(pets_view, tmp_path)
    assert {str(f.relative_to(tmp_path)) for f in files} == {
        f"figures/{name}.{kind}" for name in NAMES for kind in ("svg", "png")
    }
    for file in files:
        if file.suffix == ".svg":
            assert file.stat().st_size < 150_000
            ElementTree.fromstring(file.read_bytes())
        else:
            assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_figures_come_out_the_same_twice(pets_view, tmp_path):
    """R3, R14: over their own, which they know, and without what was left half-written."""
    first = {file: file.read_bytes() for file in save(pets_view, tmp_path)}
    half = tmp_path / "figures/.curves.png.abcd1234.draft"
    half.write_bytes(b"half")
    StudyFolder(tmp_path).check_figures(NAMES)
    second = {file: file.read_bytes() for file in save(pets_view, tmp_path)}
    assert first == second
    assert not half.exists()
    pictures = [data for file, data in first.items() if file.suffix == ".png"]
    assert [chunks(data)[1] for data in pictures] == [b"tEXt"] * len(pictures)


def chunks(png: bytes) -> list[bytes]:
    """The kinds of its chunks, whose checksums are right."""
    kinds, at = [], 8
    while at < len(png):
        end = at + 8 + int.from_bytes(png[at : at + 4])
        assert zlib.crc32(png[at + 4 : end]) == int.from_bytes(png[end : end + 4])
        kinds.append(png[at + 4 : at + 8])
        at = end + 4
    return kinds


@pytest.mark.parametrize("n", [12, 25, 60])
def test_a_figure_of_many_classes_is_not_heavy(n):
    """Even where every class is taken for every other."""
    rows = tuple((*(1 + (7 * i + 11 * j * j) % 29 for j in range(n)), 0) for i in range(n))
    found = Confusion(tuple(f"class {i}" for i in range(n)), (*rows, (0,) * (n + 1)))
    view = made(details=(Detail("p", "s", confusion=found),))
    assert len(svg(confusion(view, "p")).encode()) < 150_000


def test_a_lighter_drawing_is_the_same_drawing(pets_view):
    for name, spec in all_charts(pets_view).items():
        heavy = vl_convert.vegalite_to_svg(static(spec), vl_version=VERSION)
        light = minified(heavy)
        assert len(light) < 0.8 * len(heavy), name
        assert minified(light) == light
        a, b = (ElementTree.fromstring(each) for each in (heavy, light))
        assert list(a.itertext()) == list(b.itertext())
        assert ends(a) == pytest.approx(ends(b), abs=0.06)


def ends(tree: ElementTree.Element) -> list[float]:
    """Where the strokes of a drawing begin, in order."""
    starts = [s for e in tree.iter() for s in re.findall(r"M([-\d.e]+),([-\d.e]+)", e.get("d", ""))]
    return sorted(float(number) for start in starts for number in start)


def test_unknown_formats_are_refused(pets_view, tmp_path):
    with pytest.raises(LaconicError, match="figures as bmp: choose from svg, png"):
        save(pets_view, tmp_path, ("bmp",))
