"""Rule 2: the prose of a docstring, without names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from laconic.corpus.pydocs.sources import PACKAGES, Docstring

ALIASES = ("np", "sp", "scikit-learn", "scikit")

_UNDERLINE = re.compile(r"[-=~^]{3,}\s*")
_DIRECTIVE = re.compile(r"\.\. +(?!(?:note|warning|tip|important)::)[\w-]+::")
_IMPORT = re.compile(r"(?:from [\w.]+ )?import \w")
_REMOVED = (
    r":math:`[^`]*`",
    r"\$[^$\n]*\$",
    r"(?:https?|ftp)://\S+",
    r"\bdoi:\s*\S+",
    r"\bat 0x[0-9a-fA-F]+",
    r"\s<[^<>`\n]*>(?=`)",
    r":[a-z]+(?::[a-z]+)?:(?=`)",
    r"\.\. (?:note|warning|tip|important)::",
    r"\.\. (?=\[)",
    r"[`*~]",
)
_MARKUP = re.compile("|".join(_REMOVED))


def paragraphs(document: Docstring) -> dict[str, str]:
    """The paragraphs of prose, keyed by their words without the name of the object."""
    name = document.name.rpartition(".")[2]
    lines = inspect.cleandoc(document.text).splitlines()
    prose = "\n".join(_outside_code(_outside_directives(_outside_headings(lines))))
    prose = without(_MARKUP.sub("", prose), (*PACKAGES, *ALIASES))
    parts = [part for part in re.split(r"\n{2,}", prose) if not part.startswith(f"{name}(")]
    object_name = re.compile(rf"\b{re.escape(name)}\b")
    return {" ".join(words_of(object_name.sub("", part))): part for part in parts}


def _outside_headings(lines: Sequence[str]) -> Iterator[str]:
    """The lines without headings and without the section "See Also"."""
    section = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _UNDERLINE.fullmatch(following.strip()):
            section = line.strip().lower()
            yield ""
        elif section != "see also" and not _UNDERLINE.fullmatch(line.strip()):
            yield line


def _outside_directives(lines: Iterable[str]) -> Iterator[str]:
    """The lines without directives and without the lines indented below them."""
    directive_indent: int | None = None
    for line in lines:
        stripped = line.lstrip()
        indent = len(line) - len(stripped)
        if directive_indent is not None and stripped and indent <= directive_indent:
            directive_indent = None
        if directive_indent is None and _DIRECTIVE.match(stripped):
            directive_indent = indent
        yield line if directive_indent is None else ""


def _outside_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines without imports and doctests; a doctest ends at a blank line."""
    doctest = False
    for line in lines:
        stripped = line.strip()
        doctest = bool(stripped) and (doctest or stripped.startswith(">>>"))
        if not (doctest or _IMPORT.match(stripped)):
            yield line


@lru_cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Matches these names alone, in dotted names (with the dot) and in names with underscores."""
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![^\W\d_])(?:{choice})(?![^\W\d_])(?:\.(?=\w))?", re.IGNORECASE)


def without(text: str, names: tuple[str, ...]) -> str:
    lines = _pattern(names).sub("", text).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip()


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", text.lower())
