"""The parts of a path, each alone: the active set, the crossings of its documents, the state."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from laconic.numerics.lars.active_set import LINEAR, PIECES, SQUARED, ZERO, ActiveSet, Direction
from laconic.numerics.lars.crossings import STILL, cross_borders, is_singular, next_crossings
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.jumps import FEW, JumpingActiveSet
from laconic.numerics.lars.screening import Entry
from laconic.numerics.lars.state import DIVERGING, PathState
from tests.numerics.lars.oracles import crossings_by_definition, gradient, loss_slope
from tests.numerics.lars.test_path import problem

NAMES = {ZERO: "zero", SQUARED: "squared", LINEAR: "linear"}
MARGINS = {
    ZERO: [1.0 - 1e-9, 1.0, 1.5, 1.55, 3.0],
    SQUARED: [-1.0 - 1e-9, -1.0, -0.5, 0.0, 0.5, 0.55, 1.0, 1.0 + 1e-9],
    LINEAR: [-3.0, -1.5, -1.0, -1.0 + 1e-9],
}


def placed(X, y_signed, coef, loss="modified_huber", alpha=0.0):
    """An active set with these coefficients, every document in the part of its margin."""
    active = ActiveSet(Documents.of(X), y_signed, PIECES[loss], alpha)
    for column in range(X.shape[1]):
        assert active.add_column(column, 1.0)
    active.coef = np.array(coef)
    margins = y_signed * (X @ active.coef)
    pieces = PIECES[loss]
    active.parts[:] = np.where(
        margins > pieces.upper, ZERO, np.where(margins < pieces.lower, LINEAR, SQUARED)
    )
    return active


@pytest.mark.parametrize("loss", list(PIECES))
@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_measured_margins_residuals_and_errors_are_those_of_the_definition(loss, alpha):
    X, y_signed = problem(50, 4, seed=1)
    coef = np.array([3.0, -4.0, 5.0, -2.0])
    active = placed(X, y_signed, coef, loss, alpha)
    active.l1 = 1.5
    error = active.recompute()
    margins = y_signed * (X @ coef)
    assert margins.min() < -1.1
    assert margins.max() > 1.1
    np.testing.assert_allclose(active.margins, margins, atol=1e-12)
    np.testing.assert_allclose(active.residuals, y_signed * loss_slope(margins, loss), atol=1e-12)
    np.testing.assert_allclose(error, gradient(X, y_signed, coef, loss, alpha) - 1.5, atol=1e-12)


@pytest.mark.parametrize("factor_is_sound", [True, False])
def test_polishing_takes_the_drift_away_even_with_a_factor_gone_wrong(factor_is_sound):
    X, y_signed = problem(50, 4, seed=1)
    active = placed(X, y_signed, [0.3, -0.4, 0.5, -0.2], "squared", 0.7)
    if not factor_is_sound:
        active.factor.update(np.full(4, 9.0))
    with patch.object(active, "refactor", wraps=active.refactor) as refactor:
        assert active.polish()
    assert refactor.called is not factor_is_sound
    expected = np.linalg.solve(0.7 * np.eye(4) + X.T @ X, X.T @ y_signed)
    np.testing.assert_allclose(active.coef, expected, atol=1e-12)
    np.testing.assert_allclose(active.residuals, X @ expected - y_signed, atol=1e-12)


def test_polishing_says_where_the_system_is_singular():
    X, y_signed = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([1.0, -1.0])
    active = placed(X, y_signed, [0.5, -0.5])
    active.l1 = 0.3
    active.parts[1] = ZERO
    assert not active.polish()


@given(st.data())
def test_the_next_crossings_are_those_among_all_documents(data):
    """Some are on a border, a little beyond it, held, or moved by rounding only."""
    n_docs = data.draw(st.integers(1, 20))
    pieces = PIECES[data.draw(st.sampled_from(["squared_hinge", "modified_huber"]))]

    def drawn(dtype, *values):
        return data.draw(hnp.arrays(dtype, n_docs, elements=st.sampled_from(values)))

    parts = drawn(np.int8, ZERO, SQUARED, *([LINEAR] if pieces.lower > -np.inf else []))
    margins = np.array([data.draw(st.sampled_from(MARGINS[part])) for part in parts])
    speeds = drawn(np.float64, -2.0, -1.0, -1e-9, 0.0, 1e-9, 1e-9, 1.0)
    held = drawn(np.bool_, False, False, True)
    active = SimpleNamespace(margins=margins, parts=parts, held=held, pieces=pieces)
    found = next_crossings(active, SimpleNamespace(speeds=speeds, slow=1e-8), tie=0.1)
    steps = crossings_by_definition(
        margins, speeds, [NAMES[part] for part in parts], held, pieces.lower, pieces.upper, 1e-8
    )
    assert found.step == steps.min()
    due = (steps <= found.step + 0.1) & (steps < np.inf)
    assert found.docs.tolist() == np.flatnonzero(due).tolist()


@pytest.mark.parametrize(
    ("part", "speed", "margin", "to"),
    [
        (SQUARED, 1.0, 1.0, ZERO),
        (SQUARED, -1.0, -1.0, LINEAR),
        (ZERO, -1.0, 1.0, SQUARED),
        (LINEAR, 1.0, -1.0, SQUARED),
    ],
)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_document_lands_on_the_border_and_is_in_the_next_part(part, speed, margin, to, sign):
    X, y_signed = np.array([[1.0], [1.0]]), np.array([sign, sign])
    active = placed(X, y_signed, [0.0], alpha=1.0)
    active.parts[0] = part
    assert active.refactor()
    active.margins[0] = margin + 1e-13  # a step that rounding has made too long
    cross_borders(active, SimpleNamespace(speeds=np.array([speed, 0.0])), np.array([0]))
    assert (active.parts[0], active.margins[0]) == (to, margin)
    assert active.residuals[0] == sign * (margin - 1.0)
    assert active.factor.U[0, 0] ** 2 == pytest.approx(2.0 + (to == SQUARED))
    assert active.admissions == (to == SQUARED)


def test_a_held_document_may_go_when_another_has_come_in():
    """Documents 0 and 2 alone have the second word; with 2 away, 0 has leverage 1."""
    X = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    active = placed(X, np.ones(3), [0.4, 0.6])
    outward = SimpleNamespace(speeds=np.array([1.0, 0.0, 1.0]))
    cross_borders(active, outward, np.array([2, 0]))
    assert active.parts.tolist() == [SQUARED, SQUARED, ZERO]
    assert active.held.tolist() == [True, False, False]
    cross_borders(active, SimpleNamespace(speeds=-outward.speeds), np.array([2]))
    assert not active.held.any()
    cross_borders(active, outward, np.array([0]))
    assert active.parts.tolist() == [ZERO, SQUARED, SQUARED]


@pytest.mark.parametrize(
    ("margin", "speed", "torn"),
    [(-1.0, -1.0, True), (-1.0, 1.0, False), (1.0, 1.0, True), (1.0, -1.0, False),
     (1.0, STILL / 4, False), (1.0, STILL, True)],
)  # fmt: skip
def test_a_held_document_that_would_go_out_tears_the_system(margin, speed, torn):
    active = SimpleNamespace(held=np.array([False, True]), margins=np.array([-1.0, margin]), l1=2.0)
    direction = SimpleNamespace(speeds=np.array([-1.0, speed]))
    assert is_singular(active, direction) is torn
    active.held[1] = False
    assert not is_singular(active, direction)


def course_with_a_dependent_word():
    """Words 0 and 1 differ in document 0 only, which is away; word 0 is in."""
    X = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    state = PathState(ActiveSet(Documents.of(X), np.ones(3), PIECES["squared_hinge"], 0.0), None)
    assert state.add_feature(Entry(0, 0.0, -1.0, 1.0))
    cross_borders(state.active, SimpleNamespace(speeds=np.ones(3)), np.array([0]))
    return state


def test_a_refused_word_is_a_candidate_again_once_a_document_has_come_in():
    state = course_with_a_dependent_word()
    word = Entry(1, 0.0, -1.0, DIVERGING / 2)
    assert not state.add_feature(word)
    assert state.ending is None
    state.readmit()
    assert state.screening.excluded[1]
    cross_borders(state.active, SimpleNamespace(speeds=-np.ones(3)), np.array([0]))
    state.readmit()
    assert not state.screening.excluded[1]
    assert state.add_feature(word)
    cross_borders(state.active, SimpleNamespace(speeds=np.ones(3)), np.array([1]))
    cross_borders(state.active, SimpleNamespace(speeds=-np.ones(3)), np.array([1]))
    state.readmit()
    assert state.screening.excluded[1], "what has entered is no candidate any more"


def test_a_refused_word_that_leaves_the_cone_ends_the_path():
    state = course_with_a_dependent_word()
    assert not state.add_feature(Entry(1, 0.0, -1.0, 2 * DIVERGING))
    assert state.ending == "singular"


@pytest.mark.parametrize("n_docs", [FEW // 2, 2 * FEW])
def test_documents_that_come_in_by_a_repair_are_counted(n_docs):
    """One by one or at once: refused words wait for it."""
    X, y_signed = np.linspace(1.0, 2.0, n_docs)[:, None], np.ones(n_docs)
    active = JumpingActiveSet(Documents.of(X), y_signed, PIECES["squared_hinge"], 1.0)
    assert active.add_column(0, -1.0)
    active.parts[:] = ZERO
    assert active.refactor()
    active.recompute()  # without coefficients every margin is 0
    assert active.return_to_path()
    inside = int((active.parts == SQUARED).sum())
    assert active.admissions >= n_docs > inside > 0


@pytest.mark.parametrize("past", [4e-16, 1e-12, 1e-10])
def test_a_slow_document_that_rounding_has_put_past_its_border_is_due(past):
    X = np.eye(3)
    active = ActiveSet(Documents.of(X), np.array([1.0, 1.0, -1.0]), PIECES["squared_hinge"], 1.0)
    active.margins = np.array([1.0 + past, 0.2, 0.3])
    speeds = np.array([1e-5, 1.0, -1.0])
    direction = Direction(np.zeros(0), speeds, np.zeros(3), 0.0)
    found = next_crossings(active, direction, 1e-11)
    assert (found.step, found.docs.tolist()) == (0.0, [0])
