"""Documents as vectors: counts, weights, labels and problems."""
