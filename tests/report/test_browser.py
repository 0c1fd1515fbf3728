"""The page in a real browser: it opens clean, its controls work, it decides as the model does."""

from __future__ import annotations

import base64
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from laconic import Vectorizer, load_corpus
from laconic.compact import CompactModel, train
from laconic.compact.settings import TextSettings, WordWeights
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.methods import method_called
from laconic.model import LinearModel
from laconic.report.charts import plain
from laconic.report.page import SCRIPTS, write_report
from laconic.report.view import View
from tests.conftest import missing
from tests.report.browser import Browser, browser, installed
from tests.report.studies import (  # noqa: F401
    HOSTILE,
    family_view,
    hostile_view,
    pets_view,
)

# German, Greek with final sigmas, Turkish, digits of other scripts, Thai, emoji, combining marks,
# Chinese, a soft hyphen, superscripts, Roman numerals, ordinal signs, titlecase, a lone letter
TEXTS = (
    "Die Straße der GROẞEN Übergrößen, naïve Äpfel; Maßstäbe",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣ' ΑΣ'Α ΣΣΣ Α\u0345Σ Α\u00adΣ 1Σ ΑΣ1 ΑΣ_ ʰΣ ΑΣ\u0301Α",
    "İstanbul IŞIK ısı İİ Iİ i̇ KIRMIZI",
    "٣٤٥ ١٢ ०१२ ๔๕๖ 123 𝟘𝟙𝟚 １２３",
    "ภาษาไทยเขียนติดกัน กำลังทดสอบ",
    "smile 😀 family 👨‍👩‍👧 flag 🇬🇷 text",
    "cafe\u0301 e\u0301e\u0301 n\u0303andu\u0301 q\u0307\u0323",
    "漢字とかな交じり文 中文 한국어 글자",
    "co\u00adop soft\u00adhyphen zero\u200bwidth joined\u200dword",
    "x² m³ H₂O ½ ¼ ① ⑳ Ⅻ ⅷ 1ª 2º ªº",
    "ǅungla ǈ ǋ ǲ ﬁne ﬂat ﬀ",
    "don't o'clock snake_case __dunder__ _ a b I x1 1x -- a_b",
    "agreed feed sky skies flying dying relational conditional rationalization hopefulness",
    "\x1c\x1d\x85\xa0\u3000\ufeff between   \t\n\r\f\v spaces",
    "𐐀𐐁𐐨 Ꭰꭰ ᲐᲑ ⰀⰁ 𝐀𝐁 Ωmega Kelvin Ångström ȺȾ",
    "running\nruns  RAN the The THE and generously sensational y yy yyy sayyy",
    "",
    "   ",
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"stem": "porter"},
    {"stem": "porter", "stop_words": "english", "ngrams": (1, 2)},
    {"lowercase": False, "min_length": 1},
    {"lowercase": False, "stop_words": "english", "stem": "porter"},
    {"min_length": 0, "ngrams": (2, 3), "token_pattern": r"(?u)\b\w\w+\b"},
    {"token_pattern": r"[^\W\d_]+", "min_length": 1},
    {"token_pattern": r"[^\W_]+", "min_length": 3},
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"[A-Za-z0-9]+", "lowercase": False},
    {"token_pattern": r"\w\w+", "stem": "porter"},
    {"unit": "char"},
    {"unit": "char", "ngrams": (2, 4)},
    {"unit": "char", "ngrams": (1, 3), "lowercase": False},
)
READ = """
const [settings, stops] = [arguments[0], new Set(arguments[1])];
return arguments[2].map((text) => {
  const units = reading.units(text, settings, stops);
  return [units.map((one) => one.unit), reading.terms(units, settings).map((one) => one.term)];
});
"""
DECIDE = """
return arguments[0].map((file) => {
  const model = new laconic.CompactModel(laconic.bytesOf(file));
  return arguments[1].map((text) => {
    const { scores, chosen, shares } = model.tell(text, reading);
    return [scores, chosen.map((at) => model.classes[at]),
      shares.map((row) => Array.from(row.values()).reduce((sum, one) => sum + one, 0))];
  });
});
"""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not installed():
        missing("browser", "chromium and chromedriver are not installed")
    with browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="session")
