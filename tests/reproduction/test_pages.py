"""Pages of papers: sections are kept, renewed one by one, drawn small, and harmless."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from laconic.errors import LaconicError
from laconic.report.charts.figure_files import svg
from laconic.rows import Row
from reproduction.pages import markdown
from reproduction.pages.html import page
from reproduction.pages.plots import plot
from reproduction.pages.section import FILE, Section, cost, versions
from reproduction.shared.figures import FigureResult, Table
from reproduction.shared.plots import Cells, Plot, Series
from reproduction.statements import Finding, Verdict

LINES = (
    Series("LSI", (1, 10, 100), (0.2, 0.5, 0.7)),
    Series("LDA | <b>", (1, 10, 100), (0.4, 0.8, 0.9)),
    Series("LSI", (10,), (0.55,), from_paper=True),
)
CURVE = Plot("curve", "Accuracy <i>", "Columns", "accuracy", LINES, level=("all words", 0.88))
CELLS = Cells.of("cells", "SS against IG", "SS", "IG", [0.1, 0.2, 0.9], [0.3, 0.2, 0.8])
GOOD = Finding("12 columns are best", "91.1", "90.6", Verdict.REPRODUCED)
BAD = Finding("a | b", "", "no", Verdict.NOT_REPRODUCED, "other <data>")
TABLE = Table("errors & <more>", ("method", "alpha = 1"), (("IG|x", 0.25),), "errors.csv")
SECTION = Section(
    "Figure 2",
    "accuracy against size",
    "python -m reproduction torkkola 2",
    "1 set",
    (GOOD, BAD),
    (CURVE, CELLS),
    (TABLE,),
)
OTHER = replace(SECTION, title="Figure 3", findings=(GOOD,), plots=(), tables=())
UNAVAILABLE = [Finding("TREC-AP", "0.98", "", Verdict.UNAVAILABLE, "not public")]


def test_a_section_is_kept_as_it_is(tmp_path):
    assert Section.load(tmp_path) is None
    SECTION.save(tmp_path)
    assert Section.load(tmp_path) == SECTION
    bare = replace(SECTION, plots=(replace(CURVE, level=None, log=False),))
    bare.save(tmp_path)
    assert Section.load(tmp_path) == bare


def test_what_is_no_number_is_kept_as_json_has_it(tmp_path):
    lines = (Series("a", (1, 10), (math.nan, 0.5)),)
    table = replace(TABLE, lines=(("a\udcff", math.nan),))
    replace(SECTION, plots=(replace(CURVE, lines=lines),), tables=(table,)).save(tmp_path)

    def refuse(name):
        raise AssertionError(f"{name} is no JSON")

    json.loads((tmp_path / FILE).read_text(), parse_constant=refuse)
    loaded = Section.load(tmp_path)
    assert loaded is not None
    (line,) = loaded.plots[0].lines
    assert (line.xs, math.isnan(line.ys[0]), line.ys[1]) == ((1, 10), True, 0.5)
    name, value = loaded.tables[0].lines[0]
    assert (name, math.isnan(value)) == ("a\udcff", True)


def test_a_folder_or_a_lame_line_is_no_section(tmp_path):
    SECTION.save(tmp_path)
    kept = json.loads((tmp_path / FILE).read_text())
    kept["plots"][0]["lines"][0]["xs"].pop()
    (tmp_path / FILE).write_text(json.dumps(kept))
    with pytest.raises(LaconicError, match=r"not a section of Laconic \(a line has different"):
        Section.load(tmp_path)
    (tmp_path / "a" / FILE).mkdir(parents=True)
    with pytest.raises(LaconicError, match="not a section of Laconic"):
        Section.load(tmp_path / "a")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"title": "a"}', "null"])
def test_another_file_of_its_name_is_told(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(LaconicError, match=r"not a section of Laconic .* run the figure again"):
        Section.load(tmp_path)


def row(task, asked, seconds, metric="f1", made_with="laconic 1"):
    return Row("p", "m", asked, metric, 0.5, seconds=seconds, task=task, versions=made_with)


def test_seconds_of_a_size_count_once_however_many_measures_it_has():
    rows = [row("a", 1, 30), row("a", 1, 30, "roc_auc"), row("a", 2, 60), row("b", 1, 90)]
    assert cost(rows) == "2 tasks, 3.0 minutes of training in one process"
    assert cost([replace(rows[0], task="")]) == ""
    assert versions([*rows, row("c", 1, 1, made_with="laconic 2")]) == "laconic 1 / laconic 2"


def test_a_section_says_how_much_was_run_and_what_was_shown():
    hidden = replace(TABLE, shown=False)
    found = FigureResult([row("a", 1, 30)], (TABLE, hidden), (GOOD,), (CURVE,))
    made = Section.of("Figure 2", "about", "command", "3 sets", found)
    assert made.measured == "3 sets; 1 tasks, 0.5 minutes of training in one process; laconic 1"
    assert (made.tables, made.findings, made.plots) == ((TABLE,), (GOOD,), (CURVE,))


def renewed(folder, *sections, absent=()):
    where = markdown.update(folder, "torkkola", "K. Torkkola. 2003.", sections, absent)
    return where.read_text()


def test_a_page_has_statements_drawings_and_tables(tmp_path):
    text = renewed(tmp_path, SECTION, absent=UNAVAILABLE)
    assert text.startswith("# torkkola\n\nK. Torkkola. 2003.\n")
    assert "| 12 columns are best | 91.1 | 90.6 | reproduced |" in text
    assert "| a \\| b |  | no | **not reproduced**: other \\<data> |" in text
    assert "| TREC-AP | 0.98 |  | data unavailable: not public |" in text
    assert "3 statements: 1 reproduced, 1 not reproduced, 1 data unavailable." in text
    assert "<summary>errors &amp; &lt;more></summary>" in text
    assert "| IG\\|x | 0.25 |" in text
    for file in re.findall(r"\]\((\S+\.svg)\)", text):
        assert ElementTree.parse(tmp_path / file).getroot().tag.endswith("svg")
    assert sorted(one.name for one in (tmp_path / "torkkola").iterdir()) == [
        *("cells.svg", "curve.svg")
    ]


def test_prose_and_other_sections_stay(tmp_path):
    (tmp_path / "torkkola.md").write_text("# Torkkola\n\n## By hand\n\nMy words.\n")
    renewed(tmp_path, SECTION, OTHER, absent=UNAVAILABLE)
    better = replace(OTHER, findings=(replace(GOOD, ours="91.0"), GOOD))
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


def headings(text):
    return re.findall(r"^## (.+)$", text, flags=re.MULTILINE)


def test_a_statement_about_bars_counts_and_lines_and_tags_do_nothing(tmp_path):
    odd = Finding("x\ny <script>", "p < 0.05", "a|b", Verdict.NOT_REPRODUCED, "one | other\udcff")
    text = renewed(tmp_path, replace(SECTION, findings=(GOOD, odd), plots=()))
    assert "2 statements: 1 reproduced, 1 not reproduced." in text
    assert r"| x y \<script> | p < 0.05 | a\|b | **not reproduced**: one \| other? |" in text


def test_a_page_whose_mark_is_gone_is_not_doubled(tmp_path):
    (tmp_path / "torkkola.md").write_text("# Torkkola\n\nMy words.\n")
    whole = renewed(tmp_path, SECTION, OTHER)
    for other in ("", "<!-- mine -->"):
        (tmp_path / "torkkola.md").write_text(whole.replace(markdown.MARK, other))
        text = renewed(tmp_path, OTHER)
        assert headings(text) == headings(whole)
        assert text.count("My words.") == 1
        assert text.count(markdown.MARK) == 1


def test_a_section_told_in_other_words_takes_the_olds_place(tmp_path):
    renewed(tmp_path, SECTION, OTHER)
    text = renewed(tmp_path, replace(SECTION, about="in other words"))
    assert headings(text)[1:] == ["Figure 2: in other words", markdown.heading(OTHER)]


def test_sections_stand_in_the_papers_order_whenever_they_were_run(tmp_path):
    own = replace(OTHER, title="By hand")
    renewed(tmp_path, own, OTHER, absent=UNAVAILABLE)
    order = ["Figure 1", "Figure 2", "Figure 3"]
    where = markdown.update(tmp_path, "torkkola", "", [SECTION], UNAVAILABLE, order)
    names = [name.partition(": ")[0] for name in headings(where.read_text())]
    assert names == [markdown.SUMMARY, "Figure 2", "Figure 3", "By hand", markdown.UNAVAILABLE]


@pytest.mark.parametrize("make", [lambda at: at.mkdir(), lambda at: at.write_bytes(b"\xff")])
def test_what_is_no_page_is_told(tmp_path, make):
    make(tmp_path / "torkkola.md")
    with pytest.raises(LaconicError, match=r"torkkola\.md: not a Markdown page .* --pages"):
        renewed(tmp_path, SECTION)


def test_what_could_not_be_measured_takes_no_measurements_place(tmp_path):
    missing = Finding("all of it", "", "", Verdict.UNAVAILABLE, "the corpus is not there")
    without = replace(SECTION, measured="", findings=(missing,), plots=(), tables=())
    assert "the corpus is not there" in renewed(tmp_path, without)
    measured = renewed(tmp_path, SECTION)
    assert "the corpus is not there" not in measured
    assert renewed(tmp_path, without) == measured


def test_a_drawing_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(markdown, "MAX_BYTES", 100)
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
    assert [(r["name"], r["x"], r["y"]) for r in rows if r["from_paper"]] == [("LSI", 10, 0.55)]
    assert len(rows) == 7
    cells = plot(CELLS)["layer"][0]["data"]["values"]
    assert sum(cell["n"] for cell in cells) == 3


def marks(one, kind):
    """The layers of a kind of mark, each with what it is of: measured ones, or those told."""
    layers = [layer for layer in plot(one)["layer"] if layer["mark"]["type"] == kind]
    return [(layer["transform"][0]["filter"], layer["mark"]) for layer in layers]


def test_measured_points_are_joined_and_the_papers_are_not():
    assert [of for of, _ in marks(CURVE, "line")] == ["!datum.from_paper"]
    drawn = {of: mark["filled"] for of, mark in marks(CURVE, "point")}
    assert drawn == {"!datum.from_paper": True, "datum.from_paper": False}


def test_names_of_measured_lines_come_first_so_that_colours_stay():
    told_first = replace(CURVE, lines=(Series("B", (1,), (0.5,), from_paper=True), *LINES))
    layer = plot(told_first)["layer"][-2]
    assert layer["encoding"]["color"]["scale"]["domain"] == ["LSI", "LDA | <b>", "B"]


def test_an_axis_is_logarithmic_where_asked():
    assert plot(CURVE)["encoding"]["x"]["scale"]["type"] == "log"
    assert "type" not in plot(replace(CURVE, log=False))["encoding"]["x"]["scale"]


def test_cells_have_both_ends_and_a_diagonal_from_corner_to_corner():
    cells, diagonal = plot(CELLS)["layer"]
    assert cells["encoding"]["x2"] == {"field": "right"}
    assert cells["encoding"]["y2"] == {"field": "high"}
    ends = diagonal["data"]["values"]
    assert ends == [{"left": 0.1, "low": 0.1}, {"left": 0.9, "low": 0.9}]
    assert len(plot(replace(CELLS, diagonal=False))["layer"]) == 1


def ticks(one):
    return plot(one)["encoding"]["x"]["axis"].get("values")


def test_an_axis_always_has_marks():
    one = replace(CURVE, lines=(Series("a", (12,), (0.5,)),))
    assert ticks(one) == [12]
    assert "12" in drawn_texts(one)
    assert ticks(replace(one, lines=(Series("a", (11, 13), (0.5, 0.6)),))) == [11, 13]
    assert ticks(replace(one, lines=(Series("a", (3, 13), (0.5, 0.6)),))) == [5, 10]
    assert ticks(replace(one, log=False)) is None


def test_what_has_no_place_on_a_log_axis_is_left_out():
    lines = (Series("a", (0, -1, math.nan, math.inf, 10, 20), (1, 2, 3, 4, 5, math.nan)),)
    log = replace(CURVE, lines=lines)
    assert [(r["x"], r["y"]) for r in plot(log)["data"]["values"]] == [(10, 5), (20, None)]
    straight = plot(replace(log, log=False))["data"]["values"]
    assert [r["x"] for r in straight] == [0, -1, 10, 20]
    assert ticks(log) == [10, 20]


def test_signs_that_cannot_be_drawn_are_spelt_out():
    """The library that draws ends the process over a NUL."""
    odd = "\x00"
    assert "x‹0000›" in drawn_texts(replace(CURVE, x_title=f"x{odd}", y_title=f"y{odd}", title=odd))
    assert "y‹0000›" in drawn_texts(replace(CELLS, x_title=f"x{odd}", y_title=f"y{odd}", title=odd))


def test_a_plot_of_nothing_is_not_drawn(tmp_path):
    nothing = (
        replace(CURVE, lines=()),
        replace(CURVE, lines=(Series("a", (0, 10), (0.5, math.nan)),)),
        Cells.of("cells", "t", "x", "y", [0.5, math.nan], [math.nan, 0.5]),
    )
    section = replace(SECTION, plots=(*nothing, CELLS))
    assert section.drawings == (CELLS,)
    assert re.findall(r"\]\((\S+\.svg)\)", renewed(tmp_path, section)) == ["torkkola/cells.svg"]
    assert page("torkkola", "", [section], ()).count("data:image/svg+xml;base64,") == 2


def test_a_page_of_no_statements_says_so():
    text = " ".join(page("torkkola", "", [], ()).split())
    assert "0 statements of the paper. " in text
    assert "1 statement of the paper: 1 data unavailable." in " ".join(
        page("torkkola", "", [], UNAVAILABLE).split()
    )


def test_the_html_page_is_whole_and_asks_for_nothing(tmp_path):
    text = page("torkkola", "K. Torkkola <2003>", [SECTION, OTHER], UNAVAILABLE)
    assert "K. Torkkola &lt;2003&gt;" in text
    assert "other &lt;data&gt;" in text
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", text)
    drawn = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", text)
    assert (len(drawn), len(set(drawn))) == (4, 4), "two drawings, light and dark"
    counts = "2 reproduced, 1 not reproduced, 1 data unavailable"
    assert counts in " ".join(text.split())
    assert re.search(r"<td>.*<strong>not reproduced</strong>", text)
    assert "<strong>reproduced</strong>" not in text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy is not None
    assert "unsafe" not in policy[1]
