"""Statements of Dasgupta et al. about TechTC-100: figures 3 and 4, relative to all words.

Means that differ by at most `EVEN` count as equal: with a hundred sets and one draw each, that is
about two standard errors from 500 words on.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from scipy.stats import spearmanr

from reproduction.dasgupta2007.curves import (
    Curves,
    against,
    corpus_words,
    correlation,
    percent,
    points_of,
)
from reproduction.shared.figures import MeanPoint, make_plot
from reproduction.shared.plots import Cells, Plot, Series
from reproduction.statements import Finding, if_measured, judge

DF, IG, US, WS, SS = "DF", "IG", "US", "WS", "SS"
SS_10 = "SS:rank=10"
SAMPLED = (US, WS, SS, SS_10)
TECHTC_METHODS = (DF, IG, *SAMPLED)
RANKS = ("SS:rank=1", "SS:rank=5", SS_10, "SS:rank=30", "SS:rank=60", SS)
MOST_OF_NORM = "SS:rank=0.9"
HELLINGER = "hellinger to WS"

EVEN = 0.01
# "similarly": no visible difference on an axis from 0 to 1.
SIMILAR = 0.05
# 85 % after rounding, with 500 words.
ENOUGH, ENOUGH_WORDS = 0.845, 500
# 0.1 % of 20,000 words; "a higher number of features" begins here.
FEW, MANY = 20, 1000
SPREAD_AT = 1000
# The paper has 4 splits and 5 draws of each set.
REPEATS = 10
PAPER_SPREAD = {IG: (0.6, 1.1), SS: (0.8, 1.0)}

STEMMED = "the files are stemmed and have no stop words: frequent words are topic words"
SUPERVISED = "with 120 documents, the labels show at once which few words matter"
FEW_HITS = "with few words, most documents contain none and are rejected: recall determines F1"


def techtc(points: Sequence[MeanPoint], words: float) -> Iterator[Finding]:
    """Figure 3."""
    micro, precision, recall = (
        Curves.of(points, f"relative {metric}") for metric in ("f1", "precision", "recall")
    )
    yield corpus_words("TechTC-100", 20_000, words, STEMMED.partition(":")[0])
    for method in (SS, IG, WS):
        yield reaches(micro, method)
    yield falls_short(micro, US, "")
    yield falls_short(micro, DF, STEMMED)
    yield best_of_all(micro)
    yield ahead_with_few(micro, SS)
    yield ahead_with_few(micro, IG, SUPERVISED)
    yield alike(micro, WS, SS, "WS performs similarly to SS of full rank")
    yield alike(micro, DF, SS, "DF performs similarly to SS of full rank", STEMMED)
    yield from shapes(micro, precision, recall)
    yield recall_of_frequent(recall)


def reaches(micro: Curves, method: str) -> Finding:
    value = micro.at(method, ENOUGH_WORDS)
    return judge(
        f"{method} reaches 85 % of the micro-F1 of all words with {ENOUGH_WORDS} words",
        percent(value),
        if_measured(value >= ENOUGH, value),
        direction=value >= ENOUGH - SIMILAR,
        paper="85 %",
    )


def falls_short(micro: Curves, method: str, reason: str) -> Finding:
    value = micro.at(method, ENOUGH_WORDS)
    return judge(
        f"{method} does not reach 85 % with {ENOUGH_WORDS} words",
        percent(value),
        if_measured(value < ENOUGH, value),
        paper="below 85 %",
        reason=reason,
    )


def best_of_all(micro: Curves) -> Finding:
    """SS counts with the better of its two ranks."""
    sizes = micro.sizes(*TECHTC_METHODS)
    best = {method: micro.line(method, sizes) for method in (DF, IG, US, WS)}
    best[SS] = [max(micro.at(SS, size), micro.at(SS_10, size)) for size in sizes]
    means = {name: float(np.mean(values)) for name, values in best.items() if values}
    order = sorted(means, key=lambda name: -means[name])
    others = [name for name in order if name != DF]
    return judge(
        "in general SS and IG are best, followed closely by WS",
        "over all sizes " + ", ".join(f"{name} {percent(means[name])}" for name in order),
        {*order[:2]} == {IG, SS} and order[2] == WS if sizes else None,
        direction={*others[:2]} == {IG, SS},
        reason=STEMMED if DF in order[:2] else "",
    )


def ahead_with_few(micro: Curves, other: str, reason: str = "") -> Finding:
    sizes = micro.sizes(SS_10, other, most=FEW)
    leads = micro.leads(SS_10, [other], sizes)
    return judge(
        f"under 0.1 % of the words (about {FEW}) SS of rank 10 is ahead of "
        f"{'SS of full rank' if other == SS else other}",
        against(micro, SS_10, other, sizes),
        min(leads) > 0 if leads else None,
        direction=sum(leads) > 0,
        reason=reason,
    )


def alike(micro: Curves, method: str, other: str, statement: str, reason: str = "") -> Finding:
    sizes = micro.sizes(method, other)
    gaps = [abs(lead) for lead in micro.leads(method, [other], sizes)]
    close = sum(gap <= SIMILAR for gap in gaps)
    return judge(
        statement,
        f"within {100 * SIMILAR:.0f} points at {close} of {len(gaps)} sizes, at most "
        f"{points_of(max(gaps, default=math.nan))} apart",
        close == len(gaps) if gaps else None,
        direction=2 * close >= len(gaps),
        reason=reason,
    )


def shapes(micro: Curves, precision: Curves, recall: Curves) -> Iterator[Finding]:
    cells = [cell for cell in micro.means if cell in precision.means and cell in recall.means]
    of = {
        name: correlation([micro.means[c] for c in cells], [curves.means[c] for c in cells])
        for name, curves in (("precision", precision), ("recall", recall))
    }
    text = "correlation {:.2f} over all methods and sizes".format
    yield judge(
        "precision closely follows micro-F1",
        text(of["precision"]),
        if_measured(of["precision"] >= 0.95, of["precision"]),
        direction=of["precision"] >= 0.8,
        reason=FEW_HITS,
    )
    yield judge(
        "recall is very different",
        text(of["recall"]),
        if_measured(of["recall"] < of["precision"], *of.values()),
        reason=FEW_HITS,
    )


def recall_of_frequent(recall: Curves) -> Finding:
    sizes = recall.sizes(*TECHTC_METHODS)
    first, sampled = (
        sum(lead > 0 for lead in recall.leads(DF, others, sizes))
        for others in ((IG, *SAMPLED), SAMPLED)
    )
    return judge(
        "DF's recall is much higher than that of all others",
        f"highest at {first} of {len(sizes)} sizes; above every sampling method at {sampled}",
        first == len(sizes) if sizes else None,
        direction=2 * sampled >= len(sizes),
        reason="IG uses the labels and finds words as common in the class",
    )


def over_sets(ig: Mapping[str, float], ss: Mapping[str, float], repeats: int) -> Iterator[Finding]:
    """Figure 4(a): relative micro-F1 of each set with 1000 words, a mean of this many repeats.

    With one split of 30 test documents and one draw, the variation over the sets is random.
    """
    sets = [name for name in ig if name in ss]
    of = {IG: np.array([ig[n] for n in sets]), SS: np.array([ss[n] for n in sets])}
    measured = len(sets) > 1 and repeats >= REPEATS
    ends = {name: (v.min(), v.max()) if measured else (math.nan,) * 2 for name, v in of.items()}
    for name, (low, high) in PAPER_SPREAD.items():
        ours = ends[name]
        yield judge(
            f"with {SPREAD_AT} words {name} varies over the sets from {low} to {high}",
            "{:.2f} to {:.2f}".format(*ours),
            if_measured(max(abs(ours[0] - low), abs(ours[1] - high)) <= SIMILAR, *ours),
            direction=abs(ours[0] - low) <= SIMILAR or abs(ours[1] - high) <= SIMILAR,
            paper=f"{low} to {high}",
            reason=SUPERVISED if name == IG else "",
        )
    widths = {name: high - low for name, (low, high) in ends.items()}
    yield judge(
        "SS varies less over the sets than IG",
        f"by {widths[SS]:.2f} against {widths[IG]:.2f}",
        if_measured(widths[SS] < widths[IG], *widths.values()),
        paper="by 0.2 against 0.5",
    )
    related = correlation(of[IG], of[SS]) if measured else math.nan
    yield judge(
        "… and independently of it",
        f"correlation {related:.2f} over {len(sets)} sets",
        if_measured(abs(related) <= 2 / math.sqrt(max(len(sets), 1)), related),
        reason="more than two standard errors from 0: hard sets are hard for both",
    )
    lead = float((of[SS] - of[IG]).mean()) if sets else math.nan
    yield judge(
        f"SS is marginally better than IG on average with {SPREAD_AT} words",
        f"{points_of(lead)} ahead" if lead > 0 else f"{points_of(-lead)} behind",
        if_measured(0 < lead <= SIMILAR, lead),
        direction=lead > -EVEN,
        reason=SUPERVISED,
    )
    won = int((of[SS] > of[IG]).sum())
    yield judge(
        "… and better on about half of the sets",
        f"on {won} of {len(sets)}",
        0.4 <= won / len(sets) <= 0.6 if measured else None,
        direction=measured and won >= 0.3 * len(sets),
        paper="half of 100",
        reason=SUPERVISED,
    )


def by_rank(points: Sequence[MeanPoint]) -> Iterator[Finding]:
    """Figure 4(b)."""
    micro = Curves.of(points, "relative f1")
    few = micro.sizes(*RANKS, most=FEW)
    steps = [a - b for size in few for a, b in pairwise(micro.at(m, size) for m in RANKS)]
    yield judge(
        "with few words smaller ranks are better",
        ", ".join(f"{rank_of(m)}: {percent(micro.at(m, few[-1]))}" for m in RANKS)
        + f" with {few[-1]} words"
        if few
        else "",
        min(steps) > -EVEN if steps else None,
        direction=bool(few) and min(micro.leads(RANKS[0], [SS], few)) > 0,
        reason="not at every step from rank to rank",
    )
    many = micro.sizes(*RANKS, least=MANY)
    behind = micro.leads(SS, RANKS[:-1], many)
    yield judge(
        "with many words full rank is best",
        "; ".join(f"{points_of(lead)} at {size:,}" for lead, size in zip(behind, many, strict=True))
        + " against the best of the others",
        min(behind) >= -EVEN if behind else None,
        direction=bool(behind) and behind[-1] >= -EVEN,
        reason="not at every size",
    )
    statement = "the ranks that hold 90 % of the squared norm behave like full rank"
    yield alike(micro, MOST_OF_NORM, SS, statement)


def distances(points: Sequence[MeanPoint]) -> Iterator[Finding]:
    """Figure 4(c)."""
    of = {p.size: p.mean for p in points if p.metric == HELLINGER}
    ranks = sorted(of)
    trend = float(spearmanr(ranks, [of[k] for k in ranks])[0]) if len(ranks) > 1 else math.nan
    yield judge(
        "the higher the rank of SS, the closer it is to WS (Hellinger)",
        ", ".join(f"{of[k]:.2f} at {k}" for k in ranks),
        if_measured(trend <= -0.9, trend),
        direction=bool(ranks) and of[ranks[-1]] < of[ranks[0]],
        reason="not at every step",
    )


def rank_of(method: str) -> str:
    """`SS:rank=10` is rank 10, `SS:rank=0.9` holds 90 % of the squared norm."""
    rank = re.split(r"[:+]", method.partition("rank=")[2])[0]
    if not rank:
        return "full rank"
    return f"{100 * float(rank):.0f} % of the norm" if "." in rank else f"rank {rank}"


def labels_of(points: Iterable[MeanPoint]) -> dict[str, str]:
    """`SS:rank=10` is drawn as "SS, rank 10"."""
    methods = dict.fromkeys(point.method for point in points)
    return {m: f"SS, {rank_of(m)}" if m.startswith(SS) else m for m in methods}


def techtc_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    paper = Series("SS, IG and WS in the paper", (ENOUGH_WORDS,), (0.85,), from_paper=True)
    for part, metric in (("a", "f1"), ("b", "precision"), ("c", "recall")):
        yield make_plot(
            f"figure3-{metric}",
            points,
            f"relative {metric}",
            labels=labels_of(points),
            title=f"Figure 3({part}): TechTC-100, {metric} as a share of that of all words",
            level=("all words", 1.0),
            paper_lines=[paper] if metric == "f1" else [],
        )


def spread_plots(ig: Mapping[str, float], ss: Mapping[str, float]) -> Iterator[Cells]:
    """A scatter of IG and SS over the sets; the paper sorts the sets instead."""
    sets = [name for name in ig if name in ss]
    if sets:
        yield Cells.of(
            "figure4a-sets",
            f"Figure 4(a): each set, relative f1 with {SPREAD_AT} words",
            "IG",
            "SS, full rank",
            [ig[name] for name in sets],
            [ss[name] for name in sets],
        )


def rank_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    yield make_plot(
        "figure4b-f1",
        points,
        "relative f1",
        labels=labels_of(points),
        title="Figure 4(b): TechTC-100, subspace sampling by rank",
        level=("all words", 1.0),
    )


def distance_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    yield make_plot(
        "figure4c-hellinger",
        points,
        HELLINGER,
        x_title="Rank of SS",
        labels={"SS, by rank": "from WS to SS"},
        title="Figure 4(c): TechTC-100, Hellinger distance from WS to SS",
        log=False,
    )
