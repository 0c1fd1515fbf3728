"""State shared by all LARS paths: the start, the points, and how features are added."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.lars.active_set import SQUARED, ActiveSet, Direction
from laconic.numerics.lars.crossings import Crossings, cross_borders
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.screening import Entry, Screening
from laconic.types import Bools, Floats, Int64s

Bias: TypeAlias = Literal["always", "selectable"] | None
Ending: TypeAlias = Literal["finished", "saturated", "singular"]

# Shares of the first λ₁: features this close enter in column order, documents cross together.
FEATURE_TIE = 1e-10
DOCUMENT_TIE = 1e-12
# A first λ₁ below this share of its largest possible value is 0.
ZERO_L1 = 1e-12
# The residuals shrink in proportion to λ₁ up to this share: no further feature can enter.
SATURATED = 1e-8
# The features explain every document if at most this share of the residuals is left.
EXPLAINED = 1e-6
# A dependent feature whose |g| grows past λ₁ faster than this makes the system singular.
DIVERGING = 1e-4
# Corners between two corrections of rounding drift.
POLISH_EVERY = 50
# Rounds at one λ₁ that move all tied documents at once; after that only the lowest moves, which
# terminates.
ROUNDS_TOGETHER = 30
MAX_ROUNDS = 10_000


@dataclass(frozen=True, eq=False)
class LarsPoint:
    """The model of `size` features, at the λ₁ where the next feature is about to enter.

    `columns` are in the order of entry; `entry_l1` is the λ₁ at which each entered.
    `examples` are the documents in the squared part of the loss (the paper's I).
    `ending` is None except for the last point of a path: "finished" at λ₁ = 0; "saturated" at
    λ₁ = 0 when the features fit every active document exactly (alpha = 0); "singular" if the linear
    system no longer determines a direction.
    """

    columns: Int64s
    coef: Floats
    intercept: float
    l1: float
    entry_l1: Floats
    examples: Int64s
    ending: Ending | None = None

    @property
    def size(self) -> int:
        return int(self.columns.size)


class PathState:
    """The active set, the screening for the next feature, and the history of the path."""

    def __init__(self, active: ActiveSet, bias: Bias) -> None:
        self.active = active
        self.ending: Ending | None = None
        self.entry_l1: list[float] = []
        self._refused: list[int] = []
        self._corners = self._rounds = self._admissions = 0
        documents = active.documents
        excluded: Bools = documents.lengths == 0.0
        if bias != "selectable":
            excluded[documents.constant] = True
        if bias == "always":
            active.add_column(documents.constant, 0.0)
            active.polish()
        self.first_l1 = active.l1 = _largest_gradient(active, excluded)
        self.screening = Screening(documents, excluded, FEATURE_TIE * self.first_l1)
        if self.first_l1 == 0.0:
            self.ending = "finished"

    @property
    def document_tie(self) -> float:
        return DOCUMENT_TIE * self.first_l1

    @property
    def floor(self) -> float:
        """The λ₁ that counts as 0: entries below it are rounding errors."""
        return self.active.smallest * self.first_l1

    @property
    def l1_left(self) -> float:
        """How far λ₁ may still fall; at most 0 at the end."""
        return self.active.l1 - self.floor

    def is_saturated(self, direction: Direction) -> bool:
        """Whether the residuals shrink to 0 in a straight line, so no gradient can reach λ₁."""
        active = self.active
        if active.alpha > 0.0:
            return False
        rest = active.residuals + active.l1 * direction.residuals
        return bool(np.linalg.norm(rest) <= SATURATED * np.linalg.norm(active.residuals))

    def move(self, direction: Direction, step: float) -> None:
        self.active.move(direction, step)
        self._rounds = self._rounds + 1 if step <= self.document_tie else 0
        if not self.correct_drift():
            self.stop()

    def correct_drift(self) -> bool:
        """Correct rounding drift at every POLISH_EVERY-th call, one call per corner.

        False if the system is singular.
        """
        self._corners += 1
        return self._corners % POLISH_EVERY != 0 or self.active.polish()

    def cross_borders(self, direction: Direction, crossings: Crossings) -> None:
        """Move tied documents across their borders.

        Moving all at once may cycle if many are on a border, so after some rounds only the
        lowest moves: Murty's rule, which terminates.
        """
        docs = crossings.docs if self._rounds <= ROUNDS_TOGETHER else crossings.docs[:1]
        cross_borders(self.active, direction, docs)
        self.readmit()
        if self._rounds > MAX_ROUNDS:
            self.stop()

    def readmit(self) -> None:
        """Let refused features enter again if documents have joined the squared part."""
        if self.active.admissions > self._admissions:
            self.screening.readmit(self._refused)
            self._refused = []
            self._admissions = self.active.admissions

    def add_feature(self, entry: Entry) -> bool:
        """Add a feature, or refuse it (False) while it depends linearly on the active ones."""
        self.screening.excluded[entry.column] = True
        if self.active.add_column(entry.column, entry.sign):
            if entry.column != self.active.documents.constant:
                self.entry_l1.append(self.active.l1)
            self._rounds = 0
            return True
        self._refused.append(entry.column)
        if entry.divergence > DIVERGING:
            self.stop()
        return False

    def finish(self, direction: Direction) -> None:
        """Move to λ₁ = 0; there is no corner before it."""
        self.active.move(direction, self.active.l1)
        self.ending = "saturated" if self._is_explained() else "finished"

    def stop(self) -> None:
        """End the path because the active features determine no direction.

        The path is finished if nothing is left to explain, or if λ₁ is so small that entering
        features are indistinguishable. Otherwise the system is singular.
        """
        self.ending = "singular"
        if self._is_explained() or self.active.l1 <= FEATURE_TIE * self.first_l1:
            self.finish(self.active.direction())

    def _is_explained(self) -> bool:
        """Whether the features fit every active document exactly; impossible with alpha > 0."""
        active = self.active
        explained = EXPLAINED * np.sqrt(active.documents.n_docs)
        return bool(active.alpha == 0.0 and np.linalg.norm(active.residuals) <= explained)

    def point(self) -> LarsPoint:
        active, constant = self.active, self.active.documents.constant
        words = active.columns != constant
        at = active.index_of[constant]
        return LarsPoint(
            active.columns[words],
            active.coef[words],
            float(active.coef[at]) if at >= 0 else 0.0,
            max(active.l1, 0.0),
            np.array(self.entry_l1),
            np.flatnonzero(active.parts == SQUARED),
        )


def follow(state: PathState, advance: Callable[[PathState], Entry | None]) -> Iterator[LarsPoint]:
    """Yield one point per number of features. `advance` goes to the next entry, or to the end."""
    constant = state.active.documents.constant
    while state.ending is None:
        entry = advance(state)
        point = state.point()
        entered = entry is not None and state.add_feature(entry) and entry.column != constant
        if state.ending is not None:
            point = replace(state.point(), ending=state.ending)
        if point.size and (entered or state.ending is not None):
            yield point


def _largest_gradient(active: ActiveSet, excluded: Bools) -> float:
    documents = active.documents
    g = np.abs(documents.by_column.T @ active.residuals)[~excluded]
    largest = float(g.max(initial=0.0))
    rounding = ZERO_L1 * documents.lengths.max() * np.sqrt(documents.n_docs)
    return largest if largest > rounding else 0.0


def check_arguments(documents: Documents, y_signed: Floats, alpha: float, bias: Bias) -> Floats:
    """`y_signed` as floats, after checking all arguments."""
    labels = np.asarray(y_signed, dtype=np.float64)
    if labels.shape != (documents.n_docs,) or not np.isin(labels, (-1.0, 1.0)).all():
        raise LaconicError(
            f"lars: y_signed of shape {labels.shape} for {documents.n_docs} documents. Give one "
            "number per document, 1 or -1"
        )
    if not (np.isfinite(alpha) and alpha >= 0.0):
        raise LaconicError(f"lars: alpha={alpha!r}. It must be finite, and at least 0")
    if bias not in ("always", "selectable", None):
        raise LaconicError(f"lars: bias={bias!r}. Choose from 'always', 'selectable' and None")
    return labels
