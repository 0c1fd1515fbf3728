"""Small corpora for the tests of studies."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from laconic import Corpus
from laconic.studies.options import TrainingOptions

TOPICS = {
    "cats": ["cat", "kitten", "purr", "whisker", "claw", "meow"],
    "dogs": ["dog", "puppy", "bark", "leash", "tail", "woof"],
    "fish": ["fish", "fin", "gill", "scale", "swim", "tank"],
}
COMMON = [f"word{i}" for i in range(40)]
# One training for each method that names no classifier, for studies that are not about tuning.
RIDGE = TrainingOptions(alpha=1.0, classifiers=("ridge",))


def pets(n_docs: int = 90, seed: int = 0, name: str = "pets", split: bool = False) -> Corpus:
    """Documents of a few telling words among many that tell nothing."""
    rng = np.random.default_rng(seed)
    labels = [list(TOPICS)[i % 3] for i in range(n_docs)]
    texts = tuple(
        " ".join([*rng.choice(TOPICS[label], 2), *rng.choice(COMMON, 8)]) for label in labels
    )
    parts = tuple("test" if i % 5 == 0 else "train" for i in range(n_docs))
    return Corpus(
        name,
        labels=tuple((label,) for label in labels),
        ids=tuple(map(str, range(n_docs))),
        texts=texts,
        split=parts if split else None,
    )


def write_pets(where: Path) -> None:
    """A table of 120 documents with the columns `body` and `animal`."""
    corpus = pets(120)
    with open(where, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["body", "animal"])
        rows = zip(corpus.texts, corpus.labels, strict=True)
        table.writerows((text, label) for text, (label,) in rows)
