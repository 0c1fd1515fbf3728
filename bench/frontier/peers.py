"""The peers: every selection with every classifier and setting, chosen on folds, tested once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import product
from time import process_time

import numpy as np

from bench.frontier.choice import Candidate, choose
from bench.frontier.classifiers import ALL_WORDS, Setting, cut, fit, settings_of
from bench.frontier.corpora import BYTES, Fold, FrontierCorpus
from bench.frontier.journal import Answer, Deciding, Journal, Limit, Validation
from bench.frontier.model_bytes import FORMS, Form, PeerModel, Words
from bench.frontier.scoring import METRICS, packed, rule_of, signed
from bench.frontier.selections import SELECTIONS, Selection, all_words
from laconic.numerics.decision_counts import count_decisions
from laconic.numerics.metrics import apply_rule
from laconic.studies.analysis.thresholds import Thresholding, evaluate, modes_for, thresholds_of
from laconic.types import Columns, Floats, Int32s, Rule

Say = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Documents:
    """A fold for the peers: its selections, which are made once, and its labels."""

    fold: Fold
    _selections: dict[str, Selection] = field(default_factory=dict, repr=False)
    _columns: dict[tuple[str, int], Columns | None] = field(default_factory=dict, repr=False)

    @property
    def y_signed(self) -> Floats:
        return signed(self.fold.problem.y_test, self.n_classes)

    @property
    def n_classes(self) -> int:
        return len(self.fold.problem.classes)

    @property
    def rule(self) -> Rule:
        return rule_of(self.fold.problem.y_train, self.n_classes)

    def columns(self, selection: str, size: int) -> Columns | None:
        key = selection, size
        if key not in self._columns:
            if selection not in self._selections:
                select = all_words if selection == ALL_WORDS else SELECTIONS[selection]
                self._selections[selection] = select(self.fold.problem)
            self._columns[key] = self._selections[selection](size)
        return self._columns[key]

    def train(self, setting: Setting) -> PeerModel | None:
        """None if the selection has no such size."""
        columns = self.columns(setting.selection, setting.size)
        if columns is None:
            return None
        problem = self.fold.problem
        Z = cut(problem.X_train, columns, setting.normalize)
        fitted = fit(setting.make(self.rule == "labels"), Z, problem.y_train)
        return PeerModel.of(columns, setting.normalize, fitted, self.n_classes)

    def decision(self, model: PeerModel) -> Floats:
        return model.decision(self.fold.problem.X_test)

    def counts(self, model: PeerModel) -> Int32s:
        """What thresholds are fitted on."""
        return count_decisions(self.decision(model), self.y_signed)


@dataclass(frozen=True, eq=False)
class Peers:
    """The peers on one corpus."""

    corpus: FrontierCorpus
    journal: Journal
    say: Say = print
    _counts: dict[Setting, Int32s] = field(default_factory=dict, repr=False)
    _models: dict[Setting, PeerModel] = field(default_factory=dict, repr=False)

    def run(self) -> None:
        """Measure what the journal does not have."""
        self.journal.drop_partial_line()
        if self.journal.truth() is None:
            self.journal.add(self.corpus.truth)
        self._validate()
        self._test()

    @cached_property
    def folds(self) -> list[Documents]:
        return list(map(Documents, self.corpus.folds))

    @cached_property
    def final(self) -> Documents:
        return Documents(self.corpus.final)

    def _validate(self) -> None:
        """New settings make the answers so far obsolete."""
        done = {Setting(**line.setting) for line in self.journal.validations()}
        words = Words(self.corpus.folds[0])
        for selection, size in self._sizes():
            clock = process_time()
            lengths = ("all",) if selection == ALL_WORDS else self.corpus.lengths
            pending = [s for s in settings_of(selection, size, lengths) if s not in done]
            for setting in pending:
                if (line := self._validated(setting, words)) is not None:
                    self.journal.drop_answers()
                    self.journal.add(line)
            if pending:
                spent = f"{process_time() - clock:.0f} s"
                self.say(f"{self.corpus.corpus.name}: {selection} {size:,}: {spent}")

    def _sizes(self) -> Iterator[tuple[str, int]]:
        """All words too, where they may fit in a file of the largest limit."""
        yield from product(SELECTIONS, self.corpus.sizes)
        n_words = self.final.fold.problem.X_train.shape[1]
        if n_words * self.final.n_classes <= BYTES[-1]:
            yield ALL_WORDS, n_words

    def _validated(self, setting: Setting, words: Words) -> Validation | None:
        """None if the selection has no such size."""
        clock = process_time()
        models = [fold.train(setting) for fold in self.folds]
        trained = [model for model in models if model is not None]
        if len(trained) < len(models):
            return None
        first, n_bytes = trained[0], {form: trained[0].n_bytes(words, form) for form in FORMS}
        pairs = zip(self.folds, trained, strict=True)
        decisions = [fold.decision(model) for fold, model in pairs]
        return Validation(
            asdict(setting),
            int(first.columns.size),
            n_bytes,
            {metric: dict(self._values(decisions, metric)) for metric in METRICS},
            round(process_time() - clock, 3),
        )

    def _values(
        self, decisions: list[Floats], metric: str
    ) -> Iterator[tuple[Thresholding, list[float]]]:
        """One value per fold for each kind of thresholds."""
        rule = self.final.rule
        pairs = [(d, fold.y_signed) for d, fold in zip(decisions, self.folds, strict=True)]
        yield "zero", [METRICS[metric](apply_rule(d, rule), y, rule) for d, y in pairs]
        if rule == "labels":
            counts = [count_decisions(d, y) for d, y in pairs]
            for mode in modes_for(metric, counts[0].shape[0])[1:]:
                yield mode, evaluate(counts, metric, mode).values[metric]

    def _test(self) -> None:
        done = {answer.key for answer in self.journal.answers()}
        validations = self.journal.validations()
        for metric, deciding, limit in product(METRICS, self.decidings, self.limits):
            if (metric, limit, deciding) not in done:
                answer = self._answer(validations, metric, deciding, limit)
                if answer is not None:
                    self.journal.add(answer)

    @property
    def decidings(self) -> tuple[Deciding, ...]:
        return ("plain", "thresholds") if self.final.rule == "labels" else ("plain",)

    @property
    def limits(self) -> list[Limit]:
        by_words = [Limit(n_features=size) for size in self.corpus.sizes]
        return by_words + [Limit(n_bytes=n, form=form) for n, form in product(BYTES, FORMS)]

    def _answer(
        self, validations: list[Validation], metric: str, deciding: Deciding, limit: Limit
    ) -> Answer | None:
        """Of the model trained on all training documents, if it is within the limit too."""
        chosen = choose(validations, metric, deciding, limit)
        if chosen is None:
            return None
        answer = self._tested(chosen, metric, deciding, limit)
        if limit.n_bytes is None or answer.n_bytes <= limit.n_bytes:
            return answer
        others = [line for line in validations if line.setting != asdict(chosen.setting)]
        return self._answer(others, metric, deciding, limit)

    def _tested(self, chosen: Candidate, metric: str, deciding: Deciding, limit: Limit) -> Answer:
        clock = process_time()
        model = self._model(chosen.setting)
        form: Form = "int8" if limit.form == "int8" else "float64"
        decision = self.final.decision(model.in_form(form))
        predictions = apply_rule(decision, self.final.rule, self._thresholds(chosen, metric))
        return Answer(
            metric,
            limit,
            deciding,
            chosen.description,
            chosen.mean,
            METRICS[metric](predictions, self.final.y_signed, self.final.rule),
            int(model.columns.size),
            model.n_bytes(self._words, form),
            packed(predictions),
            round(process_time() - clock, 3),
        )

    @cached_property
    def _words(self) -> Words:
        return Words(self.corpus.final)

    def _model(self, setting: Setting) -> PeerModel:
        if setting not in self._models:
            model = self.final.train(setting)
            assert model is not None
            self._models[setting] = model
        return self._models[setting]

    def _thresholds(self, chosen: Candidate, metric: str) -> Floats | None:
        """From the decisions in all folds."""
        if chosen.thresholding == "zero":
            return None
        if chosen.setting not in self._counts:
            pairs = ((fold, fold.train(chosen.setting)) for fold in self.folds)
            counts = [fold.counts(model) for fold, model in pairs if model is not None]
            self._counts[chosen.setting] = np.sum(counts, axis=0)
        return thresholds_of(self._counts[chosen.setting], metric, chosen.thresholding)
