"""Events that random problems hardly ever have: each is made on purpose, with a known answer."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest

from laconic.numerics.lars import fast as module
from laconic.numerics.lars.active_set import LINEAR, ActiveSet
from laconic.numerics.lars.fast import fast_lars
from laconic.numerics.lars.path import lars
from laconic.numerics.lars.state import ROUNDS_TOGETHER, PathState
from tests.numerics.lars.oracles import lars_by_definition
from tests.numerics.lars.test_path import (
    assert_on_path,
    check_every_corner,
    contradicted,
    corners,
    problem,
)

PATHS = [lars, fast_lars]


def nearly_equal_words():
    """Words 0 and 2 differ much in two documents only, and by 1e-5 in two others.

    The two that distinguish them are soon right, and word 2 depends on word 0. It still reaches λ₁,
    by the 1e-5, and is refused. Then word 1 makes one of the two documents wrong again.
    """
    for_1 = [(value, 0.0, value) for value in np.linspace(0.5, 0.95, 10)]
    separating = [(1.5, 0.7, 1.5 + 1e-5), (1.0, 0.0, 1.0 - 1e-5), (3.0, 0.0, 0.0), (3.0, 3.0, 3.5)]
    against = [(0.5, 0.0, 0.5), (0.0, 0.5, 0.0), (0.0, 0.6, 0.0), (0.0, 0.7, 0.0)]
    X = np.array([*for_1, *separating, (0.0, 0.5, 0.0), *against])
    return X, np.repeat([1.0, -1.0], [15, 4])


@pytest.mark.parametrize("path", PATHS)
def test_a_refused_word_enters_once_a_document_tells_it_apart(path):
    X, y_signed = nearly_equal_words()
    take, taken = PathState.add_feature, []

    def watched(state, entry):
        accepted = take(state, entry)
        taken.append((entry.column, accepted))
        return accepted

    with patch.object(PathState, "add_feature", watched):
        *_, last = path(X, y_signed, alpha=0.0, bias=None)
    assert (2, False) in taken
    assert taken[-1] == (2, True)
    assert (last.columns.tolist(), last.ending, last.l1) == ([0, 1, 2], "finished", 0.0)
    assert_on_path(
        X, y_signed, last.columns, last.coef, 0.0, 0.0, "squared_hinge", 0.0, None, last.entry_l1[0]
    )


@pytest.mark.parametrize("path", PATHS)
def test_a_word_of_documents_in_the_straight_part_only_ends_the_path(path):
    """Its gradient is 0.1 · 2 from when its document is badly wrong: it cannot follow λ₁ down."""
    X = np.repeat([[1.0, 0.0], [3.0, 0.1]], [20, 1], axis=0)
    y_signed = np.repeat([-1.0, 1.0], [20, 1])
    (only,) = path(X, y_signed, loss="modified_huber", alpha=0.0, bias=None)
    assert (only.columns.tolist(), only.ending) == ([0], "singular")
    assert only.l1 == pytest.approx(0.2)
    # 20 (1 + β) − 2 · 3 = λ₁
    assert only.coef == pytest.approx([-1 + 6.2 / 20])


def test_a_document_that_alone_holds_a_word_is_torn_from_the_squared_part():
    """For word 1, r − 2 · 1.5 = −λ₁ with r the residual of document 60: 2 where λ₁ is 1.

    Further on neither it nor the last document is in the squared part, and nothing determines
    word 1.
    """
    X = np.repeat([[1.0, 0.0], [0.0, 1.0], [4.0, 1.5]], [60, 1, 1], axis=0)
    y_signed = np.repeat([-1.0, 1.0], [61, 1])
    points = check_every_corner(X, y_signed, "modified_huber", 0.0, None)
    assert [point.columns.tolist() for point in points] == [[0], [0, 1]]
    assert points[-1].ending == "singular"
    assert points[-1].l1 == pytest.approx(1.0)
    # 60 (1 + β) − 2 · 4 = λ₁, and document 60 has margin −1
    assert points[-1].coef == pytest.approx([-1 + 9 / 60, 1.0])


def documents_that_meet(rows, coef):
    """At l1 = 1/4 the model is `coef`, and all of these rows have margin 1.

    For each word one more document has it alone, with the value v that lets its gradient be −l1:
    alpha β + v (v β − 1) = −l1, with alpha = 1/2. The values are the smaller or the larger root.
    """
    sides = np.where(coef == coef.max(), 1.0, -1.0)
    values = (1 + sides * np.sqrt(1 - 4 * coef * (coef / 2 + 0.25))) / (2 * coef)
    X = np.vstack([rows, np.diag(values)])
    return X, np.ones(X.shape[0])


def test_documents_that_would_cross_together_in_circles_cross_one_by_one():
    """Those that ought to come or go, 1 2 3 of them, then 1 5, then 2 3 5, and round again."""
    rows = np.array([[0.0, 2, 14], [1, 0, 13], [6, 0, -2], [3, -3, 10], [4, 1, 3], [8, -1, -7]])
    coef = np.array([3.0, 1.0, 1.0]) / 16
    np.testing.assert_array_equal(rows @ coef, 1.0)
    X, y_signed = documents_that_meet(rows, coef)
    check_every_corner(X, y_signed, "squared_hinge", 0.5, None)
    seen, points = corners(X, y_signed, loss="squared_hinge", alpha=0.5, bias=None)
    at_once = [l1 for *_, l1, _ in seen if l1 == pytest.approx(0.25, abs=1e-9)]
    assert ROUNDS_TOGETHER < len(at_once) < ROUNDS_TOGETHER + 10
    columns, beta, _ = lars_by_definition(X, y_signed, "squared_hinge", 0.5, bias=False)[-1]
    assert (points[-1].columns.tolist(), points[-1].ending) == (columns, "finished")
    np.testing.assert_allclose(points[-1].coef, beta, atol=1e-9)


def test_equal_documents_cross_together_however_long_the_path():
    """One word, and pairs of documents that have more and more of it: it is right for one pair
    after the other."""
    X = np.repeat(np.linspace(1.0, 2.0, 80), 2)[:, None]
    seen, _ = corners(X, np.ones(160), loss="squared_hinge", alpha=0.01, bias=None)
    falls = -np.diff([l1 for *_, l1, _ in seen])
    assert falls.size > 2 * ROUNDS_TOGETHER
    assert (falls > 1e-12 * seen[0][3]).all()


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.parametrize(
    ("shape", "seed", "copies"), [((16, 10), 756, 3), ((19, 14), 779, 3), ((19, 14), 937, 2)]
)
def test_a_held_document_goes_when_another_has_come_in(loss, shape, seed, copies):
    X, y_signed = problem(*shape, seed, binary=True)
    X, y_signed = np.tile(X, (copies, 1)), np.tile(y_signed, copies)
    points = check_every_corner(X, y_signed, loss, 0.0, "always")
    assert points[-1].ending in ("finished", "saturated")


@pytest.mark.parametrize(("shape", "seed"), [((178, 71), 124), ((135, 53), 138), ((186, 65), 166)])
def test_a_jump_too_far_is_taken_back_by_halves(shape, seed):
    """A gradient comes back from outside: how far λ₁ has fallen too far, nobody knows."""
    X, y_signed = problem(*shape, seed)
    leap, found = module._jump_to_entry, []

    def counted(state, active, floor):
        found.append(False)
        entry = leap(state, active, floor)
        found[-1] = True
        return entry

    with patch.object(module, "_jump_to_entry", counted):
        assert len(list(fast_lars(X, y_signed, alpha=0.1))) == shape[1]
    assert len(found) >= shape[1]
    assert all(found)


@pytest.mark.parametrize("alpha", [0.0, 0.05])
def test_the_drift_is_corrected_with_documents_in_the_straight_part(alpha):
    X, y_signed = contradicted(0, 300, 8)
    X *= np.random.default_rng(0).uniform(0.7, 1.0, X.shape)  # no ties: a corner for each
    polish, straight = ActiveSet.polish, []

    def watched(active):
        straight.append(int((active.parts == LINEAR).sum()))
        return polish(active)

    with patch.object(ActiveSet, "polish", watched):
        points = check_every_corner(X, y_signed, "modified_huber", alpha, "always")
    assert max(straight) >= 1
    assert points[-1].ending == "finished"


def test_a_way_back_ends_where_the_jump_began():
    """A straight line drawn back through a gradient far outside may meet λ₁ above the start."""
    X, y_signed = problem(175, 75, seed=122)
    leap, move, starts, reached = module._jump_to_entry, ActiveSet.move, [], []

    def leaping(state, active, floor):
        starts.append(active.l1)
        return leap(state, active, floor)

    def moving(active, direction, step):
        move(active, direction, step)
        if starts:
            reached.append(active.l1 / starts[-1])

    with patch.object(module, "_jump_to_entry", leaping), patch.object(ActiveSet, "move", moving):
        points = list(fast_lars(X, y_signed, alpha=1e-4))
    assert len(points) > 50
    assert max(reached) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("seed", "loss"), [(69, "modified_huber"), (112, "squared_hinge"), (114, "squared_hinge")]
)
def test_a_feature_enters_before_a_document_that_crosses_at_the_same_moment(seed, loss):
    """Else it stays at λ₁ and never enters; a small alpha shows that it should."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(12, 40)), int(rng.integers(8, 40))
    X = (rng.random(shape) < 0.3).astype(float)
    y_signed = np.where(rng.random(shape[0]) < 0.5, 1.0, -1.0)
    (*_, here), (*_, near) = (
        lars(X, y_signed, alpha=alpha, loss=loss, bias=None) for alpha in (0.0, 1e-9)
    )
    assert here.columns.tolist() == near.columns[: here.size].tolist()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("loss", ["squared", "squared_hinge", "modified_huber"])
def test_columns_far_apart_in_scale_do_not_make_a_path_singular(path, loss):
    """Scales up to 1e8 apart and more words than documents: with alpha nothing is singular."""
    X, y_signed = problem(20, 60, 0)
    X = X * 10.0 ** np.random.default_rng(0).uniform(0.0, 8.0, 60)
    *_, last = path(X, y_signed, loss=loss, alpha=1.0)
    assert (last.ending, last.l1) == ("finished", 0.0)
    assert last.size >= 16
