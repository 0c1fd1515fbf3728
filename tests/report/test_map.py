"""The map: what the page carries of it, as text and in a real browser."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from laconic.report import map_data as maps_module
from laconic.report.charts import plain
from laconic.report.map_data import map_data
from laconic.report.page import embedded, page, write_report
from laconic.report.view import View
from laconic.studies.analysis.projection_map import Axis, Basis, Directions
from tests.report.browser import Browser
from tests.report.studies import HOSTILE
from tests.report.test_page import Read

CLASSES = ("cats", "dogs", "fish")
SIGNS = """
return Array.from(document.querySelectorAll("#map-plot g:not([hidden]) path"), (sign) =>
  sign.getAttribute("transform").match(/-?[0-9.]+/g).map(Number))
"""
PLACES = "return laconic.map.places"


def directions(
    problem: str = "pets",
    n_docs: int = 60,
    size: int = 4,
    classes: tuple[str, ...] = CLASSES,
    word: str = "word",
    **about,
) -> Directions:
    """Documents that lie about the corners of a simplex, one for a class."""
    rng = np.random.default_rng(0)
    labels = np.arange(n_docs) % len(classes)
    Z = rng.normal(size=(n_docs, size))
    Z[np.arange(n_docs), labels % size] += 8
    turns = [np.eye(size), *(np.linalg.qr(rng.normal(size=(size, size)))[0] for _ in range(2))]
    names = ("as computed", "few words per direction", "few documents per direction")
    bases = tuple(
        Basis(name, tuple(map(tuple, turn.tolist())), axes(size, f"{word}{at}"))
        for at, (name, turn) in enumerate(zip(names, turns, strict=True))
    )
    made = Directions(
        problem,
        "LSI",
        classes,
        tuple(np.bincount(labels, minlength=len(classes)).tolist()),
        2 * n_docs,
        tuple(f"{word} document {i}" for i in range(n_docs)),
        tuple((int(label),) for label in labels),
        tuple(map(tuple, Z.tolist())),
        bases,
    )
    return replace(made, **about)


def axes(size: int, word: str) -> tuple[Axis, ...]:
    return tuple(
        Axis(
            tuple((f"{word}-up{i}-{j}", 1.0) for j in range(6)),
            tuple((f"{word}-down{i}-{j}", -1.0) for j in range(6)),
        )
        for i in range(size)
    )


@pytest.fixture(scope="session")
def map_file(tmp_path_factory: pytest.TempPathFactory, pets_view: View) -> Path:
    where = tmp_path_factory.mktemp("maps") / "map.html"
    write_report(replace(pets_view, maps=(directions(),)), where)
    return where


def test_coordinates_are_whole_numbers_of_16_bits():
    found = directions()
    (told,) = map_data((found,))
    steps = np.frombuffer(base64.b64decode(told["coordinates"]), dtype="<i2").reshape(60, 4)
    wanted = np.array(found.coordinates)
    assert np.abs(steps).max() == 32_767
    np.testing.assert_allclose(steps * told["scale"], wanted, atol=np.abs(wanted).max() / 60_000)
    assert told["labels"] == [list(own) for own in found.labels]
    assert told["documents"] == list(found.documents)
    assert told["bases"][1]["axes"][2]["negative"][0] == "word1-down2-0"


def test_documents_that_all_lie_at_the_origin():
    (told,) = map_data((directions(coordinates=((0.0,) * 4,) * 60),))
    assert not np.frombuffer(base64.b64decode(told["coordinates"]), dtype="<i2").any()


def test_maps_share_the_room_of_a_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(maps_module, "MAX_DOCUMENTS", 60)
    monkeypatch.setattr(maps_module, "MIN_DOCUMENTS", 25)
    for n_maps, n_docs in ((1, 60), (2, 30), (3, 25)):
        told = map_data([directions(n_docs=100)] * n_maps)
        assert [len(one["documents"]) for one in told] == [n_docs] * n_maps
        assert [len(one["labels"]) for one in told] == [n_docs] * n_maps
        assert told[0]["documents"][-1] == f"word document {n_docs - 1}"


@pytest.mark.parametrize("name", ["x" * 44, "x" * 43 + "…", "漢字" * 22])
def test_the_largest_map_is_no_more_than_150_kilobytes(name: str):
    largest = directions(n_docs=3000, size=12, documents=(name,) * 3000)
    assert 90_000 < len(embedded(map_data((largest,)))) < 150_000


@pytest.mark.full
def test_there_is_a_section_only_where_there_is_a_map(pets_view: View):
    without, with_one = (
        Read(page(replace(pets_view, maps=maps))) for maps in ((), (directions(n_docs=50),))
    )
    sections = [[a["id"] for tag, a in r.elements if tag == "section"] for r in (without, with_one)]
    assert "map" not in sections[0]
    assert sections[1] == [*sections[0][:4], "map", *sections[0][4:]]
    assert with_one.open == []
    links = [a["href"] for tag, a in with_one.elements if tag == "a"]
    assert "#map" in links
    ids = [attrs["id"] for _, attrs in with_one.elements if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_table_has_the_words_of_every_basis(pets_view: View):
    text = page(replace(pets_view, maps=(directions(n_docs=50),)))
    for basis in range(3):
        for i in range(4):
            for end in ("up", "down"):
                words = [f"<bdi>word{basis}-{end}{i}-{j}</bdi>" for j in range(6)]
                assert f"<td>{', '.join(words)}</td>" in text
    assert "from 100 training documents" in " ".join(text.split())
    assert "of which 50 are shown" in " ".join(text.split())


def named(view: View, text: str) -> Read:
    """A page with this text in all places of a map where a stranger's could be."""
    found = directions(text, 20, classes=(text, "b", "c"), word=text, method=text)
    return Read(page(replace(view, maps=(found,))))


