"""Generated text of any size in shards of JSON lines: Zipf's law, 20 classes, noisy labels.

Every shard is made from its number alone, so corpora of different sizes share their first shards.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N_CLASSES = 20
N_WORDS = 600_000
TOPIC_WORDS = 400
# Share of the words of a document that are drawn from its topic, and of labels that are wrong.
TOPICAL = 0.12
NOISE = 0.08
# Documents per shard, and the median of words per document.
SHARD = 12_500
LENGTH = 270
LETTERS = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))


def write_shards(folder: Path, n_docs: int) -> list[Path]:
    """Shards with so many documents, about 1.6 KB each; those that exist stay as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for number, first in enumerate(range(0, n_docs, SHARD)):
        file = folder / f"part-{number:04}.jsonl"
        if not file.exists():
            rest = min(SHARD, n_docs - first)
            draft = file.with_suffix(".draft")
            draft.write_text("".join(_lines(number, rest)), encoding="ascii")
            draft.rename(file)
        files.append(file)
    return files


def _lines(shard: int, n_docs: int) -> list[str]:
    rng = np.random.default_rng([7, shard])
    words, steps, topics = _words(), _steps(), _topics()
    labels = rng.integers(0, N_CLASSES, n_docs)
    wrong = rng.random(n_docs) < NOISE
    shown = np.where(wrong, rng.integers(0, N_CLASSES, n_docs), labels)
    lengths = np.maximum(20, rng.lognormal(np.log(LENGTH), 0.5, n_docs)).astype(int)
    lines = []
    for label, length, name in zip(labels, lengths, shown, strict=True):
        drawn = np.searchsorted(steps, rng.random(length))
        topical = rng.random(length) < TOPICAL
        drawn[topical] = rng.choice(topics[label], np.count_nonzero(topical))
        text = " ".join(words[drawn].tolist()).capitalize() + "."
        lines.append(json.dumps({"label": f"class {name:02}", "text": text}) + "\n")
    return lines


@cache
def _words() -> NDArray[np.object_]:
    """Distinct words; frequent ones are short. A word is its number in 26 letters, shuffled."""
    words = []
    for number in range(N_WORDS):
        word = ""
        rest = (number + 1) * 7 + number % 7
        while rest:
            rest, letter = divmod(rest, 26)
            word += LETTERS[letter]
        words.append(word + "s" * (number % 3 == 1) + "ed" * (number % 5 == 2))
    return np.array(words, dtype=object)


@cache
def _steps() -> NDArray[np.float64]:
    chance = 1.0 / (np.arange(N_WORDS) + 2.7) ** 1.1
    return np.asarray(np.cumsum(chance / chance.sum()))


@cache
def _topics() -> NDArray[np.intp]:
    """The words of each class, between frequent and rare."""
    rng = np.random.default_rng(7)
    return rng.integers(200, 60_000, (N_CLASSES, TOPIC_WORDS))
