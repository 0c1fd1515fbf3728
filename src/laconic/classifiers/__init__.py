"""Classifiers, and the contract of a path of models."""