def pets_file(pages: Path, pets_view: View) -> Path:  # noqa: F811
    return written(pages / "pets.html", pets_view)


@pytest.fixture(scope="session")
def family_file(pages: Path, family_view: View) -> Path:  # noqa: F811
    return written(pages / "family.html", family_view)


@pytest.fixture(scope="session")
def hostile_file(pages: Path, hostile_view: View) -> Path:  # noqa: F811
    return written(pages / "hostile.html", hostile_view)


@pytest.fixture(scope="session")
def pydocs() -> Corpus:
    return load_corpus("pydocs")


@pytest.fixture(scope="session")
def pydocs_model(pydocs: Corpus) -> CompactModel:
    vectorizer = Vectorizer(stem="porter", stop_words="english")
    path = method_called("WS").build(1.0, 0, False)
    return train(path, pydocs, 800, vectorizer=vectorizer, documents=pydocs.part(TRAIN))


@pytest.fixture(scope="session")
def pydocs_file(pages: Path, pets_view: View, pydocs_model: CompactModel) -> Path:  # noqa: F811
    detail = replace(pets_view.details[0], model=pydocs_model, model_note="This one stands in")
    return written(pages / "pydocs.html", replace(pets_view, details=(detail,)))


def written(where: Path, view: View) -> Path:
    write_report(view, where)
    return where


def svg(chromium: Browser, name: str) -> str:
    found = "return document.querySelector(`#chart-${arguments[0]} svg.marks`).outerHTML"
    return str(chromium.run(found, name))


def type_text(chromium: Browser, text: str) -> None:
    """With real keys; then wait as long as the page does."""
    box = chromium.driver.find_element(By.ID, "tryit-text")
    box.clear()
    box.send_keys(text)
    chromium.run("return new Promise((done) => setTimeout(() => done(true), 300))")


def click(chromium: Browser, selector: str) -> None:
    """By the keyboard: Enter on what has the focus."""
    found = chromium.driver.find_element(By.CSS_SELECTOR, selector)
    chromium.run("arguments[0].focus()", found)
    found.send_keys(Keys.ENTER)


def column(chromium: Browser, nth: int) -> list[str]:
    found = "return Array.from(document.querySelectorAll(arguments[0]), (c) => c.textContent)"
    return list(chromium.run(found, f"#words-table tbody tr > :nth-child({nth})"))


