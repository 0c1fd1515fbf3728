"""Reducers that select words."""
