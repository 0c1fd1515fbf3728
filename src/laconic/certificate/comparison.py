"""`certify` and `serving_interval`: comparison of two linear models over one vocabulary."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from laconic.certificate.behind import ReducedSpan
from laconic.certificate.checks import (
    check_models,
    check_numbers,
    check_reduction,
    read_documents,
)
from laconic.certificate.parts import (
    Certificate,
    Changes,
    HeldOut,
    NotComputed,
    SpanSuprema,
    Suprema,
    WorstCase,
)
from laconic.certificate.self_contained import SplitPair
from laconic.certificate.span_parts import Distortion, InSpan, Promised, QueryBounds
from laconic.certificate.spectral import NO_REDUCTION, RidgePair
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.numerics.blocks import Blocks
from laconic.numerics.bounds import suprema as of
from laconic.numerics.bounds.span import DOUBTFUL, Span
from laconic.reduction import Reduction, Selection
from laconic.types import Bools, Floats, Indices, Matrix

SELF_CONTAINED = NotComputed(
    "it is for models with normalize='all'; a model with normalize='selected' divides documents by "
    "their length over its own words. Use suprema and the parts from held-out documents",
    applies=False,
)
NO_DOCUMENTS = NotComputed("needs held_out documents")


def certify(
    full: LinearModel,
    small: LinearModel,
    X: Matrix,
    y: ArrayLike | None = None,
    reduction: Reduction | None = None,
    alpha: float | None = None,
    held_out: Matrix | None = None,
    confidence: float = 0.9,
    *,
    span_limit: int = 5_000,
) -> Certificate:
    """Bounds on the change of decisions when `small` replaces `full`.

    A part that cannot be computed is a `NotComputed` with the reason. Thresholds are subtracted
    from the decision values, so that a decision is a comparison with 0.

    Parameters
    ----------
    full, small : LinearModel
        Models over one vocabulary, with the same classes and rule.
    X : array or sparse array of shape (n_docs, n_terms)
        The documents that both were trained on.
    y : array-like or None, default=None
        Their labels. With `reduction` and `alpha`, needed for the part about RLS.
    reduction : Selection, Projection or None, default=None
        The reduction of the small model. If it carries a promise, the promise is checked.
    alpha : float or None, default=None
        The alpha of both models.
    held_out : array or sparse array or None, default=None
        Documents that were used neither for training nor for selection. Labels are not needed.
    confidence : float, default=0.9
        Confidence of the held-out part.
    span_limit : int, default=5000
        The span of X is computed, in cubic time, if its smaller side is at most this.

    Returns
    -------
    Certificate
    """
    check_numbers(confidence, alpha)
    check_models(full, small)
    full, small = full.without_thresholds(), small.without_thresholds()
    training = read_documents(X, full, "X")
    test = None if held_out is None else read_documents(held_out, full, "held_out")
    pair = _Pair(full, small)
    # for self-contained models the span is used only for the reduction
    unused = pair.self_contained and reduction is None
    span = NO_REDUCTION if unused else _span_of(training.gathered(), span_limit)
    reduced_span = _reduced_span(span, reduction, full)
    distortion, promise = _reduction_parts(reduced_span, reduction)
    in_span, bounds = pair.ridge_parts(reduced_span, y, alpha, test)
    changes, next_documents = pair.held_out_parts(test, confidence)
    return Certificate(
        rule=full.rule,
        rows=tuple((full.classes[1:] if full.rule == "sign" else full.classes).tolist()),
        n_features_in=full.n_features_in,
        n_features=small.n_features,
        suprema=pair.suprema(),
        span=pair.span_suprema(span),
        worst_case=pair.worst_case(training if test is None else test, test is not None),
        distortion=distortion,
        promise=promise,
        in_span=in_span,
        queries=bounds.medians() if isinstance(bounds, QueryBounds) else bounds,
        changes=changes,
        held_out=next_documents,
        query_bounds=bounds if isinstance(bounds, QueryBounds) else None,
    )


def serving_interval(
    full: LinearModel, terms: ArrayLike, Q: Matrix, lengths: ArrayLike = 1.0
) -> Floats:
    """The range of the full model's decision value if only the selected words are known.

    Parameters
    ----------
    full : LinearModel
        A model with normalize="all".
    terms : array-like
        The selected columns of the vocabulary.
    Q : array or sparse array of shape (n_docs, len(terms))
        Their entries in each document, not negative.
    lengths : float or array of shape (n_docs,), default=1.0
        The lengths of the whole documents; 1 for documents divided by their length.

    Returns
    -------
    array of shape (n_docs, n_rows, 2)
        The lowest and the highest value, from which thresholds are not subtracted.
    """
    if full.normalize != "all":
        raise LaconicError("serving_interval needs a model with normalize='all'")
    columns = np.asarray(terms, dtype=np.intp)
    if columns.ndim != 1 or Q.shape[1] != columns.size or np.unique(columns).size != columns.size:
        raise LaconicError(
            f"{columns.shape} terms for {Q.shape[1]} columns: give one distinct term per column"
        )
    known = of.lengths(Q)
    whole = np.broadcast_to(np.asarray(lengths, dtype=np.float64), known.shape)
    short = int((whole < known * (1 - 1e-9)).sum())
    if short:
        raise LaconicError(f"{short} documents are shorter than their known part: check lengths")
    w = of.dense(full.coef)
    off = w.copy()
    off[:, columns] = 0.0
    middle = of.dense(Q @ w[:, columns].T) + full.intercept
    return middle[:, :, None] + of.serving_range(off, known, whole)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two comparable models; `D` and `b` are the differences small − full."""

    full: LinearModel
    small: LinearModel

    @cached_property
    def D(self) -> of.Difference:  # noqa: N802 - a matrix
        return of.Difference(self.small.coef, self.full.coef)

    @cached_property
    def b(self) -> Floats:
        return self.small.intercept - self.full.intercept

    @property
    def self_contained(self) -> bool:
        return "selected" in (self.full.normalize, self.small.normalize)

    @cached_property
    def split(self) -> SplitPair | NotComputed:
        return SplitPair.read(self.full, self.small)

    def suprema(self) -> Suprema | NotComputed:
        if not self.self_contained:
            everywhere = of.by_rows(of.lengths, self.D) * (1.0 + of.ROUNDING)
            everywhere += np.abs(self.b) * (1.0 + of.ROUNDING)
            return self._suprema(everywhere, of.limits(self.D, self.b, self.full.rule))
        if isinstance(self.split, NotComputed):
            return self.split
        return self._suprema(self.split.everywhere(), self.split.text)

    def _suprema(self, everywhere: Floats, text: of.ChangeLimits) -> Suprema:
        floors = [self._floors(rows) for rows in of.row_blocks(self.D.shape)]
        sizes, floor, floor_any = (np.concatenate(parts) for parts in zip(*floors, strict=True))
        return Suprema(
            everywhere=_row_values(everywhere),
            up=_row_values(text.up),
            down=_row_values(text.down),
            margin=text.margin(self.full.rule),
            n_features=tuple(sizes.tolist()),
            floor=_row_values(floor * (1.0 - of.ROUNDING)),
            floor_any=_row_values(floor_any * (1.0 - of.ROUNDING)),
        )

    def _floors(self, rows: slice) -> tuple[Indices, Floats, Floats]:
        w, selected = of.dense(self.full.coef[rows]), _selected(self.small.coef[rows])
        sizes = selected.sum(axis=1)
        return sizes, of.off_selection(w, selected), of.tail(w, sizes)

    def span_suprema(self, span: Span | NotComputed) -> SpanSuprema | NotComputed:
        if self.self_contained:
            return SELF_CONTAINED
        if isinstance(span, NotComputed):
            return span
        inside = of.by_rows(lambda D: of.lengths(span.coordinates(D)), self.D)
        outside = of.by_rows(lambda D: of.lengths(span.outside(D)), self.D)
        most = np.abs(self.b) + span.blur * of.by_rows(of.lengths, self.D)
        return SpanSuprema(
            rank=span.rank,
            cut=span.cut,
            inside=_row_values(inside + most),
            outside=_row_values(outside + most),
        )

    def worst_case(self, documents: Blocks, held_out: bool) -> WorstCase | NotComputed:
        nonnegative = not documents.total(_n_negative)
        values, lengths = self.small.decision(documents), documents.stack(of.lengths)
        weight = of.largest(of.by_rows(of.lengths, self.small.coef))
        if self.self_contained:
            if isinstance(self.split, NotComputed):
                return self.split
            limits = self.split.text if nonnegative else self.split.vectors
            slack = of.ROUNDING * (1.0 + np.abs(values).max(axis=1) + weight)
            safe = limits.stand(values, self.full.rule, slack + self.split.stretch(lengths))
        else:
            safe = of.cannot_change(
                values, self.D, self.b, lengths, self.full.rule, nonnegative, weight
            )
        name = "held-out" if held_out else "training"
        return WorstCase(name, documents.shape[0], nonnegative, int(safe.sum()))

    def ridge_parts(
        self,
        reduced_span: ReducedSpan | NotComputed,
        y: ArrayLike | None,
        alpha: float | None,
        test: Blocks | None,
    ) -> tuple[InSpan | NotComputed, QueryBounds | NotComputed]:
        if self.self_contained:
            return SELF_CONTAINED, SELF_CONTAINED
        pair = RidgePair.read((self.full, self.small), reduced_span, y, alpha)
        if isinstance(pair, NotComputed):
            return pair, pair
        in_span = pair.in_span()
        return in_span, NO_DOCUMENTS if test is None else pair.query_bounds(test)

    def held_out_parts(
        self, test: Blocks | None, confidence: float
    ) -> tuple[Changes | NotComputed, HeldOut | NotComputed]:
        if test is None:
            return NO_DOCUMENTS, NO_DOCUMENTS
        full, small = self.full.decision(test), self.small.decision(test)
        return Changes.of(np.abs(small - full)), self._held_out(full, small, confidence)

    def _held_out(self, full: Floats, small: Floats, confidence: float) -> HeldOut | NotComputed:
        needed = of.documents_needed(confidence)
        if len(full) < needed:
            return NotComputed(
                f"needs at least {needed:,} documents at confidence {confidence:g}, not "
                f"{len(full):,}"
            )
        rule = self.full.rule
        loss = of.conformal_bound(of.margin_loss(full, small, rule), confidence)
        decision = of.conformal_bound(np.abs(small - full).max(axis=1), confidence)
        flips, margin = of.changed(full, small, rule), of.margin(small, rule)
        # both classes of a contrast may change, each by up to the bound
        certified, clear = margin > loss, margin > (2 if rule == "argmax" else 1) * decision
        return HeldOut(
            n_documents=len(full),
            confidence=confidence,
            decision_bound=decision,
            margin_bound=loss,
            flips=int(flips.sum()),
            flip_limit=of.rate_limit(int(flips.sum()), flips.size, confidence),
            certified=int(certified.sum()),
            certified_flips=int((certified & flips).sum()),
            clear=int(clear.sum()),
            clear_flips=int((clear & flips).sum()),
        )


