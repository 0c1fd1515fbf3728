from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic.numerics.spectral import bss as module
from laconic.numerics.spectral.basis import row_basis
from laconic.numerics.spectral.bss import sparsify
from tests.oracles import bss_by_algorithm_1
from tests.strategies import counts


def orthonormal(n_terms, rank, seed, spread=0.0):
    """Orthonormal columns; with `spread` the rows have very different lengths."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_terms, rank)) * np.exp(spread * rng.normal(size=(n_terms, 1)))
    return np.linalg.qr(Z)[0]


def merged(steps, U, size):
    """Distinct rows in order of arrival and their squared weights, from the steps."""
    total = {}
    for row, t in steps:
        total[row] = total.get(row, 0.0) + t
    scale = (1 - np.sqrt(U.shape[1] / size)) / size
    return list(total), np.array(list(total.values())) * scale


def eigenvalues(U, found):
    return np.linalg.eigvalsh(U[found.rows].T @ (found.squares[:, None] * U[found.rows]))


def keeps_lemma_1(U, found, size):
    s = np.sqrt(U.shape[1] / size)
    values = eigenvalues(U, found)
    assert values[0] >= (1 - s) ** 2 - 1e-9
    assert values[-1] <= (1 + s) ** 2 + 1e-9
    assert (found.low, found.high) == pytest.approx(((1 - s) ** 2, (1 + s) ** 2))


@pytest.mark.parametrize("repeat", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("seed", range(100))
def test_the_lazy_scan_selects_what_the_full_scan_does(monkeypatch, seed, repeat):
    """Three hundred problems, in blocks so small that most rows are never tested."""
    monkeypatch.setattr(module, "FIRST_BLOCK", 3)
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 9))
    size = rank + int(rng.integers(1, 30))
    U = orthonormal(int(rng.integers(rank, 70)), rank, seed, spread=rng.uniform(0, 1.5))
    found = sparsify(U, size, repeat=repeat)
    rows, squares = merged(bss_by_algorithm_1(U, size, repeat), U, size)
    assert found.rows.tolist() == rows
    np.testing.assert_allclose(found.squares, squares, rtol=1e-7)
    keeps_lemma_1(U, found, size)


@given(counts(max_docs=8, max_terms=25), st.integers(1, 40), st.sampled_from([0.0, 0.2, 1.0]))
def test_lemma_1_holds_for_any_documents(X, more, repeat):
    U = row_basis(csr_array(X))
    assume(U.shape[1])
    size = U.shape[1] + more
    found = sparsify(U, size, repeat=repeat)
    keeps_lemma_1(U, found, size)
    assert np.unique(found.rows).size == found.rows.size
    assert (found.squares > 0).all()
    assert X[:, found.rows].any(axis=0).all(), "an empty word is never taken"


@pytest.mark.parametrize("rank", [1, 2, 7, 30])
@pytest.mark.parametrize("more", [1, 2, 40])
def test_lemma_1_holds_near_its_edge(rank, more):
    for U in (np.eye(rank), orthonormal(300, rank, 0), orthonormal(rank + 1, rank, 1, spread=3.0)):
        keeps_lemma_1(U, sparsify(U, rank + more), rank + more)


def test_weights_are_the_roots_of_t_not_their_inverses():
    """ERRATA E1: with 1/√t error rates look well, and Lemma 1 fails."""
    U = orthonormal(60, 5, 3)
    found = sparsify(U, 20)
    scale = (1 - 0.5) / 20
    wrong = scale / (found.squares / scale)
    values = np.linalg.eigvalsh(U[found.rows].T @ (wrong[:, None] * U[found.rows]))
    assert values[0] < found.low or values[-1] > found.high


def test_most_rows_are_never_asked(monkeypatch):
    n_tested = []

    def counting(self, forms, taken, original=module._Rows.first):
        n_tested.append(0)
        return original(self, forms, taken)

    def blocks(self, original=module._Rows._blocks):
        for block in original(self):
            n_tested[-1] += block.stop - block.start
            yield block

    monkeypatch.setattr(module._Rows, "first", counting)
    monkeypatch.setattr(module._Rows, "_blocks", blocks)
    sparsify(orthonormal(5000, 20, 0), 60)
    assert len(n_tested) == 60
    assert max(n_tested) < 1000, "of 5,000 rows"


def test_identical_rows_are_taken_in_the_order_of_their_columns():
    U = np.linalg.qr(np.repeat(np.random.default_rng(0).normal(size=(6, 3)), 4, axis=0))[0]
    noise = 1 + 1e-13 * np.random.default_rng(1).normal(size=(24, 1))
    found = sparsify(U * noise, 12)
    for word in range(6):
        of_word = [row for row in found.rows.tolist() if row // 4 == word]
        assert of_word == list(range(4 * word, 4 * word + len(of_word)))


def test_a_different_basis_of_the_same_rows_gives_the_same_selection():
    U = orthonormal(80, 6, 0, spread=0.5)
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(6, 6)))[0]
    one, other = sparsify(U, 25), sparsify(U @ turn, 25)
    assert one.rows.tolist() == other.rows.tolist()
    np.testing.assert_allclose(one.squares, other.squares, rtol=1e-8)


def test_the_same_input_gives_the_same_bits():
    U = orthonormal(80, 6, 0, spread=0.5)
    one, other = sparsify(U, 25), sparsify(U.copy(), 25)
    assert one.rows.tolist() == other.rows.tolist()
    assert one.squares.tobytes() == other.squares.tobytes()


def test_rows_are_repeated_when_no_other_may_be_taken():
    U = orthonormal(8, 3, 0)
    found = sparsify(U, 30, repeat=0.0)
    assert found.rows.size <= 8
    assert found.rows.tolist() == merged(bss_by_algorithm_1(U, 30), U, 30)[0]


def test_repeats_keep_weights_small():
    """ERRATA E7: rather a row again than one that is too short."""
    U = orthonormal(80, 10, 0, spread=2.0)
    eager, usual = sparsify(U, 60, repeat=0.0), sparsify(U, 60)
    assert usual.squares.max() < 0.5 * eager.squares.max()
    keeps_lemma_1(U, usual, 60)


def test_the_papers_gamma_is_added_to_a_singular_matrix_once():
    U = orthonormal(60, 5, 3)
    found, plain = sparsify(U, 20, gamma=0.01), sparsify(U, 20)
    assert found.squares[0] != plain.squares[0]
    scaled = 0.01 * (1 - 0.5) / 20
    values = eigenvalues(U, found)
    assert values[0] >= found.low - scaled
    assert values[-1] <= found.high - scaled + 1e-12


def test_the_first_step_by_hand():
    """At A = 0 all is known: ℓ = 1, r = 4, so that s = ½, δ_U = 3, L = −2 → −1, U = 6 → 9."""
    U = np.array([[0.6], [0.8]])
    rise = 1 / 1 - 1 / 2
    fall = 1 / 6 - 1 / 9
    lower = 0.64 * (1 / rise - 1)
    upper = 0.64 * (1 / 81 / fall + 1 / 9)
    ((row, t), *_) = bss_by_algorithm_1(U, 4)
    assert (row, t) == (1, pytest.approx(2 / (lower + upper)))
    forms = module._Barriers.around(np.zeros((1, 1)), 2.0, 3.0).advance()
    assert np.ravel(forms.values(U[1:])) == pytest.approx([lower, upper])
    assert forms.gaps(U[1:]) == pytest.approx(forms.gaps(np.repeat(U[1:], 3, axis=0))[:1])