class TestPets:
    """A page of a small study."""

    @pytest.fixture(autouse=True)
    def opened(self, chromium: Browser, pets_file: Path) -> None:
        chromium.open(pets_file)

    def test_it_opens_without_a_word_on_the_console_and_asks_for_nothing(self, chromium: Browser):
        names = chromium.run("return laconic.views().map(({name}) => name)")
        assert names[0] == "curves"
        assert {"agreement", "cost", "significance", "stability", "confusion-0"} <= set(names)
        for name in names:
            assert "<path" in svg(chromium, name)
        type_text(chromium, "kitten and puppy")
        click(chromium, "#theme")
        chromium.settle()
        logs = chromium.logs()
        assert not [one for one in logs if "SEVERE" in one or "Content Security" in one], logs
        assert [one for one in chromium.requests() if not one.startswith("data:")] == [
            chromium.driver.current_url
        ]

    def test_the_network_is_forbidden(self, chromium: Browser):
        # in a timer, since what a driver runs itself is not held to the policy
        tried = """
        return new Promise((done) => setTimeout(() => {
          let evaluated = "refused";
          try { evaluated = String(new Function("return 'evaluated'")()); } catch {}
          const script = document.createElement("script");
          script.textContent = "window.injected = true";
          document.body.append(script);
          document.body.insertAdjacentHTML("beforeend", "<b id=x onclick='window.clicked = 1'>");
          document.getElementById("x").click();
          const told = [evaluated, window.injected ?? null, window.clicked ?? null];
          fetch("https://example.org/").then(() => "reached", () => "refused")
            .then((fetched) => done([fetched, ...told]));
        }, 10))
        """
        assert chromium.run(tried) == ["refused", "refused", None, None]

    def test_the_legend_toggles_and_the_measure_switches(self, chromium: Browser):
        before = svg(chromium, "curves")
        label = chromium.driver.find_element(
            By.CSS_SELECTOR, "#chart-curves .role-legend-label text"
        )
        ActionChains(chromium.driver).click(label).perform()
        chromium.settle()
        toggled = svg(chromium, "curves")
        assert toggled != before
        chromium.choose("[data-switches=curves] select", "accuracy")
        assert svg(chromium, "curves") not in (before, toggled)
        assert "accuracy" in chromium.text("#chart-curves svg")

    def test_methods_can_be_hidden_with_the_keyboard(self, chromium: Browser):
        before = svg(chromium, "curves")
        driver = chromium.driver
        driver.find_element(By.CSS_SELECTOR, "[data-switches=curves] summary").send_keys(Keys.ENTER)
        box = driver.find_element(By.CSS_SELECTOR, "[data-switches=curves] [data-method=IG]")
        box.send_keys(Keys.SPACE)
        chromium.settle()
        signal = "return laconic.views().find(({name}) => name === 'curves').view.signal('hidden')"
        assert chromium.run(signal) == ["IG"]
        assert svg(chromium, "curves") != before
        click(chromium, "#theme")
        chromium.settle()
        assert chromium.run(signal) == ["IG"]

    def test_a_switched_chart_is_described_anew(self, chromium: Browser):
        chromium.choose("[data-switches=curves] select", "accuracy")
        chromium.settle()
        label = "return document.querySelector('#chart-curves svg').getAttribute('aria-label')"
        assert "accuracy" in chromium.run(label)

    def test_what_was_switched_outlasts_the_change_of_theme(self, chromium: Browser):
        chromium.choose("[data-switches=curves] select", "accuracy")
        click(chromium, "#theme")
        chromium.settle()
        signal = "return laconic.views().find(({name}) => name === 'curves').view.signal('measure')"
        assert chromium.run(signal) == "accuracy"

    def test_words_are_sorted(self, chromium: Browser):
        assert [int(rank) for rank in column(chromium, 1)] == list(
            range(1, 1 + len(column(chromium, 1)))
        )
        click(chromium, "[data-by=word] button")
        assert column(chromium, 2) == sorted(column(chromium, 2))
        head = chromium.driver.find_element(By.CSS_SELECTOR, "[data-by=word]")
        assert head.get_attribute("aria-sort") == "ascending"
        click(chromium, "[data-by=word] button")
        assert column(chromium, 2) == sorted(column(chromium, 2), reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        click(chromium, "[data-by=documents] button")
        documents = [int(n.replace(",", "")) for n in column(chromium, 3)]
        assert documents == sorted(documents, reverse=True)
        assert head.get_attribute("aria-sort") is None

    def test_words_are_searched_and_filtered_by_class(self, chromium: Browser, pets_view: View):  # noqa: F811
        detail = pets_view.details[0]
        at = detail.classes.index("cats")
        speak = [one for one in detail.words if one.coefficients[at] > 0]
        chromium.choose("#words-class", str(at))
        chromium.choose("#words-side", "for")
        assert set(column(chromium, 2)) == {one.word for one in speak}
        strongest = sorted(speak, key=lambda one: -one.coefficients[at])
        assert column(chromium, 2)[0] == strongest[0].word
        chromium.choose("#words-side", "against")
        assert not set(column(chromium, 2)) & {one.word for one in speak}
        chromium.choose("#words-side", "both")
        chromium.driver.find_element(By.ID, "words-search").send_keys("ITT")
        assert column(chromium, 2) == ["kitten"]
        assert "1 of 1 words" in chromium.text("#words-count")

    def test_typing_shows_the_decision_and_its_words(self, chromium: Browser, pets_view: View):  # noqa: F811
        text = "My Kitten can purr, but the puppy will bark: Meow! kitten"
        type_text(chromium, text)
        model = pets_view.details[0].model
        assert chromium.text("#tryit-decision strong") == model.predict([text])[0] == "cats"
        shown = dict(zip(model.classes, model.decision([text])[0], strict=True))
        rows = chromium.run(
            "return Array.from(document.querySelectorAll('#tryit-scores tr'), (row) =>"
            "[row.querySelector('bdi').textContent, row.cells[1].textContent])"
        )
        assert len(rows) == 3
        for name, score in rows:
            assert float(score.replace("−", "-")) == pytest.approx(shown[name], abs=5.1e-4)
        marked = chromium.run(
            "return Array.from(document.querySelectorAll('#tryit-marked mark'), (mark) =>"
            "[mark.textContent, mark.className])"
        )
        assert ["Kitten", "for"] in marked
        assert ["kitten", "for"] in marked
        assert ["puppy", "against"] in marked
        assert chromium.text("#tryit-marked") == text
        explained = model.explain(text)["cats"]
        words = (
            "return Array.from(document.querySelectorAll('#tryit-words th'), (c) => c.textContent)"
        )
        assert chromium.run(words) == [word for word, _ in explained]
        chromium.choose("#tryit-class", str(model.classes.index("dogs")))
        assert chromium.run(words) == [word for word, _ in model.explain(text)["dogs"]]

    def test_a_long_text_is_read_too(self, chromium: Browser):
        long = """
        const box = document.getElementById("tryit-text");
        box.value = "kitten puppy ".repeat(100000);
        box.dispatchEvent(new Event("input"));
        return new Promise((done) => setTimeout(() => done(
          document.querySelectorAll("#tryit-marked mark").length), 300));
        """
        # read whole, but marked only at the beginning
        assert 3000 < chromium.run(long) < 3100
        counts = (
            "return Array.from(document.querySelectorAll('#tryit-words td'), (c) => c.textContent)"
        )
        assert "100000" in chromium.run(counts)
        assert not [one for one in chromium.logs() if "SEVERE" in one]

    def test_what_is_typed_is_text(self, chromium: Browser):
        text = "<img src=x onerror=alert(1)> kitten <script>alert(1)</script> purr"
        type_text(chromium, text)
        assert chromium.text("#tryit-marked") == text
        assert (
            chromium.run("return document.querySelectorAll('#tryit img, #tryit script').length")
            == 0
        )

    def test_dark_as_the_system_is_and_as_the_button_says(self, chromium: Browser, pets_file: Path):
        colours = (
            "const text = document.querySelector('#chart-curves svg text');"
            "return [getComputedStyle(document.body).backgroundColor, text.getAttribute('fill'),"
            " document.getElementById('theme').getAttribute('aria-pressed')]"
        )
        light = chromium.run(colours)
        assert light[0] == "rgb(255, 255, 255)"
        chromium.open(pets_file, dark=True)
        dark = chromium.run(colours)
        assert [a != b for a, b in zip(light, dark, strict=True)] == [True, True, True]
        click(chromium, "#theme")
        chromium.settle()
        assert chromium.run(colours) == light
        click(chromium, "#theme")
        chromium.media(dark=True, printed=True)
        assert chromium.run(colours)[0] == "rgb(255, 255, 255)"

    def test_paper_has_no_controls(self, chromium: Browser):
        chromium.media(printed=True)
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        for hidden in ("nav", ".tools", ".switches", "#try"):
            assert chromium.run(shown, hidden) == "none"
        assert chromium.run(shown, "#curves") == "block"
        printed = chromium.command("Page.printToPDF", printBackground=False)
        assert base64.b64decode(printed["data"]).startswith(b"%PDF")

    def test_a_phone_does_not_scroll_sideways(self, chromium: Browser, pets_file: Path):
        chromium.open(pets_file, width=360, height=740)
        type_text(chromium, "kitten " * 30 + "x" * 300)
        assert chromium.run("return document.documentElement.scrollWidth") <= 360
        width = "return document.querySelector('#chart-curves svg').getBoundingClientRect().width"
        assert 200 < chromium.run(width) <= 360

    def test_everything_has_a_name_for_those_who_cannot_see(self, chromium: Browser):
        nameless = """
        const named = (one) => one.labels?.length > 0 || one.textContent.trim() !== ""
          || one.hasAttribute("aria-label") || one.hasAttribute("aria-labelledby");
        const of = (selector) => Array.from(document.querySelectorAll(selector));
        return [
          of("input, select, textarea, button, a").filter((one) => !named(one)),
          of("table").filter((one) => one.caption === null),
          of("section").filter((one) => !of("#" + one.getAttribute("aria-labelledby")).length),
          of("thead th").filter((one) => one.scope !== "col"),
          of("#chart-curves [role='graphics-document'][aria-label]").length,
          document.querySelectorAll("main, header, nav, footer, h1").length,
          of("[aria-live]").length,
        ].map((found) => Array.isArray(found) ? found.map((one) => one.outerHTML) : found)
        """
        assert chromium.run(nameless) == [[], [], [], [], 1, 5, 2]

    def test_the_keyboard_comes_to_the_skip_link_first(self, chromium: Browser):
        ActionChains(chromium.driver).send_keys(Keys.TAB).perform()
        assert chromium.run("return document.activeElement.className") == "skip"
        ActionChains(chromium.driver).send_keys(Keys.ENTER).perform()
        assert chromium.run("return location.hash") == "#recommendation"


def test_problems_are_chosen(chromium: Browser, family_file: Path, family_view: View):  # noqa: F811
    chromium.open(family_file)
    before = svg(chromium, "curves")
    first = column(chromium, 2)
    problem = family_view.details[1].problem
    chromium.choose("#problem", problem)
    assert svg(chromium, "curves") != before
    assert column(chromium, 2) == [one.word for one in family_view.details[1].words][:50]
    assert column(chromium, 2) != first
    seen = (
        "return Array.from(document.querySelectorAll('#certificate [data-problem]'),"
        "(one) => one.hidden)"
    )
    assert chromium.run(seen) == [True, False]
    text = "kitten purr word3 bark"
    told = chromium.run("return laconic.tell(arguments[0])", text)
    np.testing.assert_allclose(
        told["scores"], family_view.details[1].model.decision([text])[0], atol=1e-9
    )


def test_a_hostile_corpus_does_nothing(chromium: Browser, hostile_file: Path, hostile_view: View):  # noqa: F811
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


def test_hostile_classes_in_the_box(chromium: Browser, pages: Path, pets_view: View):  # noqa: F811
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


def test_it_decides_as_the_model_does_about_200_documents(
    chromium: Browser, pydocs_file: Path, pydocs: Corpus, pydocs_model: CompactModel
):
    chromium.open(pydocs_file)
    texts = [pydocs.texts[at] for at in pydocs.part(TEST)[:200]]
    told = chromium.run("return arguments[0].map((text) => laconic.tell(text))", texts)
    assert len(told) == 200
    np.testing.assert_allclose(
        [one["scores"] for one in told], pydocs_model.decision(texts), rtol=0, atol=1e-9
    )
    assert [one["classes"][0] for one in told] == pydocs_model.predict(texts)
    for text in texts[:3]:
        type_text(chromium, re.sub(r"\s+", " ", text)[:400])
        typed = chromium.run("return document.getElementById('tryit-text').value")
        assert chromium.text("#tryit-decision strong") == pydocs_model.predict([typed])[0]
    assert chromium.text("#tryit-note") == "This one stands in."


class TestReading:
    """The page's own functions, on what it carries: no page is opened for each."""

    @pytest.fixture(autouse=True, scope="class")
    @staticmethod
    def opened(chromium: Browser, pets_file: Path) -> None:
        chromium.open(pets_file)
        chromium.run("window.reading = new laconic.Reading(laconic.embedded('page-data').tables)")

    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    def test_texts_are_read_as_the_vectorizer_reads_them(
        self, chromium: Browser, settings: dict[str, Any]
    ):
        vectorizer = Vectorizer(**settings)
        text = TextSettings.of(vectorizer)
        told = {name: getattr(text, name) for name in TextSettings.__dataclass_fields__}
        stops = told.pop("stop_words")
        found = chromium.run(READ, told, stops, TEXTS)
        assert [units for units, _ in found] == [vectorizer.tokens(text) for text in TEXTS]
        counts = vectorizer.fit_transform(TEXTS).toarray()
        for (_, terms), row in zip(found, counts, strict=True):
            expected = dict(zip(vectorizer.vocabulary_[row > 0], row[row > 0], strict=True))
            assert {term: terms.count(term) for term in set(terms)} == expected

    def test_documents_are_read_as_the_vectorizer_reads_them(
        self, chromium: Browser, pydocs: Corpus
    ):
        vectorizer = Vectorizer(stem="porter", stop_words="english")
        text = TextSettings.of(vectorizer)
        told = {name: getattr(text, name) for name in TextSettings.__dataclass_fields__}
        stops, texts = told.pop("stop_words"), pydocs.texts[:300]
        found = chromium.run(READ, told, stops, texts)
        assert [units for units, _ in found] == [vectorizer.tokens(text) for text in texts]

    def test_stems_are_pystemmer_s(self, chromium: Browser, pydocs: Corpus):
        """All words of pydocs and of Python's own library, and made-up ones with every ending."""
        words = sorted({*words_of(pydocs), *words_of_python(), *made_up(30_000)})
        assert len(words) > 60_000
        stems = Vectorizer(stem="porter")._unit().stem(words)
        found = chromium.run("return arguments[0].map(laconic.porter)", words)
        assert [(w, a, b) for w, a, b in zip(words, stems, found, strict=True) if a != b] == []

    def test_lower_case_is_python_s(self, chromium: Browser):
        rng = np.random.default_rng(0)
        signs = list("ΣΣΣaA\u0345\u00ad'.:·\u0301 İIıßẞǅʰΑ1_ⅫªA\u180e\U00010400\n")
        texts = ["".join(rng.choice(signs, rng.integers(0, 8))) for _ in range(3000)]
        points = (chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
        texts.append("".join(c for c in points if c.lower() != c or c.upper() != c))
        lower = "return arguments[0].map((text) => reading.lower(text))"
        assert chromium.run(lower, texts) == [text.lower() for text in texts]

    @pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
    @pytest.mark.parametrize("norm", ["kept", "document"])
    def test_every_kind_of_model_decides_alike(self, chromium: Browser, norm: str, rule: str):
        rng = np.random.default_rng(len(norm) + len(rule))
        texts = [" ".join(rng.choice(list("abcdefgh"), 9)) + " Ωmega" for _ in range(20)]
        texts += ["", "zz", "a a a"]
        models = list(every_model(rng, texts, norm, rule))
        files = [base64.b64encode(model.to_bytes()).decode() for model in models]
        for model, found in zip(models, chromium.run(DECIDE, files, texts), strict=True):
            decision = model.decision(texts)
            np.testing.assert_allclose([one[0] for one in found], decision, atol=1e-9)
            sums = decision - model.model.intercept
            np.testing.assert_allclose([one[2] for one in found], sums, atol=1e-9)
            expected = [one if rule == "labels" else (one,) for one in model.predict(texts)]
            assert [tuple(one[1]) for one in found] == expected


def every_model(
    rng: np.random.Generator, texts: list[str], norm: str, rule: str
) -> Iterator[CompactModel]:
    """All schemes and lengths, over words (every class keeps all) and characters (not all)."""
    for unit, density in (("word", 1.0), ("char", 0.4)):
        vectorizer = Vectorizer(unit=unit, min_length=1, ngrams=(1, 2)).fit(texts)
        words, text = tuple(vectorizer.vocabulary_.tolist()), TextSettings.of(vectorizer)
        for scheme in ("ltc", "tfidf", "binary", "histogram", "count"):
            for length in ("l1", "l2", None):
                idf = rng.random(len(words)) if scheme in ("ltc", "tfidf") else None
                linear = linear_model(rng, len(words), rule, norm, density)
                yield CompactModel(linear, words, WordWeights(scheme, length, idf), text)


def words_of(corpus: Corpus) -> set[str]:
    return {word for text in corpus.texts for word in re.findall(r"\w+", text.lower())}


def words_of_python() -> set[str]:
    sources = Path(subprocess.__file__).parent.glob("**/*.py")
    small = (where for where in sources if "site-packages" not in where.parts)
    texts = (where.read_text(encoding="utf-8", errors="replace") for where in sorted(small)[:600])
    return {word for text in texts for word in re.findall(r"\w+", text.lower())}


def made_up(n_words: int) -> set[str]:
    rng = np.random.default_rng(0)
    ends = re.findall(
        r"\w+",
        "tional enci anci abli entli eli izer ization ational ation ator alism aliti alli fulness "
        "ousli ousness iveness iviti biliti alize icate iciti ical ative ful ness al ance ence er "
        "ic able ible ant ement ment ent ou ism ate iti ous ive ize ion sion tion e l ll ed ing "
        "eed s ss sses ies y Y at bl iz bb dd tt zz",
    )
    letters = list("aeiouybcdlstwxYé😀")
    starts = ("".join(rng.choice(letters, rng.integers(0, 7))) for _ in range(n_words))
    return {start + "".join(rng.choice(ends, rng.integers(0, 4))) for start in starts}


def linear_model(
    rng: np.random.Generator, n_words: int, rule: str, norm: str, density: float
) -> LinearModel:
    classes = np.array(["no", "yes"] if rule == "sign" else ["a", "b", "c", "d"], dtype=object)
    rows = 1 if rule == "sign" else 4
    coef = csr_array(
        random_array((rows, n_words), density=density, rng=rng, data_sampler=rng.standard_normal)
    )
    # without intercepts all classes tie over a text without words: the first wins
    intercept = rng.standard_normal(rows) if density == 1 else np.zeros(rows)
    return LinearModel(coef, intercept, classes, n_words, norm, rule)


@pytest.mark.parametrize(
    ("vectorizer", "why"),
    [
        (Vectorizer(stem="german"), "“german”"),
        (Vectorizer(token_pattern=r"[a-z]{3,}"), "pattern [a-z]{3,}"),
    ],
)
def test_the_box_says_why_nothing_can_be_tried(
    chromium: Browser,
    pages: Path,
    pets_view: View,  # noqa: F811
    vectorizer: Vectorizer,
    why: str,
):
    (detail,) = pets_view.details
    model = replace(detail.model, text=TextSettings.of(vectorizer))
    view = replace(pets_view, details=(replace(detail, model=model),))
    chromium.open(written(pages / "untriable.html", view))
    assert why in chromium.text("#tryit-obstacle")
    assert chromium.run("return document.getElementById('tryit-box').hidden") is True
    assert not [one for one in chromium.logs() if "SEVERE" in one]
