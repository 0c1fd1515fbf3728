"""Markdown pages that are updated section by section, and lines of their tables."""

from __future__ import annotations

import re
from collections.abc import Iterable

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
TAG = re.compile(r"<(?=[a-z/!?])", re.IGNORECASE)


def sections_of(page: str) -> dict[str, str]:
    """The sections of a page by heading."""
    _, *parts = HEADING.split(page)
    sections = zip(parts[::2], parts[1::2], strict=True)
    return {name: f"## {name}\n\n{body.strip()}\n" for name, body in sections}


def cells(texts: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(_cell, texts))} |"


def _cell(text: str) -> str:
    """One line, with bars and tags escaped."""
    return TAG.sub(r"\\<", " ".join(text.split())).replace("|", r"\|")
