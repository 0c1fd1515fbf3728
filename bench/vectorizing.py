"""Raw text to counts of Porter stems: laconic's Vectorizer against scikit-learn's CountVectorizer.

On the training part of 20news-bydate, if `LACONIC_DATA` says where it is, else on generated text.
One thread is compared by CPU time, two threads by wall time. Interleaved runs, medians.
"""

from __future__ import annotations

import os
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import Stemmer
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from laconic.vectors.vectorizer import Vectorizer

REPEATS = 5


def rows() -> list[dict[str, Any]]:
    """One row a comparison: name, our seconds and the peer's, their ratio, the bar to clear."""
    texts, where = corpus()
    ours = {n: Vectorizer(stem="porter", min_length=1, n_jobs=n) for n in (1, 2)}
    peer = yardstick()
    runs: list[list[tuple[float, float]]] = []
    ours[1].fit_transform(texts[:10])
    for _ in range(REPEATS):
        runs.append([timed(v.fit_transform, texts) for v in (peer, ours[1], ours[2])])
    verify(peer, ours[1], texts)
    verify(peer, ours[2], texts)
    cpu, wall = ([[run[i][clock] for run in runs] for i in range(3)] for clock in (0, 1))
    return [
        row(f"vectorize {where}, 1 thread, CPU", cpu[1], cpu[0], target=5.0),
        row(f"vectorize {where}, 2 threads, wall", wall[2], wall[0], target=8.0),
    ]


def row(name: str, ours: list[float], peer: list[float], target: float) -> dict[str, Any]:
    # the ratio of each round, because the load of the machine drifts between rounds
    ratio = median(b / a for a, b in zip(ours, peer, strict=True))
    return {
        "name": name,
        "ours_s": median(ours),
        "peer_s": median(peer),
        "ratio": ratio,
        "target": target,
    }


def yardstick() -> CountVectorizer:
    """What one writes today: a regular expression and PyStemmer for each token."""
    pattern, stemmer = re.compile(r"\w+"), Stemmer.Stemmer("porter")
    return CountVectorizer(
        analyzer=lambda text: [stemmer.stemWord(word) for word in pattern.findall(text.lower())]
    )


def timed(work: Callable[[list[str]], object], texts: list[str]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu, wall = process_time(), perf_counter()
    work(texts)
    return process_time() - cpu, perf_counter() - wall


def verify(peer: CountVectorizer, ours: Vectorizer, texts: list[str]) -> None:
    """A fast wrong answer is worth nothing."""
    expected, found = csr_array(peer.transform(texts)), ours.transform(texts)
    assert ours.vocabulary_.tolist() == peer.get_feature_names_out().tolist(), "vocabularies differ"
    assert abs(expected - found).nnz == 0, "counts differ"


def corpus() -> tuple[list[str], str]:
    folder = os.environ.get("LACONIC_DATA")
    if not folder:
        return generated(), "generated text (LACONIC_DATA is not set)"
    with tarfile.open(Path(folder) / "20news-bydate.tar.xz") as archive:
        files = (archive.extractfile(m) for m in archive if m.isfile() and "-train/" in m.name)
        return [file.read().decode("latin-1") for file in files if file], "20news-bydate train"


def generated(n_docs: int = 5000) -> list[str]:
    """Words of random letters, as frequent as Zipf says."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("etaoinshrdlu"), n)) for n in rng.integers(1, 12, 60_000)]
    ids = rng.zipf(1.25, (n_docs, 250)) % len(words)
    return [" ".join(words[i] for i in line) + ".\n" for line in ids.tolist()]


def main() -> None:
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    for found in rows():
        verdict = "reached" if found["ratio"] >= found["target"] else "MISSED"
        print(
            f"{found['name']}: {found['ours_s']:.3f} s, CountVectorizer {found['peer_s']:.3f} s, "
            f"{found['ratio']:.1f}x; bar {found['target']:.0f}x {verdict}"
        )
    print(f"load average before: {load}; after: {' '.join(f'{x:.2f}' for x in os.getloadavg())}")


if __name__ == "__main__":
    main()
