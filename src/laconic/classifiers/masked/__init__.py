"""Kołcz & Chowdhury 2007: smaller versions of one SVM."""
