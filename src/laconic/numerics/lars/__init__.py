"""LARS paths and their parts."""
