"""Is every outcome there again as it was, and its rows in files too?"""

from __future__ import annotations

import csv
import json
import math
import tempfile
import time
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.errors import LaconicError
from laconic.row_files import rows_file
from laconic.studies.execution.task import Cut, Outcome
from laconic.studies.journal import codec as coding
from laconic.studies.journal.journal import Journal
from tests.studies.journal.writers import outcome_of, task_of
from tests.studies.outcomes import assert_outcome, failed_of, same

# is it the same again?


# two lone surrogates side by side become one letter in the JSON of a task; apart they do not
letters = st.characters(exclude_categories=()).filter(lambda c: not "\udc00" <= c <= "\udfff")
texts = st.text(letters, max_size=8)
reals = st.floats() | st.sampled_from([-0.0, math.inf, -math.inf, math.nan, 1.0, 5e-324])
integers = st.integers() | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**40])
counts = st.none() | integers
sizes = integers | st.floats(allow_nan=False)


@st.composite
def outcomes(draw):
    task = task_of(
        draw(st.integers(0, 5)),
        problem=draw(texts),
        fold=draw(texts),
        method=draw(st.sampled_from(["IG", "MASK:weights=balanced", "LDA+knn", "US+svm"])),
        features=draw(texts),
        weighting=draw(texts),
        version=draw(st.integers(1, 3)),
        sizes=tuple(draw(st.lists(sizes, min_size=1, max_size=3))),
    )
    like = replace(task.row(), versions=draw(texts))
    own = st.builds(
        lambda **about: replace(like, **about),
        size=sizes,
        metric=texts,
        value=st.none() | reals,
        model_size=counts,
        n_features=counts,
        seconds=reals,
        memory=counts,
        status=st.sampled_from(["ok", "skipped", "failed"]),
        reason=texts,
    )
    return Outcome(
        task,
        draw(st.sampled_from(["ok", "failed"])),
        tuple(draw(st.lists(own, max_size=4))),
        reason=draw(texts),
        cuts=tuple(draw(st.lists(cuts(), max_size=3))),
        y_signed=draw(st.none() | hnp.arrays(np.int8, shapes, elements=st.integers(-1, 1))),
        notes=tuple(draw(st.lists(texts, max_size=3))),
        seconds=draw(reals),
        memory=draw(counts),
        started=draw(reals),
        host=draw(texts),
    )


shapes = st.tuples(st.integers(0, 9), st.integers(0, 9))


def cuts():
    columns = st.lists(st.integers(0, 2**63 - 1), max_size=8, unique=True).map(sorted)
    return st.builds(
        Cut,
        sizes,
        columns.map(lambda terms: np.array(terms, dtype=np.int64)),
        hnp.arrays(np.bool_, shapes),
    )


@given(outcomes())
def test_an_outcome_comes_back_as_it_was(outcome):
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j") as journal:
        assert journal.record(outcome)
        (found,) = journal.outcomes()
        assert_outcome(found, outcome)
        key = outcome.task.key
        assert same([astuple(r) for r in journal.rows()], [astuple(r) for r in outcome.rows])
        assert same(journal.cuts(key), list(outcome.cuts))
        assert same(journal.y_signed(key), outcome.y_signed)
        assert journal.tasks() == [outcome.task]
        assert journal.notes() == ([outcome.notes] if outcome.notes else [])
        assert journal.done() == ({key} if outcome.status == "ok" else set())
        assert journal.failed() == ({} if outcome.status == "ok" else {key: outcome.reason})


@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (0, 0), (1, 100_003), (100_003, 1), (7,), (13, 11)]
)
def test_bits_and_signs_of_any_shape(shape):
    rng = np.random.default_rng(0)
    bits = rng.random(shape) < 0.5
    assert same(coding.unpack_bits(coding.pack_bits(bits)), bits)
    turned = np.asfortranarray(bits)
    assert same(coding.unpack_bits(coding.pack_bits(turned)), bits)
    y_signed = rng.integers(-1, 2, shape).astype(np.int8)
    assert same(coding.unpack_y_signed(coding.pack_y_signed(np.asfortranarray(y_signed))), y_signed)


