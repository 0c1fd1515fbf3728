"""Labelled documents and their split: the first package of the flow."""

from laconic.corpus.corpus import Corpus

__all__ = ["Corpus"]
