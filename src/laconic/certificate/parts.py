"""Values: the parts of a `Certificate`. Each is flat and has a plain sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from laconic.certificate.span_parts import Distortion, InSpan, Promised, Queries, QueryBounds
from laconic.model import Rule
from laconic.types import Floats

PerRow: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class NotComputed:
    """The reason why a part was not computed; `applies` is False if it is for other models."""

    reason: str
    applies: bool = True


@dataclass(frozen=True)
class Suprema:
    """Suprema of the change f̃ − f over documents of length at most 1, one per class row.

    If a model divides documents by their length over its own words, they are over documents of
    length 1 and the empty one. `everywhere` is the supremum of |f̃ − f| over all vectors; over
    vectors without negative entries (text) the change ranges from −`down` to `up`, and a decision
    of the small model with a margin above `margin` is that of the full one. No model of the
    `n_features` words that the class row reads has a smaller `everywhere` than `floor`; no model of
    as many words at all has a smaller one than `floor_any`.
    """

    everywhere: PerRow
    up: PerRow
    down: PerRow
    margin: float
    n_features: tuple[int, ...]
    floor: PerRow
    floor_any: PerRow

    def sentence(self) -> str:
        """The part as plain sentences."""
        text = max(*self.up, *self.down)
        return (
            f"Whatever the words of a document, no decision value differs from that of the full "
            f"model by more than {text:.3g} (the least such bound), and a decision with a margin "
            f"above {self.margin:.3g} cannot change. If entries may be negative, the bound is "
            f"{max(self.everywhere):.3g}; no model of these words can guarantee less than "
            f"{max(self.floor):.3g}, no model of as many other words less than "
            f"{max(self.floor_any):.3g}."
        )


@dataclass(frozen=True)
class SpanSuprema:
    """Suprema of |f̃ − f| over the span of the training documents and over its complement.

    The span has the `rank` directions that do not count as 0: a mixture X'a lies in them up to a
    part of length at most `cut`·‖a‖.
    """

    rank: int
    cut: float
    inside: PerRow
    outside: PerRow

    def sentence(self) -> str:
        """The part as plain sentences."""
        return (
            f"For mixtures of training documents (rank {self.rank:,}) it changes by up to "
            f"{max(self.inside):.3g}, for documents orthogonal to all of them by up to "
            f"{max(self.outside):.3g} (both exact)."
        )


@dataclass(frozen=True)
class WorstCase:
    """Documents whose margin exceeds the supremum for their length: their label cannot change."""

    documents: str
    n_documents: int
    nonnegative: bool
    certified: int

    def sentence(self) -> str:
        """The part as plain sentences."""
        return (
            f"The worst case alone certifies the labels of {self.certified:,} of "
            f"{self.n_documents:,} {self.documents} documents "
            f"({self.certified / self.n_documents:.1%}); it says little about real documents."
        )


@dataclass(frozen=True)
class Changes:
    """The exact |f̃ − f| of held-out documents; median and maximum are of the largest class row.

    `per_document` has one row per document and one column per class row.
    """

    n_documents: int
    median: float
    largest: float
    per_document: Floats = field(repr=False, compare=False)

    @classmethod
    def of(cls, per_document: Floats) -> Changes:
        worst = per_document.max(axis=1)
        return cls(worst.size, float(np.median(worst)), float(worst.max()), per_document)

    def sentence(self) -> str:
        """The part as plain sentences."""
        return (
            f"On the {self.n_documents:,} held-out documents themselves, the decision value that "
            f"changes most changes by {self.median:.3g} in the median and by {self.largest:.3g} "
            "at most (exact)."
        )


@dataclass(frozen=True)
class HeldOut:
    """Bounds for the next document from the same source as the held-out ones.

    `decision_bound` bounds the largest |f̃ − f| over its class rows, `margin_bound` the loss of
    margin, each at the requested confidence; `flip_limit` is the upper confidence limit on the
    share of documents that are decided differently. `certified` held-out documents have a margin
    above `margin_bound`; `certified_flips` of them are decided differently. `clear` documents have
    a margin above `decision_bound` (twice that for "argmax"), `clear_flips` of them are decided
    differently.
    """

    n_documents: int
    confidence: float
    decision_bound: float
    margin_bound: float
    flips: int
    flip_limit: float
    certified: int
    certified_flips: int
    clear: int
    clear_flips: int

    def sentence(self) -> str:
        """The part as plain sentences."""
        n = self.n_documents
        return (
            f"From {n:,} held-out documents, each at confidence {self.confidence:.0%}: no "
            f"decision value of the next document changes by more than {self.decision_bound:.3g}; "
            f"at most {self.flip_limit:.2%} of documents are decided differently ({self.flips:,} "
            f"were). {self.certified / n:.1%} have a margin above {self.margin_bound:.3g}, the "
            f"most that the next document loses; {self.certified_flips:,} of these changed. Of the "
            f"{self.clear / n:.1%} whose margin exceeds every such change of decision values, "
            f"{self.clear_flips:,} changed."
        )


CertificatePart: TypeAlias = (
    Suprema | SpanSuprema | WorstCase | Distortion | Promised | Queries | Changes | HeldOut
)


PARTS = (
    "held_out",
    "suprema",
    "worst_case",
    "changes",
    "span",
    "distortion",
    "promise",
    "in_span",
    "queries",
)


@dataclass(frozen=True, eq=False)
class Certificate:
    """How far the small model may be from the full one, for each class row.

    A part that was not computed is a `NotComputed` with the reason; `promise` is None if the
    reduction carries none.

    Attributes
    ----------
    rule, rows : the rule of both models, and the classes of their rows
    n_features_in, n_features : size of the vocabulary, and features of the small model
    held_out : HeldOut, bounds for the next document at the requested confidence
    changes : Changes, the exact changes on the held-out documents
    worst_case : WorstCase, documents whose label cannot change
    suprema : Suprema, the largest changes over all documents of length at most 1
    span : SpanSuprema, the same inside and outside the span of the training documents
    distortion : Distortion, the effect of the reduction on that span
    promise : Promised, the method's promise, checked
    in_span : InSpan, the bound for RLS on mixtures of training documents
    queries : Queries, medians of `query_bounds`
    query_bounds : QueryBounds or None, bounds for each held-out document
    """

    rule: Rule
    rows: tuple[Any, ...]
    n_features_in: int
    n_features: int
    suprema: Suprema | NotComputed
    span: SpanSuprema | NotComputed
    worst_case: WorstCase | NotComputed
    distortion: Distortion | NotComputed
    promise: Promised | NotComputed | None
    in_span: InSpan | NotComputed
    queries: Queries | NotComputed
    changes: Changes | NotComputed
    held_out: HeldOut | NotComputed
    query_bounds: QueryBounds | None = field(default=None, repr=False)

    def parts(self) -> dict[str, CertificatePart | NotComputed]:
        """The parts by name, the most useful in practice first."""
        parts = {name: getattr(self, name) for name in PARTS}
        return {name: part for name, part in parts.items() if part is not None}

    def as_dict(self) -> dict[str, Any]:
        """A flat dict for JSON, without arrays per document. None stands for an infinite bound."""
        flat: dict[str, Any] = {
            "rule": self.rule,
            "rows": list(self.rows),
            "n_features_in": self.n_features_in,
            "n_features": self.n_features,
        }
        for name, part in self.parts().items():
            if isinstance(part, NotComputed):
                flat[name] = f"not computed: {part.reason}"
            else:
                keys = [item.name for item in fields(part) if item.repr]
                flat |= {f"{name}.{key}": _plain(getattr(part, key)) for key in keys}
        return flat

    def summary(self) -> str:
        """Plain sentences, one paragraph per part that applies to these models."""
        lines = [f"The small model reads {self.n_features:,} of {self.n_features_in:,} words."]
        for name, part in self.parts().items():
            if isinstance(part, NotComputed):
                if not part.applies:
                    continue
                title = name.replace("_", " ").capitalize()
                lines.append(f"{title}: not computed: {part.reason}.")
            else:
                lines.append(part.sentence())
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
