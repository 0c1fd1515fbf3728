"""`JointSelection`: words selected by the gain of one objective for all classes, with swaps."""

from __future__ import annotations

import warnings
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.utils import Tags

from laconic.errors import LaconicError, LaconicWarning
from laconic.numerics.blocks import Blocks, in_memory
from laconic.numerics.joint.forward import Ladder, Rung
from laconic.numerics.joint.outside import ladder_of_blocks
from laconic.numerics.logistic.losses import LogisticLoss, Sigmoids, Softmax
from laconic.reducer import Reducer
from laconic.reduction import Ranking, Selection
from laconic.scores.counts import read_labels
from laconic.text.labels import LabelEncoding
from laconic.types import Columns, Matrix
from laconic.validation import is_non_negative, is_share, is_whole


class JointSelection(Reducer):
    """Forward selection by the gain of logistic regression of all classes together, with swaps.

    The objective is Σ loss + alpha ‖w‖², f = Xw + b: one multinomial loss for several classes, the
    sum of the logistic losses of all labels, or the binary loss. Documents are divided by their
    length over the selected words. The gain of a word is Σ over classes of g² / (h + 2 alpha), with
    g and h the first and second derivative of the loss by its coefficient. Words of the largest
    gain are added, and the model is refitted. At 10, 20, 30, 50, 100, 200, … words, words that
    contribute little are swapped for others, where the objective falls. So a smaller selection is
    not part of a larger one. Ties go to the first column.

    Of documents that are larger than memory (`Blocks`), the words with the largest gains that fit
    into memory are candidates. After the selection, passes over all documents prove that no other
    word had a gain among the largest wherever words were added or swapped; words that had are
    added, and the selection repeated. A `LaconicWarning` says if that could not be proved.

    Parameters
    ----------
    alpha : float, default=1.0
        Strength of regularization while words are selected, above 0.
    batch : float, default=0.15
        Words that are added at a time, as a share of those selected before; at least one.
    longest : int or None, default=3000
        Beyond this size, words are added by their gain at this size. None has no limit.
    size : int, float or None, default=None
        Number of terms: a number, a share in (0, 1], None for all.

    Attributes
    ----------
    rungs_ : list of Rung
        The selected words (`words`) of each size with swaps, and those that are added next
        (`following`), in order.
    checked_ : Checked or None
        The outcome of that check (`proved`, `rounds`, `columns`); None for documents in memory.
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        batch: float = 0.15,
        longest: int | None = 3000,
        size: int | float | None = None,
    ) -> None:
        self.alpha = alpha
        self.batch = batch
        self.longest = longest
        self.size = size

    def fit(self, X: Matrix, y: ArrayLike | None = None) -> Self:
        """Select the words of all sizes up to `longest`."""
        self._check_parameters()
        documents = in_memory(self._read(X))
        loss = _loss(read_labels("JointSelection", documents, y))
        self.checked_ = None
        if loss is None:
            # every label is the same for all documents, so no word has a gain
            self.rungs_ = [Rung(np.zeros(0, dtype=np.intp), np.arange(documents.shape[1]))]
            return self
        settings = loss, float(self.alpha), self.longest, float(self.batch)
        if not isinstance(documents, Blocks):
            self.rungs_ = Ladder.of(csr_array(documents), *settings).rungs
            return self
        self.checked_ = ladder_of_blocks(documents, *settings)
        self.rungs_ = self.checked_.result
        if missed := self.checked_.shortfall:
            warnings.warn(f"JointSelection: {missed}", LaconicWarning, stacklevel=2)
        return self

    @property
    def available_(self) -> int:
        return int(self.n_features_in_)

    def _cut(self, size: int) -> Selection:
        rung = max((rung for rung in self.rungs_ if rung.words.size <= size), key=_size)
        return Ranking(np.append(rung.words, rung.following), self.n_features_in_).top(size)

    def _check_parameters(self) -> None:
        if not (is_non_negative(self.alpha) and self.alpha > 0):
            raise LaconicError(f"JointSelection(alpha={self.alpha!r}): give a number above 0")
        if not is_share(self.batch):
            raise LaconicError(
                f"JointSelection(batch={self.batch!r}): give a share between 0 and 1"
            )
        if self.longest is not None and not is_whole(self.longest, 1):
            raise LaconicError(
                f"JointSelection(longest={self.longest!r}): give a whole number from 1, or None"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _size(rung: Rung) -> int:
    return int(rung.words.size)


def _loss(encoding: LabelEncoding) -> LogisticLoss | None:
    """The loss of all classes or labels together; labels that never vary are left out."""
    if encoding.rule == "argmax":
        return Softmax(encoding.codes, np.ones(encoding.n_docs), encoding.n_rows)
    y_signed = encoding.y_signed
    varying: Columns = np.flatnonzero(np.ptp(y_signed, axis=0) > 0)
    if not varying.size:
        return None
    columns = np.ascontiguousarray(y_signed[:, varying])
    return Sigmoids(columns, np.ones(columns.shape))
