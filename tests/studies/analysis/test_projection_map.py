"""Directions against the projection they were made of; and that a study keeps them, or a note."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from laconic import Corpus, Plan, Problem, Projection, RandomProjection, Study
from laconic.errors import LaconicError
from laconic.report.build import view_of
from laconic.studies.analysis import projection_map as module
from laconic.studies.analysis.projection_map import (
    DIRECTIONS,
    TITLE_CHARACTERS,
    WORDS_PER_END,
    Axis,
    Basis,
    Directions,
    compute_directions,
    document_title,
    projection_method,
    stratified_sample,
)
from laconic.studies.layout import StudyFolder
from laconic.studies.options import SplitOptions
from tests.numerics.spectral.test_rotation import skewness_criterion, varimax_criterion
from tests.strategies import text_like
from tests.studies.corpora import pets
from tests.studies.execution.test_jobs import task_of

SIZE = 5
PLAN = Plan(
    pets(150),
    methods=("IG", "LSI"),
    sizes=(2, 5),
    split=SplitOptions(cv=3),
    draws=1,
    features="words",
)


def problem_of(n_docs: int = 60, n_terms: int = 40, n_classes: int = 4) -> Problem:
    X, y = text_like(n_docs, n_terms, n_classes)
    words = np.array([f"word{i}" for i in range(n_terms)], dtype=object)
    classes = tuple(f"class{i}" for i in range(n_classes))
    return Problem("made", X, y, X[:0], y[:0], words, classes)


@pytest.fixture(scope="module")
def problem() -> Problem:
    return problem_of()


@pytest.fixture(scope="module")
def projection(problem: Problem) -> Projection:
    """Sparse columns, turned away: there is something to find."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(40, SIZE)) * (rng.random((40, SIZE)) < 0.3)
    return Projection(A @ np.linalg.qr(rng.normal(size=(SIZE, SIZE)))[0])


@pytest.fixture(scope="module")
def found(problem: Problem, projection: Projection) -> Directions:
    return Directions.of(
        projection, problem, [str(i) for i in range(60)], method="any", max_documents=50
    )


def test_documents_stand_where_the_projection_puts_them(found, problem, projection):
    assert (len(found.documents), found.n_documents) == (50, 60)
    assert len(set(found.documents)) == 50
    assert found.counts == (15, 15, 15, 15)
    Z = problem.X_train.toarray() @ projection.components
    for name, labels, place in zip(found.documents, found.labels, found.coordinates, strict=True):
        assert place == pytest.approx(Z[int(name)], rel=5e-4)
        assert labels == (problem.y_train[int(name)],)


def test_turns_keep_every_distance(found):
    Z = np.array(found.coordinates)
    assert [basis.name for basis in found.bases] == [
        "as computed",
        "few words per direction",
        "few documents per direction",
    ]
    np.testing.assert_array_equal(found.bases[0].rotation, np.eye(SIZE))
    for basis in found.bases:
        turned = Z @ np.array(basis.rotation)
        for a, b in combinations(range(len(Z)), 2):
            before = np.linalg.norm(Z[a] - Z[b])
            assert np.linalg.norm(turned[a] - turned[b]) == pytest.approx(before, rel=1e-3)


def test_an_axis_is_named_by_the_words_of_its_largest_loadings(found, projection):
    for basis in found.bases:
        loadings = projection.components @ np.array(basis.rotation)
        for column, axis in zip(loadings.T, basis.axes, strict=True):
            for sign, end in ((1, axis.positive), (-1, axis.negative)):
                strongest = sorted(-sign * one for one in column if sign * one > 0)[:WORDS_PER_END]
                assert [sign * one for _, one in end] == pytest.approx(
                    [-one for one in strongest], abs=2e-3
                )
                for word, loading in end:
                    place = int(word.removeprefix("word"))
                    assert loading == pytest.approx(column[place], abs=2e-3)


def test_turned_directions_are_what_their_names_say(found, problem, projection):
    A, Z = projection.components, projection.apply(problem.X_train)
    few_words, few_documents = (np.array(basis.rotation) for basis in found.bases[1:])
    assert varimax_criterion(A @ few_words) > 1.1 * varimax_criterion(A)
    assert varimax_criterion(A @ few_words) > varimax_criterion(A @ few_documents)
    assert skewness_criterion(Z @ few_documents) > 1.1 * skewness_criterion(Z)
    assert skewness_criterion(Z @ few_documents) > skewness_criterion(Z @ few_words)
    for R in (few_words, few_documents):
        turned = Z @ R - (Z @ R).mean(axis=0)
        assert (np.mean(turned**3, axis=0) > -1e-3).all()
        assert (np.diff(np.var(turned, axis=0)) < 1e-3).all()


def test_few_words_are_few(found, problem):
    """A column of loadings with a single word is found again by its name."""
    A = np.zeros((40, 3))
    A[7, 0], A[21, 1], A[33, 2] = 3.0, -2.0, 1.0
    turned = Projection(A @ np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0])
    told = Directions.of(turned, problem, found.documents + ("",) * 10)
    words = {
        word
        for axis in told.bases[1].axes
        for word, loading in axis.positive + axis.negative
        if abs(loading) > 1e-3
    }
    assert words == {"word7", "word21", "word33"}
    for axis in told.bases[1].axes:
        assert sum(abs(loading) > 1e-3 for _, loading in axis.positive + axis.negative) == 1


