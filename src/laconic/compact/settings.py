"""The settings of a model, from the estimators that made its vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from laconic.errors import LaconicError
from laconic.options import from_attributes
from laconic.runtime.settings import TextSettings, WordWeights
from laconic.text.options import TextOptions

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting


def text_settings(vectorizer: Vectorizer) -> TextSettings:
    """The options of the vectorizer, resolved."""
    text = from_attributes(TextOptions, vectorizer)
    resolved = {"min_length": text.shortest(), "stop_words": tuple(sorted(text.left_out()))}
    return TextSettings(**text.values() | resolved)


def word_weights(weighting: Weighting) -> WordWeights:
    """The weights of all words of a fitted weighting."""
    if not hasattr(weighting, "features_"):
        raise LaconicError("Weighting is not fitted. Fit it on the training documents first.")
    scheme, length = weighting.scheme, weighting.norm_used()
    if weighting.idf_ is None:
        return WordWeights(scheme, length)
    return WordWeights(scheme, length, weighting.document_frequency_, weighting.n_docs_)
