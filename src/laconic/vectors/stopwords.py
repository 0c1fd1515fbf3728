"""Words that do not count: two lists by name, a file, or one's own collection."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from os import PathLike
from pathlib import Path

from laconic.errors import LaconicError

StopWords = None | str | PathLike[str] | Collection[str]


def stop_words(which: StopWords) -> frozenset[str]:
    """The stop words in lower case: of a list by name, of a file with one a line, or as given."""
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
            f"Give {choices()}, the path of a file with one word a line, or a collection of str."
        ) from None


def file_of(which: str | None) -> Path | None:
    """The file that holds the stop words; None where there are none, or a list by name."""
    return Path(which) if which and which not in LISTS else None


def from_file(where: Path) -> frozenset[str]:
    """One word a line; blank lines and those that start with # say nothing."""
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