def test_one_direction_is_enough(problem, projection):
    told = Directions.of(Projection(projection.components[:, :1]), problem, ["x"] * 60)
    assert [np.array(basis.rotation).shape for basis in told.bases] == [(1, 1)] * 3


@given(
    hnp.arrays(
        np.bool_, st.tuples(st.integers(1, 40), st.integers(1, 5)), elements=st.booleans()
    ).map(lambda drawn: drawn & (np.cumsum(drawn, axis=1) == 1)),
    st.integers(1, 45),
)
def test_every_beginning_has_its_share_of_each_class(belongs, most):
    """No class has one more, for its size, while another still waits for a turn that was due."""
    n_docs = len(belongs)
    chosen = stratified_sample(belongs, most)
    assert chosen.size == len(set(chosen.tolist())) == min(most, n_docs)
    np.testing.assert_array_equal(chosen, stratified_sample(belongs, n_docs)[:most])
    of_none = ~belongs.any(axis=1, keepdims=True)
    groups = np.hstack([belongs, of_none])
    total, taken = groups.sum(axis=0), groups[chosen].sum(axis=0)
    for a, b in combinations(range(total.size), 2):
        for more, less in ((a, b), (b, a)):
            if taken[more] > 0 and taken[less] < total[less]:
                assert (taken[more] - 1) / total[more] <= taken[less] / total[less]


def test_the_sample_is_no_beginning_of_the_file():
    belongs = np.ones((1000, 1), dtype=bool)
    assert 300 < stratified_sample(belongs, 100).mean() < 700


def test_a_document_of_several_classes_counts_for_the_rarest():
    belongs = np.zeros((100, 2), dtype=bool)
    belongs[:, 0] = True
    belongs[[3, 8], 1] = True
    assert set(stratified_sample(belongs, 2)) & {3, 8}
    assert {3, 8} <= set(stratified_sample(belongs, 52))


def test_labels_of_documents_with_any_number_of_them(problem, projection):
    y = np.zeros((60, 4), dtype=np.int64)
    y[:20, 1] = 1
    y[10:30, 3] = 1
    several = replace(problem, y_train=y)
    told = Directions.of(projection, several, [str(i) for i in range(60)])
    wanted = {
        i: (1,) if i < 10 else (1, 3) if i < 20 else (3,) if i < 30 else () for i in range(60)
    }
    assert {int(name): own for name, own in zip(told.documents, told.labels, strict=True)} == wanted
    assert told.counts == (0, 20, 0, 20)


def test_what_is_written_is_read_again(found, tmp_path):
    hostile = replace(
        found,
        problem="\ud800</script>",
        classes=("\u2028", '"', "\\", "\x00"),
        bases=(Basis("b", ((1.0,),), (Axis((("\udfff<b>", 0.5),), ()),)),),
        task_key="k",
    )
    for one in (found, hostile):
        one.write(tmp_path / DIRECTIONS)
        assert Directions.read(tmp_path / DIRECTIONS) == one
    assert Directions.read(tmp_path / "none") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", '{"bases":[]}', '{"bases":3,"x":1}', "\xff"])
def test_a_file_of_something_else_says_so(tmp_path, text):
    (tmp_path / DIRECTIONS).write_text(text, encoding="latin-1")
    with pytest.raises(LaconicError, match="run the study again"):
        Directions.read(tmp_path / DIRECTIONS)


def test_numbers_are_short_and_finite(found, problem, projection):
    for line in found.coordinates:
        assert all(len(f"{abs(one):.9g}".replace(".", "").strip("0")) <= 4 for one in line)
    with pytest.raises(LaconicError, match="finite"):
        Directions.of(Projection(np.full((40, 2), np.inf)), problem, ["x"] * 60)


def test_a_document_is_called_by_its_beginning():
    texts = ("  A\n title,\tand more ", "x" * 100, " \n ", "word " * 5000)
    corpus = Corpus("c", labels=(("a",),) * 4, ids=("i", "j", "k", "l"), texts=texts)
    names = [document_title(corpus, at) for at in range(4)]
    assert names[0] == "A title, and more"
    assert names[1] == "x" * (TITLE_CHARACTERS - 1) + "…"
    assert names[2] == "k"
    assert names[3].startswith("word word")
    assert len(names[3]) <= TITLE_CHARACTERS
    vectors = {"texts": None, "vectors": csr_array(np.ones((4, 1))), "vocabulary": ("w",)}
    assert document_title(replace(corpus, **vectors), 1) == "j"


def test_a_drawn_projection_is_that_of_the_task(problem):
    """Another draw of the method has other columns, and so another map."""
    for seed in (0, 1):
        task = task_of("RP:kind=sparse", seed)
        told = compute_directions(task, problem, [str(i) for i in range(60)], 60)
        reducer = RandomProjection(12, kind="sparse", random_state=task.random_state)
        Z = reducer.fit(problem.X_train).transform(problem.X_train)
        for name, place in zip(told.documents, told.coordinates, strict=True):
            assert place == pytest.approx(Z[int(name)], rel=5e-4)
        assert (told.method, told.task_key) == ("RP:kind=sparse", task.key)


