"""Singular subspaces: leverage, bases, sparsification, directions."""
