"""fastText, which takes sentences: on all words, and cut to a budget by its `quantize`.

Texts are passed as the words that the others have, corpora of counts as repeated words. Vectors
that are already weighted (RCV1) cannot be turned back into words, so fastText is skipped there, and
where it is not installed.
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
from bench.frontier.families import PEERS, Family, Outcome, Requests, Serve
from bench.frontier.scoring import f1_micro

LABEL = "__label__"
TOKEN = re.compile(r"\w\w+")
DIMENSIONS = 50
# Fewer rows cannot be quantized.
FEWEST = 256
# A label is predicted above this probability.
MIN_PROBABILITY = 0.5


@dataclass(frozen=True, eq=False)
class Sentences:
    """A fastText model."""

    model: Any
    words: int
    task: Task
    ending: str

    def answers(self, part: Part) -> Bools:
        labels = self._labels(lines_of(self.task, part))
        answers = np.zeros((len(labels), len(self.task.classes)), dtype=bool)
        for document, names in enumerate(labels):
            answers[document, [int(name.removeprefix(LABEL)) for name in names]] = True
        return answers

    def save(self, folder: Path) -> None:
        self.model.save_model(str(folder / f"model.{self.ending}"))

    def serving(self) -> Serve:
        """Counts are turned into lines within the timing: fastText cannot read them otherwise."""
        return lambda part: self._labels(lines_of(self.task, part))

    def _labels(self, lines: list[str]) -> Any:
        """Uses the lower level: `predict` copies in a way that numpy 2 refuses."""
        most, least = (-1, MIN_PROBABILITY) if self.task.multilabel else (1, 0.0)
        return self.model.f.multilinePredict(lines, most, least, "strict")[0]


def sentence(text: str) -> str:
    return " ".join(TOKEN.findall(text.lower())) + "\n"


def lines_of(task: Task, part: Part) -> list[str]:
    if part.texts is not None:
        return list(map(sentence, part.texts))
    names = [re.sub(r"\s+", "_", str(word)) for word in task.words]
    counts, lines = part.counts, []
    for start, end in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        words = zip(counts.indices[start:end], counts.data[start:end], strict=True)
        lines.append(" ".join(" ".join([names[i]] * int(n)) for i, n in words) + "\n")
    return lines


def sentences(family: Family, task: Task, requests: Requests) -> Iterator[Outcome]:
    refused = _refused(task)
    for name, budgets in requests.items():
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

    model: Sentences = task.once(f"fastText {name}", train)
    return model


def cut(task: Task, budget: int) -> Sentences:
    """The best settings on validation documents, then cut to the budget."""
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
