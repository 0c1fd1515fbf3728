"""How much is a term worth? Pure functions (X, y) -> one number per term."""

from laconic.scores.counts import document_frequency

__all__ = ["document_frequency"]
