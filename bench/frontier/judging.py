"""The choices on the test documents: is ours better, as good, or worse?

For one task, a paired bootstrap resamples the documents, the same ones for both sides, and tests
the difference of F1; over several sets it is Wilcoxon's signed-rank test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bench.frontier.choosing import Candidate, choose, of_side, within_words
from bench.frontier.corpora import Bools
from bench.frontier.families import SIDES, Budget
from bench.frontier.journal import Truth
from bench.frontier.scoring import unpacked
from laconic.studies.analysis.significance import wilcoxon
from laconic.types import Floats

Truths: TypeAlias = Mapping[str, Truth]
DRAWS = 1000
LEVEL = 0.05
BETTER, AS_GOOD, WORSE = "better", "as good", "worse"


@dataclass(frozen=True)
class Comparison:
    """Ours and the best peer at a budget, each chosen by `metric` on validation documents."""

    corpus: str
    metric: str
    budget: Budget
    ours: Candidate
    peer: Candidate
    p: float

    @property
    def difference(self) -> float:
        return self.ours.value(self.metric) - self.peer.value(self.metric)

    @property
    def verdict(self) -> str:
        if not self.p < LEVEL:
            return AS_GOOD
        return BETTER if self.difference > 0 else WORSE


def comparisons(
    corpus: str,
    candidates: Sequence[Candidate],
    truths: Truths,
    budgets: Iterable[Budget],
    metric: str,
) -> list[Comparison]:
    """One comparison per budget at which both sides have a candidate."""
    compared = []
    for budget in budgets:
        ours, peer = (
            choose(of_side(candidates, side), metric, within_words(budget)) for side in SIDES
        )
        if ours is not None and peer is not None:
            p = p_value(ours, peer, truths, metric)
            compared.append(Comparison(corpus, metric, budget, ours, peer, p))
    return compared


def p_value(a: Candidate, b: Candidate, truths: Truths, metric: str) -> float:
    """The two-sided p-value of the difference."""
    if len(a.rows) > 1:
        values = [[(row.test or {})[metric] for row in candidate.rows] for candidate in (a, b)]
        return wilcoxon(*values).p
    truth = truths[a.rows[0].part]
    shape = (truth.n_docs, truth.n_classes)
    of_a, of_b = (unpacked(candidate.rows[0].answers, shape) for candidate in (a, b))
    return bootstrap(of_a, of_b, unpacked(truth.truth, shape), metric)


def bootstrap(a: Bools, b: Bools, truth: Bools, metric: str, draws: int = DRAWS) -> float:
    """Twice the smaller share of draws whose difference is on the other side of 0."""
    rng = np.random.default_rng(0)
    n_docs = truth.shape[0]
    times = rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), size=draws).astype(np.float64)
    differences = _f1(a, truth, times, metric) - _f1(b, truth, times, metric)
    shares = [(differences <= 0).mean(), (differences >= 0).mean()]
    return float(min(1.0, 2 * min(shares)))


def _f1(answers: Bools, truth: Bools, times: Floats, metric: str) -> Floats:
    """The F1 of each draw, in which documents count as often as `times` says."""
    hits, both = answers & truth, answers.astype(np.float64) + truth
    if metric == "f1_micro":
        n_hits, n_both = times @ hits.sum(axis=1), times @ both.sum(axis=1)
        return _ratio(2.0 * n_hits, n_both)
    occur = truth.any(axis=0)
    per_class = _ratio(2.0 * (times @ hits[:, occur]), times @ both[:, occur])
    return np.asarray(per_class.mean(axis=1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
