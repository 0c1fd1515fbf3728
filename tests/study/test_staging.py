"""Problems as folders: exact, mapped and not copied, never written to, gone when not needed."""

from __future__ import annotations

import mmap
import os
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.methods import METHODS
from laconic.study import staging
from laconic.study.staging import NAME, Staging, remove_leftovers, stage, staged
from laconic.study.task import Task, run
from laconic.vectors.problem import Problem
from tests.strategies import text_like

PIECES = ("data", "indices", "indptr")


def problem(*, labels: bool = False, columns: bool = True, name: str = "made") -> Problem:
    X, y = text_like(40, 30, 3)
    answers = np.eye(3, dtype=np.int64)[y] if labels else y
    return Problem(
        name,
        X[:30],
        answers[:30],
        X[30:],
        answers[30:],
        np.array([f"word{i}" for i in range(30)], dtype=object),
        ("a", "b", "\udc80 c"),
        "fold 1",
        np.arange(5, 65, 2) if columns else None,
    )


def task(method: str, asked: Problem) -> Task:
    return Task(
        "data", asked.name, "test", asked.fold, "split", "ltc", method, 0, (5, 20), ("accuracy",)
    )


def backing(array: np.ndarray) -> object:
    while isinstance(array, np.ndarray):
        array = array.base
    return array


def arrays(given: Problem) -> list[np.ndarray]:
    pieces = [getattr(X, piece) for X in (given.X_train, given.X_test) for piece in PIECES]
    return [*pieces, given.y_train, given.y_test]


def assert_same(one: np.ndarray, other: np.ndarray) -> None:
    assert one.dtype == other.dtype
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("labels", [False, True], ids=["classes", "labels"])
@pytest.mark.parametrize("columns", [False, True], ids=["no columns", "columns"])
def test_a_problem_comes_back_exactly_but_for_its_words(tmp_path, labels, columns):
    given = problem(labels=labels, columns=columns)
    stage(given, tmp_path / "here")
    found = staged(tmp_path / "here")
    for one, other in zip(arrays(found), arrays(given), strict=True):
        assert_same(one, other)
    assert found.X_train.shape == given.X_train.shape
    assert found.X_test.shape == given.X_test.shape
    assert (found.name, found.classes, found.fold) == (given.name, given.classes, given.fold)
    if columns:
        assert_same(found.columns, given.columns)
    else:
        assert found.columns is None
    assert found.vocabulary.size == 0
    assert len(fields(Problem)) == 9, "a new field must be staged"


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_arrays_are_read_only_maps_and_keep_their_types(tmp_path, kind):
    given = problem()
    for X in (given.X_train, given.X_test):
        X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    stage(given, tmp_path / "here")
    found = staged(tmp_path / "here")
    for array in arrays(found):
        assert isinstance(backing(array), mmap.mmap)
        assert not array.flags.writeable
    assert found.X_train.indices.dtype == kind
    assert found.X_test.indptr.dtype == kind


def test_the_order_of_entries_is_known_and_not_looked_up(tmp_path):
    given = problem()
    crossed = csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([4, 1, 1]), np.array([0, 2, 3])), shape=(2, 30)
    )
    stage(replace(given, X_test=crossed), tmp_path / "here")
    found = staged(tmp_path / "here")
    assert found.X_train._has_canonical_format
    assert found.X_train._has_sorted_indices
    assert not found.X_test._has_canonical_format
    assert not found.X_test._has_sorted_indices
    assert_same(found.X_test.toarray(), crossed.toarray())


def test_documents_without_words(tmp_path):
    given = replace(problem(), X_test=csr_array((10, 30)))
    stage(given, tmp_path / "here")
    assert staged(tmp_path / "here").X_test.nnz == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", [False, True], ids=["classes", "labels"])
def test_no_method_writes_into_the_files_or_minds_them(tmp_path, method, labels):
    given = problem(labels=labels)
    stage(given, tmp_path / "here")
    before = {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir()}
    found = run(task(method, given), staged(tmp_path / "here"))
    here = run(task(method, given), given)
    assert found.status == "ok", found.reason
    assert [row.value for row in found.rows] == [row.value for row in here.rows]
    assert {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir()} == before


