"""Raw text to counts of Porter stems: laconic's Vectorizer against scikit-learn's CountVectorizer.

On the training part of 20news-bydate if `LACONIC_DATA` is set, else on generated text.
One thread is compared by CPU time, two threads by wall time. Interleaved runs, medians.
"""

from __future__ import annotations

import os
import re
import tarfile
from functools import partial
from pathlib import Path

import numpy as np
import Stemmer
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

from bench.measuring import Row, interleaved, row
from laconic.text.vectorizer import Vectorizer

REPEATS = 5
PEER = "CountVectorizer with PyStemmer, same counts"


def rows() -> list[Row]:
    texts, where = corpus()
    single, double = (Vectorizer(stem="porter", min_length=1, n_jobs=n) for n in (1, 2))
    peer = yardstick()
    single.fit_transform(texts[:10])  # compiles
    theirs, alone, both = interleaved(
        REPEATS, *(partial(v.fit_transform, texts) for v in (peer, single, double))
    )
    verify(peer, single, texts)
    verify(peer, double, texts)
    return [
        row("vectorizing.one-thread", f"{where}, 1 thread, CPU", PEER, alone.cpu, theirs.cpu),
        row("vectorizing.two-threads", f"{where}, 2 threads, wall", PEER, both.wall, theirs.wall),
    ]


def yardstick() -> CountVectorizer:
    """The usual code: a regular expression and PyStemmer for each token."""
    pattern, stemmer = re.compile(r"\w+"), Stemmer.Stemmer("porter")
    return CountVectorizer(
        analyzer=lambda text: [stemmer.stemWord(word) for word in pattern.findall(text.lower())]
    )


def verify(peer: CountVectorizer, ours: Vectorizer, texts: list[str]) -> None:
    """Check that vocabularies and counts are the same."""
    expected, counts = csr_array(peer.transform(texts)), ours.transform(texts)
    assert ours.vocabulary_.tolist() == peer.get_feature_names_out().tolist(), "vocabularies differ"
    assert abs(expected - counts).nnz == 0, "counts differ"


def corpus() -> tuple[list[str], str]:
    folder = os.environ.get("LACONIC_DATA")
    if not folder:
        return generated(), "generated text (LACONIC_DATA is not set)"
    with tarfile.open(Path(folder) / "20news-bydate.tar.xz") as archive:
        files = (archive.extractfile(m) for m in archive if m.isfile() and "-train/" in m.name)
        return [file.read().decode("latin-1") for file in files if file], "20news-bydate train"


def generated(n_docs: int = 5000) -> list[str]:
    """Words of random letters, with frequencies by Zipf's law."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("etaoinshrdlu"), n)) for n in rng.integers(1, 12, 60_000)]
    ids = rng.zipf(1.25, (n_docs, 250)) % len(words)
    return [" ".join(words[i] for i in line) + ".\n" for line in ids.tolist()]
