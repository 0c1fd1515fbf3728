"""Statements of Dasgupta et al. about 20 Newsgroups and Reuters: figures 2 and 5."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from reproduction.dasgupta2007.curves import (
    Curves,
    corpus_words,
    percent,
    points_of,
)
from reproduction.dasgupta2007.statements import DF, EVEN, IG, SIMILAR, US, WS, labels_of, rank_of
from reproduction.shared.figures import MeanPoint, make_plot
from reproduction.shared.plots import Plot, Series
from reproduction.statements import Finding, Verdict, if_measured, judge

ALL = "all words"
SS_100, SS_1500 = "SS:rank=100", "SS:rank=1500"
UNSUPERVISED = (DF, US, WS, SS_100, SS_1500)
PAPER_ALPHA = 0.4
PAPER_SHARE, SHARE_AT = 0.9, 5000
# "about 90 %" is read from a curve whose axis has a mark at every tenth.
ABOUT = 0.05
# Precision saturates here; "few words" are fewer than this.
SATURATED = 3000

OTHER_VECTORS = "stems in at least two messages, no headers; Rennie's vectors are unavailable"
FEWER_DOCUMENTS = "other and fewer documents: the available samples, or a part of them"
UNAVAILABLE = (
    Finding(
        "20 Newsgroups as Rennie's vectors, in ten splits",
        "15,000 and 4,000 messages",
        "",
        Verdict.UNAVAILABLE,
        "his vectors are unavailable: the messages are vectorized and split here",
    ),
    Finding(
        "Reuters as Lewis's vectors and split, with 10,000 of the test documents",
        "23,000 and 10,000 documents, 103 topics",
        "",
        Verdict.UNAVAILABLE,
        "only five samples of 6,000 documents of RCV1 are available: they are pooled and split",
    ),
)


def alpha_statements(points: Sequence[MeanPoint]) -> Iterator[Finding]:
    """Figure 2: a "method" is a metric, a "size" an alpha."""
    curves = Curves.of(points, ALL)
    for metric in ("f1_micro", "f1_macro"):
        alphas = curves.sizes(metric)
        best = max(alphas, key=lambda alpha: curves.at(metric, alpha), default=math.nan)
        loss = curves.at(metric, best) - curves.at(metric, PAPER_ALPHA)
        yield judge(
            f"the best {metric} of all words is at alpha = {PAPER_ALPHA}",
            f"at {best:g}; {loss:.3f} less at {PAPER_ALPHA}",
            if_measured(best == PAPER_ALPHA, loss),
            direction=loss <= EVEN,
            paper=f"{PAPER_ALPHA}",
            reason="other stems, another split; the maximum is flat",
        )


def news(points: Sequence[MeanPoint], words: float) -> Iterator[Finding]:
    """Figure 5(a)."""
    micro, precision, recall = (
        Curves.of(points, f"relative {metric}")
        for metric in ("f1_micro", "precision_macro", "recall_macro")
    )
    yield corpus_words("20 Newsgroups", 62_000, words, OTHER_VECTORS)
    for method in (SS_1500, IG):
        yield reaches_share(micro, method)
    yield degrades(micro)
    yield from supervised_wins(micro)
    yield small_rank(micro)
    yield large_rank(micro)
    yield blind(micro)
    yield recall_grows(precision, recall)


def reaches_share(micro: Curves, method: str) -> Finding:
    value = micro.at(method, SHARE_AT)
    return judge(
        f"{named(method)} has about 90 % of the micro-F1 of all words with {SHARE_AT:,} words",
        percent(value),
        if_measured(abs(value - PAPER_SHARE) <= ABOUT, value),
        direction=value > PAPER_SHARE,
        paper="90 %",
    )


def degrades(micro: Curves) -> Finding:
    sizes = micro.sizes(IG)
    first, last = (sizes[0], SHARE_AT) if SHARE_AT in sizes else (math.nan,) * 2
    loss = micro.at(IG, last) - micro.at(IG, first)
    return judge(
        "the quality degrades rapidly with few words",
        f"even IG loses {points_of(loss)} from {last:,} to {first:,} words",
        if_measured(loss >= 2 * ABOUT, loss) if first < SHARE_AT else None,
        direction=loss > 0,
    )


def supervised_wins(micro: Curves) -> Iterator[Finding]:
    sizes = micro.sizes(IG, *UNSUPERVISED)
    leads = micro.leads(IG, UNSUPERVISED, sizes)
    yield judge(
        "IG dominates",
        f"best at {sum(lead > 0 for lead in leads)} of {len(leads)} sizes",
        min(leads) > 0 if leads else None,
        direction=min(leads, default=-1) > -EVEN,
        reason="with many words the methods are even",
    )
    yield judge(
        "… above all with few words",
        ", ".join(
            f"{points_of(lead)} ahead at {size:,}"
            for lead, size in list(zip(leads, sizes, strict=True))[:: max(len(leads) - 1, 1)]
        ),
        leads[0] == max(leads) and leads[0] > 0 if leads else None,
    )


def small_rank(micro: Curves) -> Finding:
    sizes = micro.sizes(*UNSUPERVISED, most=SATURATED - 1)
    leads = micro.leads(SS_100, [m for m in UNSUPERVISED if m != SS_100], sizes)
    return judge(
        f"{named(SS_100)} is the best unsupervised method for few words",
        "; ".join(
            f"at {size:,} {percent(micro.at(SS_100, size))}, the next is "
            f"{points_of(lead)} {'behind' if lead > 0 else 'ahead'}"
            for lead, size in zip(leads, sizes, strict=True)
        ),
        min(leads) > 0 if leads else None,
        direction=leads[0] > 0 if leads else False,
    )


def large_rank(micro: Curves) -> Finding:
    """ "In general" means where words are not few."""
    sizes = micro.sizes(*UNSUPERVISED, least=SATURATED)
    leads = micro.leads(SS_1500, [m for m in UNSUPERVISED if m != SS_1500], sizes)
    return judge(
        f"{named(SS_1500)} is in general slightly better than the other unsupervised methods",
        f"best at {sum(lead > 0 for lead in leads)} of {len(leads)} sizes from {SATURATED:,} words "
        f"on, between {points_of(min(leads, default=math.nan))} and "
        f"{points_of(max(leads, default=math.nan))} ahead of the next",
        min(leads) > 0 and max(leads) <= SIMILAR if leads else None,
        direction=min(leads, default=-1) >= -2 * EVEN,
        reason="not at every size",
    )


def blind(micro: Curves) -> Finding:
    sizes = micro.sizes(IG, *UNSUPERVISED)
    others = [m for m in (IG, *UNSUPERVISED) if m != US]
    gaps = [min(micro.at(m, s) for m in others) - micro.at(US, s) for s in sizes]
    mean = float(np.mean(gaps)) if gaps else math.nan
    return judge(
        "uniform sampling falls far behind",
        f"last at {sum(gap > 0 for gap in gaps)} of {len(gaps)} sizes, on average "
        f"{points_of(mean)} behind the next to last",
        if_measured(min(gaps, default=-1) > 0 and mean > 2 * ABOUT, mean),
        direction=mean > 0,
    )


def recall_grows(precision: Curves, recall: Curves) -> Finding:
    """For all methods but uniform sampling."""
    methods = [m for m in (IG, *UNSUPERVISED) if m != US]
    sizes = precision.sizes(*methods, least=SATURATED)
    gains = [
        float(np.mean([curves.at(m, sizes[-1]) - curves.at(m, sizes[0]) for m in methods]))
        if len(sizes) > 1
        else math.nan
        for curves in (precision, recall)
    ]
    return judge(
        f"from {SATURATED:,} words on, precision does not grow, while recall does",
        f"precision by {points_of(gains[0])}, recall by {points_of(gains[1])} on average",
        if_measured(gains[0] <= SIMILAR and gains[1] > 2 * gains[0], *gains),
        direction=gains[1] > gains[0],
        reason="precision grows too",
    )


def reuters(points: Sequence[MeanPoint], words: float) -> Iterator[Finding]:
    """Figures 5(b) and 5(c)."""
    micro, macro = (Curves.of(points, f"relative {m}") for m in ("f1_micro", "f1_macro"))
    yield corpus_words("Reuters", 47_000, words, FEWER_DOCUMENTS)
    for name, curves in (("micro-F1", micro), ("macro-F1", macro)):
        yield improves(name, curves)
    for name, curves in (("micro-F1", micro), ("macro-F1", macro)):
        yield supervised_is_better(name, curves)
    for name, curves in (("micro-F1", micro), ("macro-F1", macro)):
        yield frequent_words(name, curves)


def improves(name: str, curves: Curves) -> Finding:
    (method, size), best = max(
        curves.means.items(), key=lambda item: item[1], default=(("", 0), math.nan)
    )
    return judge(
        f"selection improves marginally on the {name} of all words",
        f"at most {percent(best)} ({named(method)}, {size:,} words)",
        if_measured(best >= 1.0005, best),
        direction=best >= 1 - EVEN,
        reason="not the paper's documents, and fewer",
    )


def supervised_is_better(name: str, curves: Curves) -> Finding:
    sizes = curves.sizes(IG, *UNSUPERVISED)
    leads = curves.leads(IG, UNSUPERVISED, sizes)
    return judge(
        f"IG is marginally better than the others ({name})",
        f"best at {sum(lead > 0 for lead in leads)} of {len(leads)} sizes, at most "
        f"{points_of(max(leads, default=math.nan))} ahead of the next",
        min(leads) > 0 if leads else None,
        direction=float(np.mean(leads)) > 0 if leads else False,
        reason="not at every size",
    )


def frequent_words(name: str, curves: Curves) -> Finding:
    ranks = (SS_100, SS_1500)
    sizes = curves.sizes(DF, *ranks)
    leads = curves.leads(DF, ranks, sizes)
    means = {m: float(np.mean(curves.line(m, sizes))) for m in (DF, *ranks)} if sizes else {}
    return judge(
        f"DF is slightly better than SS ({name})",
        f"above both ranks at {sum(lead > 0 for lead in leads)} of {len(leads)} sizes; over all "
        + ", ".join(f"{named(m)} {percent(v)}" for m, v in means.items()),
        min(leads) > 0 if leads else None,
        direction=bool(means) and means[DF] >= max(means[m] for m in ranks),
        reason="not at every size",
    )


def named(method: str) -> str:
    return f"SS of {rank_of(method)}" if method.startswith("SS") else method


def alpha_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    yield make_plot(
        "figure2",
        points,
        ALL,
        x_title="alpha",
        title="Figure 2: 20 Newsgroups, all words of one split",
    )


def news_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    """The paper mentions precision and recall, and does not show them."""
    paper = Series(
        "SS, rank 1500, and IG in the paper", (SHARE_AT,), (PAPER_SHARE,), from_paper=True
    )
    for metric in ("f1_micro", "precision_macro", "recall_macro"):
        first = metric == "f1_micro"
        yield make_plot(
            f"figure5a-{metric}",
            points,
            f"relative {metric}",
            labels=labels_of(points),
            title=f"{'Figure 5(a): ' if first else ''}20 Newsgroups, {metric} as a share of that "
            "of all words",
            level=(ALL, 1.0),
            paper_lines=[paper] if first else [],
        )


def reuters_plots(points: Sequence[MeanPoint]) -> Iterator[Plot]:
    for part, metric in (("b", "f1_micro"), ("c", "f1_macro")):
        yield make_plot(
            f"figure5{part}-{metric}",
            points,
            f"relative {metric}",
            labels=labels_of(points),
            title=f"Figure 5({part}): RCV1, {metric} as a share of that of all words",
            level=(ALL, 1.0),
        )
