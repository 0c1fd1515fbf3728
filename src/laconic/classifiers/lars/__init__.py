"""Keerthi 2005: one sparse linear model per class, along a LARS path."""
