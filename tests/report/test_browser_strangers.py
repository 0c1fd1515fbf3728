"""Names of strangers in a real browser: nothing of them runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from laconic.report.charts import plain
from laconic.report.page import SCRIPTS
from laconic.report.view import View
from tests.report.browser import Browser
from tests.report.page_actions import column, type_text, written
from tests.report.studies import HOSTILE


def test_a_hostile_corpus_does_nothing(chromium: Browser, hostile_file: Path, hostile_view: View):
    chromium.open(hostile_file)
    (detail,) = hostile_view.details
    names = [plain(one.word) for one in detail.words]
    assert column(chromium, 2) == names[:50]
    for at, name in enumerate(detail.classes):
        chromium.choose("#words-class", str(at))
        assert plain(name) in column(chromium, 6)
    # the tooltip is the one place where Vega makes HTML
    hovered = """
    const marks = "svg.marks .mark-symbol path, svg.marks .mark-rect path";
    for (const mark of document.querySelectorAll(marks)) {
      for (const kind of ["pointermove", "mousemove", "pointerover", "mouseover"]) {
        mark.dispatchEvent(new MouseEvent(kind, {bubbles: true, clientX: 9, clientY: 9}));
      }
    }
    return document.getElementById("vg-tooltip-element").textContent;
    """
    assert chromium.run(hovered)
    assert chromium.driver.title == f"{plain(hostile_view.title)} – Laconic"
    # forms are Vega's, for inputs of its own, and empty
    found = "return document.querySelectorAll(arguments[0]).length"
    assert chromium.run(found, "img, b, iframe, object, embed, link, form > *") == 0
    assert chromium.run(found, "[onload], [onerror], [onclick], svg svg") == 0
    assert chromium.run(found, "script:not([type])") == len(SCRIPTS) + 2
    logs = chromium.logs()
    assert not [one for one in logs if "SEVERE" in one or "Content Security" in one], logs
    assert "vectors" in chromium.text("#tryit-obstacle")
    assert chromium.run("return document.getElementById('tryit-box').hidden") is True
    assert "‹202E›" in chromium.text("#words-table") + chromium.text("h1")


def test_hostile_classes_in_the_box(chromium: Browser, pages: Path, pets_view: View):
    (detail,) = pets_view.details
    names = np.array(HOSTILE[:3], dtype=object)
    model = replace(detail.model, model=replace(detail.model.model, classes=names))
    view = replace(pets_view, details=(replace(detail, model=model, model_note=HOSTILE[0]),))
    chromium.open(written(pages / "classes.html", view))
    type_text(chromium, "kitten puppy fin")
    assert chromium.text("#tryit-decision strong") in HOSTILE[:3]
    assert chromium.text("#tryit-note") == f"{HOSTILE[0]}."
    assert chromium.run("return document.querySelectorAll('#tryit img, #tryit script').length") == 0
    assert not [one for one in chromium.logs() if "SEVERE" in one]
