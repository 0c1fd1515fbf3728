"""`pydocs`: the embedded corpus, made of the documentation that the installation already contains.

A document is the docstring of a public function, class, method or property; its label is the
sub-package that defines it. The rules, in the order in which they apply:

1.  *Walk.* numpy, scipy and scikit-learn are imported: the main name space and every sub-package
    that the package names in `__all__`. The standard library is read as source and never imported,
    so nothing of it can print, open a window or be missing from a build. An object belongs to the
    sub-package of its `__module__`, else to the first that exports it, and is met once. The scalar
    types of numpy are left out: they differ from machine to machine.
2.  *Prose.* Out go doctests, signatures, headings, "See Also", directives (except notes and
    warnings), formulas, import lines, addresses, and the names of the three packages.
3.  *Boilerplate.* A paragraph that `COMMON` documents or more contain (but for the name of the
    object that they describe) is taken out of all of them.
4.  *Length.* A document has at least `MIN_WORDS` words (before rule 7).
5.  *Duplicates.* A document whose three-word sequences overlap by `SIMILAR` or more (Jaccard) with
    those of an earlier one is dropped, under whichever label. The order is numpy, scipy, sklearn,
    standard library (a copy belongs to the package it was copied from); within a package the
    alphabet, but the names of a sub-package come before those of its modules.
6.  *Classes.* Labels with at least `MIN_DOCS` documents. Of a larger class, the `MAX_DOCS` with the
    smallest hash of their names stay.
7.  *Names.* The names of the classes (`stats`, `linear_model`) are taken out of every text.

Rule 1 is in `walking`, rule 2 in `prose`, the others in `choosing`; `building` joins them and keeps
the result in the cache.
"""

from laconic.corpus.pydocs.building import build_pydocs, cache_directory

__all__ = ["build_pydocs", "cache_directory"]
