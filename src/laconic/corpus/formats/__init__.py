"""One reader per format; `registry` lists them."""
