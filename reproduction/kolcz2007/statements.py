"""Statements of Kołcz and Chowdhury about SVMs reduced without retraining."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from laconic.rows import Row
from reproduction.kolcz2007.best_sizes import PairedComparison, Values, paired_comparisons
from reproduction.shared.figures import MeanPoint
from reproduction.statements import Finding, Verdict, if_measured, judge, judge_value

EXACT, MASK, SV_SET, ALL = "EXACT", "MASK", "SV-SET", "all words"
AUC, POOLED, BEST_F1, F1 = "roc_auc", "roc_auc_micro", "best_f1", "f1"
SHOWN = {AUC: "AUC", POOLED: "AUC over all decisions", BEST_F1: "best F1", F1: "F1 at threshold 0"}
WHOLE = 1.0
# "When a high fraction of top ranking features is retained (> 50 %)".
HALF = 0.5
SIGNIFICANT = 0.05
# The paper has p "≈ 0" and p < 1e-9 over 100 sets.
NEAR_ZERO = 1e-6
# The paper calls 0.919 to 0.921 "numerically very close", and visually equal curves "essentially"
# the same.
CLOSE, APART = 0.003, 0.01
# About the standard error of a mean over 100 topics.
NEAR = {AUC: 0.005, POOLED: 0.005, BEST_F1: 0.025}


@dataclass(frozen=True)
class PaperRow:
    """A row of table 1: the best values, and one-sided p-values of EXACT against the others."""

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
OTHER_DOCUMENTS = "the paper tests on 781,265 documents; here there are 27,613 in all"


def unavailable() -> Iterator[Finding]:
    """TREC-AP, whose texts are not public, and the original split of RCV1."""
    reason = "the AP newswire texts are licensed and not public"
    for metric, best in TREC_AP.best.items():
        statement = f"table 1, TREC-AP: {SHOWN[metric]} of exact, mask and sv set at their best"
        values = ", ".join(f"{v:.4f}" for v in best.values())
        yield Finding(statement, values, "", Verdict.UNAVAILABLE, reason)
    for figure in ("figure 1", "figure 3, top", "figure 4, top"):
        statement = f"{figure}: TREC-AP. 20 Newsgroups is used instead"
        yield Finding(statement, "", "", Verdict.UNAVAILABLE, reason)
    reason = "only five samples of 6,000 documents are available"
    statement = "table 1, figures 3 and 4: RCV1 with its original split"
    yield Finding(statement, "23,149; 781,265 documents", "", Verdict.UNAVAILABLE, reason)


def table_1(
    oracle: Mapping[str, Values], nested: Mapping[str, Values], paper: PaperRow, stands_in: bool
) -> Iterator[Finding]:
    """The best fraction of each category on the test documents, and by validation.

    If another corpus `stands_in`, only p-values are compared.
    """
    for metric in (AUC, BEST_F1):
        tests = against(oracle[metric], EXACT)
        if not stands_in:
            yield from _paper_values(metric, tests, paper)
        yield very_close(metric, tests)
        for method in (MASK, SV_SET):
            yield difference(metric, tests.get(method), tests.get(EXACT), paper, method)
    yield compromise(nested)
    yield gain(nested)


def _paper_values(
    metric: str, tests: Mapping[str, PairedComparison], paper: PaperRow
) -> Iterator[Finding]:
    for method, value in paper.best.get(metric, {}).items():
        ours = tests[method].mean if method in tests else math.nan
        yield judge_value(
            f"{SHOWN[metric]} of {method}, each category at its best fraction",
            value,
            ours,
            within=NEAR[metric],
            form=".4f",
            reason=OTHER_DOCUMENTS,
        )


def very_close(metric: str, tests: Mapping[str, PairedComparison]) -> Finding:
    means = {m: tests[m].mean for m in (EXACT, MASK, SV_SET) if m in tests}
    spread = max(means.values()) - min(means.values()) if len(means) == 3 else math.nan
    name = SHOWN[metric].removeprefix("best ")
    return judge(
        f"the best {name} values of the three are numerically very close",
        f"{_listed(means)}: {spread:.4f} apart",
        if_measured(spread <= CLOSE, spread),
        direction=spread <= APART,
    )


def difference(
    metric: str,
    other: PairedComparison | None,
    exact: PairedComparison | None,
    paper: PaperRow,
    method: str,
) -> Finding:
    """Significant if it is significant in the paper, and not significant otherwise."""
    p = paper.p.get(metric, {}).get(method)
    worse = p is not None and p < SIGNIFICANT
    relation = "is significantly worse than" if worse else "does not differ significantly from"
    statement = f"{method} {relation} EXACT by {SHOWN[metric]}"
    paper_text = "" if p is None else f"p = {p:g} ({paper.corpus})"
    if other is None or exact is None or math.isnan(other.p):
        return judge(statement, "", None, paper=paper_text)
    lead = other.mean - exact.mean
    differs = other.p < SIGNIFICANT
    return judge(
        statement,
        f"{lead:+.4f}, p = {other.p:.2g}; EXACT won {other.won}, lost {other.lost}",
        differs and lead < 0 if worse else not differs,
        direction=lead < 0 if worse else abs(lead) <= CLOSE / 3,
        paper=paper_text,
        reason=f"{method} is ahead" if lead > 0 else f"{method} is behind",
    )


def compromise(nested: Mapping[str, Values]) -> Finding:
    """The conclusion, with fractions chosen without the test documents."""
    p = {name: test.p for name, test in _others(nested).items() if not math.isnan(test.p)}
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
        (method, metric): test.mean - reference.mean
        for (method, metric), test in others.items()
        if (reference := exact[metric]) is not None
    }
    ahead = [name for name, lead in leads.items() if lead > 0]
    best = min(ahead, key=lambda name: others[name].p, default=("", ""))
    lead, p = leads.get(best, 0.0), others[best].p if ahead else math.nan
    return judge(
        "in some cases not retraining gains accuracy (fractions chosen on training documents)",
        f"{best[0]}: {lead:+.4f} {SHOWN[best[1]]}, p = {p:.2g}" if ahead else "EXACT is ahead",
        p < SIGNIFICANT if others else None,
        direction=bool(ahead),
        reason="ahead, but not significantly" if ahead else "",
    )


def _others(values: Mapping[str, Values]) -> dict[tuple[str, str], PairedComparison]:
    """MASK and SV-SET against EXACT, by AUC and by best F1."""
    return {
        (method, metric): test
        for metric in (AUC, BEST_F1)
        for method, test in against(values.get(metric, {}), EXACT).items()
        if method in (MASK, SV_SET)
    }


def along(points: Sequence[MeanPoint], metrics: Iterable[str]) -> Iterator[Finding]:
    """Figure 1: one fraction for all categories."""
    by_auc, by_f1, at_zero = (
        {p.size: p.mean for p in points if (p.metric, p.method) == (metric, EXACT)}
        for metric in (AUC, BEST_F1, F1)
    )
    yield almost_all(by_auc)
    if by_f1:
        yield fewer_help(by_f1, at_zero)
    for metric in metrics:
        yield from largest_gaps(metric, [p for p in points if p.metric == metric])


def almost_all(curve: Mapping[float, float]) -> Finding:
    size, top = _peak(curve)
    last = curve.get(WHOLE, math.nan)
    return judge(
        "the best AUC is reached with all or almost all words",
        f"EXACT: {top:.4f} at {size:g}, {last:.4f} with all words of the support vectors",
        if_measured(top - last <= CLOSE, last),
        direction=top - last <= APART,
    )


def fewer_help(curve: Mapping[float, float], at_zero: Mapping[float, float]) -> Finding:
    size, top = _peak(curve)
    last = curve.get(WHOLE, math.nan)
    few, many = _peak(at_zero), at_zero.get(WHOLE, math.nan)
    return judge(
        "fewer words can raise the best F1",
        f"EXACT: {top:.4f} at {size:g}, {last:.4f} with all words of the support vectors",
        if_measured(top - last > CLOSE, last),
        reason=f"by less than {CLOSE}; at threshold 0 from {many:.3f} to {few[1]:.3f} "
        f"at {few[0]:g}",
    )


def largest_gaps(metric: str, points: Sequence[MeanPoint]) -> Iterator[Finding]:
    """The largest differences from EXACT above half of the words, and up to it."""
    means = {(p.method, p.size): p.mean for p in points}
    leads = {
        (method, size): value - means[EXACT, size]
        for (method, size), value in means.items()
        if method in (MASK, SV_SET) and (EXACT, size) in means
    }
    above, below = (
        {cell: lead for cell, lead in leads.items() if (cell[1] > HALF) == high}
        for high in (True, False)
    )
    high, low = (max(map(abs, part.values()), default=math.nan) for part in (above, below))
    yield judge(
        f"above half of the words the variant makes no difference ({SHOWN[metric]})",
        _widest(above),
        if_measured(high <= APART, high),
        reason="each category keeps the bias of the SVM on all words" if metric == POOLED else "",
    )
    yield judge(
        f"… below, the differences become more pronounced ({SHOWN[metric]})",
        _widest(below),
        if_measured(low > max(2 * high, CLOSE), low, high),
        direction=low > high,
    )


def pooled(points: Sequence[MeanPoint], paper: PaperRow) -> Iterator[Finding]:
    """All decisions of all categories together, with one fraction: a reading of "micro-average".

    The paper's values are those of table 1, with one fraction per category.
    """
    pooled_points = [point for point in points if point.metric == POOLED]
    curves = {
        method: {p.size: p.mean for p in pooled_points if p.method == method and p.size != WHOLE}
        for method in (EXACT, MASK, SV_SET)
    }
    for method, value in paper.best.get(AUC, {}).items():
        statement = f"AUC over all decisions, {method} at its best fraction"
        ours = _peak(curves[method])[1]
        yield judge_value(
            statement, value, ours, within=NEAR[POOLED], form=".4f", reason=OTHER_DOCUMENTS
        )
    yield almost_all({p.size: p.mean for p in pooled_points if p.method == EXACT})
    yield from largest_gaps(POOLED, pooled_points)


def faster(rows: Sequence[Row]) -> Finding:
    """The training time for all fractions, with and without retraining."""
    exact, mask = (
        sum({(row.task, row.size): row.seconds for row in rows if row.method == method}.values())
        for method in (EXACT, MASK)
    )
    return judge(
        "without retraining, the search is orders of magnitude faster",
        f"EXACT took {exact / mask:.1f} times as long as MASK" if mask else "",
        exact >= 100 * mask if mask else None,
        direction=exact > mask,
        reason="a dozen fractions are too few; `MaskedSVM.every_size` measures every size",
    )


def techtc(oracle: Values, nested: Values) -> Iterator[Finding]:
    """Figure 2."""
    for title, values in (("", oracle), (", fractions chosen on training documents", nested)):
        yield better_than_all(values, title)
    tests = against(oracle, EXACT)
    yield difference(
        AUC,
        tests.get(SV_SET),
        tests.get(EXACT),
        PaperRow("TechTC", p={AUC: {SV_SET: 0.0852}}),
        SV_SET,
    )
    mask, exact = tests.get(MASK), tests.get(EXACT)
    lead = mask.mean - exact.mean if mask and exact else math.nan
    p = mask.p if mask else math.nan
    yield judge(
        "MASK is worse than EXACT by AUC",
        f"{lead:+.4f}, p = {p:.2g}",
        if_measured(lead < 0 and p < NEAR_ZERO, lead, p),
        direction=lead < 0,
        paper="p < 1e-9",
        reason="behind, but far less clearly" if lead < 0 else "not behind",
    )
    yield gain({AUC: nested})


def better_than_all(values: Values, title: str) -> Finding:
    """The variants against all words; the largest of the p-values counts."""
    tests = {method: against(values, method) for method in (EXACT, MASK, SV_SET)}
    means = {method: group[method].mean for method, group in tests.items() if method in group}
    whole = next((group[ALL].mean for group in tests.values() if ALL in group), math.nan)
    p = max((group[ALL].p for group in tests.values() if ALL in group), default=math.nan)
    lead = min(means.values(), default=math.nan) - whole
    return judge(
        f"all three are substantially better than all words{title}",
        f"{_listed(means)}; all words {whole:.4f}; largest p = {p:.2g}",
        if_measured(lead >= APART and p < NEAR_ZERO, lead, p) if len(means) == 3 else None,
        direction=lead > 0,
        paper="p ≈ 0",
    )


def against(values: Values, reference: str) -> dict[str, PairedComparison]:
    return {test.method: test for test in paired_comparisons(values, reference)}


def _peak(curve: Mapping[float, float]) -> tuple[float, float]:
    size = max(curve, key=lambda size: curve[size], default=math.nan)
    return size, curve.get(size, math.nan)


def _widest(leads: Mapping[tuple[str, float], float]) -> str:
    """The largest difference of each method from EXACT."""
    parts = []
    for method in dict.fromkeys(method for method, _ in leads):
        by_size = {size: lead for (name, size), lead in leads.items() if name == method}
        size = max(by_size, key=lambda size: abs(by_size[size]))
        parts.append(f"{method} {by_size[size]:+.4f} at {size:g}")
    return ", ".join(parts)


def _listed(means: Mapping[str, float]) -> str:
    return ", ".join(f"{method} {mean:.4f}" for method, mean in means.items())
