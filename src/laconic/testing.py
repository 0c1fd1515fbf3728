"""Examinations for your own reducers and path classifiers. Each raises AssertionError and says why.

from laconic.testing import check_reducer
check_reducer(MyReducer(), X, y)
"""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import clone

from laconic.classifiers.path import PathClassifier
from laconic.errors import SizeUnavailable
from laconic.model import LinearModel
from laconic.reducer import Reducer
from laconic.reduction import Matrix, Reduction, Selection

__all__ = ["check_path", "check_reducer"]


def check_reducer(
    reducer: Reducer, X: Matrix, y: ArrayLike | None = None, *, nested: bool = True
) -> None:
    """Examine a reducer on documents: cuts, lifting, state, names, refusal.

    `nested=False` for methods whose smaller selections are not prefixes of larger ones (BSS).
    """
    fitted = clone(reducer).fit(X, y)
    before = pickle.dumps(fitted)
    sizes = _spread(fitted.available_)
    made = {size: _cut_or_none(fitted, size) for size in sizes}
    cuts = {size: cut for size, cut in made.items() if cut is not None}
    assert cuts, f"no size of {sizes} can be had"
    for size, cut in cuts.items():
        _check_reduction(cut, X)
        again = fitted.at(size)
        assert _same(again.apply(X), cut.apply(X)), f"at({size}) differs when asked again"
    if nested:
        for small, large in pairwise(cuts.values()):
            _check_nested(small, large)
    assert pickle.dumps(fitted) == before, "at() or apply() changed the fitted reducer"
    _check_transform(clone(reducer).set_params(size=next(iter(cuts))).fit(X, y), X)
    _check_refusal(fitted)


def check_path(classifier: PathClassifier, X: Matrix, y: ArrayLike) -> None:
    """Examine a path classifier: one item a size, ascending, models that decide, fit = path."""
    sizes = _spread(X.shape[1])
    items = list(clone(classifier).path(X, y, list(reversed(sizes))))
    assert len(items) == len(sizes), f"{len(items)} items for {len(sizes)} sizes"
    models = [item for item in items if not isinstance(item, SizeUnavailable)]
    assert models, f"no model at any of the sizes {sizes}"
    kept = [model.size for model in models]
    assert kept == sorted(kept), f"sizes are not ascending: {kept}"
    for asked, item in zip(sizes, items, strict=True):
        if isinstance(item, SizeUnavailable):
            assert item.reason, f"size {asked} is refused without a reason"
            continue
        _check_model(item, X, y)
        alone = clone(classifier).set_params(size=asked).fit(X, y)
        assert np.allclose(alone.model_.decision(X), item.decision(X), atol=1e-8), (
            f"fit with size={asked} gives another model than path at {asked}"
        )
    impossible = next(iter(clone(classifier).path(X, y, [10 * X.shape[1]])))
    assert isinstance(impossible, SizeUnavailable), "a size beyond all terms must be refused"


def _spread(available: int) -> list[int]:
    """Small, middling and largest sizes."""
    return sorted({1, min(2, available), max(1, available // 3), available})


def _cut_or_none(reducer: Reducer, size: int) -> Reduction | None:
    try:
        return reducer.at(size)
    except SizeUnavailable as absent:
        assert absent.reason, f"size {size} is refused without a reason"
        return None


def _check_reduction(cut: Reduction, X: Matrix) -> None:
    Z = cut.apply(X)
    assert Z.shape == (X.shape[0], cut.size), f"apply gives {Z.shape} at size {cut.size}"
    if isinstance(cut, Selection):
        assert issparse(Z) == issparse(X), "a selection must keep sparse documents sparse"
        assert np.unique(cut.terms).size == cut.size, "terms are not distinct"
    coef = np.random.default_rng(0).normal(size=(3, cut.size))
    lifted = cut.lift(coef)
    assert lifted.shape == (3, X.shape[1]), f"lift gives {lifted.shape}"
    assert not isinstance(cut, Selection) or issparse(lifted), "a selection must lift to sparse"
    assert np.allclose(_dense(X @ lifted.T), _dense(Z @ coef.T)), "lift changes decisions"


def _check_nested(small: Reduction, large: Reduction) -> None:
    if isinstance(small, Selection) and isinstance(large, Selection):
        assert np.array_equal(small.terms, large.terms[: small.size]), (
            f"the {small.size} terms are not the first of the {large.size}"
        )


def _check_transform(reducer: Reducer, X: Matrix) -> None:
    assert _same(reducer.transform(X), reducer.at(reducer.size).apply(X)), (
        "transform is not at(size).apply"
    )
    names = reducer.get_feature_names_out()
    assert len(names) == reducer.at(reducer.size).size, "one name a column"


def _check_refusal(reducer: Reducer) -> None:
    try:
        reducer.at(10 * reducer.available_ + 10)
    except SizeUnavailable as absent:
        assert absent.reason, "a refusal needs a reason"
    else:
        raise AssertionError("a size beyond what is available must raise SizeUnavailable")


def _check_model(model: Any, X: Matrix, y: ArrayLike) -> None:
    values = model.decision(X)
    columns = 1 if model.rule == "sign" else len(model.classes)
    assert values.shape == (X.shape[0], columns), f"decision values of shape {values.shape}"
    assert np.isfinite(values).all(), "decision values must be finite"
    assert np.shape(model.predict(X)) == np.shape(y), "predictions must look like y"
    if isinstance(model, LinearModel):
        assert model.coef.shape[1] == X.shape[1], "a model speaks over the original vocabulary"
        assert model.n_features <= X.shape[1]


def _dense(product: Any) -> np.ndarray:
    return product.toarray() if issparse(product) else np.asarray(product)


def _same(left: Any, right: Any) -> bool:
    return np.array_equal(_dense(left), _dense(right))
