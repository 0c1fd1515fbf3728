"""Ours against the best peer on the same test documents: differences, and how sure they are.

Within a cell (corpus × metric × limit) a paired bootstrap resamples documents. Over corpora, a
budget has one difference per corpus, the mean of its metrics: two metrics of a corpus are not two
observations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.stats import norm, t

from bench.frontier.journal import Answer, Deciding, Journal, Limit, Truth
from bench.frontier.scoring import unpacked
from laconic.errors import LaconicError
from laconic.numerics.quotient import quotient
from laconic.rows import group_pairs
from laconic.studies.analysis.significance import holm
from laconic.types import Bools, Floats

DRAWS = 1000
LEVEL = 0.05
# Draws of corpora.
CORPUS_DRAWS = 10_000


@dataclass(frozen=True)
class Cell:
    """Ours and the peer within a limit; `p_holm` is corrected for all cells of a comparison."""

    corpus: str
    metric: str
    ours: Answer
    peer: Answer
    p: float
    p_holm: float = 1.0

    @property
    def limit(self) -> int:
        """Features or bytes."""
        limit = self.peer.limit
        return (limit.n_features if limit.n_bytes is None else limit.n_bytes) or 0

    @property
    def difference(self) -> float:
        return self.ours.test - self.peer.test

    @property
    def worse(self) -> bool:
        return self.difference < 0 and self.p_holm < LEVEL

    @property
    def better(self) -> bool:
        return self.difference > 0 and self.p_holm < LEVEL


@dataclass(frozen=True)
class CorpusResults:
    """The answers of both sides on one corpus."""

    corpus: str
    truth: Truth
    ours: tuple[Answer, ...]
    peers: tuple[Answer, ...]

    @classmethod
    def of(cls, corpus: str, ours: Journal, peers: Journal) -> CorpusResults:
        truth = peers.truth()
        if truth is None:
            raise LaconicError(f"{peers.where}: no labels. Measure the peers of {corpus} first")
        if ours.truth() not in (None, truth):
            raise LaconicError(
                f"{ours.where} and {peers.where}: the documents, labels or words of {corpus} "
                "differ. Delete the older file, and measure that side again"
            )
        return cls(corpus, truth, tuple(ours.answers()), tuple(peers.answers()))

    def cells(self, deciding: Deciding, form: str | None = None) -> list[Cell]:
        """By features, or by bytes in a form of the peers; p is not corrected yet."""
        return [
            Cell(self.corpus, ours.metric, ours, peer, self._p(ours, peer))
            for ours in self.ours
            if (ours.limit.n_bytes is None) == (form is None)
            if (peer := self._peer(ours, deciding, form)) is not None
        ]

    def _peer(self, ours: Answer, deciding: Deciding, form: str | None) -> Answer | None:
        """Thresholds are for labels; other peers have none."""
        limit = Limit(ours.limit.n_features, ours.limit.n_bytes, form or "float64")
        kind = deciding if self.truth.rule == "labels" else "plain"
        matching = (a for a in self.peers if a.key == (ours.metric, limit, kind))
        return next(matching, None)

    def _p(self, ours: Answer, peer: Answer) -> float:
        """Two-sided, by the bootstrap's standard error: Holm's correction needs small ones."""
        resampled = [self._resampled(answer) for answer in (ours, peer)]
        error = float(np.std(resampled[0] - resampled[1], ddof=1))
        difference = abs(ours.test - peer.test)
        return float(2 * norm.sf(difference / error)) if error > 0 else 1.0

    def _resampled(self, answer: Answer) -> Floats:
        predictions = unpacked(answer.predictions, self.truth.shape)
        return f1_of_draws(predictions, self._labels, self._draws, self.truth.rule, answer.metric)

    @cached_property
    def _labels(self) -> Bools:
        return unpacked(self.truth.labels, self.truth.shape)

    @cached_property
    def _draws(self) -> Floats:
        return document_draws(self.truth.shape[0])


def document_draws(n_docs: int, n_draws: int = DRAWS) -> Floats:
    """How often each document is in each draw."""
    rng = np.random.default_rng(0)
    return rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), size=n_draws).astype(np.float64)


def f1_of_draws(predictions: Bools, labels: Bools, draws: Floats, rule: str, metric: str) -> Floats:
    """The F1 of each draw, as a study measures it."""
    if metric == "f1_micro" and rule != "labels":
        return np.asarray(draws @ (predictions == labels).all(axis=1) / draws.sum(axis=1))
    if rule == "sign":
        predictions, labels = (np.hstack([~a, a]) for a in (predictions, labels))
    hits = draws @ (predictions & labels)
    both = draws @ (predictions.astype(np.float64) + labels)
    if metric == "f1_micro":
        return quotient(2.0 * hits.sum(axis=1), both.sum(axis=1))
    n_classes = np.maximum(1, (both > 0).sum(axis=1)) if rule != "labels" else both.shape[1]
    return np.asarray(quotient(2.0 * hits, both).sum(axis=1) / n_classes)


def corrected(cells: Sequence[Cell]) -> list[Cell]:
    """With Holm's correction over all of them."""
    p_holm = holm([cell.p for cell in cells]) if cells else []
    return [replace(cell, p_holm=float(p)) for cell, p in zip(cells, p_holm, strict=True)]


@dataclass(frozen=True)
class Summary:
    """The mean difference over corpora, with 95 % intervals by t and by resampling corpora."""

    what: str
    n_corpora: int
    mean: float
    interval: tuple[float, float]
    resampled: tuple[float, float]
    n_cells: int
    higher: int
    better: int
    worse: int


def summary(what: str, cells: Iterable[Cell]) -> Summary | None:
    """None without cells."""
    judged = list(cells)
    if not judged:
        return None
    by_corpus = group_pairs((cell.corpus, cell.difference) for cell in judged)
    means = np.array([np.mean(differences) for differences in by_corpus.values()])
    return Summary(
        what,
        means.size,
        float(means.mean()),
        t_interval(means),
        bootstrap_interval(means),
        len(judged),
        sum(cell.difference > 0 for cell in judged),
        sum(cell.better for cell in judged),
        sum(cell.worse for cell in judged),
    )


def t_interval(values: Floats) -> tuple[float, float]:
    if values.size < 2:
        return float("-inf"), float("inf")
    error = values.std(ddof=1) / np.sqrt(values.size)
    width = float(t.ppf(1 - LEVEL / 2, values.size - 1) * error)
    return float(values.mean() - width), float(values.mean() + width)


def bootstrap_interval(values: Floats) -> tuple[float, float]:
    """Percentiles of the mean over resampled corpora."""
    rng = np.random.default_rng(0)
    means = rng.choice(values, size=(CORPUS_DRAWS, values.size)).mean(axis=1)
    low, high = np.quantile(means, [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)