def _n_negative(block: csr_array) -> int:
    return int(np.count_nonzero(block.data < 0))


def _span_of(X: csr_array | Blocks, limit: int) -> Span | NotComputed:
    if min(X.shape) > limit:
        return NotComputed(
            f"X is {X.shape[0]:,} × {X.shape[1]:,}, and its span is computed only if the smaller "
            f"side is at most {limit:,} (span_limit)"
        )
    if isinstance(X, Blocks):
        return NotComputed("X is in blocks on disk: its span is computed only in memory")
    if not X.count_nonzero():
        return NotComputed("X has no entry that is not 0")
    span = Span.of(X)
    if span.doubtful:
        return NotComputed(
            f"X is too ill-conditioned: {span.doubtful} singular values are below "
            f"{DOUBTFUL:g} of the largest, and their directions are lost in rounding"
        )
    return span


def _reduced_span(
    span: Span | NotComputed, reduction: Reduction | None, model: LinearModel
) -> ReducedSpan | NotComputed:
    check_reduction(reduction, model)
    if isinstance(span, NotComputed):
        return span
    return NO_REDUCTION if reduction is None else ReducedSpan(span, reduction)


def _reduction_parts(
    reduced_span: ReducedSpan | NotComputed, reduction: Reduction | None
) -> tuple[Distortion | NotComputed, Promised | NotComputed | None]:
    promise = reduction.promise if isinstance(reduction, Selection) else None
    if isinstance(reduced_span, NotComputed):
        return reduced_span, None if promise is None else reduced_span
    return reduced_span.distortion, None if promise is None else reduced_span.promised(promise)


def _row_values(values: Floats) -> tuple[float, ...]:
    return tuple(values.tolist())


def _selected(coef: Matrix) -> Bools:
    """The words that each class row reads: the stored entries of a sparse row."""
    if not issparse(coef):
        return np.asarray(coef != 0)
    entries = np.ones(coef.nnz, dtype=bool)
    return np.asarray(csr_array((entries, coef.indices, coef.indptr), coef.shape).toarray())
