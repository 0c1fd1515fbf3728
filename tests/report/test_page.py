"""The page as text: what is in it, and that nothing of strangers' files is more than text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from laconic.cli import main
from laconic.errors import LaconicError
from laconic.report import page as page_module
from laconic.report.charts import plain
from laconic.report.page import (
    SCRIPTS,
    embedded,
    page,
    policy,
    script,
    unicode_tables,
    write_report,
)
from laconic.report.view import Answer, Point, View
from laconic.studies.feature_choice import FeatureChoice, SetScore
from laconic.studies.words import Word
from laconic.text.summary import CorpusSummary
from tests.report.studies import HOSTILE, family_study, pets_study

TEMPLATES = Path(page_module.__file__).parent / "templates"
VOID = {"meta", "br", "input"}


class Read(HTMLParser):
    """The elements of a page, in order, with what is in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.contents: list[tuple[str, dict[str, str | None], str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("script", "style"):
            self.contents.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            tag, attrs, before = self.contents[-1]
            self.contents[-1] = (tag, attrs, before + data)

    def code(self) -> list[str]:
        return [text for tag, attrs, text in self.contents if tag == "script" and not attrs]

    def json(self, name: str):
        (text,) = (text for _, attrs, text in self.contents if attrs.get("id") == name)
        return json.loads(text)


@pytest.fixture(scope="module")
def pets_page(pets_view: View) -> str:
    return page(pets_view)


@pytest.fixture(scope="module")
def hostile_page(hostile_view: View) -> str:
    return page(hostile_view)


def test_json_cannot_end_its_element():
    text = embedded({"a": [*HOSTILE, "\u2028\u2029\ud800"]})
    assert not set("<>&\u2028\u2029") & set(text)
    assert text.isascii()
    assert json.loads(text) == {"a": [*HOSTILE, "\u2028\u2029\ud800"]}


def test_json_has_no_nan():
    assert json.loads(embedded([float("nan"), float("inf"), 1.5])) == [None, None, 1.5]


def test_the_page_is_well_formed_and_names_what_is_in_it(pets_page: str, pets_view: View):
    read = Read(pets_page)
    assert read.open == []
    ids = [attrs["id"] for _, attrs in read.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for tag, attrs in read.elements if tag == "a"]
    assert all(link[0] == "#" and link[1:] in ids for link in links)
    for answer in pets_view.answers:
        assert answer.sentence.split(":")[0] in pets_page
    sections = [attrs["id"] for tag, attrs in read.elements if tag == "section"]
    assert sections == [
        "recommendation",
        "curves",
        "try",
        "words",
        "overlap",
        "cost",
        "significance",
        "stability",
        "confusion",
        "certificate",
        "data",
        "reproduce",
    ]


def test_the_policy_knows_every_script_and_forbids_the_rest(pets_page: str):
    read = Read(pets_page)
    (told,) = (a["content"] for t, a in read.elements if a.get("http-equiv"))
    rules = dict(rule.split(" ", 1) for rule in told.split("; "))
    known = rules["script-src"].split()
    assert len(read.code()) == len(SCRIPTS) + 2
    for text in read.code():
        assert f"'sha256-{sha256(text)}'" in known
    assert len(known) == len(read.code())
    (style,) = (text for tag, _, text in read.contents if tag == "style")
    assert rules == {
        "default-src": "'none'",
        "script-src": rules["script-src"],
        "style-src": f"'sha256-{sha256(style)}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert "unsafe" not in told


def sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_nothing_is_fetched_and_nothing_is_inline(pets_page: str):
    for tag, attrs in Read(pets_page).elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
        assert not [name for name in attrs if name == "src" or name.startswith("on")]
        assert "style" not in attrs


def test_a_script_that_would_end_its_element_is_refused():
    for text in ("a</script>", "<!-- a", "a<SCRIPT>", "a\r\n"):
        with pytest.raises(LaconicError):
            script(text)


def test_our_scripts_put_no_markup_together():
    for name in (*SCRIPTS, "theme.js"):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|Function\(", text
        )


def test_hostile_words_are_text(hostile_page: str, hostile_view: View, pets_page: str):
    read, other = Read(hostile_page), Read(pets_page)
    assert read.open == []
    assert {tag for tag, _ in read.elements} <= {tag for tag, _ in other.elements}
    assert len(read.code()) == len(other.code())
    assert read.code() == other.code()
    for _, attrs in read.elements:
        assert not any(value and ("alert" in value or "7*7" in value) for value in attrs.values())
    outside = hostile_page
    for _, _, text in read.contents:
        outside = outside.replace(text, "") if text else outside
    assert "&lt;script&gt;alert(1)" in outside
    assert "\u202e" not in outside
    assert "\u2028" not in outside
    assert "\x07" not in outside
    assert plain("\u202e") in outside
    assert "{{7*7}}" in outside
    assert ">49" not in outside


def everywhere(view: View, text: str) -> View:
    """A view with this text in all places where a stranger's could be."""
    corpus = CorpusSummary(
        text, 3, text, {text: 2}, 1.0, False, 1, 1, 5, (1.0, 2.0, 3.0), text, (text,)
    )
    detail = replace(view.details[0], problem=text, sentence=text, certificate=(text,))
    detail = replace(detail, metric=text, calibration=text)
    budget = tuple(replace(line, method=text, model_file=text) for line in detail.budget)
    scores = tuple(replace(line, model=text) for line in detail.scores)
    tuning = tuple(replace(line, method=text) for line in detail.tuning)
    detail = replace(detail, budget=budget, scores=scores, tuning=tuning)
    return replace(
        view,
        title=text,
        progress=text,
        finished=False,
        answers=(Answer(text, text),),
        details=(replace(detail, classes=(text, "b", "c"), model_note=text),),
        corpora=(corpus,),
        failures={text: text},
        warnings={text: 1},
        command=text,
        plan=text,
        versions=(text,),
        created=text,
        quality=text,
        deciding_metrics={text: text},
        points=(replace(view.points[0], problem=text, method=text, metric=text),),
        problems=(text, "another"),
        methods=("ALL", text),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_view_changes_the_elements_of_its_page(pets_view: View, text: str):
    read = Read(page(everywhere(pets_view, text), links=True))
    harmless = Read(page(everywhere(pets_view, "harmless"), links=True))
    assert [(tag, set(attrs)) for tag, attrs in read.elements] == [
        (tag, set(attrs)) for tag, attrs in harmless.elements
    ]
    assert read.code() == harmless.code()
    assert read.json("page-data")["details"][0]["problem"] == plain(text)


def test_hostile_words_are_all_there(hostile_page: str, hostile_view: View):
    (detail,) = Read(hostile_page).json("page-data")["details"]
    assert len(detail["words"]["word"]) == len(hostile_view.details[0].words)
    assert detail["obstacle"] == ""
    assert "<script>alert(1)</script>" in detail["columns"]


def test_the_model_is_in_the_page(pets_page: str, pets_view: View):
    (told,) = Read(pets_page).json("page-data")["details"]
    assert base64.b64decode(told["model"]) == pets_view.details[0].model.to_bytes()
    assert told["words"]["total"] == len(pets_view.details[0].words)


def test_a_page_has_room_for_so_many_bytes_of_models(
    pets_view: View,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(page_module, "MAX_MODEL_BYTES", 100)
    (told,) = page_module.data_of(pets_view)["details"]
    assert told["model"] is None
    assert "too large" in told["obstacle"]


def test_of_too_many_words_the_strongest_are_shown(pets_view: View):
    words = tuple(Word(f"w{i}", 1, None, 1.0, (i % 7 - 3.0, 0.5)) for i in range(1000))
    detail = replace(pets_view.details[0], words=words, classes=("a", "b"))
    told = page_module._words(detail, 800)
    assert (told["total"], len(told["word"])) == (1000, 400)
    assert told["rank"] == sorted(told["rank"])
    assert {abs(own[0]) for own in told["coefficients"]} == {3.0, 2.0}


def test_features_have_their_sentence_and_table(pets_view: View):
    scores = (
        SetScore("words", "words", (0.8, 0.878), 0.839, -0.003, 0.004),
        SetScore("char-ngrams:1-3", "character 1–3-grams", failure="<b>no memory</b>"),
    )
    choice = FeatureChoice(
        "pets", "words", "words", "the best", "Language: none", "f1", (5, 50), 9, 3, scores
    )
    text = page(replace(pets_view, features=(choice,)))
    assert choice.sentence in text
    table = text[text.index("Comparison of features: mean f1 with at most 5 and 50") :]
    table = table[: table.index("</table>")]
    assert re.findall(r'class="number">([-0-9.]+)<', table) == [
        *("5", "50"),
        *("0.800", "0.878", "0.839", "-0.003", "0.004"),
    ]
    assert "&lt;b&gt;no memory&lt;/b&gt;" in table
    assert "Comparison of features" not in page(replace(pets_view, features=()))


def test_an_unfinished_study_has_a_page(pets_view: View):
    view = replace(
        pets_view,
        finished=False,
        progress="3 of 9 tasks are done",
        details=(),
        corpora=(),
        points=(),
    )
    text = page(
        replace(view, answers=(), failures={"<b>IG": "<i>no memory"}, warnings={"<u>slow": 2})
    )
    assert Read(text).open == []
    assert "3 of 9 tasks are done" in text
    assert "There is no model yet" in text
    assert "&lt;b&gt;IG" in text
    assert "&lt;i&gt;no memory" in text
    assert "&lt;u&gt;slow" in text


def test_problems_have_words_and_certificates_each(family_view: View):
    text = page(family_view)
    read = Read(text)
    assert read.open == []
    assert len(read.json("page-data")["details"]) == 2
    parts = [attrs["data-problem"] for _, attrs in read.elements if "data-problem" in attrs]
    assert set(parts) == {"0", "1"}
    # R12: the folders by their real names
    files = re.findall(r"<code>(problems/[^<]*words.csv)</code>", text)
    assert len(set(files)) == 2
    assert all((family_study() / file).exists() for file in files)


class TestAnswer:
    """The part under the recommendation."""

    def test_the_budget_marks_the_recommended_model(self, pets_view: View, pets_page: str):
        (detail,) = pets_view.details
        table = table_named(pets_page, "Models by what they give up")
        assert len(detail.budget) >= 5
        assert table.count("<tr") == 1 + len(detail.budget)
        assert table.count('class="chosen"') == sum(line.chosen for line in detail.budget) > 0
        assert table.count("<sup>†</sup>") == sum(not line.chosen for line in detail.budget)
        for line in detail.budget:
            assert f"<code>{line.model_file}</code>" in table
        assert "Not used for the choice" in pets_page

    def test_scores_calibration_and_tuning_are_shown(self, pets_view: View, pets_page: str):
        (detail,) = pets_view.details
        scores = table_named(pets_page, "Scores on the test documents")
        for line in detail.scores:
            for cell in (line.score, line.interval, line.mistakes, line.calibration_error):
                assert f">{cell}</td>" in scores
        assert detail.calibration in pets_page
        tuning = table_named(pets_page, "How each method was tuned")
        assert tuning.count("<td>ridge regression</td>") == len(pets_view.methods)
        assert f"<bdi>{pets_view.quality}</bdi>" in pets_page

    def test_mistakes_of_labels_are_explained(self, pets_view: View, pets_page: str):
        (detail,) = pets_view.details
        labels = replace(detail.model.model, rule="labels", calibration=None)
        view = replace(
            pets_view, details=(replace(detail, model=replace(detail.model, model=labels)),)
        )
        explained = "each missing or wrong label is one"
        assert explained in page(view)
        assert explained not in pets_page

    def test_a_warning_stands_out(self, pets_view: View, pets_page: str):
        assert "<strong>Warning:</strong>" not in pets_page
        warned = page(replace(pets_view, answers=(Answer("Use it.", "But <it> is worse."),)))
        assert "<strong>Warning:</strong> <bdi>But &lt;it&gt; is worse.</bdi>" in warned

    def test_model_files_are_linked_if_they_are_beside_the_page(
        self, pets_view: View, tmp_path: Path
    ):
        for where, linked in ((pets_study(), True), (tmp_path, False)):
            write_report(pets_view, where / "page.html")
            read = Read((where / "page.html").read_text(encoding="utf-8"))
            links = [attrs["href"] for tag, attrs in read.elements if tag == "a"]
            files = [str(link) for link in links if not str(link).startswith("#")]
            assert bool(files) == linked
            assert all((where / file).is_file() for file in files)

    def test_a_link_is_never_an_address(self, pets_view: View):
        read = Read(page(everywhere(pets_view, "javascript:alert(1)"), links=True))
        links = [str(attrs["href"]) for tag, attrs in read.elements if tag == "a"]
        assert "javascript%3Aalert%281%29" in links
        assert not [link for link in links if ":" in link]


def table_named(text: str, caption: str) -> str:
    """The table with this caption."""
    (found,) = re.findall(
        rf"<table>\s*<caption[^>]*>{caption}</caption>.*?</table>", text, re.DOTALL
    )
    return str(found)


def test_the_metric_that_decides_stands_first_for_each_problem():
    points = [
        Point(problem, "IG", metric, 3, 3.0, 0.5, 0.4, 0.6, 3)
        for problem in ("p", "q")
        for metric in ("accuracy", "f1")
    ]
    rows = page_module._table(points, {"p": "accuracy", "q": "f1"})
    first = [(row.problem, row.metric) for row in rows[:2]]
    assert first == [("p", "accuracy"), ("q", "f1")]


def test_limits_that_are_not_known_are_left_out(pets_view: View):
    nan = float("nan")
    points = (Point("pets", "IG", "accuracy", 3, 3.0, 0.5, nan, nan, 1),)
    assert (
        "nan" not in page(replace(pets_view, points=points)).split("The same as a table")[1][:1500]
    )


def test_parts_left_out_for_one_reason_are_told_once():
    told = ("It reads 3.", "Worst case: not computed: why", "Span: not computed: why", "End.")
    assert page_module._grouped(told) == [
        "It reads 3.",
        "Worst case, span: not computed: why",
        "End.",
    ]


@pytest.mark.full
def test_tables_of_characters_are_python_s_own():
    tables = unicode_tables()
    assert decoded(tables["word"]) == {c for c in every() if re.match(r"\w", c)}
    assert decoded(tables["digit"]) == {c for c in every() if re.match(r"\d", c)}
    assert decoded(tables["space"]) == {c for c in every() if re.match(r"\s", c)}
    lower = {
        chr(first + i * step): chr(first + i * step + shift)
        for first, count, step, shift in tables["lower"]
        for i in range(count)
    } | {chr(point): text for point, text in tables["special"]}
    assert lower == {c: c.lower() for c in every() if c.lower() != c}


def every() -> list[str]:
    return [chr(point) for point in range(0x110000)]


def decoded(differences: str) -> set[str]:
    at, bounds = 0, []
    for step in differences.split(" "):
        at += int(step, 36)
        bounds.append(at)
    spans = zip(bounds[::2], bounds[1::2], strict=True)
    return {chr(point) for a, b in spans for point in range(a, b)}


def test_the_policy_of_no_script():
    assert policy([], "").startswith("default-src 'none'; script-src ; style-src 'sha256-")


def test_the_page_appears_whole_or_not_at_all(
    pets_view: View,
    tmp_path: Path,
):
    with pytest.raises(LaconicError):
        write_report(pets_view, tmp_path / "missing" / "report.html")
    write_report(replace(pets_view, title="lone \ud800 surrogate"), tmp_path / "report.html")
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
    assert plain("lone \ud800 surrogate") in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_command(tmp_path: Path):
    where = tmp_path / "pets.html"
    done = CliRunner().invoke(main, ["report", str(pets_study()), "-o", str(where)])
    assert (done.exit_code, done.stdout) == (0, f"Report: {where}\n")
    assert where.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    nowhere = CliRunner().invoke(main, ["report", str(tmp_path / "none")])
    assert nowhere.exit_code == 2


def test_templates_ship():
    told = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '"laconic.report" = ["templates/*"]' in told
    assert {one.name for one in TEMPLATES.iterdir()} == {
        *SCRIPTS,
        "theme.js",
        "page.css",
        "head.html",
        "page.html",
    }