@pytest.mark.parametrize("dtype", ["int32", "int64", "intp", ">i8"])
def test_columns_of_any_whole_type(dtype):
    terms = np.array([0, 3, 70_000, 70_001], dtype=dtype)
    assert same(coding.unpack_terms(coding.pack_terms(terms)), terms.astype(np.int64))


def test_arrays_are_small():
    rng = np.random.default_rng(0)
    terms = np.sort(rng.choice(10**5, 10**4, replace=False))
    assert len(coding.pack_terms(terms)) < 1.2 * terms.size
    assert len(coding.pack_bits(rng.random((1000, 80)) < 0.5)) < 1000 * 80 / 8 * 1.05


def test_numbers_of_numpy_become_python_s(journal):
    task = task_of(0)
    row = replace(task.row(), size=np.int64(7), value=np.float32(0.5), model_size=np.int32(3))
    journal.record(Outcome(task, "ok", (row,)))
    (found,) = journal.rows()
    assert [type(x) for x in (found.size, found.value, found.model_size)] == [int, float, int]
    assert found == row


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_words_come_back_as_they_were(words):
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j") as journal:
        journal.record_words("d", words)
        journal.record_words("d", iter(words))
        assert journal.words("d") == tuple(words)
        assert journal.words("e") is None


def test_two_lone_surrogates_stay_two(journal):
    journal.record_words("d", ["\ud83d\ude00", "\U0001f600"])
    assert [len(word) for word in journal.words("d")] == [2, 1]


def test_other_words_for_a_corpus_are_refused(journal):
    journal.record_words("d", ["a", "b"])
    with pytest.raises(LaconicError, match="has other words for the corpus d"):
        journal.record_words("d", ["a", "c"])
    assert journal.words("d") == ("a", "b")


def test_plans_in_the_order_they_were_started(where):
    before = time.time()
    for number in range(3):
        with Journal(where) as journal:
            journal.record_plan(f"plan {number}\n\ud800", "laconic study x")
    with Journal.reading(where) as journal:
        plans = journal.plans()
    assert [plan.text for plan in plans] == [f"plan {number}\n\ud800" for number in range(3)]
    assert {plan.command for plan in plans} == {"laconic study x"}
    assert all(before <= plan.time <= time.time() for plan in plans)


def test_a_plan_remembers_its_tasks(journal):
    journal.record_plan("p", "c", iter(["k2", "k1"]))
    journal.record_plan("p", "c")
    assert [plan.keys for plan in journal.plans()] == [("k2", "k1"), ()]


def test_rows_of_another_task_are_refused(journal):
    stranger = replace(task_of(1).row(), versions=task_of(0).row().versions)
    for row in (stranger, replace(task_of(0).row(), versions="numpy 0")):
        with pytest.raises(LaconicError, match="a row of another task"):
            journal.record(Outcome(task_of(0), "ok", (task_of(0).row(), row)))
    assert list(journal.outcomes()) == []


# files of rows


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_exports_are_the_rows(tmp_path, journal, ending):
    for outcome in (failed_of(1), outcome_of(0), outcome_of(2)):
        journal.record(outcome)
    keys = [task_of(number).key for number in (2, 1, 7)]
    for name, wanted in (("all", None), ("some", keys)):
        file = tmp_path / f"{name}.{ending}"
        journal.export(file, wanted)
        expected = [vars(row) for row in journal.rows(wanted)]
        assert read_table(file) == (spoken(expected) if ending == "csv" else expected)
        with rows_file(tmp_path / f"direct.{ending}") as write:
            write(list(journal.rows(wanted)))
        assert file.read_bytes() == (tmp_path / f"direct.{ending}").read_bytes()


def read_table(file: Path) -> list[dict]:
    if file.suffix == ".csv":
        return list(csv.DictReader(file.read_text().splitlines()))
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text().splitlines()]
    return pyarrow.parquet.read_table(file).to_pylist()


def spoken(table: list[dict]) -> list[dict]:
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in table]
