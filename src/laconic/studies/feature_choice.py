"""`FeatureChoice`: which features a study counts in the texts of a corpus, and why.

It is made from the scores of the sets in the probe; it computes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from laconic.text.features import NGRAMS, FeatureSet
from laconic.types import Floats

# A document that one set gets right in one fold is exactly one standard error.
ROUNDING = 1e-9


@dataclass(frozen=True)
class SetScore:
    """A feature set in the probe.

    values : the metric at each size, mean over folds; empty if the set could not be measured
    mean : of these
    difference, se : from the best set, and its standard error over the folds
    failure : why it could not be measured
    """

    features: str
    title: str
    values: tuple[float, ...] = ()
    mean: float = 0.0
    difference: float = 0.0
    se: float = 0.0
    failure: str = ""


@dataclass(frozen=True)
class FeatureChoice:
    """The features of a corpus.

    features, title : the set as it can be named in a plan, and in words
    reason : why this set
    language : of the texts, in words, and how it is known
    metric, sizes, n_documents, n_folds : of the probe, if there was one
    scores : one per set, the simplest set first
    """

    corpus: str
    features: str
    title: str
    reason: str
    language: str
    metric: str = ""
    sizes: tuple[int, ...] = ()
    n_documents: int = 0
    n_folds: int = 0
    scores: tuple[SetScore, ...] = ()

    @property
    def counts_ngrams(self) -> bool:
        """Whether n-grams were chosen, of which a document has several times as many as words."""
        return bool(self.scores) and FeatureSet.parse(self.features).kind in NGRAMS

    @property
    def sentence(self) -> str:
        """In one line: the scores, the choice and its reason, and the language."""
        return f"{self.choice} {self.language}."

    @property
    def choice(self) -> str:
        """The sentence without the language."""
        if not self.scores:
            return f"Features: {self.title}, {self.reason}."
        ordered = sorted(self.scores, key=lambda score: (bool(score.failure), -score.mean))
        listed = ", ".join(
            f"{s.title} {'failed' if s.failure else format(s.mean, '.3f')}" for s in ordered
        )
        return f"Features: {listed} → {self.title}, {self.reason} ({self.probe})."

    @property
    def probe(self) -> str:
        """What the scores are."""
        *sizes, last = (f"{size:,}" for size in self.sizes)
        return (
            f"mean {self.metric} with at most {', '.join(sizes)} and {last} features, in "
            f"{self.n_folds} folds of {self.n_documents:,} training documents"
        )


def compare_sets(
    results: Mapping[FeatureSet, Floats], failures: Mapping[FeatureSet, str]
) -> tuple[FeatureSet, str, tuple[SetScore, ...]]:
    """The simplest set within one standard error of the best, why, and the scores of all.

    `results` has the metric of each set by size and fold; the best set has the highest mean. Others
    are compared with it fold by fold, on the mean over sizes and at the largest size: small models
    alone do not say what a set is worth. Sets are ordered from the simplest, which wins ties.
    """
    unmeasured = tuple(SetScore(s.name, s.title, failure=why) for s, why in failures.items())
    if not results:
        return next(iter(failures)), "because no set could be measured", unmeasured
    best = max(results, key=lambda features: results[features].mean())
    scores = {s: _score(s, results[s], results[best]) for s in results}
    chosen = next(
        s
        for s, values in results.items()
        if _within(values.mean(axis=0) - results[best].mean(axis=0))
        and _within(values[-1] - results[best][-1])
    )
    reason = "the best" if chosen == best else "the simplest within one standard error of the best"
    return chosen, reason, (*scores.values(), *unmeasured)


def _within(differences: Floats) -> bool:
    """Whether the mean of differences from the best is within one standard error of 0."""
    return bool(-differences.mean() <= standard_error(differences) + ROUNDING)


def _score(features: FeatureSet, values: Floats, best: Floats) -> SetScore:
    differences = (values - best).mean(axis=0)
    return SetScore(
        features.name,
        features.title,
        tuple(values.mean(axis=1).tolist()),
        float(values.mean()),
        float(differences.mean()),
        standard_error(differences),
    )


def standard_error(values: Floats) -> float:
    """Of the mean."""
    return float(np.std(values, ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0
