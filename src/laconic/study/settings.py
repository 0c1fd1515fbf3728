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
from laconic.corpus.formats.gathering import Reading
from laconic.corpus.loading import load_corpora
from laconic.corpus.splits import Split, folds, given_split, random_splits
from laconic.errors import LaconicError
from laconic.model import Norm
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
    undecodable: str = "error"
    unlabelled: str = "error"
    max_line: int = Reading.max_line
    max_bytes: int = Reading.max_bytes
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
class Splitting:
    """Which documents test the recommended model, and how the others choose it.

    Parameters
    ----------
    test : documents set aside: "given" (the corpus's own split), a share drawn at random, None for
        none; "auto" takes the given split where there is one, else a fifth.
    folds : of cross-validation among the other documents, where methods and sizes are compared;
        0 compares them on the test documents themselves, as papers do.
    repeats : of the cross-validation
    splits : random test sets, where there are no folds
    seed : of all of these
    """

    test: str | float | None = "auto"
    folds: int = 5
    repeats: int = 1
    splits: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        share = isinstance(self.test, float) and 0 < self.test < 1
        if not share and self.test not in ("auto", "given", None):
            raise LaconicError(
                f"test={self.test!r}: give a share between 0 and 1, 'given', 'auto', or none"
            )
        if self.folds < 0 or self.folds == 1:
            raise LaconicError(f"folds={self.folds}: give 2 or more, or 0 for none")
        if self.folds == 0 and self.test is None:
            raise LaconicError("folds=0 without test documents: nothing is left to measure on")
        if self.repeats < 1 or self.splits < 1 or self.seed < 0:
            raise LaconicError("repeats and splits are at least 1, the seed is at least 0")
        if self.splits > 1 and self.folds:
            raise LaconicError("several test sets need folds=0: one recommendation has one test")

    def held_out(self, corpus: Corpus) -> list[Split]:
        """The test documents against all others."""
        where = self._where(corpus)
        if where is None:
            return []
        if where == "given":
            return list(given_split(corpus))
        return list(random_splits(corpus, where, times=self.splits, seed=self.seed))

    def validation(self, corpus: Corpus) -> list[Split]:
        """Folds among the documents that are not held out."""
        if not self.folds:
            return []
        held_out = self.held_out(corpus)
        documents = held_out[0].train if held_out else np.arange(len(corpus))
        inside = corpus.take(documents)
        return [
            Split(fold.name, documents[fold.train], documents[fold.test])
            for fold in folds(inside, self.folds, repeats=self.repeats, seed=self.seed)
        ]

    def described(self, corpus: Corpus, part: Part) -> str:
        """What the documents of a fold depend on."""
        told: dict[str, Any] = {"test": self._where(corpus), "seed": self.seed}
        if part == "validation":
            told |= {"folds": self.folds, "repeats": self.repeats}
        else:
            told |= {"splits": self.splits}
        return json.dumps(told, sort_keys=True)

    def _where(self, corpus: Corpus) -> Any:
        if self.test != "auto":
            return self.test
        return "given" if corpus.split is not None else 0.2


@dataclass(frozen=True)
class Vectorizing:
    """How texts are counted and counts weighted: see `Vectorizer` and `Weighting`.

    `weighting` is None for ltc, or for vectors that are weighted already as they come.
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
        told = asdict(self)
        file = file_of(self.stop_words)
        if file is not None and file.is_file():
            told["stop_words"] = sha256(file.read_bytes()).hexdigest()
        return json.dumps(told, sort_keys=True)


@dataclass(frozen=True)
class Training:
    """The classifier behind a selection of words: least squares, or an SVM (`then=svm`).

    `alpha` is λ, "loo" to choose it by leave-one-out, or a number for each problem by its name.
    `norm="kept"` trains closed models, the only ones that are recommended.
    """

    alpha: float | str | Mapping[str, float] = 1.0
    intercept: bool = True
    norm: Norm = "kept"

    def __post_init__(self) -> None:
        if self.norm not in get_args(Norm):
            raise LaconicError(f"norm={self.norm!r}: choose from {', '.join(get_args(Norm))}")
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
    """1 and 1.0 are one λ, and one task."""
    number = isinstance(alpha, int | float) and not isinstance(alpha, bool)
    if alpha != "loo" and not (number and 0 <= alpha < float("inf")):
        raise LaconicError(f"alpha={alpha!r}: give a number of at least 0, or 'loo'")
    return float(alpha) if number else str(alpha)
