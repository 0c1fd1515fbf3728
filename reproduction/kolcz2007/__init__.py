"""Kołcz & Chowdhury 2007: SVM masking."""
