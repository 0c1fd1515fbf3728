"""What Kołcz and Chowdhury say of SVMs cut down without training again, against what came out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from laconic.papers.best_sizes import PairedComparison, Values, paired_comparisons
from laconic.papers.figures import Point
from laconic.papers.findings import Finding, Verdict, beside, judge
from laconic.rows import Row

EXACT, MASK, SV_SET, ALL = "EXACT", "MASK", "SV-SET", "all words"
AUC, POOLED, BEST_F1, F1 = "roc_auc", "roc_auc_micro", "best_f1", "f1_micro"
SHOWN = {AUC: "AUC", POOLED: "AUC over all decisions", BEST_F1: "best F1", F1: "F1 at threshold 0"}
WHOLE = 1.0
# "When a high fraction of top ranking features is retained (> 50 %)".
HALF = 0.5
SIGNIFICANT = 0.05
# "≈ 0", and less than 1e-9, of a p-value over 100 sets.
NEAR_ZERO = 1e-6
# The paper calls 0.919 to 0.921 "numerically very close", and curves that a reader cannot tell
# apart "essentially" the same.
CLOSE, APART = 0.003, 0.01
# A mean over 100 topics has a standard error of about so much.
NEAR = {AUC: 0.005, POOLED: 0.005, BEST_F1: 0.025}


@dataclass(frozen=True)
class PaperRow:
    """A line of table 1: the best values, and one-sided p-values of EXACT against the others."""

    corpus: str
    best: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    p: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


RCV1 = PaperRow(
    "RCV1",
    {
        AUC: {EXACT: 0.974551, MASK: 0.97452, SV_SET: 0.97451},
        BEST_F1: {EXACT: 0.595599, MASK: 0.594883, SV_SET: 0.595328},
    },
    {AUC: {MASK: 0.117, SV_SET: 0.126}, BEST_F1: {MASK: 0.003, SV_SET: 0.086}},
)
TREC_AP = PaperRow(
    "TREC-AP",
    {
        AUC: {EXACT: 0.989499, MASK: 0.989537, SV_SET: 0.989525},
        BEST_F1: {EXACT: 0.920365, MASK: 0.92107, SV_SET: 0.919142},
    },
    {AUC: {MASK: 0.21, SV_SET: 0.23}, BEST_F1: {MASK: 0.36, SV_SET: 0.22}},
)
NO_PAPER_ROW = PaperRow("")
OTHER_DOCUMENTS = "the paper tests on 781,265 documents; here are 27,613 in all"


def absent() -> Iterator[Finding]:
    """TREC-AP, whose texts are not public, and the documents of RCV1 as they were divided."""
    why = "the texts of the AP newswire are under licence, and not public"
    for metric, best in TREC_AP.best.items():
        says = f"table 1, TREC-AP: {SHOWN[metric]} of exact, mask and sv set at their best"
        yield Finding(says, ", ".join(f"{v:.4f}" for v in best.values()), "", Verdict.UNAVAILABLE, why)
    for figure in ("figure 1", "figure 3, above", "figure 4, above"):
        says = f"{figure}: TREC-AP. 20 Newsgroups stand in for it"
        yield Finding(says, "", "", Verdict.UNAVAILABLE, why)
    why = "what is here are five samples of 6,000 documents"
    says = "table 1, figures 3 and 4: RCV1 as it was divided"
    yield Finding(says, "23,149; 781,265 documents", "", Verdict.UNAVAILABLE, why)


def table_1(
    oracle: Mapping[str, Values], nested: Mapping[str, Values], told: PaperRow, stands_in: bool
) -> Iterator[Finding]:
    """The best fraction of each category on the test documents, and by validation.

    Values of another corpus are not compared, where one `stands_in`; its p-values are.
    """
    for metric in (AUC, BEST_F1):
        found = against(oracle[metric], EXACT)
        if not stands_in:
            yield from _beside(metric, found, told)
        yield very_close(metric, found)
        for method in (MASK, SV_SET):
            yield difference(metric, found.get(method), found.get(EXACT), told, method)
    yield compromise(nested)
    yield gain(nested)


def _beside(metric: str, found: Mapping[str, PairedComparison], told: PaperRow) -> Iterator[Finding]:
    for method, value in told.best.get(metric, {}).items():
        here = found[method].mean if method in found else math.nan
        yield beside(
            f"{SHOWN[metric]} of {method}, each category at its best fraction",
            value,
            here,
            within=NEAR[metric],
            form=".4f",
            reason=OTHER_DOCUMENTS,
        )


def very_close(metric: str, found: Mapping[str, PairedComparison]) -> Finding:
    means = {m: found[m].mean for m in (EXACT, MASK, SV_SET) if m in found}
    spread = max(means.values()) - min(means.values()) if len(means) == 3 else math.nan
    return judge(
        f"the best {SHOWN[metric].removeprefix('best ')} of the three are numerically very close",
        f"{_listed(means)}: {spread:.4f} apart",
        known(spread <= CLOSE, spread),
        direction=spread <= APART,
    )


def difference(
    metric: str, other: PairedComparison | None, exact: PairedComparison | None, told: PaperRow, method: str
) -> Finding:
    """Significant where the paper finds it so, and not where it does not."""
    p = told.p.get(metric, {}).get(method)
    worse = p is not None and p < SIGNIFICANT
    asked = "is significantly worse than" if worse else "does not differ significantly from"
    says = f"{method} {asked} EXACT by {SHOWN[metric]}"
    paper = "" if p is None else f"p = {p:g} ({told.corpus})"
    if other is None or exact is None or math.isnan(other.p):
        return judge(says, "", None, paper=paper)
    lead = other.mean - exact.mean
    differs = other.p < SIGNIFICANT
    return judge(
        says,
        f"{lead:+.4f}, p = {other.p:.2g}; EXACT won {other.won}, lost {other.lost}",
        differs and lead < 0 if worse else not differs,
        direction=lead < 0 if worse else abs(lead) <= CLOSE / 3,
        paper=paper,
        reason=f"{method} is ahead" if lead > 0 else f"{method} is behind",
    )


def compromise(nested: Mapping[str, Values]) -> Finding:
    """The conclusion, for those who must choose the fraction without the test documents."""
    p = {name: one.p for name, one in _others(nested).items() if not math.isnan(one.p)}
    least = min(p, key=lambda name: p[name], default=("", ""))
    return judge(
        "no significant compromise, with fractions chosen on training documents too",
        f"least p = {p[least]:.2g} ({least[0]}, {SHOWN[least[1]]})" if p else "",
        p[least] >= SIGNIFICANT if p else None,
    )


def gain(nested: Mapping[str, Values]) -> Finding:
    others = _others(nested)
    exact = {metric: against(values, EXACT).get(EXACT) for metric, values in nested.items()}
    leads = {
        (method, metric): one.mean - champion.mean
        for (method, metric), one in others.items()
        if (champion := exact[metric]) is not None
    }
    ahead = [name for name, lead in leads.items() if lead > 0]
    best = min(ahead, key=lambda name: others[name].p, default=("", ""))
    lead, p = leads.get(best, 0.0), others[best].p if ahead else math.nan
    return judge(
        "in some cases not training again gains accuracy (fractions chosen on training documents)",
        f"{best[0]}: {lead:+.4f} {SHOWN[best[1]]}, p = {p:.2g}" if ahead else "EXACT is ahead",
        p < SIGNIFICANT if others else None,
        direction=bool(ahead),
        reason="ahead, but not significantly" if ahead else "",
    )


def _others(values: Mapping[str, Values]) -> dict[tuple[str, str], PairedComparison]:
    """MASK and SV-SET against EXACT, by AUC and by best F1."""
    return {
        (method, metric): one
        for metric in (AUC, BEST_F1)
        for method, one in against(values.get(metric, {}), EXACT).items()
        if method in (MASK, SV_SET)
    }


def along(points: Sequence[Point], metrics: Iterable[str]) -> Iterator[Finding]:
    """Figure 1: one fraction for all categories."""
    found = {(p.metric, p.method, p.size): p.mean for p in points}
    by_auc = {s: v for (m, method, s), v in found.items() if (m, method) == (AUC, EXACT)}
    by_f1 = {s: v for (m, method, s), v in found.items() if (m, method) == (BEST_F1, EXACT)}
    by_sign = {s: v for (m, method, s), v in found.items() if (m, method) == (F1, EXACT)}
    yield almost_all(by_auc)
    if by_f1:
        yield fewer_help(by_f1, by_sign)
    for metric in metrics:
        yield from apart(metric, [p for p in points if p.metric == metric])


def almost_all(curve: Mapping[float, float]) -> Finding:
    size, top = _peak(curve)
    last = curve.get(WHOLE, math.nan)
    return judge(
        "the best AUC is had with all or almost all words",
        f"EXACT: {top:.4f} at {size:g}, {last:.4f} with all words of the support vectors",
        known(top - last <= CLOSE, last),
        direction=top - last <= APART,
    )


def fewer_help(curve: Mapping[float, float], by_sign: Mapping[float, float]) -> Finding:
    size, top = _peak(curve)
    last = curve.get(WHOLE, math.nan)
    few, many = _peak(by_sign), by_sign.get(WHOLE, math.nan)
    return judge(
        "fewer words can raise the best F1",
        f"EXACT: {top:.4f} at {size:g}, {last:.4f} with all words of the support vectors",
        known(top - last > CLOSE, last),
        reason=f"by less than {CLOSE}; at threshold 0 from {many:.3f} to {few[1]:.3f} at {few[0]:g}",
    )


def apart(metric: str, points: Sequence[Point]) -> Iterator[Finding]:
    """Above half of the words and below: where the others are farthest from EXACT."""
    found = {(p.method, p.size): p.mean for p in points}
    leads = {
        (method, size): value - found[EXACT, size]
        for (method, size), value in found.items()
        if method in (MASK, SV_SET) and (EXACT, size) in found
    }
    above, below = (
        {place: lead for place, lead in leads.items() if (place[1] > HALF) == high}
        for high in (True, False)
    )
    high, low = (max(map(abs, some.values()), default=math.nan) for some in (above, below))
    yield judge(
        f"above half of the words it makes no difference which variant ({SHOWN[metric]})",
        _widest(above),
        known(high <= APART, high),
        reason="each category keeps the bias of all words" if metric == POOLED else "",
    )
    yield judge(
        f"… below, the differences become more pronounced ({SHOWN[metric]})",
        _widest(below),
        known(low > max(2 * high, CLOSE), low, high),
        direction=low > high,
    )


def pooled(points: Sequence[Point], told: PaperRow) -> Iterator[Finding]:
    """All decisions of all categories together, one fraction for all: a reading of "micro-average".

    The paper's values are those of table 1, each category at its own fraction.
    """
    own = [point for point in points if point.metric == POOLED]
    curves = {
        method: {p.size: p.mean for p in own if p.method == method and p.size != WHOLE}
        for method in (EXACT, MASK, SV_SET)
    }
    for method, value in told.best.get(AUC, {}).items():
        says = f"AUC over all decisions, {method} at its best fraction"
        here = _peak(curves[method])[1]
        yield beside(says, value, here, within=NEAR[POOLED], form=".4f", reason=OTHER_DOCUMENTS)
    yield almost_all({p.size: p.mean for p in own if p.method == EXACT})
    yield from apart(POOLED, own)


def faster(rows: Iterable[Row]) -> Finding:
    """All fractions: what training took with and without training again."""
    seconds: dict[str, dict[tuple[str, float], float]] = {}
    for row in rows:
        seconds.setdefault(row.method, {})[row.task, row.size] = row.seconds
    exact, mask = (sum(seconds.get(method, {}).values()) for method in (EXACT, MASK))
    return judge(
        "without training again the search is orders of magnitude faster",
        f"EXACT took {exact / mask:.1f} times as long as MASK" if mask else "",
        exact >= 100 * mask if mask else None,
        direction=exact > mask,
        reason="a dozen fractions are too few for that; `MaskedSVM.every_size` measures every size",
    )


def techtc(oracle: Values, nested: Values) -> Iterator[Finding]:
    """Figure 2."""
    for title, values in (("", oracle), (", fractions chosen on training documents", nested)):
        yield better_than_all(values, title)
    found = against(oracle, EXACT)
    yield difference(
        AUC, found.get(SV_SET), found.get(EXACT), PaperRow("TechTC", p={AUC: {SV_SET: 0.0852}}), SV_SET
    )
    mask, exact = found.get(MASK), found.get(EXACT)
    lead = mask.mean - exact.mean if mask and exact else math.nan
    p = mask.p if mask else math.nan
    yield judge(
        "MASK is worse than EXACT by AUC",
        f"{lead:+.4f}, p = {p:.2g}",
        known(lead < 0 and p < NEAR_ZERO, lead, p),
        direction=lead < 0,
        paper="p < 1e-9",
        reason="behind, but by far not as clearly" if lead < 0 else "not behind",
    )
    yield gain({AUC: nested})


def better_than_all(values: Values, title: str) -> Finding:
    """The p of each variant against all words, of which the largest counts."""
    found = {method: against(values, method) for method in (EXACT, MASK, SV_SET)}
    means = {method: own[method].mean for method, own in found.items() if method in own}
    whole = next((own[ALL].mean for own in found.values() if ALL in own), math.nan)
    p = max((own[ALL].p for own in found.values() if ALL in own), default=math.nan)
    lead = min(means.values(), default=math.nan) - whole
    return judge(
        f"all three are substantially better than all words{title}",
        f"{_listed(means)}; all words {whole:.4f}; largest p = {p:.2g}",
        known(lead >= APART and p < NEAR_ZERO, lead, p) if len(means) == 3 else None,
        direction=lead > 0,
        paper="p ≈ 0",
    )


def against(values: Values, champion: str) -> dict[str, PairedComparison]:
    return {one.method: one for one in paired_comparisons(values, champion)}


def known(holds: bool, *values: float) -> bool | None:
    return None if any(map(math.isnan, values)) else holds


def _peak(curve: Mapping[float, float]) -> tuple[float, float]:
    size = max(curve, key=lambda size: curve[size], default=math.nan)
    return size, curve.get(size, math.nan)


def _widest(leads: Mapping[tuple[str, float], float]) -> str:
    """Of each method the largest difference from EXACT."""
    told = []
    for method in dict.fromkeys(method for method, _ in leads):
        own = {size: lead for (name, size), lead in leads.items() if name == method}
        size = max(own, key=lambda size: abs(own[size]))
        told.append(f"{method} {own[size]:+.4f} at {size:g}")
    return ", ".join(told)


def _listed(means: Mapping[str, float]) -> str:
    return ", ".join(f"{method} {mean:.4f}" for method, mean in means.items())
