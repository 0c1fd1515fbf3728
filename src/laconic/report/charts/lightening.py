"""A drawing in fewer bytes, and the same bytes each time.

Vega gives coordinates with 16 digits and every text its font, and numbers clips on from chart to
chart of a process. Text is not touched.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG = "http://www.w3.org/2000/svg"
GEOMETRY = ("d", "transform", "x", "y", "width", "height")
# What a reader takes anyway when it is left out.
DEFAULTS = {
    "opacity": "1",
    "aria-hidden": "true",
    "font-weight": "normal",
    "pointer-events": "none",
}
LONG = re.compile(r"-?\d+\.\d{2,}(?:e-?\d+)?")
RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")


def lighter(drawn: str) -> str:
    """The same drawing, written shorter."""
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    _number(root)
    fonts = [each.attrib["font-family"] for each in root.iter() if "font-family" in each.attrib]
    for each in root.iter():
        _shorten(each, fonts[:1])
    for each in root.iter():
        _join(each)
    if fonts:
        root.set("font-family", fonts[0])
    return ElementTree.tostring(root, encoding="unicode")


def _number(root: Element) -> None:
    """Clips and gradients from 0."""
    old = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
    new = {f"url(#{name})": f"url(#{_kind(name)}{i})" for i, name in enumerate(old)}
    new |= {name: f"{_kind(name)}{i}" for i, name in enumerate(old)}
    for each in root.iter():
        for name in ("id", "clip-path", "fill", "stroke"):
            if each.get(name) in new:
                each.set(name, new[each.attrib[name]])


def _kind(name: str) -> str:
    return name.rstrip("0123456789")


def _shorten(one: Element, font: list[str]) -> None:
    for name in GEOMETRY:
        if name in one.attrib:
            one.set(name, LONG.sub(lambda found: f"{float(found[0]):.1f}", one.attrib[name]))
    for name in ("fill", "stroke", "stop-color"):
        if name in one.attrib:
            one.set(name, RGB.sub(_hex, one.attrib[name]))
    if [one.get("font-family")] == font:
        del one.attrib["font-family"]
    for name, value in DEFAULTS.items():
        if one.get(name) == value:
            del one.attrib[name]


def _hex(found: re.Match[str]) -> str:
    return "#" + "".join(f"{int(part):02x}" for part in found.groups())


def _join(group: Element) -> None:
    """Cells of one colour become one path: they do not overlap, so their order is nothing."""
    if not all(
        each.tag == f"{{{SVG}}}path" and set(each.attrib) == {"d", "fill"} for each in group
    ):
        return
    first: dict[str, Element] = {}
    for each in list(group):
        same = first.setdefault(each.attrib["fill"], each)
        if same is not each:
            same.set("d", same.attrib["d"] + each.attrib["d"])
            group.remove(each)
