"""Corpora of the catalog, which tests of one process read once."""

from functools import cache

from laconic import load_corpus

known_corpus = cache(load_corpus)
