"""One reader per file format; `registry` has them all."""
