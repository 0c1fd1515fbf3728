"""Reducers that choose words."""