def test_fewer_directions_than_a_map_has_room_for_are_all_told():
    few = problem_of(60, 5, 3)
    told = compute_directions(task_of("LSI"), few, [str(i) for i in range(60)], 60)
    assert {len(place) for place in told.coordinates} == {5}
    assert [len(basis.axes) for basis in told.bases] == [5, 5, 5]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("directions")
    Study(PLAN, where).run()
    return where


class TestStudies:
    """What `make_findings` leaves in the folder."""

    def test_a_method_that_knows_the_classes_comes_before_one_that_does_not(self, folder):
        told = Directions.read(folder / DIRECTIONS)
        assert (told.problem, told.method) == ("pets", "LSI")
        assert (
            projection_method(replace(PLAN, methods=("RP", "LSI", "LDA", "LDA-LSI"))).name == "LDA"
        )
        assert projection_method(replace(PLAN, methods=("IG", "RP", "LSI"))).name == "RP"
        assert projection_method(replace(PLAN, methods=("IG", "ALL"))) is None

    def test_test_documents_have_no_part_in_it(self, folder):
        told = Directions.read(folder / DIRECTIONS)
        ready = Study(PLAN, folder).corpora[0]
        split = ready.final_split()
        assert told.n_documents == split.train.size == 120
        assert sorted(told.documents) == sorted(
            document_title(ready.corpus, i) for i in split.train
        )
        (problem,) = ready.problems(split, ["pets"])
        U = np.linalg.svd(problem.X_train.toarray(), full_matrices=False)[2][:12].T
        Z, W = np.abs(problem.X_train @ U), np.abs(np.array(told.coordinates))
        np.testing.assert_allclose(np.sort(W, axis=0)[:, :3], np.sort(Z, axis=0)[:, :3], rtol=2e-3)

    def test_the_view_has_it(self, folder):
        (told,) = view_of(folder).maps
        assert told == Directions.read(folder / DIRECTIONS)

    def test_it_is_not_made_again(self, folder, monkeypatch):
        before = (folder / DIRECTIONS).read_bytes()
        monkeypatch.setattr(Directions, "of", refuse)
        assert not Study(PLAN, folder).run().warnings
        assert (folder / DIRECTIONS).read_bytes() == before

    def test_a_failure_is_a_note_and_loses_nothing(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Directions, "of", refuse)
        findings = Study(PLAN, tmp_path).run()
        assert findings.recommendations[0].test_score is not None
        assert findings.warnings == {"pets has no map: ZeroDivisionError: on purpose": 1}
        assert not (tmp_path / DIRECTIONS).exists()
        view = view_of(tmp_path)
        assert view.finished
        assert view.maps == ()
        assert view.warnings == findings.warnings
        monkeypatch.undo()
        assert not Study(PLAN, tmp_path).run().warnings
        assert view_of(tmp_path).maps

    @pytest.mark.full
    def test_one_of_another_method_or_another_vocabulary_goes(self, tmp_path):
        Study(PLAN, tmp_path).run()
        Study(replace(PLAN, methods=("LDA",)), tmp_path).run()
        assert Directions.read(tmp_path / DIRECTIONS).method == "LDA"
        (tmp_path / DIRECTIONS).write_text('{"laconic": "directions"}')
        Study(replace(PLAN, methods=("LDA",)), tmp_path).run()
        assert Directions.read(tmp_path / DIRECTIONS).method == "LDA"
        Study(replace(PLAN, methods=("IG",)), tmp_path).run()
        assert not (tmp_path / DIRECTIONS).exists()
        assert view_of(tmp_path).maps == ()

    @pytest.mark.full
    def test_each_problem_has_its_own_and_they_share_the_room(self, tmp_path, monkeypatch):
        monkeypatch.setattr(module, "MAX_DOCUMENTS", 60)
        monkeypatch.setattr(module, "MIN_DOCUMENTS", 10)
        both = (pets(90, name="a/b"), pets(90, seed=1, name="c"))
        Study(replace(PLAN, corpora=both, methods=("LDA",)), tmp_path).run()
        assert not (tmp_path / DIRECTIONS).exists()
        for name in ("a/b", "c"):
            told = Directions.read(StudyFolder(tmp_path).problem(name, 2).directions)
            assert told.problem == name
            assert len(told.documents) == 30
        assert [one.problem for one in view_of(tmp_path).maps] == ["a/b", "c"]

    def test_a_map_of_another_problem_is_not_shown(self, folder, tmp_path):
        Study(replace(PLAN, corpora=pets(150, name="cats")), tmp_path).run()
        told = json.loads((tmp_path / DIRECTIONS).read_text())
        (tmp_path / DIRECTIONS).write_text(json.dumps(told | {"problem": "dogs"}))
        assert view_of(tmp_path).maps == ()


def refuse(*args, **kwargs):
    raise ZeroDivisionError("on purpose")