@pytest.fixture(scope="module")
def harmless(pets_view: View) -> Read:
    return named(pets_view, "harmless")


@pytest.mark.parametrize("text", HOSTILE)
def test_strangers_words_change_no_element(pets_view: View, harmless: Read, text: str):
    hostile = named(pets_view, text)
    assert [(tag, set(attrs)) for tag, attrs in hostile.elements] == [
        (tag, set(attrs)) for tag, attrs in harmless.elements
    ]
    assert hostile.code() == harmless.code()
    (told,) = hostile.json("page-data")["maps"]
    assert told["problem"] == told["classes"][0] == plain(text)
    assert told["documents"][3] == plain(f"{text} document 3")
    assert told["bases"][0]["axes"][0]["positive"][0] == plain(f"{text}0-up0-0")


def affine(places: list[list[float]], wanted: np.ndarray) -> tuple[np.ndarray, float]:
    """The slopes with which places follow the coordinates, and the farthest from that line."""
    slopes, worst = [], 0.0
    for pixels, values in zip(np.array(places).T, wanted.T, strict=True):
        A = np.column_stack([values, np.ones(len(values))])
        fitted = np.linalg.lstsq(A, pixels, rcond=None)[0]
        slopes.append(fitted[0])
        worst = max(worst, np.abs(A @ fitted - pixels).max())
    return np.array(slopes), worst


