"""Reducers that project documents: linear maps from all words to a few components."""