def test_a_full_disk_says_what_to_do(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(staging.np, "save", full)
    with pytest.raises(LaconicError, match=r"No space left on device.*--jobs 1"):
        stage(problem(), tmp_path / "here")


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LaconicError, match="choose another folder"):
        Staging(tmp_path / "file")


def test_a_problem_stays_while_tasks_need_it(tmp_path):
    area = Staging(tmp_path)
    one, two = problem(name="one"), problem(name="two")
    first = area.take(one)
    assert area.take(one) == first
    area.leave(first)
    area.leave(first)
    assert first.exists(), "another task may come"
    second = area.take(two)
    assert not first.exists()
    area.take(one)
    area.leave(second)
    assert not second.exists()
    assert len(list(area.folder.iterdir())) == 1
    area.close()
    assert list(tmp_path.iterdir()) == []


def test_a_needed_problem_outlives_the_next(tmp_path):
    area = Staging(tmp_path)
    first = area.take(problem())
    second = area.take(problem())
    area.no_more()
    assert first.exists()
    assert second.exists()
    area.leave(second)
    assert not second.exists()
    area.clear()
    assert list(area.folder.iterdir()) == []
    area.close()


def test_questions_about_one_split_share_their_files(tmp_path):
    area = Staging(tmp_path)
    one = problem()
    other = replace(one, name="other", y_train=1 - one.y_train)
    file = "X_train.data.npy"
    first = area.take(one)
    number = (first / file).stat().st_ino
    area.leave(first)
    second = area.take(other)
    third = area.take(problem())
    assert not first.exists()
    assert (second / file).stat().st_ino == number
    assert_same(staged(second).y_train, 1 - one.y_train)
    assert_same(staged(second).X_train.data, one.X_train.data)
    assert not (third / file).samefile(second / file)
    area.close()


def test_problems_that_share_half_their_documents_share_no_files(tmp_path):
    area = Staging(tmp_path)
    one, other = problem(), problem(labels=True)
    other.X_test.data *= 2
    first, second = area.take(one), area.take(replace(one, X_test=other.X_test))
    assert_same(staged(first).X_test.data, one.X_test.data)
    assert_same(staged(second).X_test.data, other.X_test.data)
    area.close()


def test_a_finished_problem_goes_before_the_next_is_written(tmp_path, monkeypatch):
    there = []

    def watched(given: Problem, folder: Path, **about: object) -> None:
        there.append(len(list(folder.parent.iterdir())))
        stage(given, folder, **about)

    monkeypatch.setattr(staging, "stage", watched)
    area = Staging(tmp_path)
    for _ in range(3):
        area.leave(area.take(problem()))
    area.close()
    assert there == [0, 0, 0]


def test_shared_files_are_links(tmp_path):
    one = problem()
    stage(one, tmp_path / "one")
    stage(replace(one, name="two"), tmp_path / "two", twin=tmp_path / "one")
    assert (tmp_path / "one/X_test.indices.npy").samefile(tmp_path / "two/X_test.indices.npy")
    assert not (tmp_path / "one/y_test.npy").samefile(tmp_path / "two/y_test.npy")


def test_without_links_the_files_are_written(tmp_path, monkeypatch):
    def refused(*args):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    stage(problem(), tmp_path / "one")
    stage(problem(), tmp_path / "two", twin=tmp_path / "one")
    assert_same(staged(tmp_path / "two").X_train.data, problem().X_train.data)


@pytest.mark.skipif(staging.fcntl is None, reason="no locks here")
def test_a_new_folder_that_another_start_is_removing_is_left_to_it(tmp_path, monkeypatch):
    flock, tried = staging.fcntl.flock, []

    def held_at_first(handle: int, how: int) -> None:
        tried.append(how)
        if len(tried) == 1:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        flock(handle, how)

    monkeypatch.setattr(staging.fcntl, "flock", held_at_first)
    area = Staging(tmp_path)
    assert len(tried) == 2
    assert len(list(tmp_path.iterdir())) == 2
    area.close()
    assert len(list(tmp_path.iterdir())) == 1


def test_leftovers_of_the_dead_go_and_the_living_stay(tmp_path):
    (tmp_path / f"{NAME}123-x" / "problem-0").mkdir(parents=True)
    (tmp_path / "others").mkdir()
    area = Staging(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {area.folder.name, "others"}
    assert str(os.getpid()) in area.folder.name
    remove_leftovers(tmp_path)
    assert area.folder.exists()
    area.close()
