"""Torkkola: LSI or random projection, then LDA."""
