"""What a study has measured so far, in one SQLite file."""
