"""Values: the parts of a `Certificate`. Each is flat, and says itself in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias

import numpy as np

from laconic.certificate.span_parts import Distortion, InSpan, Promised, Queries, QueryBounds
from laconic.model import Rule
from laconic.reduction import Floats

PerRow: TypeAlias = tuple[float, ...]


@dataclass(frozen=True)
class NotComputed:
    """Why a part is absent."""

    reason: str


@dataclass(frozen=True)
class Suprema:
    """Exact suprema of the change f̃ − f over documents of length at most 1, one a class row.

    `everywhere` is that of |f̃ − f| over all vectors; over non-negative ones (text) the change
    reaches from −`down` to `up`. `floor`: no model that reads only the `kept` words is nearer for
    all documents; `floor_any`: nor is one that reads as many others.
    """

    everywhere: PerRow
    up: PerRow
    down: PerRow
    kept: tuple[int, ...]
    floor: PerRow
    floor_any: PerRow

    def sentence(self) -> str:
        """What it says, for a reader."""
        text = max(max(u, d) for u, d in zip(self.up, self.down, strict=True))
        return (
            f"Over all conceivable documents of length 1, a decision value changes by up to "
            f"{max(self.everywhere):.3g} (exact; {text:.3g} for documents without negative "
            f"entries). No model of these words can promise less than {max(self.floor):.3g}, none "
            f"of as many other words less than {max(self.floor_any):.3g}."
        )


@dataclass(frozen=True)
class SpanSuprema:
    """Suprema of |f̃ − f| over the span of the training documents and over its complement.

    Of the span, the `rank` directions that do not count as 0: a mixture X'a lies in them but for a
    part of at most `cut`·‖a‖.
    """

    rank: int
    cut: float
    inside: PerRow
    outside: PerRow

    def sentence(self) -> str:
        """What it says, for a reader."""
        return (
            f"Of that, up to {max(self.inside):.3g} happens to mixtures of training documents "
            f"(rank {self.rank:,}), and up to {max(self.outside):.3g} to documents orthogonal to "
            "all of them (both exact)."
        )


@dataclass(frozen=True)
class WorstCase:
    """Documents whose margin exceeds the supremum for their length: their label cannot change."""

    documents: str
    n_documents: int
    nonnegative: bool
    certified: int

    def sentence(self) -> str:
        """What it says, for a reader."""
        return (
            f"The worst case alone proves the label of {self.certified:,} of {self.n_documents:,} "
            f"{self.documents} documents ({self.certified / self.n_documents:.1%}): it is no "
            "guide to real documents."
        )


@dataclass(frozen=True)
class Changes:
    """|f̃ − f| of each held-out document, exactly; median and largest at its largest class row.

    `per_document` has a row for each document and a column for each class row.
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
        """What it says, for a reader."""
        return (
            f"In the {self.n_documents:,} held-out documents themselves the decision value that "
            f"changes most does so by {self.median:.3g} in the median and by {self.largest:.3g} "
            "at most (exact)."
        )


@dataclass(frozen=True)
class HeldOut:
    """What holds for further documents from where the held-out ones came from.

    `decision_bound` is for the largest |f̃ − f| over the class rows of the next document,
    `margin_bound` for what it loses of its margin, each with the confidence asked; `flip_limit` is
    the upper confidence limit on the share of documents that are decided differently. `certified`
    held-out documents have a margin above `margin_bound`; of them `certified_flips` changed. The
    `clear` ones have a margin that no change up to `decision_bound` can use up (twice it for
    "argmax"): fewer, and changed still more rarely.
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
        """What it says, for a reader."""
        n = self.n_documents
        return (
            f"From {n:,} held-out documents, each at confidence {self.confidence:.0%}: no "
            f"decision value of the next document changes by more than {self.decision_bound:.3g}; "
            f"at most {self.flip_limit:.2%} of documents are decided differently ({self.flips:,} "
            f"were). {self.certified / n:.1%} have a margin above {self.margin_bound:.3g}, what "
            f"the next document may lose; of these {self.certified_flips:,} changed. Of the "
            f"{self.clear / n:.1%} whose margin outlasts every such change of decision values, "
            f"{self.clear_flips:,} did."
        )


Part: TypeAlias = (
    Suprema | SpanSuprema | WorstCase | Distortion | Promised | Queries | Changes | HeldOut
)


PARTS = (
    "held_out",
    "changes",
    "worst_case",
    "suprema",
    "span",
    "distortion",
    "promise",
    "in_span",
    "queries",
)


@dataclass(frozen=True, eq=False)
class Certificate:
    """How far the small model may be from the full one, for each class row.

    A part that could not be had is a `NotComputed` with its reason; `promise` is None where the
    reduction carries none.
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

    def parts(self) -> dict[str, Part | NotComputed]:
        """What a practitioner can use first."""
        found = {name: getattr(self, name) for name in PARTS}
        return {name: part for name, part in found.items() if part is not None}

    def as_dict(self) -> dict[str, Any]:
        """One flat level, ready for JSON, without arrays per document.

        None stands for an infinite bound, which says nothing.
        """
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
                shown = [each.name for each in fields(part) if each.repr]
                flat |= {f"{name}.{key}": _plain(getattr(part, key)) for key in shown}
        return flat

    def summary(self) -> str:
        """Plain sentences, one paragraph a part."""
        lines = [f"The small model reads {self.n_features:,} of {self.n_features_in:,} words."]
        for name, part in self.parts().items():
            if isinstance(part, NotComputed):
                title = name.replace("_", " ").capitalize()
                lines.append(f"{title}: not computed: {part.reason}.")
            else:
                lines.append(part.sentence())
        return "\n".join(lines)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
