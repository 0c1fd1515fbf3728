"""A corpus becomes numbers."""
