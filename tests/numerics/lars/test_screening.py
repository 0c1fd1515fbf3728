from __future__ import annotations

from functools import partial
from itertools import islice
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

from laconic.numerics.lars.active_set import PIECES, ActiveSet
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.path import Documents, lars
from laconic.numerics.lars.screening import Screening
from laconic.numerics.lars.state import PathState
from tests.numerics.lars.oracles import entry_step
from tests.numerics.lars.test_path import LOSSES, problem
from tests.strategies import text_like


def weighted_text(n_docs=300, n_terms=400):
    X, y = text_like(n_docs, n_terms, 4)
    X.data = 1 + np.log(X.data)
    lengths = np.sqrt(X.power(2).sum(axis=1))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    return X, np.where(y == 0, 1.0, -1.0)


def first_of_all(X, screening, active, direction, horizon):
    """Every column outside, evaluated: (step, column) of the first, the lowest of equals."""
    dense = np.hstack([X.toarray(), np.ones((X.shape[0], 1))])
    g, change = dense.T @ active.residuals, dense.T @ direction.residuals
    steps = np.full(g.size, np.inf)
    for column in np.flatnonzero(~screening.excluded):
        step = entry_step(g[column], change[column], active.l1)
        steps[column] = np.inf if step is None else step
    first = steps.min()
    if first > horizon:
        return None
    chosen = int(np.flatnonzero(steps <= first + screening.tie)[0])
    return steps[chosen], chosen


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_first_entry_is_that_among_all_columns(loss, alpha):
    X, y_signed = weighted_text()
    lazily, seen = Screening.first_entry, []

    def compared(screening, active, direction, horizon):
        found = lazily(screening, active, direction, horizon)
        expected = first_of_all(X, screening, active, direction, horizon)
        if expected is None:
            assert found is None
        else:
            assert found.column == expected[1]
            assert found.step == pytest.approx(expected[0], abs=1e-9)
            seen.append(found.column)
        return found

    with patch.object(Screening, "first_entry", compared):
        *_, last = islice(lars(X, y_signed, loss=loss, alpha=alpha), 60)
    assert seen[:60] == last.columns.tolist()


@pytest.mark.parametrize("path", [lars, fast_lars])
def test_most_columns_are_not_looked_at(path):
    X, y_signed = weighted_text()
    screenings, calls = [], []
    lazily = Screening.first_entry

    def counted(screening, *arguments):
        screenings.append(screening)
        calls.append(1)
        return lazily(screening, *arguments)

    with patch.object(Screening, "first_entry", counted):
        assert len(list(islice(path(X, y_signed), 60))) == 60
    assert screenings[0].passes < len(calls) / 4


def test_the_list_is_made_anew_when_l1_rises():
    """Jumps go back: a column that was out of sight further down may be near further up."""
    X, y_signed = weighted_text()
    lazily, risen = Screening.first_entry, []
    lowest = [np.inf]

    def compared(screening, active, direction, horizon):
        found = lazily(screening, active, direction, horizon)
        if active.l1 > lowest[0]:
            expected = first_of_all(X, screening, active, direction, horizon)
            risen.append(expected is not None)
            assert (found is None) == (expected is None)
            assert found is None or found.column == expected[1]
        lowest[0] = min(lowest[0], active.l1)
        return found

    with patch.object(Screening, "first_entry", compared):
        list(islice(fast_lars(X, y_signed), 150))
    assert sum(risen) > 5


def first_from_anywhere(X, active, direction, horizon, tie):
    """As `first_of_all`, where gradients may be above λ₁ already; a way back is below 0."""
    g, change = X.T @ active.residuals, X.T @ direction.residuals
    steps = np.full(g.size, np.inf)
    for column in range(g.size):
        roots = [
            (active.l1 - side * g[column]) / (1 + side * change[column])
            for side in (1, -1)
            if 1 + side * change[column] > 1e-10
        ]
        steps[column] = min(roots, default=np.inf)
        if abs(g[column]) > active.l1 + tie and steps[column] > 0:
            steps[column] = -np.inf
    first = steps.min()
    return None if first > horizon else int(np.flatnonzero(steps <= first + tie)[0])


def test_wherever_the_residuals_have_gone_no_column_is_overlooked():
    rng = np.random.default_rng(0)
    X, _ = weighted_text(60, 80)
    screening = Screening(Documents.of(X), np.arange(81) == 80, tie=1e-9)
    residuals, velocity = rng.normal(size=60), 0.1 * rng.normal(size=60)
    found = []
    for _ in range(300):
        # in place, as an active set does
        residuals += 0.02 * rng.normal(size=60)
        velocity += 0.01 * rng.normal(size=60)
        l1 = np.abs(X.T @ residuals).max() * rng.uniform(0.95, 1.2)
        active = SimpleNamespace(l1=l1, residuals=residuals)
        direction = SimpleNamespace(residuals=velocity)
        horizon = 0.1 * l1 * rng.random()
        entry = screening.first_entry(active, direction, horizon)
        expected = first_from_anywhere(X, active, direction, horizon, 1e-9)
        assert (None if entry is None else entry.column) == expected
        found.append(expected is not None)
    assert 30 < sum(found) < 270
    assert screening.passes < 150