class TestMap:
    """One map of three classes."""

    @pytest.fixture(autouse=True)
    def opened(self, chromium: Browser, map_file: Path) -> None:
        chromium.open(map_file)
        # at once, so that the mouse finds things where they are
        chromium.run(
            "document.documentElement.style.scrollBehavior = 'auto';"
            "document.getElementById('map-plot').scrollIntoView({block: 'center'})"
        )

    def test_it_opens_without_a_word_on_the_console(self, chromium: Browser):
        chromium.choose("#map-basis", "1")
        logs = chromium.logs()
        assert not [one for one in logs if "SEVERE" in one or "Content Security" in one], logs
        assert [one for one in chromium.requests() if not one.startswith("data:")] == [
            chromium.driver.current_url
        ]

    @pytest.mark.parametrize(
        ("x", "y", "basis"), [(0, 1, 0), (3, 1, 0), (0, 0, 0), (2, 3, 1), (1, 0, 2)]
    )
    def test_signs_lie_where_the_chosen_directions_put_them(self, chromium, x, y, basis):
        found = directions()
        for name, value in (("x", x), ("y", y), ("basis", basis)):
            chromium.choose(f"#map-{name}", str(value))
        turned = np.array(found.coordinates) @ np.array(found.bases[basis].rotation)
        places = chromium.run(PLACES)
        slopes, worst = affine(places, turned[:, [x, y]])
        assert slopes[0] > 0 > slopes[1]
        assert worst < 0.1
        y_signed = chromium.run(SIGNS)
        np.testing.assert_allclose(
            sorted(y_signed), sorted(np.round(places, 1).tolist()), atol=0.11
        )
        box = chromium.run("return [laconic.map.width, laconic.map.height]")
        assert (np.array(places) > 0).all()
        assert (np.array(places) < box).all()

    def test_axes_carry_the_words_that_name_them(self, chromium: Browser):
        for basis in ("0", "2"):
            chromium.choose("#map-basis", basis)
            chromium.choose("#map-x", "3")
            words = [f"word{basis}-up3-{j}" for j in range(4)]
            assert chromium.text("#map-right") == f"4 {', '.join(words)}"
            assert chromium.text("#map-left").startswith(f"word{basis}-down3-0, ")
            assert chromium.text("#map-up").startswith(f"2 word{basis}-up1-0, ")
            assert chromium.text("#map-down").startswith(f"word{basis}-down1-0, ")
            chosen = "return document.getElementById('map-x').selectedOptions[0].textContent"
            assert chromium.run(chosen) == f"4 · word{basis}-up3-0 · word{basis}-down3-0"

    def test_the_legend_toggles_classes(self, chromium: Browser):
        buttons = chromium.driver.find_elements(By.CSS_SELECTOR, "#map-legend button")
        told = [button.get_attribute("textContent") for button in buttons]
        assert told == ["cats20", "dogs20", "fish20", "Hide or show all"]
        assert len(chromium.run(SIGNS)) == 60
        buttons[1].click()
        assert buttons[1].get_attribute("aria-pressed") == "false"
        places = chromium.run(PLACES)
        left = [place for at, place in enumerate(places) if at % 3 != 1]
        np.testing.assert_allclose(sorted(chromium.run(SIGNS)), sorted(left), atol=0.11)
        chromium.choose("#map-x", "2")
        assert len(chromium.run(SIGNS)) == 40
        buttons[3].click()
        assert chromium.run(SIGNS) == []
        buttons[3].send_keys(Keys.ENTER)
        assert len(chromium.run(SIGNS)) == 60
        assert buttons[1].get_attribute("aria-pressed") == "true"

    def test_hovering_names_the_class_and_the_document(self, chromium: Browser):
        plot = chromium.driver.find_element(By.ID, "map-plot")
        places = np.array(chromium.run(PLACES))
        box = chromium.run("return [arguments[0].clientWidth, arguments[0].clientHeight]", plot)
        for at in (5, 17):
            x, y = (places[at] - np.array(box) / 2).round().astype(int).tolist()
            ActionChains(chromium.driver).move_to_element_with_offset(plot, x, y).perform()
            near = np.hypot(*(places - places[at]).T).argsort()[:2]
            told = chromium.text("#map-tip")
            assert told in {f"{CLASSES[n % 3]}word document {n}" for n in near.tolist()}
        ActionChains(chromium.driver).move_to_element(
            chromium.driver.find_element(By.ID, "map-basis")
        ).perform()
        assert not chromium.driver.find_element(By.ID, "map-tip").is_displayed()

    def test_a_hidden_class_is_not_named(self, chromium: Browser):
        chromium.driver.find_elements(By.CSS_SELECTOR, "#map-legend button")[0].click()
        hidden = "return laconic.map.places.map(([x, y]) => laconic.map.nearest(x, y))"
        found = chromium.run(hidden)
        assert {at % 3 for at in found} == {1, 2}

    def test_arrow_keys_go_from_document_to_document(self, chromium: Browser):
        driver = chromium.driver
        pointer = ActionBuilder(driver)
        pointer.pointer_action.move_to_location(1, 1)  # the page may scroll under it
        pointer.perform()
        driver.find_elements(By.CSS_SELECTOR, "#map-legend button")[-1].send_keys(Keys.TAB)
        assert chromium.run("return document.activeElement.id") == "map-plot"
        places = np.array(chromium.run(PLACES))
        middle = chromium.run("return [laconic.map.width / 2, laconic.map.height / 2]")
        at = int(np.hypot(*(places - middle).T).argmin())
        assert chromium.text("#map-tip") == f"{CLASSES[at % 3]}word document {at}"
        for key, (axis, sign) in {
            Keys.ARROW_RIGHT: (0, 1),
            Keys.ARROW_UP: (1, -1),
            Keys.ARROW_LEFT: (0, -1),
            Keys.ARROW_DOWN: (1, 1),
        }.items():
            driver.switch_to.active_element.send_keys(key)
            reached = chromium.run("return laconic.map.selected")
            way = places[reached] - places[at]
            assert sign * way[axis] > 0
            ways = places - places[at]
            straight = np.abs(ways[:, 1 - axis]) <= sign * ways[:, axis] - 0.5
            assert straight[reached] or not straight.any()
            at = reached
        assert driver.find_element(By.ID, "map-tip").is_displayed()
        ring = chromium.run("return laconic.map.ring.getAttribute('cx')")
        assert float(ring) == pytest.approx(places[at][0])
        driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        assert not driver.find_element(By.ID, "map-tip").is_displayed()

    def test_colours_follow_the_theme_and_paper_is_light(self, chromium: Browser, map_file: Path):
        colours = (
            "return Array.from(document.querySelectorAll('#map-plot g path:first-child, "
            "#map-legend path, #map-plot text:first-of-type'), (one) => getComputedStyle(one).fill)"
        )
        light = chromium.run(colours)
        # three classes in the legend, in the same order in the plot, and the numbers
        assert len(set(light)) == 4
        chromium.open(map_file, dark=True)
        dark = chromium.run(colours)
        assert not set(light) & set(dark)
        chromium.media(dark=True, printed=True)
        assert chromium.run(colours) == light
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        assert chromium.run(shown, "#map .switches") == "none"
        assert chromium.run(shown, "#map-plot") == "block"

    def test_a_phone_does_not_scroll_sideways(self, chromium: Browser, map_file: Path):
        chromium.open(map_file, width=360, height=740)
        assert chromium.run("return document.documentElement.scrollWidth") <= 360
        assert 240 <= chromium.run("return laconic.map.width") <= 360

    def test_everything_has_a_name(self, chromium: Browser):
        nameless = """
        const named = (one) => one.labels?.length > 0 || one.textContent.trim() !== ""
          || one.hasAttribute("aria-label");
        return Array.from(document.querySelectorAll("#map :is(select, button, [tabindex])"))
          .filter((one) => !named(one)).map((one) => one.outerHTML)
        """
        assert chromium.run(nameless) == []
        label = "return document.getElementById('map-plot').getAttribute('aria-label')"
        assert "direction 1 horizontally, direction 2 vertically" in chromium.run(label)


