"""Problems as folders: exact, memory-mapped, read-only, removed when not needed."""

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
from laconic.scratch import LOCK
from laconic.studies.execution import shared_arrays as staging
from laconic.studies.execution.jobs import run_task
from laconic.studies.execution.shared_arrays import (
    ProblemStore,
    open_problem,
    write_problem,
)
from laconic.studies.execution.task import Task
from laconic.text.problem import Problem
from tests.strategies import text_like

CSR_ARRAYS = ("data", "indices", "indptr")


def problem(*, labels: bool = False, columns: bool = True, name: str = "made") -> Problem:
    X, y = text_like(40, 30, 3)
    targets = np.eye(3, dtype=np.int64)[y] if labels else y
    return Problem(
        name,
        X[:30],
        targets[:30],
        X[30:],
        targets[30:],
        np.array([f"word{i}" for i in range(30)], dtype=object),
        ("a", "b", "\udc80 c"),
        "fold 1",
        np.arange(5, 65, 2) if columns else None,
    )


def task(method: str, problem: Problem) -> Task:
    return Task(
        "data",
        problem.name,
        "test",
        problem.fold,
        "split",
        "ltc",
        method,
        0,
        (5, 20),
        ("accuracy",),
    )


def backing(array: np.ndarray) -> object:
    while isinstance(array, np.ndarray):
        array = array.base
    return array


def arrays(original: Problem) -> list[np.ndarray]:
    arrays_of_X = [
        getattr(X, name) for X in (original.X_train, original.X_test) for name in CSR_ARRAYS
    ]
    return [*arrays_of_X, original.y_train, original.y_test]


def folders_in(store: ProblemStore) -> list[Path]:
    return [file for file in store.folder.iterdir() if file.name != LOCK]


def assert_same(a: np.ndarray, b: np.ndarray) -> None:
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("labels", [False, True], ids=["classes", "labels"])
@pytest.mark.parametrize("columns", [False, True], ids=["no columns", "columns"])
def test_a_problem_comes_back_exactly_but_for_its_words(tmp_path, labels, columns):
    original = problem(labels=labels, columns=columns)
    write_problem(original, tmp_path / "here")
    opened = open_problem(tmp_path / "here")
    for a, b in zip(arrays(opened), arrays(original), strict=True):
        assert_same(a, b)
    assert opened.X_train.shape == original.X_train.shape
    assert opened.X_test.shape == original.X_test.shape
    assert (opened.name, opened.classes, opened.fold) == (
        original.name,
        original.classes,
        original.fold,
    )
    if columns:
        assert_same(opened.columns, original.columns)
    else:
        assert opened.columns is None
    assert opened.vocabulary.size == 0
    assert len(fields(Problem)) == 9, "a new field must be written too"


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_arrays_are_read_only_maps_and_keep_their_types(tmp_path, kind):
    original = problem()
    for X in (original.X_train, original.X_test):
        X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    write_problem(original, tmp_path / "here")
    opened = open_problem(tmp_path / "here")
    for array in arrays(opened):
        assert isinstance(backing(array), mmap.mmap)
        assert not array.flags.writeable
    assert opened.X_train.indices.dtype == kind
    assert opened.X_test.indptr.dtype == kind


def test_the_order_of_entries_is_stored_and_not_scanned(tmp_path):
    original = problem()
    crossed = csr_array(
        (np.array([1.0, 2.0, 3.0]), np.array([4, 1, 1]), np.array([0, 2, 3])), shape=(2, 30)
    )
    write_problem(replace(original, X_test=crossed), tmp_path / "here")
    opened = open_problem(tmp_path / "here")
    assert opened.X_train._has_canonical_format
    assert opened.X_train._has_sorted_indices
    assert not opened.X_test._has_canonical_format
    assert not opened.X_test._has_sorted_indices
    assert_same(opened.X_test.toarray(), crossed.toarray())


def test_documents_without_words(tmp_path):
    original = replace(problem(), X_test=csr_array((10, 30)))
    write_problem(original, tmp_path / "here")
    assert open_problem(tmp_path / "here").X_test.nnz == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", [False, True], ids=["classes", "labels"])
