"""N3, N4: a search for violations finds none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic import LinearModel, RLSClassifier, Selection
from laconic.certificate import certify
from laconic.numerics.bounds.allowances import Allowance, Rounding
from tests.certificate.cases import model_behind
from tests.certificate.search import CLAIMS, climb


def search(starts, steps):
    """How many starts reached each claim; none may be violated."""
    reached = dict.fromkeys(CLAIMS, 0)
    for seed in starts:
        problem, worst = climb(seed, steps)
        violated = {name: value for name, value in worst.items() if value > 1}
        assert not violated, (seed, problem)
        reached |= {name: reached[name] + (worst.get(name, 0) > 0) for name in CLAIMS}
    return reached


@pytest.mark.full
def test_n3_n4_no_bound_is_violated_from_200_starts():
    reached = search(range(200), steps=3)
    assert min(reached.values()) >= 60


@pytest.mark.slow
def test_n3_n4_no_bound_is_violated_from_5000_starts():
    reached = search(range(5_000), steps=12)
    assert min(reached.values()) >= 1_500


def zero(*_):
    return 0.0


@pytest.mark.parametrize(
    "without",
    [
        {(Allowance, "of_mixture"): zero},
        {(Allowance, "of_rest"): zero},
        # that of rounding alone would hide it: both grow as 1/λ
        {(Allowance, "in_span_factor"): property(zero), (Rounding, "gradient"): zero},
    ],
    ids=["residual in the span", "residual off the span", "cut"],
)
def test_the_search_finds_bounds_that_leave_a_part_out(monkeypatch, without):
    """The check can fail: within 60 starts, for each of the corrections."""
    for (owner, name), nothing in without.items():
        monkeypatch.setattr(owner, name, nothing)
    with pytest.raises(AssertionError, match="Problem"):
        search(range(60), steps=3)


def test_n3_a_model_off_the_span_of_all_documents_is_counted():
    """40 documents × 200 words, `full` shifted orthogonally to all of them: change 0.7, bound 0."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 200))
    y, alpha = np.arange(40) % 2, 1e-6
    reduction = Selection(np.arange(200), None, 200)
    full = RLSClassifier(alpha=alpha).fit(X, y).model_
    shift = rng.normal(size=200)
    shift -= np.linalg.pinv(X) @ (X @ shift)
    shift *= 0.7 / np.linalg.norm(shift)
    off = LinearModel(full.coef + shift, full.intercept, full.classes, full.size, rule="sign")
    small = model_behind(reduction, X, y, alpha)
    certificate = certify(off, small, csr_array(X), y, reduction, alpha, shift[None] / 0.7)
    bounds = certificate.query_bounds
    assert bounds.change.item() == pytest.approx(0.7, rel=1e-3)
    assert bounds.change.item() <= (bounds.in_span + bounds.off_span).item() < 1.4
    assert bounds.change.item() <= bounds.theorem_1.item()
    assert certificate.in_span.attained <= certificate.in_span.bound


def test_n4_singular_values_that_count_as_0_are_counted():
    """X = diag(1, 1e-8) behind its first word, λ = 1e-16: attained 0.5."""
    X, y, alpha = np.diag([1.0, 1e-8]), np.array([0, 1]), 1e-16
    reduction = Selection([0], None, 2)
    with pytest.warns(UserWarning, match="condition number"):
        full = RLSClassifier(alpha=alpha).fit(X, y).model_
    small = model_behind(reduction, X, y, alpha)
    part = certify(full, small, csr_array(X), y, reduction, alpha).in_span
    assert part.attained == pytest.approx(0.5, rel=1e-6)
    assert part.attained <= part.bound
    assert part.factor == part.cut == 1.0
    assert part.rank == 1


def test_n4_exact_dependence_costs_nothing():
    """Repeated documents have singular values of 0, which are measured, not guessed."""
    X = np.random.default_rng(1).random((6, 30))[[0, 1, 2, 3, 4, 5, 0, 1]]
    reduction = Selection(np.arange(20), None, 30)
    y = np.arange(8) % 2
    full = RLSClassifier(alpha=0.5).fit(X, y).model_
    small = model_behind(reduction, X, y, 0.5)
    part = certify(full, small, csr_array(X), y, reduction, 0.5).in_span
    assert part.rank == 6
    assert part.cut < 1e-11
    assert part.residual < 1e-10
