"""Opening files and archives, within limits, as text."""
