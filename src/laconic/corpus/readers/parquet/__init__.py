"""Parquet files, whose size is known before they are expanded."""
