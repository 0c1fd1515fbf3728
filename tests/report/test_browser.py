"""The page of a study in a real browser: what a reader sees and does."""

from __future__ import annotations

import base64
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from laconic.report.view import View
from tests.report.browser import Browser
from tests.report.page_actions import click, column, svg, type_text


class TestPets:
    """A page of a small study."""

    @pytest.fixture(autouse=True)
    def opened(self, chromium: Browser, pets_file: Path) -> None:
        chromium.open(pets_file)

    def test_it_opens_without_a_word_on_the_console_and_asks_for_nothing(self, chromium: Browser):
        names = chromium.run("return laconic.views().map(({name}) => name)")
        assert names[0] == "curves"
        assert {"overlap", "cost", "significance", "stability", "confusion"} <= set(names)
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
        chromium.choose("[data-switches=curves] select", "f1_macro")
        assert svg(chromium, "curves") not in (before, toggled)
        assert "f1_macro" in chromium.text("#chart-curves svg")

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
        chromium.choose("[data-switches=curves] select", "f1_macro")
        chromium.settle()
        label = "return document.querySelector('#chart-curves svg').getAttribute('aria-label')"
        assert "f1_macro" in chromium.run(label)

    def test_what_was_switched_outlasts_the_change_of_theme(self, chromium: Browser):
        chromium.choose("[data-switches=curves] select", "f1_macro")
        click(chromium, "#theme")
        chromium.settle()
        signal = "return laconic.views().find(({name}) => name === 'curves').view.signal('metric')"
        assert chromium.run(signal) == "f1_macro"

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

    def test_words_are_searched_and_filtered_by_class(self, chromium: Browser, pets_view: View):
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

    def test_typing_shows_the_decision_and_its_words(self, chromium: Browser, pets_view: View):
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


def test_each_problem_has_its_metric_and_budget(
    chromium: Browser, tuned_file: Path, tuned_view: View
):
    chromium.open(tuned_file)
    metrics = "return Array.from(document.querySelector(arguments[0]).options, (o) => o.value)"
    select = "[data-switches=curves] select"
    signal = "return laconic.views().find(({name}) => name === 'curves').view.signal('metric')"
    shown = (
        "return Array.from(document.querySelectorAll('#recommendation tr.chosen'))"
        ".filter((row) => row.checkVisibility()).map((row) => row.cells[2].textContent)"
    )
    for detail, metric in zip(tuned_view.details, ("accuracy", "f1"), strict=True):
        chromium.choose("#problem", detail.problem)
        assert chromium.run(metrics, select)[0] == metric
        assert chromium.run(signal) == metric
        assert metric in chromium.text("#chart-curves svg")
        chosen = [line.n_features for line in detail.budget if line.chosen]
        assert chromium.run(shown) == chosen
    # a metric that the reader chose stays, if the problem has it
    chromium.choose(select, "f1_macro")
    chromium.choose("#problem", tuned_view.details[0].problem)
    assert chromium.run(signal) == "f1_macro"
    assert not [line for line in chromium.logs() if "SEVERE" in line]


def test_problems_are_chosen(chromium: Browser, family_file: Path, family_view: View):
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
    told = chromium.run("return laconic.predict(arguments[0])", text)
    np.testing.assert_allclose(
        told["scores"], family_view.details[1].model.decision([text])[0], atol=1e-9
    )