def test_a_column_that_comes_back_from_outside_is_seen_from_above_and_off_the_line():
    """Its gradient is 3 λ₁ − 1.5: within λ₁ below 0.75, and above 0.75 outside, on its way in."""
    screening = Screening(Documents.of(np.eye(50)), np.arange(51) == 50, tie=1e-9)
    velocity = np.zeros(50)
    velocity[7] = -3.0

    def seen(l1, more=0.0, horizon=0.01):
        residuals = np.zeros(50)
        residuals[7] = 3 * l1 - 1.5 + more
        active = SimpleNamespace(l1=l1, residuals=residuals)
        return screening.first_entry(active, SimpleNamespace(residuals=velocity), horizon)

    assert seen(0.72) is None
    assert seen(0.72, more=0.001) is None  # from now on the list allows for some distance
    above = seen(0.95)
    assert (above.column, above.step, above.sign) == (7, -np.inf, 1.0)
    assert seen(0.74) is None
    assert seen(0.74, more=0.03).column == 7
    assert seen(0.76, horizon=0.03).column == 7  # though at 0.73 it is back
    assert screening.passes == 1


def test_a_column_readmitted_is_on_the_list_again():
    """Two equal columns, far above all others; the first had been refused."""
    residuals, velocity = np.full(50, 0.1), np.full(50, -0.01)
    residuals[:2], velocity[:2] = 0.9, 0.5
    excluded = np.arange(51) == 50
    excluded[0] = True
    screening = Screening(Documents.of(np.eye(50)), excluded, tie=1e-9)
    active = SimpleNamespace(l1=1.0, residuals=residuals)
    direction = SimpleNamespace(residuals=velocity)
    assert screening.first_entry(active, direction, 0.5).column == 1
    screening.readmit([])
    assert screening.first_entry(active, direction, 0.5).column == 1
    screening.readmit([0])
    entry = screening.first_entry(active, direction, 0.5)
    assert (entry.column, entry.sign, screening.passes) == (0, 1.0, 1)
    # 0.9 + 0.5 step = 1 − step; without it |g| would gain 1 + 0.5 on λ₁
    assert entry.step == pytest.approx(0.1 / 1.5)
    assert entry.divergence == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("g", "change", "step", "sign", "divergence"),
    [
        (0.1, -2.0, 1.1 / 3, -1.0, 3.0),  # it changes its sign on the way
        (-0.9, -0.5, 0.1 / 1.5, -1.0, 1.5),
        (0.5, 0.0, 0.5, 1.0, 1.0),
        (1.0, -1.0, None, None, None),  # along λ₁, down to 0
    ],
)
def test_one_column_enters_where_its_gradient_meets_l1(g, change, step, sign, divergence):
    screening = Screening(Documents.of(np.eye(1)), np.array([False, True]), tie=1e-9)
    active = SimpleNamespace(l1=1.0, residuals=np.array([g]))
    entry = screening.first_entry(active, SimpleNamespace(residuals=np.array([change])), 0.9)
    if step is None:
        assert entry is None
    else:
        assert (entry.column, entry.sign) == (0, sign)
        assert (entry.step, entry.divergence) == (pytest.approx(step), pytest.approx(divergence))


def test_columns_within_the_tie_enter_by_their_number():
    screening = Screening(Documents.of(np.eye(3)), np.arange(4) == 3, tie=1e-3)
    active = SimpleNamespace(l1=1.0, residuals=np.array([0.1, 0.4995, 0.5]))
    still = SimpleNamespace(residuals=np.zeros(3))
    assert screening.first_entry(active, still, 0.5001).column == 1
    assert screening.first_entry(active, still, 0.49) is None


def test_a_new_evaluation_makes_a_new_list():
    """Column 0 is far from λ₁ until all columns are evaluated again; the others never enter."""
    screening = Screening(Documents.of(np.eye(50)), np.arange(51) == 50, tie=0.005)

    def seen(g):
        residuals = np.full(50, 0.96)
        residuals[0] = g
        active = SimpleNamespace(l1=1.0, residuals=residuals)
        return screening.first_entry(active, SimpleNamespace(residuals=np.zeros(50)), 0.01)

    assert seen(0.3) is None
    assert seen(0.35) is None  # 49 single evaluations
    assert seen(0.35) is None  # and again: as much as all would have cost
    assert screening.passes == 1
    assert seen(0.995).column == 0
    assert screening.passes == 2


def test_what_was_evaluated_is_kept_though_the_arrays_go_on():
    screening = Screening(Documents.of(np.eye(50)), np.arange(51) == 50, tie=1e-9)
    residuals, velocity = np.full(50, 0.5), np.zeros(50)
    active = SimpleNamespace(l1=1.0, residuals=residuals)
    direction = SimpleNamespace(residuals=velocity)
    assert screening.first_entry(active, direction, 0.1) is None
    velocity[7] = 10.0
    assert screening.first_entry(active, direction, 0.1).column == 7
    velocity[7], residuals[8] = 0.0, 0.95
    assert screening.first_entry(active, direction, 0.1).column == 8
    assert screening.passes == 1


def test_a_way_that_may_bend_far_may_have_passed_any_column():
    """Also a column that the last evaluation shows to be far from λ₁ at both ends."""
    X, y_signed = problem(60, 20)
    active = ActiveSet(Documents.of(X), y_signed, PIECES["squared_hinge"], 1.0)
    state = PathState(active, "always")
    direction = active.direction()
    state.screening.first_entry(active, direction, 0.0)
    ask = partial(state.screening.may_have_reached_l1, active.l1, active.residuals, active)
    g = np.abs(X.T @ active.residuals)
    away = int(g.argmax())
    lengths = np.asarray(np.sqrt((X**2).sum(axis=0))).ravel()
    room = 4 * (active.l1 - g) ** 2 / lengths**2
    tightest = np.delete(room, away).min()
    assert set(ask(0.99 * tightest, 20)) == {away}
    assert set(ask(1.01 * tightest, 20)) > {away}
    assert len(ask(1.01 * tightest, 1)) == 1
