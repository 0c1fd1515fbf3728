"""The probe: which features should be counted in the texts of a corpus?

Feature sets are compared by one cheap method at three sizes, on a sample of the training documents.
Its tasks are in the journal like all others, so a study that is resumed does not repeat them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.tuning import tuned_candidates
from laconic.studies.execution.executors import Executor
from laconic.studies.execution.task import Task
from laconic.studies.feature_choice import FeatureChoice, compare_sets
from laconic.studies.journal.journal import Journal
from laconic.studies.measurement import Listener, run_tasks
from laconic.studies.options import Part, SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.features import AUTO, STEMS, WORDS, FeatureSet, decided, feature_sets
from laconic.text.language import Language, language_of
from laconic.types import Floats

# A selection that suits redundant features too, as n-grams are: information gain would rank them
# below words. One alpha for all: what is compared is the features.
SELECTED, ALL_FEATURES = "RFE:step=0.5+svm:alpha=0.3", "ALL+svm:alpha=0.3"
PART: Part = "features"
SIZES = (100, 1000, 10_000)
FOLDS = 3
# Limits of the sample: character n-grams have about two entries for three characters.
DOCUMENTS = 20_000
CHARACTERS = 20_000_000


@dataclass(frozen=True, eq=False)
class Probe:
    """The features of corpora, from the results in a journal; `executor` adds those that lack.

    Without a journal or an executor, a probe that has not been run is an error.
    """

    journal: Journal | None = None
    executor: Executor | None = None
    listen: Listener = lambda event: None
    retry_failed: bool = False

    def resolve(self, prepared: PreparedCorpus) -> tuple[PreparedCorpus, FeatureChoice | None]:
        """The corpus with a plan that names its features, and the choice, if there was one."""
        plan, corpus = prepared.plan, prepared.corpus
        if corpus.texts is None or decided(plan.text):
            return prepared, None
        if plan.features not in (AUTO, STEMS):
            return replace(prepared, plan=_counting(plan, FeatureSet.parse(plan.features))), None
        language = _language(plan, corpus)
        if plan.features == AUTO:
            choice = self._choice(prepared, language)
        else:
            choice = _without_probe(corpus, _stems(corpus, language), "as specified", language)
        plan = _counting(plan, FeatureSet.parse(choice.features))
        return replace(prepared, plan=plan), choice

    def _choice(self, prepared: PreparedCorpus, language: Language) -> FeatureChoice:
        sets, corpus = feature_sets(language), prepared.corpus
        if not language.segmented:
            reason = f"because blanks do not divide the words of {language.title}"
            return _without_probe(corpus, sets[0], reason, language)
        if not prepared.plan.split.cv:
            reason = "because cv=0 compares on the test documents"
            return _without_probe(corpus, sets[0], reason, language)
        sample = _sample(prepared.plan, corpus)
        results: dict[FeatureSet, Floats] = {}
        failures: dict[FeatureSet, str] = {}
        for features in sets:
            probed = _prepared(prepared, sample, features)
            try:
                results[features] = self._values(probed)
            except _UnmeasuredError as failure:
                failures[features] = str(failure)
        chosen, reason, scores = compare_sets(results, failures)
        return FeatureChoice(
            corpus.name,
            chosen.name,
            chosen.title,
            reason,
            language.sentence,
            probed.plan.metrics[0],
            SIZES,
            len(sample),
            len(probed.splits),
            scores,
        )

    def _values(self, probed: PreparedCorpus) -> Floats:
        """The metric by size and fold; a set with fewer features than a size has all of them."""
        at_size = group_pairs((c.size, c) for c in self._candidates(probed))
        every = []
        if any(size not in at_size for size in SIZES):
            plan = replace(probed.plan, methods=(ALL_FEATURES,))
            every = self._candidates(replace(probed, plan=plan))
        return np.array([_mean_of_problems(at_size.get(size, every)) for size in SIZES])

    def _candidates(self, probed: PreparedCorpus) -> list[Candidate]:
        """The sizes of the plan's method that all folds have, from the rows of its tasks."""
        journal, keys = self.journal, [task.key for task in probed.tasks]
        if journal is not None and self.executor is not None:
            run_tasks(
                [probed],
                self.executor,
                journal,
                retry_failed=self.retry_failed,
                listen=self.listen,
                what="features",
            )
        failed = {} if journal is None else journal.failed()
        for key in filter(failed.__contains__, keys):
            raise _UnmeasuredError(failed[key])
        if journal is None or set(keys) - journal.done():
            raise LaconicError(
                f"the features of {probed.corpus.name} are not chosen yet. Run the study first, or "
                "name them: features='words'"
            )
        rows = journal.rows(keys)
        measured, _ = tuned_candidates(probed.plan, probed.tasks, rows, journal, PART)
        return [candidate for candidate in measured if candidate.n_folds == len(probed.splits)]


