"""What was chosen, on the test documents: is ours better, as good, or worse?

Of one task the documents are drawn anew, for both sides the same ones, and the difference of F1 is
looked at (paired bootstrap); over several sets it is Wilcoxon's signed-rank test.
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
from laconic.reduction import Floats
from laconic.study.significance import wilcoxon

Truths: TypeAlias = Mapping[str, Truth]
DRAWS = 1000
LEVEL = 0.05
BETTER, AS_GOOD, WORSE = "better", "as good", "worse"


@dataclass(frozen=True)
class Comparison:
    """Ours and the best peer at a budget, each chosen by `measure` on validation documents."""

    corpus: str
    measure: str
    budget: Budget
    ours: Candidate
    peer: Candidate
    p: float

    @property
    def difference(self) -> float:
        return self.ours.value(self.measure) - self.peer.value(self.measure)

    @property
    def verdict(self) -> str:
        if not self.p < LEVEL:
            return AS_GOOD
        return BETTER if self.difference > 0 else WORSE


def comparisons(
    corpus: str,
    found: Sequence[Candidate],
    truths: Truths,
    budgets: Iterable[Budget],
    measure: str,
) -> list[Comparison]:
    """One a budget at which both sides have something."""
    compared = []
    for budget in budgets:
        ours, peer = (choose(of_side(found, side), measure, within_words(budget)) for side in SIDES)
        if ours is not None and peer is not None:
            p = chance(ours, peer, truths, measure)
            compared.append(Comparison(corpus, measure, budget, ours, peer, p))
    return compared


def chance(a: Candidate, b: Candidate, truths: Truths, measure: str) -> float:
    """The two-sided p of no difference."""
    if len(a.rows) > 1:
        values = [[(row.test or {})[measure] for row in one.rows] for one in (a, b)]
        return wilcoxon(*values).p
    truth = truths[a.rows[0].part]
    shape = (truth.n_docs, truth.n_classes)
    of_a, of_b = (unpacked(one.rows[0].answers, shape) for one in (a, b))
    return bootstrap(of_a, of_b, unpacked(truth.truth, shape), measure)


def bootstrap(a: Bools, b: Bools, truth: Bools, measure: str, draws: int = DRAWS) -> float:
    """Twice the smaller share of draws in which the difference is not on its side of 0."""
    rng = np.random.default_rng(0)
    n_docs = truth.shape[0]
    times = rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), size=draws).astype(np.float64)
    differences = _f1(a, truth, times, measure) - _f1(b, truth, times, measure)
    shares = [(differences <= 0).mean(), (differences >= 0).mean()]
    return float(min(1.0, 2 * min(shares)))


def _f1(answers: Bools, truth: Bools, times: Floats, measure: str) -> Floats:
    """That of each draw, in which documents count as often as `times` says."""
    hits, both = answers & truth, answers.astype(np.float64) + truth
    if measure == "f1_micro":
        n_hits, n_both = times @ hits.sum(axis=1), times @ both.sum(axis=1)
        return _ratio(2.0 * n_hits, n_both)
    occur = truth.any(axis=0)
    own = _ratio(2.0 * (times @ hits[:, occur]), times @ both[:, occur])
    return np.asarray(own.mean(axis=1))


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
