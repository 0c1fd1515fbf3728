"""The names of a matrix's columns, and the files that lie beside a matrix and hold them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from os import fspath
from pathlib import Path

from laconic.corpus.formats.guarding import Where
from laconic.errors import CorpusError

COMPRESSED = (".gz", ".xz", ".bz2")
# The largest index that is taken: a larger one is a slip of the pen.
MOST_COLUMNS = 1 << 24


def plain_name(where: Where) -> str:
    """The name of the file without folder and without the ending of its compression."""
    name = Path(fspath(where)).name
    return name[: name.rindex(".")] if name.lower().endswith(COMPRESSED) else name


def stem(where: Where) -> str:
    """The plain name without the ending of its format: what the corpus is called."""
    name = plain_name(where)
    return name.rpartition(".")[0] or name


def beside(where: Where, name: str) -> Path | None:
    """The file called `name` in the folder of the file `where`, plain or compressed, if any."""
    return inside(Path(fspath(where)).parent, name)


def inside(folder: Where, name: str) -> Path | None:
    """The file called `name` in this folder, plain or compressed, if there is one."""
    for ending in ("", *COMPRESSED):
        file = Path(fspath(folder)) / (name + ending)
        if file.is_file():
            return file
    return None


def distinct(names: Iterable[str], positions: Iterable[int] | None = None) -> tuple[str, ...]:
    """The same names; an empty one becomes its position, a repeated one gets it appended.

    Positions are 1, 2, 3, … unless given.
    """
    taken: dict[str, None] = {}
    for position, name in zip(count(1) if positions is None else positions, names, strict=False):
        new = name or str(position)
        while new in taken:
            new = f"{new}#{position}"
        taken[new] = None
    return tuple(taken)


def indexed_names(numbered: Iterable[tuple[int, str]], where: Where) -> dict[int, str]:
    """The lines `index name` of a file such as TechTC's `features.idx`; # begins a comment line."""
    names: dict[int, str] = {}
    for line, text in numbered:
        if not text.strip() or text.startswith("#"):
            continue
        index, _, name = text.strip().partition(" ")
        column = column_of(index)
        if column is None or not name.strip() or column in names:
            raise CorpusError(
                f"a column index and its name were expected, each index once, but found "
                f"{clipped(text)}. Write lines such as `12 word`.",
                where=where,
                line=line,
            )
        names[column] = name.strip()
    return names


def column_of(token: str) -> int | None:
    """The column that a token of digits names, or None if it is none that we can take."""
    if not (token.isascii() and token.isdigit() and len(token) < 12):
        return None
    column = int(token)
    return column if column <= MOST_COLUMNS else None


def clipped(text: str) -> str:
    """A piece of the file for a message: quoted, and short."""
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
