"""Reducers that mix words: linear maps to a few columns."""
