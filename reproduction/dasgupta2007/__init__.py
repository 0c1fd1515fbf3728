"""Dasgupta et al. 2007: subspace sampling."""
