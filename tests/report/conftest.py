"""Views of small studies, their pages, and a browser that opens them: each made once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from laconic import Vectorizer, load_corpus
from laconic.compact import CompactModel, train
from laconic.corpus.corpus import TRAIN, Corpus
from laconic.methods import parse_method
from laconic.report.build import view_of
from laconic.report.view import View
from tests.conftest import missing
from tests.report.browser import Browser, browser, installed
from tests.report.page_actions import written
from tests.report.studies import family_study, hostile_study, pets_study, tuned_study


@pytest.fixture(scope="session")
def pets_view() -> View:
    return view_of(pets_study())


@pytest.fixture(scope="session")
def hostile_view() -> View:
    return view_of(hostile_study())


@pytest.fixture(scope="session")
def family_view() -> View:
    return view_of(family_study())


@pytest.fixture(scope="session")
def tuned_view() -> View:
    return view_of(tuned_study())


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
def pets_file(pages: Path, pets_view: View) -> Path:
    return written(pages / "pets.html", pets_view)


@pytest.fixture(scope="session")
def family_file(pages: Path, family_view: View) -> Path:
    return written(pages / "family.html", family_view)


@pytest.fixture(scope="session")
def tuned_file(pages: Path, tuned_view: View) -> Path:
    return written(pages / "tuned.html", tuned_view)


@pytest.fixture(scope="session")
def hostile_file(pages: Path, hostile_view: View) -> Path:
    return written(pages / "hostile.html", hostile_view)


@pytest.fixture(scope="session")
def pydocs() -> Corpus:
    return load_corpus("pydocs")


@pytest.fixture(scope="session")
def pydocs_model(pydocs: Corpus) -> CompactModel:
    vectorizer = Vectorizer(stem="porter", stop_words="english")
    path = parse_method("WS").build(1.0, 0, False)
    return train(path, pydocs, 800, vectorizer=vectorizer, documents=pydocs.part(TRAIN))


@pytest.fixture(scope="session")
def pydocs_file(pages: Path, pets_view: View, pydocs_model: CompactModel) -> Path:
    detail = replace(pets_view.details[0], model=pydocs_model, model_note="This one stands in")
    return written(pages / "pydocs.html", replace(pets_view, details=(detail,)))