def test_no_method_writes_into_the_files_or_needs_to(tmp_path, method, labels):
    original = problem(labels=labels)
    write_problem(original, tmp_path / "here")
    before = {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir()}
    opened = run_task(task(method, original), open_problem(tmp_path / "here"))
    here = run_task(task(method, original), original)
    assert opened.status == "ok", opened.reason
    assert [row.value for row in opened.rows] == [row.value for row in here.rows]
    assert {file.name: file.read_bytes() for file in (tmp_path / "here").iterdir()} == before


def test_a_full_disk_says_what_to_do(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(staging.np, "save", full)
    with pytest.raises(LaconicError, match=r"No space left on device.*--jobs 1"):
        write_problem(problem(), tmp_path / "here")


def test_a_folder_that_cannot_be_made_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LaconicError, match="set TMPDIR to another folder, or use --jobs 1"):
        ProblemStore(tmp_path / "file")


def test_a_problem_stays_while_tasks_need_it(tmp_path):
    store = ProblemStore(tmp_path)
    one, two = problem(name="one"), problem(name="two")
    first = store.acquire(one)
    assert store.acquire(one) == first
    store.release(first)
    store.release(first)
    assert first.exists(), "another task may come"
    second = store.acquire(two)
    assert not first.exists()
    store.acquire(one)
    store.release(second)
    assert not second.exists()
    assert len(folders_in(store)) == 1
    store.close()
    assert list(tmp_path.iterdir()) == []


def test_a_problem_in_use_is_kept_when_the_next_is_written(tmp_path):
    store = ProblemStore(tmp_path)
    first = store.acquire(problem())
    second = store.acquire(problem())
    store.finish()
    assert first.exists()
    assert second.exists()
    store.release(second)
    assert not second.exists()
    store.release_all()
    assert folders_in(store) == []
    store.close()


def test_targets_of_one_split_share_their_files(tmp_path):
    store = ProblemStore(tmp_path)
    one = problem()
    other = replace(one, name="other", y_train=1 - one.y_train)
    file = "X_train.data.npy"
    first = store.acquire(one)
    number = (first / file).stat().st_ino
    store.release(first)
    second = store.acquire(other)
    third = store.acquire(problem())
    assert not first.exists()
    assert (second / file).stat().st_ino == number
    assert_same(open_problem(second).y_train, 1 - one.y_train)
    assert_same(open_problem(second).X_train.data, one.X_train.data)
    assert not (third / file).samefile(second / file)
    store.close()


def test_problems_that_share_half_their_documents_share_no_files(tmp_path):
    store = ProblemStore(tmp_path)
    one, other = problem(), problem(labels=True)
    other.X_test.data *= 2
    first, second = store.acquire(one), store.acquire(replace(one, X_test=other.X_test))
    assert_same(open_problem(first).X_test.data, one.X_test.data)
    assert_same(open_problem(second).X_test.data, other.X_test.data)
    store.close()


def test_a_finished_problem_is_removed_before_the_next_is_written(tmp_path, monkeypatch):
    n_folders = []

    def watched(original: Problem, folder: Path, **about: object) -> None:
        n_folders.append(len(folders_in(store)))
        write_problem(original, folder, **about)

    monkeypatch.setattr(staging, "write_problem", watched)
    store = ProblemStore(tmp_path)
    for _ in range(3):
        store.release(store.acquire(problem()))
    store.close()
    assert n_folders == [0, 0, 0]


def test_shared_files_are_links(tmp_path):
    one = problem()
    write_problem(one, tmp_path / "one")
    write_problem(replace(one, name="two"), tmp_path / "two", link_from=tmp_path / "one")
    assert (tmp_path / "one/X_test.indices.npy").samefile(tmp_path / "two/X_test.indices.npy")
    assert not (tmp_path / "one/y_test.npy").samefile(tmp_path / "two/y_test.npy")


def test_without_links_the_files_are_written(tmp_path, monkeypatch):
    def refused(*args):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refused)
    write_problem(problem(), tmp_path / "one")
    write_problem(problem(), tmp_path / "two", link_from=tmp_path / "one")
    assert_same(open_problem(tmp_path / "two").X_train.data, problem().X_train.data)
