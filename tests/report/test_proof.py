"""Pages of papers: sections are kept, renewed one by one, drawn small, and harmless."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from laconic.errors import LaconicError
from laconic.papers.figures import Reproduced, Table
from laconic.papers.findings import Finding, Verdict
from laconic.papers.plots import Cells, Line, Plot
from laconic.report.charts.plots import plot
from laconic.report.charts.saving import svg
from laconic.report.proof import markdown
from laconic.report.proof.page import page
from laconic.report.proof.section import FILE, Section, cost, versions
from laconic.rows import Row

LINES = (
    Line("LSI", (1, 10, 100), (0.2, 0.5, 0.7)),
    Line("LDA | <b>", (1, 10, 100), (0.4, 0.8, 0.9)),
    Line("LSI", (10,), (0.55,), told=True),
)
CURVE = Plot("curve", "Accuracy <i>", "Columns", "accuracy", LINES, level=("all words", 0.88))
CELLS = Cells.of("cells", "SS against IG", "SS", "IG", [0.1, 0.2, 0.9], [0.3, 0.2, 0.8])
GOOD = Finding("12 columns are best", "91.1", "90.6", Verdict.REPRODUCED)
BAD = Finding("a | b", "", "no", Verdict.NOT, "other <data>")
TABLE = Table("errors & more", ("method", "λ = 1"), (("IG|x", 0.25),), "errors.csv")
SECTION = Section(
    "Figure 2",
    "accuracy against size",
    "laconic reproduce torkkola 2",
    "1 set",
    (GOOD, BAD),
    (CURVE, CELLS),
    (TABLE,),
)
OTHER = replace(SECTION, title="Figure 3", findings=(GOOD,), plots=(), tables=())
ABSENT = [Finding("TREC-AP", "0.98", "", Verdict.ABSENT, "not public")]


def test_a_section_is_kept_as_it_is(tmp_path):
    assert Section.load(tmp_path) is None
    SECTION.save(tmp_path)
    assert Section.load(tmp_path) == SECTION
    bare = replace(SECTION, plots=(replace(CURVE, level=None, log=False),))
    bare.save(tmp_path)
    assert Section.load(tmp_path) == bare


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"title": "a"}', "null"])
def test_another_file_of_its_name_is_told(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(LaconicError, match=r"is no section of ours .* run the figure again"):
        Section.load(tmp_path)


def row(task, asked, seconds, measure="f1", made_with="laconic 1"):
    return Row("p", "m", asked, measure, 0.5, seconds=seconds, task=task, versions=made_with)


def test_seconds_of_a_size_count_once_however_many_measures_it_has():
    rows = [row("a", 1, 30), row("a", 1, 30, "auc"), row("a", 2, 60), row("b", 1, 90)]
    assert cost(rows) == "2 tasks, 3.0 minutes of training in one process"
    assert cost([replace(rows[0], task="")]) == ""
    assert versions([*rows, row("c", 1, 1, made_with="laconic 2")]) == "laconic 1 / laconic 2"


def test_a_section_says_how_much_was_run_and_what_was_shown():
    hidden = replace(TABLE, shown=False)
    found = Reproduced([row("a", 1, 30)], (TABLE, hidden), (GOOD,), (CURVE,))
    made = Section.of("Figure 2", "about", "command", "3 sets", found)
    assert made.measured == "3 sets; 1 tasks, 0.5 minutes of training in one process; laconic 1"
    assert (made.tables, made.findings, made.plots) == ((TABLE,), (GOOD,), (CURVE,))


def renewed(folder, *sections, absent=()):
    where = markdown.update(folder, "torkkola", "K. Torkkola. 2003.", sections, absent)
    return where.read_text()


def test_a_page_has_statements_drawings_and_tables(tmp_path):
    text = renewed(tmp_path, SECTION, absent=ABSENT)
    assert text.startswith("# torkkola\n\nK. Torkkola. 2003.\n")
    assert "| 12 columns are best | 91.1 | 90.6 | reproduced |" in text
    assert "| a \\| b |  | no | **not reproduced**: other <data> |" in text
    assert "| TREC-AP | 0.98 |  | data not to be had: not public |" in text
    assert "3 statements: 1 reproduced, 1 not reproduced, 1 data not to be had." in text
    assert "<summary>errors &amp; more</summary>" in text
    assert "| IG\\|x | 0.25 |" in text
    for file in re.findall(r"\]\((\S+\.svg)\)", text):
        assert ElementTree.parse(tmp_path / file).getroot().tag.endswith("svg")
    assert sorted(one.name for one in (tmp_path / "torkkola").iterdir()) == [
        *("cells.svg", "curve.svg")
    ]


def test_prose_and_other_sections_stay(tmp_path):
    (tmp_path / "torkkola.md").write_text("# Torkkola\n\n## By hand\n\nMy words.\n")
    renewed(tmp_path, SECTION, OTHER, absent=ABSENT)
    better = replace(OTHER, findings=(replace(GOOD, here="91.0"), GOOD))
    text = renewed(tmp_path, better)
    assert text.startswith("# Torkkola\n\n## By hand\n\nMy words.\n")
    headings = re.findall(r"^## (.+)$", text, flags=re.MULTILINE)
    assert headings == [
        "By hand",
        markdown.SUMMARY,
        *(markdown.heading(one) for one in (SECTION, OTHER)),
    ]
    assert "| 91.1 | 91.0 | reproduced |" in text
    assert "4 statements: 3 reproduced, 1 not reproduced." in text
    assert renewed(tmp_path, better) == text, "the same measurements give the same page"


def test_what_could_not_be_measured_takes_no_measurements_place(tmp_path):
    missing = Finding("all of it", "", "", Verdict.ABSENT, "the corpus is not there")
    without = replace(SECTION, measured="", findings=(missing,), plots=(), tables=())
    assert "the corpus is not there" in renewed(tmp_path, without)
    measured = renewed(tmp_path, SECTION)
    assert "the corpus is not there" not in measured
    assert renewed(tmp_path, without) == measured


def test_a_drawing_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(markdown, "MOST_BYTES", 100)
    with pytest.raises(LaconicError, match=r"curve\.svg: [\d,]+ bytes, at most 100"):
        renewed(tmp_path, SECTION)


def drawn_texts(one):
    root = ElementTree.fromstring(svg(plot(one)))
    return [element.text for element in root.iter() if element.text and element.text.strip()]


def test_lines_are_named_and_the_papers_are_hollow():
    texts = drawn_texts(CURVE)
    assert {"LSI", "LDA | <b>", "Accuracy <i>", "all words", "Columns"} <= set(texts)
    assert any("hollow" in text for text in texts)
    mine = replace(CURVE, lines=LINES[:2], level=None)
    assert not any("hollow" in text or text == "all words" for text in drawn_texts(mine))


def test_every_point_is_drawn():
    spec = plot(CURVE)
    rows = spec["data"]["values"]
    assert [(r["name"], r["x"], r["y"]) for r in rows if r["told"]] == [("LSI", 10, 0.55)]
    assert len(rows) == 7
    cells = plot(CELLS)["layer"][0]["data"]["values"]
    assert sum(cell["n"] for cell in cells) == 3


def test_the_html_page_is_whole_and_asks_for_nothing(tmp_path):
    text = page("torkkola", "K. Torkkola <2003>", [SECTION, OTHER], ABSENT)
    assert "K. Torkkola &lt;2003&gt;" in text
    assert "other &lt;data&gt;" in text
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", text)
    assert text.count("data:image/svg+xml;base64,") == 4, "two drawings, light and dark"
    counts = "2 reproduced, 1 not reproduced, 1 data not to be had"
    assert counts in " ".join(text.split())
    assert re.search(r"<td>.*<strong>not reproduced</strong>", text)
    assert "<strong>reproduced</strong>" not in text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
