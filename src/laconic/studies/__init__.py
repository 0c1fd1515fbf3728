"""A study: plan → tasks → journal → analysis."""
