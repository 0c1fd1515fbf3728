"""Words that are not counted: two lists by name, a file, or a collection."""

from __future__ import annotations

from functools import cache
from os import PathLike
from pathlib import Path

from laconic.errors import LaconicError
from laconic.text.options import StopWords


def stop_words(which: StopWords) -> frozenset[str]:
    """The stop words in lower case: of a named list, of a file, or of a collection."""
    if which is None:
        return frozenset()
    if isinstance(which, str) and which in LISTS:
        return LISTS[which]()
    if isinstance(which, str | PathLike):
        return from_file(Path(which))
    try:
        return frozenset(word.lower() for word in which)
    except (TypeError, AttributeError):
        raise LaconicError(
            f"stop_words={which!r}: not a collection of str. "
            f"Give {choices()}, the path of a file with one word per line, or a collection of str."
        ) from None


def file_of(which: StopWords) -> Path | None:
    """The file that holds the stop words, if it is one."""
    return Path(which) if isinstance(which, str) and which and which not in LISTS else None


def from_file(where: Path) -> frozenset[str]:
    """One word per line; blank lines and lines that start with # are skipped."""
    try:
        lines = where.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LaconicError(
            f"stop_words={str(where)!r}: neither {choices()}, nor a file that can be read as UTF-8 "
            f"({error}). Give one of these, or a collection of str."
        ) from error
    words = (line.strip().lower() for line in lines)
    return frozenset(word for word in words if word and not word.startswith("#"))


@cache
def english() -> frozenset[str]:
    """scikit-learn's list."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


@cache
def smart() -> frozenset[str]:
    """The list of the SMART system, as the package python-rake carries it."""
    try:
        import RAKE
    except ImportError as error:
        raise LaconicError(
            'stop_words="smart": the list comes with the package python-rake, which is missing. '
            "pip install laconic[smart]"
        ) from error
    return frozenset(word.lower() for word in RAKE.SmartStopList())


LISTS = {"english": english, "smart": smart}


def choices() -> str:
    return " or ".join(f'"{name}"' for name in LISTS)
