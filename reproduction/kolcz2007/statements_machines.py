"""Statements of Kołcz and Chowdhury about how far retraining moves an SVM: figures 3 and 4."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from reproduction.kolcz2007.statements import EXACT, HALF, WHOLE
from reproduction.shared.figures import MeanPoint
from reproduction.shared.plots import Plot, Series
from reproduction.statements import Finding, if_measured, judge

COSINE, PEARSON = WEIGHTS = ("cosine", "pearson")
OVERLAP, CONTAINMENT, RECALL = SUPPORTS = ("overlap", "containment", "recall")
AGREEMENTS = (*WEIGHTS, *SUPPORTS)
# EXACT on all words of the support vectors, documents divided by their full length.
UNDIVIDED = f"{EXACT}, normalize=all"
# "Even when the fraction of top-N features used is small".
SMALL = 0.1
# The paper gives no numbers for "very close" and "very high": these are ours, but for the overlap.
VERY_HIGH, HIGH = 0.9, 0.8
# The solver's tolerance decides for a few of a thousand documents if their dual is above 0.
EXACTLY = 0.001

AgreementCurve: TypeAlias = Mapping[float, float]


def statements(points: Sequence[MeanPoint]) -> Iterator[Finding]:
    """The SVM on all words against EXACT, means over all categories."""
    curves = {name: _curve(points, name) for name in AGREEMENTS}
    for size in dict.fromkeys((SMALL, min(curves[COSINE], default=SMALL))):
        yield similar(curves, size)
    yield overlapping(curves[OVERLAP])
    yield fewer_supports(curves)
    yield contained(curves[CONTAINMENT])
    yield short_of_one(curves)
    yield words_or_length(_curve(points, OVERLAP, UNDIVIDED))


def similar(curves: Mapping[str, AgreementCurve], size: float) -> Finding:
    values = [curves[name].get(size, math.nan) for name in WEIGHTS]
    return judge(
        f"weights are very close to those of all words, even when the fraction is small ({size:g})",
        "cosine {:.3f}, Pearson {:.3f}".format(*values),
        if_measured(min(values) >= VERY_HIGH, *values),
        direction=values[0] >= HIGH,
        reason=f"at {HALF:g} the cosine is {curves[COSINE].get(HALF, math.nan):.3f}",
    )


def overlapping(overlap: AgreementCurve) -> Finding:
    half = {size: value for size, value in overlap.items() if size >= HALF}
    size = min(half, key=lambda size: half[size], default=math.nan)
    return judge(
        "support vectors overlap by more than 0.8 with half of the words or more",
        f"{half.get(size, math.nan):.3f} at {size:g}, the lowest",
        half[size] > HIGH if half else None,
        paper="> 0.8",
    )


def fewer_supports(curves: Mapping[str, AgreementCurve]) -> Finding:
    """|A∩B| / |A| over |A∩B| / |B|, of means: about |B| / |A|."""
    part, contained = (curves[name].get(SMALL, math.nan) for name in (RECALL, CONTAINMENT))
    overlap, half = (curves[OVERLAP].get(size, math.nan) for size in (SMALL, HALF))
    return judge(
        "with fewer words the overlap goes down, because support vectors become fewer",
        f"at {SMALL:g}: overlap {overlap:.3f}, about {part / contained:.2f} of the support vectors",
        if_measured(part < contained and overlap < half, part, contained, overlap, half),
    )


def contained(containment: AgreementCurve) -> Finding:
    size = min(containment, key=lambda size: containment[size], default=math.nan)
    least, at_small = (containment.get(fraction, math.nan) for fraction in (size, SMALL))
    return judge(
        "containment stays consistently very high",
        f"{least:.3f} at {size:g}, {at_small:.3f} at {SMALL:g}",
        if_measured(least >= VERY_HIGH, least, at_small),
        direction=at_small >= HIGH,
        reason="high down to a tenth of the words, not below" if least < HIGH <= at_small else "",
    )


def short_of_one(curves: Mapping[str, AgreementCurve]) -> Finding:
    values = [curves[name].get(WHOLE, math.nan) for name in (OVERLAP, CONTAINMENT)]
    return judge(
        "with all words of the support vectors neither is 1",
        "overlap {:.3f}, containment {:.3f}".format(*values),
        if_measured(max(values) < 1 - EXACTLY, *values),
    )


def words_or_length(overlap: AgreementCurve) -> Finding:
    value = overlap.get(WHOLE, math.nan)
    return judge(
        "… because words deemed irrelevant were left out",
        f"with document lengths unchanged the overlap is {value:.4f}",
        if_measured(value < 1 - EXACTLY, value),
        reason="they act only through the document length",
    )


def plots(name: str, title: str, points: Sequence[MeanPoint]) -> Iterator[Plot]:
    """Figure 3, and figure 4 with the overlap that the paper gives for half of the words."""
    x_title = "Fraction of the words in support vectors"
    for number, part, names in ((3, "weights", WEIGHTS), (4, "support vectors", SUPPORTS)):
        lines = tuple(
            Series(metric, tuple(curve), tuple(curve.values()))
            for metric in names
            if (curve := _curve(points, metric))
        )
        paper = (Series(OVERLAP, (HALF,), (HIGH,), from_paper=True),) if OVERLAP in names else ()
        if lines:
            yield Plot(
                f"figure{number}-{name}",
                f"{title}: {part} of EXACT and of all words",
                x_title,
                "agreement",
                (*lines, *paper),
                log=False,
            )


def _curve(points: Sequence[MeanPoint], metric: str, method: str = EXACT) -> dict[float, float]:
    return {
        point.size: point.mean
        for point in sorted(points, key=lambda point: point.size)
        if (point.metric, point.method) == (metric, method) and not math.isnan(point.mean)
    }
