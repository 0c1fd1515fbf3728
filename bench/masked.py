"""Smaller SVMs without retraining: the curve of a mask against training at each size.

(a) One newsgroup of 20news-bydate against the rest, words as 0 and 1 of unit length, C = 1, hinge;
    the training of the first model is not timed. Ours are the decisions about the test
    documents and their AUC; the peer slices both matrices at each of the paper's 12 fractions,
    trains LinearSVC from scratch, decides, and measures the AUC. Then the AUC at every number of
    words against the same 12 trainings; and our exact SVMs at the 12 fractions, started from
    the duals on all words, against starting from 0, and against LinearSVC. Needs `LACONIC_DATA`.
(b) A curve of 20 sizes on generated documents of 20 classes, our training included, against
    RFE(LinearSVC) over the same sizes, which evaluates no size on the way.
CPU seconds with one thread of BLAS; interleaved, medians.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_selection import RFE
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bench.measuring import Row, interleaved, row
from bench.texts import narrow, shape, text_like
from laconic import MaskedSVM, Problem, Vectorizer, Weighting, curve, load_corpus
from laconic.classifiers.masked.machine import Machine, MaskSettings
from laconic.numerics.metrics import roc_auc
from laconic.numerics.svm.dual import Rows, descend
from laconic.numerics.svm.ranked import Ranked
from laconic.types import Floats

NEWSGROUP = "comp.os.ms-windows.misc"
FRACTIONS = (0.01, 0.05, *(n / 10 for n in range(1, 10)), 0.99)
N_SIZES = 20
REPEATS = 3
TOLERANCE = 1e-4
# About LinearSVC's default: a ranking needs no more.
LOOSE = 1e-2


def rows() -> list[Row]:
    with threadpool_limits(1):
        measured = whole_curve()
        if os.environ.get("LACONIC_DATA"):
            measured = [*newsgroup(), *measured]
        else:
            print("masked: LACONIC_DATA is not set, so 20news is skipped", file=sys.stderr)
        return measured


def newsgroup() -> list[Row]:
    X, y_signed, queries, truth = documents()
    path = MaskedSVM(tol=TOLERANCE)
    path.fit(X, y_signed)
    (machine,) = path.machines_
    sizes = [machine.size(fraction) for fraction in FRACTIONS]
    exact = MaskSettings("exact", "hinge", True, "selected", 1, TOLERANCE)
    works = (
        lambda: trained(X, y_signed, queries, truth, machine, sizes),
        lambda: masked(queries, truth, machine, sizes),
        lambda: path.every_size(queries, np.where(truth[:, 0] > 0, 1.0, -1.0)),
        lambda: list(machine.smaller(X, sizes, exact)),
        lambda: from_scratch(X, machine, sizes),
    )
    for warm in works[1:]:
        warm()
    peer, mask, every, warm, cold = interleaved(REPEATS, *works)
    areas = f"mask {areas_text(mask.last)}; LinearSVC {areas_text(peer.last)}"
    print(f"masked: AUC at {FRACTIONS}: {areas}")
    what = f"{NEWSGROUP} against the rest, {shape(X)}"
    all_sizes = f"{what}: AUC at all {machine.available:,} sizes, CPU"
    exactly, slicing = f"{what}: exact at 12 fractions, warm, CPU", "12 × LinearSVC with slicing"
    return [
        row("masked.twelve", f"{what}: mask at 12 fractions, CPU", slicing, mask.cpu, peer.cpu),
        row("masked.every-size", all_sizes, slicing, every.cpu, peer.cpu),
        row("masked.warm", exactly, "ours from scratch", warm.cpu, cold.cpu),
        row("masked.exact", exactly, slicing, warm.cpu, peer.cpu),
    ]


def documents() -> tuple[csr_array, Floats, csr_array, Floats]:
    """Training documents and y_signed; test documents and theirs, as a column."""
    corpus = load_corpus("20news-bydate")
    counts = Vectorizer().fit_transform(corpus.texts)
    of_test = np.array([part == "test" for part in corpus.split])
    weighting = Weighting("binary", min_df=2).fit(counts[~of_test])
    X, queries = (narrow(weighting.transform(counts[part])) for part in (~of_test, of_test))
    mine = np.array([labels[0] == NEWSGROUP for labels in corpus.labels])
    y_signed = np.where(mine, 1.0, -1.0)
    return X, y_signed[~of_test], queries, y_signed[of_test][:, None]


def masked(queries: csr_array, truth: Floats, machine: Machine, sizes: Sequence[int]) -> Any:
    return [roc_auc(f[:, None], truth) for f in machine.decisions(queries, sizes, "all")]


def trained(
    X: csr_array,
    y_signed: Floats,
    queries: csr_array,
    truth: Floats,
    machine: Machine,
    sizes: Sequence[int],
) -> Any:
    areas = []
    for size in sizes:
        selected = machine.order[:size]
        peer = LinearSVC(loss="hinge", tol=TOLERANCE, max_iter=10_000, random_state=0)
        peer.fit(X[:, selected], y_signed)
        areas.append(roc_auc(peer.decision_function(queries[:, selected])[:, None], truth))
    return areas


def from_scratch(X: csr_array, machine: Machine, sizes: Sequence[int]) -> Any:
    """What `Machine.cuts` does for "exact", without its warm start."""
    ranked = Ranked.of(X, machine.order)
    solutions = []
    for size in sizes:
        ends = ranked.ends(size)
        lengths = ranked.lengths(ends)
        scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        parts = ranked.starts[:-1], ends, ranked.ranks, ranked.values
        documents = Rows(*parts, scales, machine.available)
        solutions.append(descend(documents, machine.y_signed, machine.costs, tolerance=TOLERANCE))
    return solutions


def areas_text(areas: Sequence[float]) -> str:
    return " ".join(f"{area:.4f}" for area in areas)


def whole_curve() -> list[Row]:
    X, y = text_like(25_000, 60_000, 120)
    X, test = narrow(X), np.arange(y.size) % 25 < 5
    names = np.arange(X.shape[1]).astype(str), tuple(map(str, range(20)))
    problem = Problem("generated", X[~test], y[~test], X[test], y[test], *names)
    shares = [n / N_SIZES for n in range(1, N_SIZES + 1)]
    curve(MaskedSVM(), Problem("small", X[:200], y[:200], X[:200], y[:200], *names), shares)
    step = X.shape[1] // N_SIZES
    eliminating = RFE(LinearSVC(random_state=0), n_features_to_select=step, step=step)
    path = MaskedSVM(loss="squared_hinge", tol=LOOSE)
    ours, peer = interleaved(
        1,
        lambda: curve(path, problem, shares).values("accuracy"),
        lambda: eliminating.fit(problem.X_train, problem.y_train),
    )
    print(
        f"masked: accuracy with all words {ours.last[1.0]:.4f}, a twentieth {ours.last[0.05]:.4f}"
    )
    print(f"masked: RFE with a twentieth {peer.last.score(problem.X_test, problem.y_test):.4f}")
    what = f"curve of {N_SIZES} sizes, 20 classes, {shape(problem.X_train)}, with training, CPU"
    return [row("masked.curve", what, "RFE(LinearSVC), same sizes", ours.cpu, peer.cpu)]
