"""The peak of a call, in a process of its own. Apart, because that process imports this file."""

from __future__ import annotations

import numpy as np

from bench.memory import peak_growth

MEGABYTE = 2**17  # numbers


def allocated(X, y, size):
    """A megabyte a word; the documents alone are a few bytes."""
    return np.ones((size, MEGABYTE))


def freed(X, y, size):
    """The same at its peak, and nothing left of it."""
    return len(allocated(X, y, size))


def test_the_peak_is_that_of_the_call_and_not_of_the_one_before():
    X, y = np.ones((10, 1)), np.ones(10)
    assert 95 < peak_growth(allocated, X, y, 100) < 110
    assert 45 < peak_growth(freed, X, y, 50) < 60


def test_it_is_never_nothing():
    """A share of it is asked for."""
    X, y = np.ones((10, 1)), np.ones(10)
    assert peak_growth(allocated, X, y, 1) >= 1.0
