"""The parts of a plan: where corpora are, how they are divided, searched and trained on.

Imports nothing heavy: the command line is made from these declarations.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from laconic.corpus.options import Duplicates, ReadOptions
from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.options import Options, number, option, parse_bytes
from laconic.runtime.choices import Normalize
from laconic.text.features import AUTO
from laconic.text.options import Alpha, TargetKind

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.corpus.splits import Split
    from laconic.types import Indices

# What a model is evaluated on; "budget": the test documents, by a model that was not chosen;
# "storage": validation documents again, by a model that is rounded; "features": folds in which
# feature sets are compared.
Part = Literal["validation", "test", "budget", "storage", "features"]
METHODS = ("ALL", "IG", "JOINT", "RFE")
# Lists of methods by name.
PRESETS = {
    "quick": ("ALL", "IG"),
    "papers": (
        *METHODS,
        "WS",
        "SS:rank=100",
        "BSS:rank=20",
        "RRQR",
        "SVM-LARS",
        "EXACT",
        "MASK",
        "LDA-LSI",
    ),
}
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
# The classifiers that a study tunes; ridge too for corpora of up to FEW documents.
CLASSIFIERS = ("logistic", "svm")
FEW = 2000
# Metrics that weigh classes alike, whatever their number of documents.
WEIGH_ALIKE = frozenset({"f1_macro", "balanced_accuracy", "precision_macro", "recall_macro"})

# Test documents that are known, by corpus and options.
_HELD_OUT: WeakKeyDictionary[Corpus, dict[SplitOptions, list[Split]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Location(Options):
    where: str = option(MISSING, "A file, a folder, a glob, an address, or a name of the catalog.")


@dataclass(frozen=True)
class Source(ReadOptions, Location):
    """Where a corpus is and how it is read: the arguments of `load_corpus`.

    Of a family ("techtc100" has a hundred corpora), `only` selects by name, and `first` limits
    their number.
    """

    first: int | None = option(None, "Number of corpora of a family.", minimum=1)
    only: tuple[str, ...] = option((), "Names of corpora of a family.")

    def load(
        self, progress: Any = None, n_jobs: int = 1, engine: Engine | None = None
    ) -> Iterator[Corpus]:
        from laconic.corpus.loading import read_corpora

        options = replace(self, progress=progress, n_jobs=n_jobs, engine=engine)
        corpora = read_corpora(self.where, options)
        limits = [n for n in (self.first, len(self.only) or None) if n is not None]
        most = min(limits, default=None)
        absent = set(self.only)
        count = 0
        for corpus in islice((c for c in corpora if not self.only or c.name in self.only), most):
            absent.discard(corpus.name)
            count += 1
            yield corpus
        if most is not None and count < most and absent:
            raise LaconicError(f"only {', '.join(sorted(absent))}: not in {self.where}")


@dataclass(frozen=True)
class InMemory(Options):
    """A corpus that was passed as an object: a plan in a file can name it, but not load it."""

    in_memory: str = option(MISSING, "Name of the corpus.")
    fingerprint: str = option(MISSING, "Hash of its contents.")

    def load(
        self, progress: Any = None, n_jobs: int = 1, engine: Engine | None = None
    ) -> Iterator[Corpus]:
        raise LaconicError(
            f"the corpus {self.in_memory} was given in memory, so it cannot be loaded again. "
            "Pass it to Plan in Python"
        )


@dataclass(frozen=True)
class SplitOptions(Options):
    """Which documents are the held-out test set, and how the others are used to choose a model."""

    test_size: Literal["auto", "given"] | float | None = option(
        "auto",
        "Held-out test set: given (the corpus's own split), a share such as 0.2, or none; auto is "
        "given where there is a split, else 0.2.",
        expected="a share between 0 and 1, given, auto or none",
    )
    cv: int = option(
        5,
        "Cross-validation folds of the training part; 0 compares on the test set, as papers do.",
        minimum=0,
        expected="2 or more folds, or 0 for none",
    )
    repeats: int = option(1, "Repeats of the cross-validation.", minimum=1)
    max_tuning: int | None = option(
        20_000,
        "Cross-validate on a stratified sample of at most so many training documents, or none for "
        "all; the recommended model is trained on all.",
        minimum=10,
        parse=lambda text: None if text == "none" else int(text),
    )
    n_splits: int = option(1, "Random test sets, with cv=0.", minimum=1)
    random_state: int = option(0, "Random seed of the train/test split and folds.", minimum=0)
    duplicates: Duplicates = option(
        "together",
        "Documents with the same text: leave out all but the first (training documents, where the "
        "test set is given), put them on one side of every random split and fold, or divide them "
        "like others.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.test_size, float) and not 0 < self.test_size < 1:
            raise self.refuse("test_size")
        if self.cv == 1:
            raise self.refuse("cv")
        if self.cv == 0 and self.test_size is None:
            raise LaconicError("cv=0 without test documents: nothing is left to evaluate on")
        if self.n_splits > 1 and self.cv:
            raise LaconicError("several test sets need cv=0: one recommendation has one test set")

    def held_out(self, corpus: Corpus) -> list[Split]:
        """The test documents against all others; found once per corpus."""
        known = _HELD_OUT.setdefault(corpus, {})
        if self not in known:
            known[self] = self._held_out(corpus)
        return known[self]

    def _held_out(self, corpus: Corpus) -> list[Split]:
        from laconic.corpus.splits import given_split, random_splits, without_copies

        test_size = self._resolved(corpus)
        if test_size is None:
            return []
        if test_size == "given":
            (split,) = given_split(corpus)
            return [without_copies(split, corpus) if self.duplicates == "drop" else split]
        documents, units = self._documents(corpus), self._units(corpus)
        inner = random_splits(
            corpus.take(documents),
            test_size,
            times=self.n_splits,
            random_state=self.random_state,
            units=units[documents],
        )
        return [split.within(documents) for split in inner]

    def validation(self, corpus: Corpus) -> list[Split]:
        """Cross-validation folds of the documents that are not held out."""
        from laconic.corpus.splits import folds

        if not self.cv:
            return []
        documents = self.tuning_documents(corpus)
        part = corpus.take(documents)
        inner = folds(
            part,
            self.cv,
            repeats=self.repeats,
            random_state=self.random_state,
            units=self._units(part),
        )
        return [fold.within(documents) for fold in inner]

    def training_documents(self, corpus: Corpus) -> Indices:
        """The documents that are not held out."""
        held_out = self.held_out(corpus)
        return held_out[0].train if held_out else self._documents(corpus)

    def tuning_documents(self, corpus: Corpus) -> Indices:
        """The training documents, or a stratified sample of them if there are too many.

        Of documents with times, the latest.
        """
        from laconic.corpus.splits import random_splits

        documents = self.training_documents(corpus)
        if self.max_tuning is None or documents.size <= self.max_tuning:
            return documents
        part = corpus.take(documents)
        share = self.max_tuning / documents.size
        (sample,) = random_splits(
            part, share, times=1, random_state=self.random_state, units=self._units(part)
        )
        return sample.within(documents).test

    def _documents(self, corpus: Corpus) -> Indices:
        """The documents of which random splits and folds divide those that are used."""
        import numpy as np

        from laconic.corpus.splits import Split, used_documents, without_copies

        if self.duplicates != "drop":
            return np.arange(len(corpus))
        return without_copies(Split.training(used_documents(corpus)), corpus).train

    def _units(self, corpus: Corpus) -> Indices:
        from laconic.corpus.units import units_of

        return units_of(corpus, copies_together=self.duplicates == "together")

    def notes(self, corpus: Corpus) -> Iterator[str]:
        """What is worth knowing about repeated texts, groups and times."""
        from laconic.corpus.split_notes import split_notes

        held_out = self.held_out(corpus)
        yield from split_notes(corpus, held_out[0] if held_out else None, self.duplicates)
        n_training = self.training_documents(corpus).size
        if self.cv and self.max_tuning is not None and n_training > self.max_tuning:
            kind = "the latest" if corpus.times is not None else "a stratified sample of"
            yield (
                f"models are tuned and compared on {kind} {self.max_tuning:,} of "
                f"{n_training:,} training documents; the recommended one is trained on all"
            )

    def described(self, corpus: Corpus, part: Part) -> str:
        """Everything that the documents of a fold depend on, as JSON."""
        values: dict[str, Any] = {
            "test_size": self._resolved(corpus),
            "random_state": self.random_state,
        }
        if self.duplicates != "keep" and corpus.n_copies:
            values["duplicates"] = self.duplicates
        if corpus.groups is not None or corpus.times is not None:
            values["by"] = "group" if corpus.groups is not None else "time"
        if part == "validation":
            values |= {"cv": self.cv, "repeats": self.repeats}
            if self.max_tuning is not None and len(corpus) > self.max_tuning:
                values["max_tuning"] = self.max_tuning
        else:
            values |= {"n_splits": self.n_splits}
        return json.dumps(values, sort_keys=True)

    def _resolved(self, corpus: Corpus) -> Any:
        """The test size with "auto" resolved."""
        if self.test_size != "auto":
            return self.test_size
        return "given" if corpus.split is not None else 0.2


@dataclass(frozen=True)
class TrainingOptions(Options):
    """The settings of the classifier that follows a selection.

    A plan may give `alpha` as one number per problem, by the problem's name.
    `normalize="selected"` trains self-contained models, the only ones that are recommended.
    """

    alpha: Alpha | Mapping[str, Alpha] = option(
        "auto",
        "Strength of regularization: a number; auto, which studies tune; or loo to choose it by "
        "leave-one-out (ridge only).",
        expected="a number of at least 0, 'auto' or 'loo'",
    )
    classifiers: tuple[str, ...] = option(
        (),
        "Classifiers that a study tunes behind methods that name none.",
        parse=lambda text: tuple(text.split(",")),
        default_text=f"{','.join(CLASSIFIERS)}; ridge too up to {FEW:,} documents",
    )
    class_weight: Literal["auto", "none", "balanced"] = option(
        "auto",
        "Weigh documents by the inverse size of their class; auto tries both where the metric "
        "weighs classes alike.",
    )
    blends: bool = option(
        True,
        "Average the tuned classifiers of a method and size, too, where several are equally good.",
    )
    intercept: bool = option(True, "Fit an intercept.")
    normalize: Normalize = option(
        "selected",
        "Divide documents by their length over the selected words, as studies do, or over all.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        alphas = self.alpha.values() if isinstance(self.alpha, Mapping) else [self.alpha]
        if any(not isinstance(a, str) and not 0 <= a < float("inf") for a in alphas):
            raise self.refuse("alpha")

    def classifiers_for(self, n_docs: int) -> tuple[str, ...]:
        """The classifiers to tune for a corpus of so many documents."""
        alphas = self.alpha.values() if isinstance(self.alpha, Mapping) else [self.alpha]
        if not self.classifiers and any(alpha in ("loo", 0) for alpha in alphas):
            return ("ridge",)
        return self.classifiers or (*CLASSIFIERS, *(["ridge"] if n_docs <= FEW else []))

    def class_weights_for(self, metric: str) -> tuple[str | None, ...]:
        """The class weights to try where this metric decides."""
        if self.class_weight == "auto":
            return (None, "balanced") if metric in WEIGH_ALIKE else (None,)
        return (None if self.class_weight == "none" else self.class_weight,)

    def alpha_for(self, problem: str, fold: str) -> Alpha:
        if not isinstance(self.alpha, Mapping):
            return self.alpha
        for name in (f"{problem}, {fold}", problem):
            if name in self.alpha:
                return self.alpha[name]
        raise LaconicError(f"alpha: no number for {problem}, {fold}")


def parse_sizes(text: str) -> tuple[int | float, ...]:
    return tuple(map(number, text.split(",")))


def parse_methods(text: str) -> tuple[str, ...]:
    from laconic.methods import parse_methods

    names = ",".join(",".join(PRESETS.get(name.strip(), (name,))) for name in text.split(","))
    return tuple(method.name for method in parse_methods(names))


@dataclass(frozen=True)
class LimitOptions(Options):
    """What is asked of the recommended model; by default one standard error from the best."""

    max_loss: float | None = option(
        None,
        "Give up at most so much of the metric, against the best model in validation: 0.01 is one "
        "point of 100.",
        minimum=0,
        maximum=1,
    )
    max_features: int | None = option(None, "At most so many features.", minimum=1)
    max_bytes: int | None = option(
        None,
        "At most so large a model file, such as 100kB.",
        parse=parse_bytes,
        minimum=1,
    )

    @property
    def limited(self) -> bool:
        return self.max_features is not None or self.max_bytes is not None

    def in_words(self) -> str:
        """ "300 features and 100,000 bytes"."""
        features = [] if self.max_features is None else [f"{self.max_features:,} features"]
        n_bytes = [] if self.max_bytes is None else [f"{self.max_bytes:,} bytes"]
        return " and ".join(features + n_bytes) or "no limits"


@dataclass(frozen=True)
class SearchOptions(Options):
    """What a study compares, and by which metrics."""

    methods: tuple[str, ...] = option(
        METHODS,
        "Names of `laconic methods`, with settings and classifier: IG,SS:rank=10+svm. A classifier "
        "or alpha that is not named is tuned. quick is ALL,IG; papers adds methods of the papers.",
        parse=parse_methods,
        default_text=",".join(METHODS),
    )
    sizes: tuple[int | float, ...] = option(
        SIZES,
        "Numbers of words, or shares: 0.01,0.1.",
        parse=parse_sizes,
        expected="whole numbers, or shares with a point, such as 10,100 or 0.01,0.1",
        default_text=f"{','.join(map(str, SIZES[:6]))},…,{SIZES[-1]}",
    )
    metrics: tuple[str, ...] = option(
        (),
        "The first decides: accuracy, balanced_accuracy, f1, precision, recall (of two classes), "
        "f1_micro, f1_macro, precision_macro, recall_macro, roc_auc, roc_auc_micro, best_f1, "
        "error.",
        flag="--metric",
        default_text="f1 of the positive class for two classes; accuracy for several, or f1_macro "
        "if the largest has over 5 times the documents of the rarest; f1_micro for labels",
    )
    positive: str | None = option(None, "The positive one of two classes.  [default: the rarer]")
    draws: int = option(1, "Repeats of each random method.", minimum=1)
    target: TargetKind = option(
        "auto",
        "One label per document, any number of labels, or one binary problem per class; auto is "
        "multiclass or multilabel, as the corpus is.",
    )
    features: str = option(
        AUTO,
        "What is counted in texts: words, stems (stems:german), word-ngrams (1-2, or "
        "word-ngrams:1-3) or char-ngrams (1-3). auto compares these on training documents, and "
        "takes the simplest within one standard error of the best; with --unit, --token-pattern, "
        "--ngrams or --stem it is what they say.",
    )
    language: str = option(
        AUTO,
        "Language of the texts, for their stems: its English name, or none; auto guesses it from "
        "script and stop words.",
    )
