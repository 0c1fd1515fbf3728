"""Documents, labels, split: the first room of the flow."""

from laconic.corpus.corpus import Corpus

__all__ = ["Corpus"]
