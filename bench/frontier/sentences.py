"""fastText, which takes sentences: on all words, and cut to a budget by its own `quantize`.

Texts are given as the words that the others have, corpora of counts as words repeated. Vectors that
are weighted already (RCV1) cannot be turned back into words, so it is left out there; and where it
is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench.frontier.corpora import Bools, Part, Task
from bench.frontier.families import PEERS, Asked, Family, Outcome, Serve
from bench.frontier.scoring import f1_micro

LABEL = "__label__"
TOKEN = re.compile(r"\w\w+")
DIMENSIONS = 50
# Fewer rows cannot be quantized.
FEWEST = 256
# Above this one of several labels is said.
YES = 0.5


@dataclass(frozen=True, eq=False)
class Sentences:
    """A model of fastText, in the bytes of its file."""

    model: Any
    words: int
    task: Task
    ending: str

    def answers(self, part: Part) -> Bools:
        labels = self._labels(lines_of(self.task, part))
        found = np.zeros((len(labels), len(self.task.classes)), dtype=bool)
        for document, own in enumerate(labels):
            found[document, [int(label.removeprefix(LABEL)) for label in own]] = True
        return found

    def save(self, folder: Path) -> None:
        self.model.save_model(str(folder / f"model.{self.ending}"))

    def serving(self) -> Serve:
        """Words of counts are put into lines on the clock: it has no other way to read them."""
        return lambda part: self._labels(lines_of(self.task, part))

    def _labels(self, lines: list[str]) -> Any:
        """The lower level: `predict` copies in a way that numpy 2 refuses."""
        most, least = (-1, YES) if self.task.multilabel else (1, 0.0)
        return self.model.f.multilinePredict(lines, most, least, "strict")[0]


def sentence(text: str) -> str:
    return " ".join(TOKEN.findall(text.lower())) + "\n"


def lines_of(task: Task, part: Part) -> list[str]:
    if part.texts is not None:
        return list(map(sentence, part.texts))
    names = [re.sub(r"\s+", "_", str(word)) for word in task.words]
    counts, lines = part.counts, []
    for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        own = zip(counts.indices[start:end], counts.data[start:end], strict=True)
        lines.append(" ".join(" ".join([names[i]] * int(n)) for i, n in own) + "\n")
    return lines


def sentences(family: Family, task: Task, asked: Asked) -> Iterator[Outcome]:
    refused = _refused(task)
    for name, budgets in asked.items():
        for budget in budgets:
            if refused or (budget is not None and budget < FEWEST):
                yield name, budget, refused or f"quantize takes {FEWEST} words or more"
            else:
                yield name, budget, whole(task, name) if budget is None else cut(task, budget)


def _refused(task: Task) -> str:
    if task.train.texts is None and not task.word_counts:
        return "there are neither texts nor counts"
    try:
        import fasttext  # noqa: F401
    except ImportError:
        return "fasttext is not installed: pip install -r bench/requirements.txt"
    return ""


def whole(task: Task, name: str) -> Sentences:
    def train(task: Task) -> Sentences:
        import fasttext

        with TemporaryDirectory() as folder:
            model = fasttext.train_supervised(
                input=str(written(task, Path(folder))),
                dim=DIMENSIONS,
                minCount=2,
                loss="ova" if task.multilabel else "softmax",
                thread=1,
                verbose=0,
                **GRID[name],
            )
        return Sentences(model, len(model.f.getVocab("strict")[0]), task, "bin")

    made: Sentences = task.once(f"fastText {name}", train)
    return made


def cut(task: Task, budget: int) -> Sentences:
    """The settings that are best on validation documents, then as many words as are asked for."""
    import fasttext

    name = task.once("fastText best", _best)
    first = whole(task, name)
    if first.words <= budget:
        return first
    with TemporaryDirectory() as folder:
        first.save(Path(folder))
        model = fasttext.load_model(str(Path(folder) / f"model.{first.ending}"))
        source = str(written(task, Path(folder)))
        model.quantize(source, cutoff=budget, retrain=True, thread=1, verbose=0, **GRID[name])
    return Sentences(model, len(model.f.getVocab("strict")[0]), task, "ftz")


def _best(task: Task) -> str:
    def value(name: str) -> float:
        return f1_micro(whole(task, name).answers(task.valid), task.valid.truth)

    return max(GRID, key=value)


def written(task: Task, folder: Path) -> Path:
    """The training documents as fastText reads them."""
    where = folder / "train.txt"
    with where.open("w", encoding="utf-8") as stream:
        for truth, line in zip(task.train.truth, lines_of(task, task.train), strict=True):
            stream.write(" ".join(f"{LABEL}{i}" for i in np.flatnonzero(truth)) + " " + line)
    return where


GRID = {
    f"lr={rate:g}, {epochs} epochs": {"lr": rate, "epoch": epochs}
    for rate, epochs in product((0.2, 0.5, 1.0), (50,))
}
FAMILIES = (
    Family(PEERS, "fastText", GRID, sentences, cut=False, whole=True),
    Family(PEERS, "fastText, cut", {"quantized": {}}, sentences),
)
