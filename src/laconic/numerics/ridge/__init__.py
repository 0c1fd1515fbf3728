"""Regularized least squares."""
