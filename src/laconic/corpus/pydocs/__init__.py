"""`pydocs`: the embedded corpus, built from the documentation of the installed packages.

A document is the docstring of a public function, class, method or property; its label is the
sub-package that defines it. The rules, in order:

1.  *Walk.* numpy, scipy and scikit-learn are imported: the main namespace and every sub-package
    in the `__all__` of the package. The standard library is read as source and never imported, so
    nothing of it can print, open a window or be missing from a build. An object belongs to the
    sub-package of its `__module__`, else to the first that exports it, and is used once. The scalar
    types of numpy are left out: they differ between machines.
2.  *Prose.* Doctests, signatures, headings, "See Also", directives (except notes and warnings),
    formulas, import lines, URLs, and the names of the three packages are removed.
3.  *Boilerplate.* A paragraph that `COMMON` or more documents contain (ignoring the name of the
    object that they describe) is removed from all of them.
4.  *Length.* A document has at least `MIN_WORDS` words (before rule 7).
5.  *Duplicates.* A document whose three-word sequences overlap by `SIMILAR` or more (Jaccard) with
    those of an earlier one is dropped, whatever its label. The order is numpy, scipy, sklearn,
    standard library (a copy belongs to the package it was copied from); within a package it is
    alphabetical, but the names of a sub-package come before those of its modules.
6.  *Classes.* Labels with at least `MIN_DOCS` documents. Of a larger class, the `MAX_DOCS` with
    the smallest hashes of their names are kept.
7.  *Names.* The names of the classes (`stats`, `linear_model`) are removed from every text.

Rule 1 is in `walking`, rule 2 in `prose`, the others in `choosing`; `building` combines them and
caches the result.
"""

from laconic.corpus.pydocs.build import build_pydocs, cache_directory

__all__ = ["build_pydocs", "cache_directory"]