def opened(chromium: Browser, view: View, where: Path, *maps: Directions) -> None:
    write_report(replace(view, maps=maps), where)
    chromium.open(where)


def legend(chromium: Browser) -> dict[str, str]:
    """What the buttons say, and the look of their sign."""
    found = """
    return Array.from(document.querySelectorAll("#map-legend button:not(.all)"), (one) =>
      [one.querySelector("bdi").textContent, one.querySelector("path").getAttribute("class")])
    """
    return dict(chromium.run(found))


def test_the_most_numerous_of_many_classes_have_colours(chromium, pets_view, tmp_path):
    counts = tuple(100 - 5 * (7 * i % 13) for i in range(13))
    found = directions(classes=tuple(f"c{i}" for i in range(13)), counts=counts, n_docs=130)
    opened(chromium, pets_view, tmp_path / "many.html", found)
    order = sorted(range(13), key=lambda i: -counts[i])
    wanted = {f"c{one}": f"class-{at}" for at, one in enumerate(order[:10])}
    assert legend(chromium) == wanted | {"3 other classes": "class-rest"}
    assert len(chromium.run(SIGNS)) == 130
    looks = "return new Set(Array.from(document.querySelectorAll('#map-legend path'), (one) => "
    assert chromium.run(looks + "getComputedStyle(one).fill)).size") == 11


def test_documents_of_several_classes_and_of_none(chromium, pets_view, tmp_path):
    found = directions()
    # there are more rats than others, but none of them is a rat only
    found = replace(found, classes=(*CLASSES, "rats"), counts=(*found.counts, 500))
    labels = ((0, 2), (), (3, 1), *found.labels[3:])
    opened(chromium, pets_view, tmp_path / "several.html", replace(found, labels=labels))
    told = legend(chromium)
    assert list(told) == ["cats", "dogs", "fish", "several classes", "no class"]
    assert told["cats"] == "class-0"
    assert "several classes2no class1Hide" in chromium.text("#map-legend")
    assert told["several classes"] == told["no class"] == "class-rest"
    chromium.run("laconic.map.select(0)")
    assert chromium.text("#map-tip strong") == "cats, fish"
    chromium.run("laconic.map.select(1)")
    assert chromium.text("#map-tip strong") == "no class"


def test_a_single_direction_lies_class_by_class(chromium, pets_view, tmp_path):
    opened(chromium, pets_view, tmp_path / "single.html", directions(size=1))
    places = np.array(chromium.run(PLACES))
    lanes = [places[at::3, 1] for at in range(3)]
    assert lanes[0].max() < lanes[1].min()
    assert lanes[1].max() < lanes[2].min()
    _, worst = affine(places[:, :1].tolist(), np.array(directions(size=1).coordinates))
    assert worst < 0.1
    assert chromium.text("#map-up") == ""
    assert not [one for one in chromium.logs() if "SEVERE" in one]


def test_each_problem_has_its_map(chromium, family_view, tmp_path):
    first, second = family_view.problems
    opened(chromium, family_view, tmp_path / "one.html", directions(second, 30, word="other"))
    shown = "return document.getElementById('map-plot').checkVisibility()"
    assert chromium.run(shown) is False
    chromium.choose("#problem", second)
    assert chromium.run(shown) is True
    assert chromium.text("#map-right").startswith("1 other0-up0-0")
    maps = (directions(first), directions(second, 30, word="other"))
    opened(chromium, family_view, tmp_path / "both.html", *maps)
    seen = "return Array.from(document.querySelectorAll('[data-map]'), (one) => one.hidden)"
    for problem, n_docs, hidden in ((first, 60, [False, True]), (second, 30, [True, False])):
        chromium.choose("#problem", problem)
        assert len(chromium.run(SIGNS)) == n_docs
        assert chromium.run(seen) == hidden
