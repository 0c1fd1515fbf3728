"""The score of a model on the test documents with its interval, mistakes and calibration error."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from laconic.methods import keeps_all
from laconic.numerics.calibration import calibration_error, probabilities
from laconic.numerics.quotient import quotient
from laconic.studies.analysis.recommendation import HeldOutResult
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.types import Bools, Floats, Int8s, Rule

N_RESAMPLES = 1000
LEVEL = 0.95
# Documents resampled at a time, times resamples: bounds the memory.
CELLS = 4_000_000
# The metrics that have an interval.
INTERVALS = frozenset({"accuracy", "f1", "f1_micro", "f1_macro"})


def score_interval(
    chosen: Bools, y_signed: Int8s, rule: Rule, metric: str, *, random_state: int = 0
) -> tuple[float, float] | None:
    """The 95 % percentile interval of a metric over resampled documents; None for other metrics.

    Documents are resampled with replacement, with a fixed seed. The number of right documents in a
    resample is binomial, so the accuracy needs no resampling.
    """
    n_docs = len(chosen)
    tails = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    if not n_docs or metric not in INTERVALS:
        return None
    if metric == "accuracy" or (metric == "f1_micro" and rule != "labels"):
        right = ((chosen == (y_signed > 0)) & (y_signed != 0)).all(axis=1)
        low, high = binom.ppf(tails, n_docs, right.mean()) / n_docs
        return float(low), float(high)
    parts = _parts(chosen, y_signed, rule, metric)
    rng = np.random.default_rng(random_state)
    step = max(1, CELLS // n_docs)
    values: list[Floats] = []
    for start in range(0, N_RESAMPLES, step):
        n = min(step, N_RESAMPLES - start)
        weights = rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), size=n).astype(np.float64)
        hits, predicted, true = (weights @ part for part in parts)
        values.append(_f1(hits, predicted, true, metric, occurring=rule != "labels"))
    low, high = np.quantile(np.concatenate(values), tails)
    return float(low), float(high)


def _parts(
    chosen: Bools, y_signed: Int8s, rule: Rule, metric: str
) -> tuple[Floats, Floats, Floats]:
    """Hits, predictions and labels of each document and column, which F1 is made of."""
    truth = y_signed > 0
    if metric == "f1_macro" and rule == "sign":
        chosen, truth = np.hstack([~chosen, chosen]), np.hstack([y_signed < 0, truth])
    hits, predicted, true = (a.astype(np.float64) for a in (chosen & truth, chosen, truth))
    return hits, predicted, true


def _f1(hits: Floats, predicted: Floats, true: Floats, metric: str, *, occurring: bool) -> Floats:
    """The metric of each resample; with `occurring`, of the classes that occur in it."""
    if metric == "f1_micro":
        hits, predicted, true = (a.sum(axis=1, keepdims=True) for a in (hits, predicted, true))
    both = predicted + true
    n_columns = np.maximum(1, (both > 0).sum(axis=1)) if occurring else both.shape[1]
    return np.asarray(quotient(2.0 * hits, both).sum(axis=1) / n_columns)


def mistakes_per_thousand(chosen: Bools, y_signed: Int8s, rule: Rule) -> float:
    """Wrong documents per 1,000; for labels, wrong decisions per 1,000 documents."""
    wrong = (chosen != (y_signed > 0)) | (y_signed == 0)
    per_document = wrong.sum(axis=1) if rule == "labels" else wrong.any(axis=1)
    return 1000 * float(per_document.mean())


def decision_calibration_error(
    decision: NDArray[Any], y_signed: Int8s, rule: Rule, calibration: Floats
) -> float:
    """The expected calibration error of the predicted class, or of every label."""
    p = probabilities(decision.astype(np.float64), rule, calibration)
    if rule == "labels":
        return calibration_error(p.ravel(), (y_signed > 0).ravel())
    truth = np.hstack([y_signed < 0, y_signed > 0]) if rule == "sign" else y_signed > 0
    rows, best = np.arange(len(p)), p.argmax(axis=1)
    return calibration_error(p[rows, best], truth[rows, best])


def held_out_score(task: Task, journal: Journal) -> tuple[float | None, str]:
    """The score of a final task on the test documents, or why there is none."""
    rows = [row for row in journal.rows([task.key]) if row.metric == task.metrics[0]]
    return (rows[0].value, rows[0].reason) if rows else (None, "it was not tested")


def held_out_result(task: Task, rule: Rule, journal: Journal) -> tuple[HeldOutResult | None, str]:
    """The score with its interval, mistakes and calibration error, or why there is none."""
    score, reason = held_out_score(task, journal)
    if score is None:
        return None, reason
    y_signed, cuts = journal.y_signed(task.key), journal.cuts(task.key)
    if not cuts or y_signed is None:
        return HeldOutResult(score), ""
    cut, error = cuts[0], None
    if cut.decision is not None and task.calibration:
        pairs = np.array(task.calibration)
        calibration = pairs[0] if rule == "argmax" else pairs
        error = decision_calibration_error(cut.decision, y_signed, rule, calibration)
    return HeldOutResult(
        score,
        score_interval(cut.chosen, y_signed, rule, task.metrics[0]),
        mistakes_per_thousand(cut.chosen, y_signed, rule),
        error,
    ), ""


def n_test_evaluations(task: Task, journal: Journal) -> int:
    """How many models were chosen and evaluated on these test documents; all words are no choice.

    Models of the budget table, which are not chosen, do not count.
    """
    done = journal.done()
    tested = [t for t in journal.tasks() if t.part == "test" and t.key in done]
    documents = (task.data, task.problem, task.split)
    models = {
        (replace(other, metrics=(), detail=True, decisions=False, sizes=()), size)
        for other in (*tested, task)
        if (other.data, other.problem, other.split) == documents
        and (other.key == task.key or not keeps_all(other.method))
        for size in other.sizes
    }
    return len(models)
