"""The best intercept against a grid, and against all candidates in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.numerics.svm.intercept import best_intercept

LOSSES = ["hinge", "squared_hinge"]


def lost(margins, loss):
    short = np.maximum(0.0, 1.0 - margins)
    return short if loss == "hinge" else short**2


def grid_best(values, y_signed, costs, loss):
    """The least loss over many intercepts, all the borders among them."""
    ends = y_signed - values
    grid = np.append(ends, np.linspace(ends.min() - 1, ends.max() + 1, 400))
    return lost(y_signed * (values + grid[:, None]), loss) @ costs


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 1000), st.sampled_from(LOSSES))
def test_no_intercept_of_a_grid_is_better(n_yes, n_no, seed, loss):
    rng = np.random.default_rng(seed)
    y_signed = rng.permutation(np.repeat([1.0, -1.0], [n_yes, n_no]))
    values = rng.choice([-2.0, -0.5, 0.0, 0.7, 3.0], y_signed.size) + (seed % 3) * y_signed
    costs = rng.choice([0.5, 1.0, 2.0], y_signed.size)
    b = best_intercept(values, y_signed, costs, loss)
    least = grid_best(values, y_signed, costs, loss).min()
    assert costs @ lost(y_signed * (values + b), loss) <= least + 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_of_equally_good_intercepts_the_middle(loss):
    """Any b in [−2, 1] leaves nothing lost."""
    values, y_signed = np.array([3.0, 5.0, -2.0, -4.0]), np.array([1.0, 1.0, -1.0, -1.0])
    assert best_intercept(values, y_signed, np.ones(4), loss) == pytest.approx(-0.5)
    assert best_intercept(values, y_signed, np.array([1.0, 1.0, 0.0, 1.0]), loss) == pytest.approx(
        0.5
    )


def exact_loss(borders, y_signed, costs, loss, b):
    """Σ C max(0, y (border − b)), or of its square, in fractions: border is y − x'w."""
    power = 1 if loss == "hinge" else 2
    return sum(
        c * max(Fraction(0), y * (border - b)) ** power
        for border, y, c in zip(borders, y_signed, costs, strict=True)
    )


def exact_best(borders, y_signed, costs, loss):
    """The least over all borders and, between two, the mean of the documents that are short."""
    candidates = list(borders)
    for low, high in itertools.pairwise(sorted(borders)):
        middle = (low + high) / 2
        short = [
            (border, c)
            for border, y, c in zip(borders, y_signed, costs, strict=True)
            if y * (border - middle) > 0
        ]
        if short:
            candidates.append(sum(x * c for x, c in short) / sum(c for _, c in short))
    return min(exact_loss(borders, y_signed, costs, loss, b) for b in candidates)


@given(
    st.integers(2, 9),
    st.integers(-8, 8),
    st.integers(-3, 9),
    st.integers(0, 2**32 - 1),
    st.sampled_from(LOSSES),
)
def test_far_values_and_unlike_costs_have_a_best_intercept_too(n_docs, spread, far, seed, loss):
    rng = np.random.default_rng(seed)
    y_signed = rng.permutation(np.append([1.0, -1.0], rng.choice([-1.0, 1.0], n_docs - 2)))
    values = rng.normal(size=n_docs) * 10.0**spread + rng.normal() * 10.0**far
    costs = 10.0 ** rng.uniform(-6, 6, n_docs)
    b = best_intercept(values, y_signed, costs, loss)
    borders = y_signed - values
    parts = [[Fraction(x) for x in numbers] for numbers in (borders, y_signed, costs)]
    least = exact_best(*parts, loss)
    found = exact_loss(*parts, loss, Fraction(b))
    rounding = 1e-15 * np.abs(borders).max()
    power = 1 if loss == "hinge" else 2
    assert float(found) <= float(least) * (1 + 1e-9) + costs.sum() * (10 * rounding) ** power


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_where_all_agree_the_nearest_that_loses_nothing(sign, loss):
    values = np.array([0.5, -1.0, 2.0])
    b = best_intercept(values, np.full(3, sign), np.ones(3), loss)
    assert not lost(sign * (values + b), loss).any()
    assert (sign * (values + b)).min() == pytest.approx(1.0)
