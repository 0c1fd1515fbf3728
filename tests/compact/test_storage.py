"""Files with float32, int16 and int8: small, and read as exactly the numbers that they store."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import load
from scipy.sparse import csr_array

from laconic import LinearModel, Vectorizer, Weighting
from laconic.compact import CompactModel, stored
from laconic.compact import storage as storage_of
from laconic.compact.model_file import deflated, packed, tensor_parts
from laconic.errors import LaconicError
from laconic.numerics.text import decisions, numpy_kernels
from laconic.runtime import compression, model_file, stored_arrays
from laconic.runtime.choices import Storage
from laconic.runtime.compression import inflated
from laconic.runtime.stored_arrays import strings
from laconic.runtime.tensors import from_bytes
from tests.compact.kernel_machines import machine
from tests.compact.models import NAMES, TEXTS, calibrated, linear, served

STORAGES: tuple[Storage, ...] = get_args(Storage)
RULES = ["sign", "argmax", "labels"]
LARGEST = {"int8": 127, "int16": 1023}


def slowly_stored(model: LinearModel, storage: Storage) -> tuple[Any, ...]:
    """The definition, number by number: rounded to a type, or to a multiple of a scale."""
    round_to = float if storage == "float64" else lambda x: float(np.float32(x))
    coef = model.coef.copy()
    for row in range(coef.shape[0]):
        part = slice(coef.indptr[row], coef.indptr[row + 1])
        largest = max(abs(coef.data[part]), default=0.0)
        scale = float(np.float32(largest / LARGEST.get(storage, 1)))
        coef.data[part] = [
            (round(x / scale) * scale if scale else 0.0) if storage in LARGEST else round_to(x)
            for x in coef.data[part].tolist()
        ]
    return coef, [round_to(x) for x in model.intercept]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("normalize", ["selected", "all"])
@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize("storage", STORAGES)
def test_a_file_decides_by_the_numbers_that_it_stores(rule, normalize, ragged, storage, tmp_path):
    file = tmp_path / "model.laconic"
    compact = calibrated(served(rule, normalize, ragged=ragged)[0])
    compact.save(file, storage)
    coef, intercept = slowly_stored(compact.model, storage)
    expected = replace(compact.model, coef=coef, intercept=np.array(intercept))
    loaded, runtime = CompactModel.load(file), model_file.load(file)
    for model in (loaded.model, stored(compact.model, storage)):
        assert abs(csr_array(model.coef) - coef).max() == 0
        assert model.coef.nnz == coef.nnz, "a word with the coefficient 0 is a word of its row"
        np.testing.assert_array_equal(model.intercept, intercept)
    decision = expected.decision(compact.vectors(TEXTS))
    np.testing.assert_allclose(runtime.decision(TEXTS), decision, atol=1e-12)
    np.testing.assert_array_equal(runtime.decision(TEXTS), loaded.decision(TEXTS))
    again = replace(compact, model=stored(compact.model, storage))
    assert again.to_bytes() == loaded.to_bytes() == file.read_bytes(), "no number changes twice"
    assert loaded.predict(TEXTS) == again.predict(TEXTS) == runtime.predict(TEXTS)


@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize("storage", LARGEST)
def test_a_coefficient_that_is_rounded_to_0_counts_for_the_length(storage, ragged, tmp_path):
    """A document is divided by its length over all words of a row, also over those without effect.

    Each row has small coefficients; half of them are rounded to 0.
    """
    file, compact = tmp_path / "model", served("argmax", ragged=ragged)[0]
    coef = compact.model.coef.copy()
    coef.data[::2] *= 1e-5
    compact = replace(compact, model=replace(compact.model, coef=coef))
    compact.save(file, storage)
    rounded = stored(compact.model, storage)
    assert 0 < np.count_nonzero(rounded.coef.data) < 0.6 * coef.nnz

    X = compact.vectors(TEXTS).toarray()
    sums = X @ rounded.coef.toarray().T
    uses = csr_array((np.ones(coef.nnz), coef.indices, coef.indptr), shape=coef.shape).toarray()
    lengths = np.sqrt(X**2 @ uses.T)
    expected = sums / np.where(lengths > 0, lengths, 1) + rounded.intercept
    for model in (replace(compact, model=rounded), CompactModel.load(file), model_file.load(file)):
        np.testing.assert_allclose(model.decision(TEXTS), expected, atol=1e-12)
    assert CompactModel.load(file).model.coef.nnz == coef.nnz

    without = csr_array(rounded.coef.toarray())
    changed = replace(compact, model=replace(rounded, coef=without)).decision(TEXTS)
    assert np.abs(changed - expected).max() > 0.1, "this test notices entries that are left out"


@pytest.mark.parametrize("storage", LARGEST)
def test_a_word_whose_coefficients_are_all_rounded_to_0_stays(storage):
    """Also if the model is rounded first and reduced to its words later, as in a study."""
    vectorizer = Vectorizer()
    weighting = Weighting().fit(vectorizer.fit_transform(TEXTS))
    model = linear(weighting.features_.size, ragged=False)
    coef = model.coef.copy()
    coef.data[coef.indices == coef.indices[1]] *= 1e-5
    rounded = stored(replace(model, coef=coef), storage)
    assert not rounded.coef.toarray()[:, coef.indices[1]].any()
    compact = CompactModel.of(rounded, vectorizer, weighting, classes=NAMES["argmax"])
    assert compact.n_words == model.size
    X = weighting.transform(vectorizer.transform(TEXTS))
    np.testing.assert_allclose(compact.decision(TEXTS), rounded.decision(X), atol=1e-12)


def test_multiples_of_int16_are_in_two_tensors(tmp_path):
    """The high part and the three low bits: zlib compresses them better apart."""
    file, compact = tmp_path / "model", served("argmax", ragged=False)[0]
    compact.save(file, "int16")
    tensors = load(inflated(file.read_bytes()))
    shape = compact.n_words, 3
    assert tensors["coef"].dtype == np.int8
    assert tensors["coef.low"].dtype == np.uint8
    assert tensors["coef"].shape == tensors["coef.low"].shape == shape
    whole = [
        [8 * int(high) + int(low) for high, low in zip(*pair, strict=True)]
        for pair in zip(tensors["coef"], tensors["coef.low"], strict=True)
    ]
    assert np.abs(whole).max(axis=0).tolist() == [1023, 1023, 1023], "all digits of each row"
    coef = stored(compact.model, "int16").coef.toarray()
    np.testing.assert_array_equal(np.array(whole) * tensors["coef.scale"].astype(float), coef.T)


@pytest.mark.parametrize("storage", STORAGES)
def test_numba_and_numpy_decide_alike(storage, monkeypatch):
    compact = served("argmax", ragged=True)[0]
    model = replace(compact, model=stored(compact.model, storage)).runtime
    fast = model.decision(TEXTS)
    monkeypatch.setattr(decisions, "linear_decisions", numpy_kernels.linear_decisions)
    np.testing.assert_array_equal(model.decision(TEXTS), fast)


numbers = st.floats(-1e30, 1e30, allow_subnormal=False)
rows_of_numbers = st.tuples(st.integers(1, 4), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=numbers)
)


@given(rows_of_numbers, st.sampled_from(STORAGES))
@example(np.array([[1e-43, 2.67e-43, -1e-44]]), "int8")
@example(np.array([[1023 * 1.2e-38, 1.7e-36, -3e-42]]), "int16")
def test_numbers_change_by_little_and_only_once(coef, storage):
    model = LinearModel(coef, np.zeros(len(coef)), np.arange(len(coef)), 1, rule="labels")
    first = stored(model, storage)
    second = stored(first, storage)
    np.testing.assert_array_equal(second.coef.toarray(), first.coef.toarray())
    largest = np.abs(coef).max(axis=1, keepdims=True)
    # half of the last digit, or of a multiple, or of the least float32
    errors = {"float64": 0.0, "float32": 2.0**-24, "int8": 0.5001 / 127, "int16": 0.5001 / 1023}
    error = errors[storage]
    tiny = 0.0 if storage == "float64" else 1023 * 2.0**-126
    assert (np.abs(first.coef.toarray() - coef) <= error * largest + tiny).all()


@given(st.lists(st.text(st.characters(codec=None), max_size=300), max_size=8))
def test_strings_come_back(words):
    _, tensors = from_bytes(b"".join(tensor_parts({}, packed("words", sorted(words)))))
    assert strings(tensors, "words", 10) == tuple(sorted(words))


def test_a_model_without_words_or_with_an_empty_row_comes_back(tmp_path):
    coef = csr_array(([1.0, -2.0], [0, 2], [0, 2, 2, 2]), shape=(3, 3))
    compact = served("argmax")[0]
    model = replace(compact.model, coef=coef, size=2)
    weights = replace(compact.weights, document_frequency=[1, 2, 3])
    small = CompactModel(model, ("a", "b", "c"), weights, compact.text)
    for storage in STORAGES:
        small.save(tmp_path / storage, storage)
        loaded = CompactModel.load(tmp_path / storage)
        np.testing.assert_allclose(loaded.model.coef.toarray(), coef.toarray(), rtol=1e-2)
        assert loaded.model.coef.nnz == 2


def test_other_storages_are_refused(tmp_path):
    compact = served()[0]
    with pytest.raises(LaconicError, match="storage='int4': choose from int8, int16, "):
        compact.save(tmp_path / "model", "int4")
    with pytest.raises(LaconicError, match="storage='int4'"):
        stored(compact.model, "int4")
    for storage in LARGEST:
        with pytest.raises(LaconicError, match=f"storage='{storage}' is for linear models"):
            machine("sign", "selection").save(tmp_path / "model", storage)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["projection", "selection"])
def test_kernel_models_are_stored_as_float32(kind, tmp_path):
    compact, file = machine("argmax", kind), tmp_path / "model"
    compact.save(file, "float32")
    loaded = CompactModel.load(file)
    np.testing.assert_allclose(loaded.decision(TEXTS), compact.decision(TEXTS), atol=1e-5)
    np.testing.assert_array_equal(loaded.model.support, compact.model.support.astype(np.float32))
    assert loaded.to_bytes() == file.read_bytes()
    assert len(file.read_bytes()) < len(compact.to_bytes())


def damaged(file: Path, **changes: Any) -> None:
    header, _ = from_bytes(inflated(file.read_bytes()))
    arrays_in_file = load(inflated(file.read_bytes())) | changes
    file.write_bytes(deflated(tensor_parts(header, arrays_in_file)))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"coef.scale": np.array([np.nan, 1, 1], "f4")}, "coef.scale: not a number from 0"),
        ({"coef.scale": np.array([-1, 1, 1], "f4")}, "coef.scale: not a number from 0"),
        ({"coef.scale": np.array([np.inf, 1, 1], "f4")}, "coef.scale: not a number from 0"),
        ({"coef.scale": np.array([9e29, 1, 1], "f4")}, "a coefficient is not a number"),
        ({"coef.scale": np.ones(2, "f4")}, "'coef.scale' is float32 of shape"),
        ({"coef.scale": np.ones(3)}, "'coef.scale' is float64"),
        ({"intercept": np.zeros(3)}, "'intercept' is float64"),
        ({"intercept": np.array([np.nan, 0, 0], "f4")}, "a coefficient is not a number"),
    ],
)
@pytest.mark.parametrize("storage", LARGEST)
def test_damaged_scales_are_refused(changes, says, storage, tmp_path):
    file = tmp_path / "model"
    served("argmax")[0].save(file, storage)
    damaged(file, **changes)
    with pytest.raises(LaconicError, match=says):
        model_file.load(file)


@pytest.mark.parametrize("ragged", [True, False])
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda low: low + np.uint8(8), "coef.low: not a number from 0 to 7"),
        (lambda low: low[:-1], "'coef.low' is uint8 of shape"),
        (lambda low: low.ravel()[None], "'coef.low' is uint8 of shape"),
        (lambda low: low.astype(np.int8), "'coef.low' is int8"),
        (lambda low: low.astype(np.uint16), "'coef.low' is uint16"),
        (None, "has no tensor 'coef.low'"),
    ],
)
def test_damaged_low_parts_are_refused(change, says, ragged, tmp_path):
    file = tmp_path / "model"
    served("argmax", ragged=ragged)[0].save(file, "int16")
    header, _ = from_bytes(inflated(file.read_bytes()))
    tensors = load(inflated(file.read_bytes()))
    low = tensors.pop("coef.low")
    if change is not None:
        tensors["coef.low"] = change(low)
    file.write_bytes(deflated(tensor_parts(header, tensors)))
    with pytest.raises(LaconicError, match=says):
        model_file.load(file)


@pytest.mark.parametrize("storage", ["int8", "float32", "float64"])
def test_low_parts_are_for_int16(storage, tmp_path):
    file = tmp_path / "model"
    served("argmax", ragged=False)[0].save(file, storage)
    coef = load(inflated(file.read_bytes()))["coef"]
    damaged(file, **{"coef.low": np.zeros(coef.shape, np.uint8)})
    with pytest.raises(LaconicError, match=r"unknown tensor 'coef\.low'"):
        model_file.load(file)


@pytest.mark.full
@pytest.mark.parametrize("storage", LARGEST)
def test_a_changed_byte_anywhere_is_noticed(storage, tmp_path):
    file = tmp_path / "model"
    served("argmax")[0].save(file, storage)
    data, same = file.read_bytes(), []
    for at in range(len(data)):
        file.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        try:
            model_file.load(file)
        except LaconicError:
            continue
        same.append(file.read_bytes())
    # some bits of a zlib stream have no meaning
    assert len(same) <= 2
    assert all(inflated(changed) == inflated(data) for changed in same)
    for changed in (data[:-1], data + b"\0", data[:100]):
        file.write_bytes(changed)
        with pytest.raises(LaconicError, match="cut off"):
            model_file.load(file)


@pytest.mark.full
def test_a_small_file_does_not_inflate_to_a_large_one(tmp_path):
    """300 MB of zeros in 300 kB; no more than the limit is inflated."""
    bomb = compression.MARK + bytes([compression.VERSION]) + zlib.compress(bytes(300 << 20), 9)
    limit = compression.LARGEST_RATIO * len(bomb) + compression.FREE_BYTES
    with pytest.raises(LaconicError, match=f"inflates to more than {limit:,} bytes"):
        inflated(bomb)


def test_what_we_write_is_within_the_limit():
    """Contents that compress too well are stored as they are."""
    zeros = bytes(compression.FREE_BYTES * 3)
    data = deflated([zeros])
    assert len(data) > len(zeros)
    assert inflated(data) == zeros


def test_strings_and_coefficients_are_limited(tmp_path, monkeypatch):
    file = tmp_path / "model"
    compact = served("argmax")[0]
    compact.save(file)
    monkeypatch.setattr(stored_arrays, "MOST_TEXT", 10)
    with pytest.raises(LaconicError, match="words: more than 10 bytes"):
        model_file.load(file)
    monkeypatch.undo()
    monkeypatch.setattr(stored_arrays, "MOST_COEFFICIENTS", 10)
    with pytest.raises(LaconicError, match=r"coef: .* the limit is 10"):
        model_file.load(file)


def test_the_smallest_exact_storage_is_the_default():
    compact = calibrated(served("labels")[0])
    assert storage_of.exact_storage(compact.runtime) == "float64"
    for storage in STORAGES:
        model = replace(compact, model=stored(compact.model, storage))
        assert storage_of.exact_storage(model.runtime) == storage
        off = replace(model.model, intercept=model.model.intercept + 1e-12)
        assert storage_of.exact_storage(replace(model, model=off).runtime) == "float64"
