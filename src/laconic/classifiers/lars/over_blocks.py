"""LARS paths over documents in blocks: on candidates in memory, with a check of all other words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array

from laconic.classifiers.lars.walk import LarsSettings, Walk
from laconic.errors import LaconicError, SizeUnavailable
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.candidates import REMEDY, CandidateMethod, Checked, on_candidates
from laconic.numerics.lars.newton import slope
from laconic.numerics.lars.outside import NO_COLUMNS, Trace, excess, start
from laconic.numerics.lars.path import Documents
from laconic.numerics.spectral.spectrum import column_squares
from laconic.types import Columns, Floats, Matrix


@dataclass(frozen=True, eq=False)
class Paths:
    """The walks of all rows for each setting, and their paths to the largest size."""

    walks: list[list[Walk]]
    traces: list[Trace]


def in_documents(X: Matrix) -> Documents | Blocks:
    """Documents as LARS reads them; blocks that do not fit into memory as they are."""
    documents = in_memory(X)
    return documents if isinstance(documents, Blocks) else Documents.of(documents)


def n_occurring(X: Documents | Blocks) -> int:
    """The number of words that are not 0 everywhere."""
    squares = column_squares(X) if isinstance(X, Blocks) else X.lengths[: X.constant]
    return int(np.count_nonzero(squares))


def too_few_candidates(size: float, checked: Checked[None] | None) -> SizeUnavailable | None:
    """Why there is no model of `size` words, if fewer fit into memory."""
    if checked is None or not checked.columns.size < size < math.inf:
        return None
    n_words = checked.columns.size
    return SizeUnavailable(
        size, f"only {n_words} words fit into memory. Ask for a size up to {n_words}. {REMEDY}"
    )


def walks_of(
    X: Documents | Blocks,
    y_signed: Floats,
    settings: Sequence[LarsSettings],
    sizes: Sequence[float],
) -> tuple[list[list[Walk]], Checked[None] | None]:
    """The walks of all rows for each setting, and of blocks the outcome of the check.

    Walks over blocks have the points of these sizes, ascending, only.
    """
    if not isinstance(X, Blocks):
        return _walks(X, y_signed, settings), None
    checked = _checked(X, y_signed, settings, sizes)
    return checked.result.walks, checked.outcome


def _walks(
    documents: Documents, y_signed: Floats, settings: Sequence[LarsSettings]
) -> list[list[Walk]]:
    return [[Walk(documents, labels, setting) for labels in y_signed.T] for setting in settings]


def _checked(
    X: Blocks, y_signed: Floats, settings: Sequence[LarsSettings], sizes: Sequence[float]
) -> Checked[Paths]:
    """Walks on candidates: the words with the largest gradient where no word is selected.

    Gradients are relative to the largest of the class.
    """
    if settings[0].bias == "selectable":
        raise LaconicError(
            "bias='selectable' with documents that are larger than memory: the check of words "
            "outside of memory needs the bias in the model. Use bias='always' or None"
        )
    method = CandidateMethod(
        partial(_run, y_signed=y_signed, settings=settings, sizes=sizes), _used, _excess
    )
    return on_candidates(X, _ranking(X, y_signed, settings[0]), method)


def _run(
    documents: csr_array,
    y_signed: Floats,
    settings: Sequence[LarsSettings],
    sizes: Sequence[float],
) -> Paths:
    walks = _walks(Documents.of(documents), y_signed, settings)
    traces = [walk.trace(sizes) for alternative in walks for walk in alternative if walk.moves]
    return Paths(walks, traces)


def _used(paths: Paths) -> Columns:
    columns = [trace.points[-1].columns for trace in paths.traces]
    return np.unique(np.concatenate([NO_COLUMNS, *columns])).astype(np.intp)


def _excess(paths: Paths, outside: Blocks) -> Floats:
    return excess(paths.traces, outside)


def _ranking(X: Blocks, y_signed: Floats, setting: LarsSettings) -> Columns:
    loss, alpha, bias = setting.loss, setting.alpha, setting.bias
    starts = [start(labels, 0.0, loss=loss, alpha=alpha, bias=bias) for labels in y_signed.T]
    intercepts = np.array([point.intercept for point in starts])
    g = np.abs(X.T @ (y_signed * slope(y_signed * intercepts, loss)))
    with np.errstate(invalid="ignore"):  # infinite entries of X are refused later
        shares = g / np.maximum(g.max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
    return np.argsort(-shares.max(axis=1), kind="stable")
