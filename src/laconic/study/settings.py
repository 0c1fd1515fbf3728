"""The parts of a plan: where corpora are, how they are divided, counted and trained on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any, get_args

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.gathering import ReadOptions
from laconic.corpus.loading import load_corpora
from laconic.corpus.splits import Split, folds, given_split, random_splits
from laconic.errors import LaconicError
from laconic.model import Normalize
from laconic.study.task import Part
from laconic.vectors.problem import default_weighting
from laconic.vectors.stopwords import file_of
from laconic.vectors.vectorizer import Vectorizer, span
from laconic.vectors.weighting import NORMS, Weighting


@dataclass(frozen=True)
class Source:
    """Where a corpus is and how to read it: what `load_corpus` takes.

    Of a family ("techtc100" are a hundred corpora) `only` takes those of these names, and `first`
    so many.
    """

    where: str
    format: str | None = None
    text: str | None = None
    label: tuple[str, ...] = ()
    separator: str | None = None
    id: str | None = None
    split_column: str | None = None
    split: str | None = None
    encoding: str | None = None
    encoding_errors: str = "strict"
    unlabelled: str = "error"
    max_line: int = ReadOptions.max_line
    max_bytes: int = ReadOptions.max_bytes
    first: int | None = None
    only: tuple[str, ...] = ()

    def load(self, progress: Any = None) -> Iterator[Corpus]:
        options = {f.name: getattr(self, f.name) for f in fields(self)}
        where, first, only = (options.pop(name) for name in ("where", "first", "only"))
        corpora = load_corpora(where, **options, progress=progress)
        most = min((n for n in (first, len(only) or None) if n is not None), default=None)
        absent = set(only)
        taken = 0
        for corpus in islice((c for c in corpora if not only or c.name in only), most):
            absent.discard(corpus.name)
            taken += 1
            yield corpus
        if most is not None and taken < most and absent:
            raise LaconicError(f"only {', '.join(sorted(absent))}: not in {where}")


@dataclass(frozen=True)
class SplitOptions:
    """Which documents are the held-out test set, and how the others are used to choose a model.

    Parameters
    ----------
    test_size : the held-out test set: "given" (the corpus's own split), a share drawn at random,
        None for none; "auto" takes the given split where there is one, else 0.2.
    cv : cross-validation folds of the other documents, in which methods and sizes are compared;
        0 compares them on the test documents themselves, as papers do.
    repeats : of the cross-validation
    n_splits : random test sets, with cv=0 only
    random_state : of all of these
    """

    test_size: str | float | None = "auto"
    cv: int = 5
    repeats: int = 1
    n_splits: int = 1
    random_state: int = 0

    def __post_init__(self) -> None:
        share = isinstance(self.test_size, float) and 0 < self.test_size < 1
        if not share and self.test_size not in ("auto", "given", None):
            raise LaconicError(
                f"test_size={self.test_size!r}: give a share between 0 and 1, 'given', 'auto' or "
                "none"
            )
        if self.cv < 0 or self.cv == 1:
            raise LaconicError(f"cv={self.cv}: give 2 or more folds, or 0 for none")
        if self.cv == 0 and self.test_size is None:
            raise LaconicError("cv=0 without test documents: nothing is left to evaluate on")
        if self.repeats < 1 or self.n_splits < 1 or self.random_state < 0:
            raise LaconicError("repeats and n_splits are at least 1, random_state is at least 0")
        if self.n_splits > 1 and self.cv:
            raise LaconicError("several test sets need cv=0: one recommendation has one test set")

    def held_out(self, corpus: Corpus) -> list[Split]:
        """The test documents against all others."""
        test_size = self._resolved(corpus)
        if test_size is None:
            return []
        if test_size == "given":
            return list(given_split(corpus))
        return list(
            random_splits(corpus, test_size, times=self.n_splits, random_state=self.random_state)
        )

    def validation(self, corpus: Corpus) -> list[Split]:
        """Cross-validation folds of the documents that are not held out."""
        if not self.cv:
            return []
        held_out = self.held_out(corpus)
        documents = held_out[0].train if held_out else np.arange(len(corpus))
        inner = folds(
            corpus.take(documents), self.cv, repeats=self.repeats, random_state=self.random_state
        )
        return [Split(fold.name, documents[fold.train], documents[fold.test]) for fold in inner]

    def described(self, corpus: Corpus, part: Part) -> str:
        """Everything that the documents of a fold depend on, as JSON."""
        values: dict[str, Any] = {
            "test_size": self._resolved(corpus),
            "random_state": self.random_state,
        }
        if part == "validation":
            values |= {"cv": self.cv, "repeats": self.repeats}
        else:
            values |= {"n_splits": self.n_splits}
        return json.dumps(values, sort_keys=True)

    def _resolved(self, corpus: Corpus) -> Any:
        """The test size with "auto" resolved."""
        if self.test_size != "auto":
            return self.test_size
        return "given" if corpus.split is not None else 0.2


@dataclass(frozen=True)
class TextOptions:
    """How words are counted and weighted: see `Vectorizer` and `Weighting`.

    `weighting` None is ltc for counts; vectors that are weighted already are used as they are.
    """

    unit: str = "word"
    ngrams: tuple[int, int] = (1, 1)
    stem: str | None = None
    stop_words: str | None = None
    min_length: int | None = None
    weighting: str | None = None
    min_df: int = 2
    max_df: float = 1.0

    def __post_init__(self) -> None:
        if self.weighting is not None and self.weighting not in NORMS:
            raise LaconicError(f"weighting={self.weighting!r}: choose from {', '.join(NORMS)}")
        object.__setattr__(self, "max_df", float(self.max_df))
        object.__setattr__(self, "ngrams", span(self.ngrams))
        self.vectorizer().tokens("")

    def vectorizer(self) -> Vectorizer:
        return Vectorizer(
            unit=self.unit,
            ngrams=self.ngrams,
            stem=self.stem,
            stop_words=self.stop_words,
            min_length=self.min_length or 2,
            n_jobs=-1,
        )

    def weighting_for(self, corpus: Corpus) -> Weighting:
        if corpus.vectors is None:
            scheme = Weighting(self.weighting or "ltc")
        else:
            self._refuse_text_settings(corpus)
            scheme = Weighting(self.weighting or default_weighting(corpus.vectors).scheme)
            scheme.set_params(min_length=self.min_length or 1)
        return scheme.set_params(min_df=self.min_df, max_df=self.max_df)

    def _refuse_text_settings(self, corpus: Corpus) -> None:
        """What is said about texts has no effect on vectors, and would be missed in silence."""
        given = {"stem": self.stem, "stop_words": self.stop_words}
        given |= {"unit": self.unit != "word", "ngrams": self.ngrams != (1, 1)}
        if idle := [name for name, value in given.items() if value]:
            raise LaconicError(
                f"{', '.join(idle)}: {corpus.name} comes as vectors, whose words are counted "
                "already. Leave it out"
            )

    @cached_property
    def description(self) -> str:
        """What the numbers depend on; of a file of stop words, its contents."""
        values = asdict(self)
        file = file_of(self.stop_words)
        if file is not None and file.is_file():
            values["stop_words"] = sha256(file.read_bytes()).hexdigest()
        return json.dumps(values, sort_keys=True)


@dataclass(frozen=True)
class TrainingOptions:
    """The settings of the classifier that follows a selection.

    `alpha` is the strength of regularisation: a number, "loo" to choose it by leave-one-out, or a
    number for each problem by its name. `normalize="selected"` trains self-contained models, the
    only ones that are recommended.
    """

    alpha: float | str | Mapping[str, float] = 1.0
    intercept: bool = True
    normalize: Normalize = "selected"

    def __post_init__(self) -> None:
        if self.normalize not in get_args(Normalize):
            raise LaconicError(
                f"normalize={self.normalize!r}: choose from {', '.join(get_args(Normalize))}"
            )
        if isinstance(self.alpha, Mapping):
            own = {name: _checked_alpha(alpha) for name, alpha in self.alpha.items()}
            object.__setattr__(self, "alpha", own)
        else:
            object.__setattr__(self, "alpha", _checked_alpha(self.alpha))

    def alpha_for(self, problem: str, fold: str) -> float | str:
        if not isinstance(self.alpha, Mapping):
            return self.alpha
        for name in (f"{problem}, {fold}", problem):
            if name in self.alpha:
                return self.alpha[name]
        raise LaconicError(f"alpha: no number for {problem}, {fold}")


def _checked_alpha(alpha: Any) -> float | str:
    """1 and 1.0 are the same alpha, and give the same task."""
    number = isinstance(alpha, int | float) and not isinstance(alpha, bool)
    if alpha != "loo" and not (number and 0 <= alpha < float("inf")):
        raise LaconicError(f"alpha={alpha!r}: give a number of at least 0, or 'loo'")
    return float(alpha) if number else str(alpha)
