"""What every walk along a LARS path shares: the start, the points, and how a feature comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.lars_crossings import Crossings, cross
from laconic.numerics.lars_documents import Documents, Flags, Floats, Places
from laconic.numerics.lars_position import SQUARED, Direction, Position
from laconic.numerics.lars_screen import Entry, Screen

Bias: TypeAlias = Literal["always", "selectable"] | None
Ending: TypeAlias = Literal["finished", "saturated", "singular"]

# Shares of the first λ₁: features this close enter by their number, documents cross together.
FEATURE_TIE = 1e-10
DOCUMENT_TIE = 1e-12
# A first λ₁ below this share of what it could be is 0.
NOTHING = 1e-12
# The residuals shrink in proportion to λ₁ but for this: no further feature can enter.
SATURATED = 1e-8
# The features explain every document where no more than this share of the residuals is left.
EXPLAINED = 1e-6
# A dependent feature that leaves the cone |g| ≤ λ₁ faster than this makes the system singular.
APART = 1e-4
# Corners between two corrections of the drift.
POLISH_EVERY = 50
# Rounds at one λ₁ with all documents of a tie at once; then the lowest only, which must end.
TOGETHER = 30
ROUNDS = 10_000


@dataclass(frozen=True, eq=False)
class LarsPoint:
    """The model of `size` features, at the λ₁ where the next one is about to enter.

    `columns` are in the order of entry, and `entry_l1` has the λ₁ at which each came in.
    `examples` are the documents in the squared part of the loss (the paper's I).
    `ending` is None but for the last point of a path: "finished" at λ₁ = 0, "saturated" there when
    the features explain every active document exactly (alpha = 0), "singular" where they no longer
    determine how to go on.
    """

    columns: Places
    coef: Floats
    intercept: float
    l1: float
    entry_l1: Floats
    examples: Places
    ending: Ending | None = None

    @property
    def size(self) -> int:
        return int(self.columns.size)


class Course:
    """A position on the path, the screen for the next feature, and what has happened so far."""

    def __init__(self, position: Position, bias: Bias) -> None:
        self.position = position
        self.ending: Ending | None = None
        self.entry_l1: list[float] = []
        self._refused: list[int] = []
        self._corners = self._rounds = self._admissions = 0
        documents = position.documents
        excluded: Flags = documents.lengths == 0.0
        if bias != "selectable":
            excluded[documents.constant] = True
        if bias == "always":
            position.enter(documents.constant, 0.0)
            position.polish()
        self.first = position.l1 = _largest_gradient(position, excluded)
        self.screen = Screen(documents, excluded, FEATURE_TIE * self.first)
        if self.first == 0.0:
            self.ending = "finished"

    @property
    def document_tie(self) -> float:
        return DOCUMENT_TIE * self.first

    @property
    def floor(self) -> float:
        """The λ₁ that counts as 0: what would enter further down is rounding."""
        return self.position.smallest * self.first

    @property
    def left(self) -> float:
        """How far λ₁ may fall; not above 0 at the end."""
        return self.position.l1 - self.floor

    def is_saturated(self, direction: Direction) -> bool:
        """Whether the residuals go to 0 in a straight line, so that no gradient can catch up."""
        position = self.position
        if position.alpha > 0.0:
            return False
        rest = position.residuals + position.l1 * direction.residuals
        return bool(np.linalg.norm(rest) <= SATURATED * np.linalg.norm(position.residuals))

    def move(self, direction: Direction, step: float) -> None:
        self.position.move(direction, step)
        self._rounds = self._rounds + 1 if step <= self.document_tie else 0
        if not self.stays_true():
            self.stop()

    def stays_true(self) -> bool:
        """To be called at every corner: now and then the drift is corrected. False: singular."""
        self._corners += 1
        return self._corners % POLISH_EVERY != 0 or self.position.polish()

    def cross(self, direction: Direction, crossings: Crossings) -> None:
        """Take the documents of a tie over their borders.

        All at once may go round in circles where many stand on a border, so after some rounds only
        the lowest does: Murty's rule, which ends.
        """
        docs = crossings.docs if self._rounds <= TOGETHER else crossings.docs[:1]
        cross(self.position, direction, docs)
        self.readmit()
        if self._rounds > ROUNDS:
            self.stop()

    def readmit(self) -> None:
        """Refused features get another chance when documents have come in."""
        if self.position.admissions > self._admissions:
            self.screen.readmit(self._refused)
            self._refused = []
            self._admissions = self.position.admissions

    def take(self, entry: Entry) -> bool:
        """Let a feature in; refuse one that depends on the others, until a document comes in."""
        self.screen.excluded[entry.column] = True
        if self.position.enter(entry.column, entry.pull):
            if entry.column != self.position.documents.constant:
                self.entry_l1.append(self.position.l1)
            self._rounds = 0
            return True
        self._refused.append(entry.column)
        if entry.apart > APART:
            self.stop()
        return False

    def finish(self, direction: Direction) -> None:
        """Go on to λ₁ = 0, where nothing is in between."""
        self.position.move(direction, self.position.l1)
        self.ending = "saturated" if self._is_explained() else "finished"

    def stop(self) -> None:
        """The features do not determine how to go on.

        Where nothing is left to explain, or where features that enter at this λ₁ cannot be
        distinguished any more, that is the end of the path; else the system is singular.
        """
        self.ending = "singular"
        if self._is_explained() or self.position.l1 <= FEATURE_TIE * self.first:
            self.finish(self.position.direction())

    def _is_explained(self) -> bool:
        """Whether the features explain every document that counts; alpha would not let them."""
        position = self.position
        explained = EXPLAINED * np.sqrt(position.documents.n_docs)
        return bool(position.alpha == 0.0 and np.linalg.norm(position.residuals) <= explained)

    def point(self) -> LarsPoint:
        position, constant = self.position, self.position.documents.constant
        words = position.columns != constant
        at = position.place[constant]
        return LarsPoint(
            position.columns[words],
            position.coef[words],
            float(position.coef[at]) if at >= 0 else 0.0,
            max(position.l1, 0.0),
            np.array(self.entry_l1),
            np.flatnonzero(position.parts == SQUARED),
        )


def follow(course: Course, advance: Callable[[Course], Entry | None]) -> Iterator[LarsPoint]:
    """One point for each number of features. `advance` goes to the next entry, or to the end."""
    constant = course.position.documents.constant
    while course.ending is None:
        entry = advance(course)
        here = course.point()
        entered = entry is not None and course.take(entry) and entry.column != constant
        if course.ending is not None:
            here = replace(course.point(), ending=course.ending)
        if here.size and (entered or course.ending is not None):
            yield here


def _largest_gradient(position: Position, excluded: Flags) -> float:
    documents = position.documents
    g = np.abs(documents.by_column.T @ position.residuals)[~excluded]
    largest = float(g.max(initial=0.0))
    rounding = NOTHING * documents.lengths.max() * np.sqrt(documents.n_docs)
    return largest if largest > rounding else 0.0


def checked(documents: Documents, y_signed: Floats, alpha: float, bias: Bias) -> Floats:
    """The signs as numbers, where all settings can be."""
    found = np.asarray(y_signed, dtype=np.float64)
    if found.shape != (documents.n_docs,) or not np.isin(found, (-1.0, 1.0)).all():
        raise LaconicError(
            f"lars: signs of shape {found.shape} for {documents.n_docs} documents. Give one number "
            "a document, 1 or -1"
        )
    if not (np.isfinite(alpha) and alpha >= 0.0):
        raise LaconicError(f"lars: alpha={alpha!r}. It must be finite, and at least 0")
    if bias not in ("always", "selectable", None):
        raise LaconicError(f"lars: bias={bias!r}. It is 'always', 'selectable' or None")
    return found
