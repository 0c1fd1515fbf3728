"""One reader a format; `registry` names them all."""
