from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial
from threading import Lock
from time import sleep

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array

from laconic.errors import LaconicError
from laconic.numerics.blocks import (
    ENTRY_BYTES,
    Blocks,
    MatrixBlock,
    in_memory,
    in_threads,
    normal_product,
    occurrences,
)
from laconic.numerics.column_selection import DivideByLengths

N_DOCS, N_TERMS = 30, 12


def documents(seed: int) -> csr_array:
    rng = np.random.default_rng(seed)
    return csr_array(random_array((N_DOCS, N_TERMS), density=0.3, rng=rng))


@given(st.integers(0, 99), st.integers(1, 40))
def test_operations_are_those_of_the_matrix(seed, n_blocks):
    X, rng = documents(seed), np.random.default_rng(seed)
    blocks = Blocks.of(X, n_blocks)
    V, U = rng.normal(size=(N_TERMS, 3)), rng.normal(size=(N_DOCS, 2))
    assert blocks.shape == X.shape
    np.testing.assert_array_equal(blocks @ V, X @ V)
    np.testing.assert_allclose(blocks.T @ U, X.T @ U, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(blocks.sum(axis=0), X.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(normal_product(blocks, V), X.T @ (X @ V), rtol=1e-11, atol=1e-13)
    rows = np.flatnonzero(rng.random(N_DOCS) < 0.5)
    columns = rng.permutation(N_TERMS)[:5]
    part = blocks.take(rows)[:, columns]
    expected = X[rows][:, columns]
    assert part.shape == expected.shape
    gathered = part.gathered()
    assert gathered.has_canonical_format
    np.testing.assert_array_equal(gathered.toarray(), expected.toarray())


@given(st.integers(0, 99), st.integers(1, 9))
def test_slices_of_numbers_per_document_follow_the_blocks(seed, n_blocks):
    X, rng = documents(seed), np.random.default_rng(seed)
    numbers, rows = rng.normal(size=(N_DOCS, 2)), np.flatnonzero(rng.random(N_DOCS) < 0.7)
    part = Blocks.of(X, n_blocks).take(rows)
    sums = part.total(lambda block, slices: block.T @ slices, numbers[rows])
    np.testing.assert_allclose(sums, X[rows].T @ numbers[rows], rtol=1e-12, atol=1e-14)
    doubled = part.map(lambda block, slices: block * slices[:, :1], numbers[rows])
    np.testing.assert_allclose(
        (doubled @ np.eye(N_TERMS)), X[rows].toarray() * numbers[rows][:, :1], rtol=1e-12
    )
    lengths, squares = part.stack(lambda block: (np.diff(block.indptr), block.power(2)))
    np.testing.assert_array_equal(lengths, np.diff(X[rows].indptr))
    np.testing.assert_array_equal(squares.toarray(), X[rows].power(2).toarray())


def test_tuples_are_added_part_by_part():
    X = documents(0)
    total, n_docs = Blocks.of(X, 7).total(lambda block: (block.sum(axis=0), block.shape[0]))
    np.testing.assert_allclose(total, X.sum(axis=0))
    assert n_docs == N_DOCS


def test_no_documents_leave_the_columns():
    nothing = Blocks.of(documents(0), 3).take(np.empty(0, int))
    assert nothing.shape == (0, N_TERMS)
    assert (nothing @ np.ones(N_TERMS)).shape == (0,)


def test_what_does_not_fit_stays_in_blocks():
    X = documents(0)
    small = Blocks.of(X, 3, memory=ENTRY_BYTES * (X.nnz - 1))
    assert small.gathered() is small
    assert isinstance(small[:, :3].gathered(), csr_array)
    assert in_memory(X) is X


def test_other_rows_are_refused():
    blocks = Blocks.of(documents(0), 3)
    with pytest.raises(LaconicError, match="take"):
        blocks[np.arange(3), :]
    with pytest.raises(LaconicError, match="ascending"):
        blocks.take(np.array([3, 1]))
    with pytest.raises(LaconicError, match="columns of blocks"):
        blocks.sum(axis=1)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_no_bit_and_few_blocks_are_read_ahead(n_threads):
    X, U = documents(3), np.random.default_rng(3).normal(size=(N_DOCS, 2))
    one = Blocks.of(X, 9)
    several = replace(one, n_threads=n_threads)
    assert np.array_equal(several.T @ U, one.T @ U)
    assert (several.stack(csr_array) != X).nnz == 0
    assert pickle.loads(pickle.dumps(several)).n_threads == 1
    read: list[int] = []
    results = several._results(lambda block: read.append(block.shape[0]), ())
    next(results)
    assert len(read) <= n_threads
    results.close()


def test_an_error_in_a_thread_is_raised():
    def fails(block: csr_array) -> None:
        raise LaconicError("of a block")

    with pytest.raises(LaconicError, match="of a block"):
        replace(Blocks.of(documents(0), 4), n_threads=2).total(fails)


def test_the_pattern_has_no_steps_that_only_change_values():
    X = documents(5)
    doubled = Blocks.of(X, 3).map(Doubled())
    assert all(isinstance(part, MatrixBlock) for part in doubled.pattern.parts)
    scaled = doubled[:, [2, 4]].map(Doubled())
    np.testing.assert_array_equal(
        scaled.pattern.total(occurrences), (X[:, [2, 4]] != 0).sum(axis=0)
    )


class Doubled:
    keeps_entries = True

    def __call__(self, block: csr_array) -> csr_array:
        return block * 2.0


def test_what_is_too_large_is_read_up_to_the_limit_whatever_the_order():
    X, read = documents(7), []
    limit = ENTRY_BYTES * X.nnz // 3
    blocks = Blocks.of(X, 10, memory=limit)

    def counted(block: csr_array) -> csr_array:
        read.append(block.nnz)
        return block

    counting = blocks.map(counted)
    assert counting.gathered() is counting
    assert sum(read) <= limit // ENTRY_BYTES + max(read)
    longest_first = csr_array(X[np.argsort(-np.diff(X.indptr))])
    assert isinstance(Blocks.of(longest_first, 10, ENTRY_BYTES * X.nnz).gathered(), csr_array)


def test_all_columns_in_their_order_are_the_blocks_themselves():
    blocks = Blocks.of(documents(0))
    assert blocks[:, np.arange(blocks.n_columns)] is blocks
    assert blocks[:, np.arange(blocks.n_columns)[::-1]] is not blocks


@pytest.mark.parametrize("weighted", [False, True])
def test_documents_are_divided_by_their_lengths_before_weights(weighted):
    X = documents(3)
    X.data[X.indptr[1] : X.indptr[3]] = 0.0  # documents of length 0
    weights = np.linspace(1, 2, X.shape[1]) if weighted else None
    lengths = np.sqrt(X.power(2).sum(axis=1))
    inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    expected = X.toarray() * inverse[:, None] * (1.0 if weights is None else weights)
    found = Blocks.of(X, 4).map(DivideByLengths(weights)).gathered()
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-15)


def test_documents_outside_of_the_blocks_are_refused():
    blocks = Blocks.of(documents(0), 3)
    for rows in ([0, 100], [-1, 0], [N_DOCS]):
        with pytest.raises(LaconicError, match="there are 30, from 0"):
            blocks.take(np.array(rows))


def test_a_column_of_blocks_is_taken_once():
    with pytest.raises(LaconicError, match="named twice"):
        Blocks.of(documents(0))[:, [1, 1, 2]]


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_results_in_memory_stay_within_the_limit(n_threads):
    """As many results are computed at a time as fit into memory, at least one and one ahead."""
    running, most, lock = 0, 0, Lock()

    def large(number: int) -> np.ndarray:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        sleep(0.01)
        return np.full(100, float(number))

    def finished(results):
        nonlocal running
        for result in results:
            with lock:
                running -= 1
            yield result

    for memory, expected in ((10**6, n_threads), (800, min(n_threads, 2))):
        running = most = 0
        calls = (partial(large, number) for number in range(20))
        found = [result[0] for result in finished(in_threads(calls, n_threads, memory))]
        assert found == list(range(20))
        assert most <= expected
