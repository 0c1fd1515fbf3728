"""Keerthi 2005: LARS for the SVM."""
