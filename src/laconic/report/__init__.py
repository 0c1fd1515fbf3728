"""Rows become a frozen view, and the view a page. Nothing here knows a method by name."""
