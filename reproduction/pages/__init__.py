"""Pages with the statements of a paper and their verdicts."""
