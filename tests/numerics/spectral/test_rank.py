"""N5: rank is defined once, and least-norm solutions are those of numpy's pseudo-inverse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

import laconic.numerics
from laconic import RLSClassifier
from laconic.numerics.bounds.span import Span
from laconic.numerics.ridge.path import factorize
from laconic.numerics.spectral import rank
from laconic.numerics.spectral.basis import row_basis


def deficient(seed):
    """2 to 10 documents of 2 to 30 words, of a lower rank than either, in four kinds."""
    rng = np.random.default_rng(seed)
    n_docs, n_terms = rng.integers(2, 11), rng.integers(2, 31)
    most = int(rng.integers(1, max(2, min(n_docs, n_terms))))
    copies = rng.integers(1, 4, size=(most, n_terms))[rng.integers(0, most, n_docs)]
    mixed = rng.normal(size=(n_docs, most)) @ rng.normal(size=(most, n_terms))
    kinds = (mixed, copies * rng.uniform(0.1, 2, size=(n_docs, 1)), np.round(mixed, 1), mixed + 30)
    return kinds[seed % 4]


def by_pseudo_inverse(X, y_signed, intercept):
    """The coefficients, and whether the rank is beyond doubt in a Gram matrix."""
    Xc, yc = (X - X.mean(axis=0), y_signed - y_signed.mean()) if intercept else (X, y_signed)
    shares = np.linalg.svd(Xc, compute_uv=False) / np.linalg.norm(X, 2)
    clear = (shares > 1e-4).any() and not ((shares > 1e-13) & (shares < 1e-4)).any()
    return np.linalg.pinv(Xc, rcond=1e-4 * np.linalg.norm(X, 2) / np.linalg.norm(Xc, 2)) @ yc, clear


def test_n5_the_reproducer_gives_the_least_norm_solution():
    X = np.array([[2, 1.4, 0.3], [1, 0.7, 0.15], [0, 0, 0]])
    found = RLSClassifier(alpha=0).fit(X, [0, 1, 0]).coef_[0]
    np.testing.assert_allclose(found, np.linalg.lstsq(X, [-1, 1, -1], rcond=None)[0])


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, "loo"])
def test_n5_small_problems_of_low_rank_give_the_least_norm_solution(alpha, intercept):
    compared = 0
    for seed in range(100):
        X = deficient(seed)
        y = np.arange(len(X)) % 2
        expected, clear = by_pseudo_inverse(X, 2.0 * y - 1, intercept)
        if clear:
            model = RLSClassifier(alpha=alpha, alphas=[0.0], fit_intercept=intercept)
            for documents in (X, csr_array(X)):
                np.testing.assert_allclose(
                    model.fit(documents, y).coef_[0],
                    expected,
                    atol=1e-6 * np.abs(expected).max(),
                    err_msg=f"seed {seed}",
                )
            compared += 1
    assert compared > 80


def test_n5_all_agree_about_the_rank():
    for seed in range(100):
        X = csr_array(deficient(seed))
        values = factorize(X, intercept=False).sound_spectrum[0]
        assert values.size == Span.of(X).rank == row_basis(X).shape[1]


def test_n5_no_other_module_knows_the_machine_precision():
    """Numbers that count as 0 are named in `rank`, or measured against a constant of their own."""
    where = Path(laconic.numerics.__file__).parent
    knowing = [file.name for file in where.rglob("*.py") if "finfo" in file.read_text()]
    assert knowing == ["rank.py"]


def test_n5_the_share_covers_the_rounding_of_few_long_documents():
    """x and 2x of 20,000 words: the second eigenvalue is rounding, a multiple of it over the words.

    numpy's sums are pairwise and err by less than a sum in order does.
    """
    rng = np.random.default_rng(0)
    for _ in range(5):
        x = rng.random(20_000)
        X = csr_array(np.outer([1.0, 0.3], x))
        assert Span.of(X).rank == 1
    assert rank.zero_up_to(-1.0, 3) == 0.0
