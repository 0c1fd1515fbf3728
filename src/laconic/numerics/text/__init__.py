"""Kernels that read, weight and classify raw text."""