def compares_features(prepared: PreparedCorpus) -> bool:
    """Whether the features of a corpus are chosen by comparing some."""
    plan, texts = prepared.plan, prepared.corpus.texts
    undecided = texts is not None and not decided(plan.text) and plan.features == AUTO
    return undecided and bool(plan.split.cv)


def counting_words(prepared: PreparedCorpus) -> PreparedCorpus:
    """The corpus with words as its features, where nothing else is decided."""
    if prepared.corpus.texts is None or decided(prepared.plan.text):
        return prepared
    name = prepared.plan.features
    features = FeatureSet(WORDS) if name in (AUTO, STEMS) else FeatureSet.parse(name)
    return replace(prepared, plan=_counting(prepared.plan, features))


def feature_samples(prepared: PreparedCorpus, n_docs: int) -> list[PreparedCorpus]:
    """Of so many documents, one sample per feature set that would be compared."""
    sample = _sample(replace(prepared.plan, split=_limited(prepared.plan, n_docs)), prepared.corpus)
    texts = tuple(sample.texts or ())
    sets = feature_sets(language_of(prepared.plan.language, texts))
    return [_prepared(prepared, replace(sample, texts=texts), features) for features in sets]


def probe_size(prepared: PreparedCorpus) -> int:
    """The number of documents on which features are compared."""
    return len(_sample(prepared.plan, prepared.corpus))


def _limited(plan: Plan, n_docs: int) -> SplitOptions:
    most = n_docs if plan.split.max_tuning is None else min(n_docs, plan.split.max_tuning)
    return replace(plan.split, max_tuning=most)


class ProbedCorpus(PreparedCorpus):
    """A sample of a corpus, whose rows are apart from those of the study."""

    @cached_property
    def planned(self) -> list[Task]:
        tasks = (
            task
            for split in self.splits
            for task in self.plan.tasks(self.corpus, split, self.targets)
        )
        return [self.as_measured(replace(task, part=PART)) for task in tasks]


class _UnmeasuredError(LaconicError):
    """A set has no values."""


def _mean_of_problems(candidates: list[Candidate]) -> Floats:
    """The values of each fold, mean over the problems."""
    if not candidates:
        raise _UnmeasuredError("the metric has no value in all folds")
    return np.asarray(np.mean([c.values for c in candidates], axis=0))


def _language(plan: Plan, corpus: Corpus) -> Language:
    training = corpus.take(plan.split.training_documents(corpus))
    return language_of(plan.language, training.texts or ())


def _counting(plan: Plan, features: FeatureSet) -> Plan:
    """The plan with the text options of a set, which leave no choice."""
    name = WORDS if features.kind == WORDS else AUTO
    return replace(plan, text=features.text(plan.text), features=name)


def _stems(corpus: Corpus, language: Language) -> FeatureSet:
    if language.stemmer is None:
        raise LaconicError(
            f"features='stems': there is no stemmer for {corpus.name}. {language.sentence}. Name a "
            "language, such as stems:german, or choose other features"
        )
    return FeatureSet(STEMS, language.name)


def _without_probe(
    corpus: Corpus, features: FeatureSet, reason: str, language: Language
) -> FeatureChoice:
    return FeatureChoice(corpus.name, features.name, features.title, reason, language.sentence)


def _sample(plan: Plan, corpus: Corpus) -> Corpus:
    """Documents of the folds, so none of the test set; fewer if there are many or long ones."""
    documents = plan.split.tuning_documents(corpus)
    length = sum(map(len, corpus.take(documents).texts or ())) / documents.size
    n_docs = int(min(DOCUMENTS, CHARACTERS / max(1.0, length)))
    if n_docs < documents.size:
        documents = replace(plan.split, max_tuning=max(10, n_docs)).tuning_documents(corpus)
    return replace(corpus.take(documents), split=None)


def _prepared(prepared: PreparedCorpus, sample: Corpus, features: FeatureSet) -> PreparedCorpus:
    plan, targets = prepared.plan, prepared.targets
    kind = plan.target
    if kind == "auto":
        kind = "multilabel" if targets[0].rule == "labels" else "multiclass"
    two_classes = kind == "multiclass" and targets[0].rule == "sign"
    probe = Plan(
        (sample,),
        methods=(SELECTED,),
        sizes=SIZES,
        metrics=plan.metrics_for(targets[0])[:1],
        positive=targets[0].classes[1] if two_classes else None,
        target=kind,
        features=WORDS if features.kind == WORDS else AUTO,
        text=features.text(plan.text),
        weighting=plan.weighting,
        split=replace(
            plan.split, test_size=None, cv=min(FOLDS, plan.split.cv), repeats=1, max_tuning=None
        ),
    )
    return replace(ProbedCorpus.of(probe, sample), versions=prepared.versions)
