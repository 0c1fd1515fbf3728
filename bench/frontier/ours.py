"""What a user of Laconic gets: the model that a study recommends within a limit, from its file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

from bench.frontier.corpora import BYTES, FrontierCorpus
from bench.frontier.journal import Answer, Journal, Limit
from bench.frontier.scoring import METRICS, packed, rule_of, signed
from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.layout import ProblemFolder
from laconic.studies.options import LimitOptions
from laconic.studies.study import Study
from laconic.types import Bools, Floats, Rule

Say = Callable[[str], None]
FORM = "laconic"
# Of the bytes that were asked for before, where the file was larger: a study estimates them.
LESS = 0.9


@dataclass(frozen=True, eq=False)
class Ours:
    """The studies of one corpus, one for each metric, in `folder`."""

    corpus: FrontierCorpus
    journal: Journal
    folder: Path
    say: Say = print

    def run(self) -> None:
        """Measure what the journal does not have."""
        self.journal.drop_partial_line()
        if self.journal.truth() is None:
            self.journal.add(self.corpus.truth)
        done = {answer.key[:2] for answer in self.journal.answers()}
        for metric, limit in product(METRICS, self.limits):
            if (metric, limit) not in done:
                answer = self._answer(metric, limit)
                if answer is not None:
                    self.journal.add(answer)
                    size = f"{answer.n_features:,} features, {answer.n_bytes:,} bytes"
                    name = self.corpus.corpus.name
                    self.say(f"{name}: {metric} {answer.test:.3f}, {size}, {answer.seconds:.0f} s")

    @property
    def limits(self) -> list[Limit]:
        by_words = [Limit(n_features=size, form=FORM) for size in self.corpus.sizes]
        return by_words + [Limit(n_bytes=n_bytes, form=FORM) for n_bytes in BYTES]

    def _answer(self, metric: str, limit: Limit) -> Answer | None:
        """None if no model is within the limit."""
        clock = process_time()
        for options in _options(limit):
            chosen = self._recommendation(metric, options)
            if chosen.missed:
                return None
            if limit.n_bytes is None or chosen.n_bytes <= limit.n_bytes:
                break
        predictions = self._predictions(ProblemFolder(self._where(metric)).model)
        return Answer(
            metric,
            limit,
            "thresholds",
            described(chosen.chosen),
            chosen.chosen.mean,
            METRICS[metric](predictions, *self._truth),
            chosen.n_features,
            chosen.n_bytes,
            packed(predictions),
            round(process_time() - clock, 3),
        )

    def _where(self, metric: str) -> Path:
        return self.folder / metric

    def _recommendation(self, metric: str, limits: LimitOptions) -> Recommendation:
        """Of the study that is there already, if there is one."""
        plan = replace(self.corpus.plan(metric), limits=limits)
        (recommendation,) = Study(plan, self._where(metric)).run().recommendations
        if recommendation.failure:
            raise LaconicError(f"{self.corpus.corpus.name}, {metric}: {recommendation.failure}")
        return recommendation

    def _predictions(self, file: Path) -> Bools:
        """Of the test documents, by the model as it is read from its file."""
        corpus, test = self.corpus.corpus, self.corpus.final_split.test
        model = CompactModel.load(file)
        if corpus.texts is not None:
            names = model.predict([corpus.texts[i] for i in test])
        else:
            assert corpus.vectors is not None
            names = model.predict(corpus.vectors[test], corpus.vocabulary)
        place = {name: i for i, name in enumerate(self.corpus.target.classes)}
        if self.corpus.target.y.ndim == 1:
            codes = np.array([place[name] for name in names])
        else:
            codes = np.zeros((len(names), len(place)), dtype=np.int64)
            for row, labels in enumerate(names):
                codes[row, [place[label] for label in labels]] = 1
        return signed(codes, len(place)) > 0

    @property
    def _truth(self) -> tuple[Floats, Rule]:
        """The labels of the test documents."""
        problem = self.corpus.final.problem
        n_classes = len(problem.classes)
        return signed(problem.y_test, n_classes), rule_of(problem.y_train, n_classes)


def _options(limit: Limit) -> Iterator[LimitOptions]:
    """What to ask a study for; for less where its file is too large after all."""
    if limit.n_bytes is None:
        yield LimitOptions(max_features=limit.n_features)
        return
    n_bytes = float(limit.n_bytes)
    while n_bytes >= 1:
        yield LimitOptions(max_bytes=int(n_bytes))
        n_bytes *= LESS


def described(candidate: Candidate) -> str:
    """How the model was trained."""
    settings = [] if candidate.alpha is None else [f"alpha={candidate.alpha:g}"]
    if candidate.class_weight:
        settings.append(candidate.class_weight)
    if candidate.thresholding != "zero":
        settings.append(f"{candidate.thresholding} thresholds")
    name = candidate.variant or candidate.method
    return f"{name} ({', '.join(settings)})" if settings else name
