"""A model with all that it needs to read raw text, in one small file that is safe to load."""

from laconic.compact.compact_model import CompactModel
from laconic.compact.storage import stored
from laconic.compact.training import train

__all__ = ["CompactModel", "stored", "train"]
