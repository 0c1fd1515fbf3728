"""Names of the columns of a matrix, and the files next to a matrix that contain them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from itertools import count
from os import PathLike, fspath
from pathlib import Path

from laconic.corpus.io.limits import Where
from laconic.errors import CorpusError

COMPRESSED = (".gz", ".xz", ".bz2")
# The largest accepted index: a larger one is most likely a mistake.
MAX_COLUMN = 1 << 24
# What the numbers of shards consist of, and what they are appended to if they have no name.
NUMBERING = "0123456789-_.="
UNNAMED = ("part", "shard")


def uncompressed_name(where: Where) -> str:
    """The name of the file without its folder and compression suffix."""
    name = Path(fspath(where)).name
    return name[: name.rindex(".")] if name.lower().endswith(COMPRESSED) else name


def stem(where: Where) -> str:
    """The file name without compression and format suffixes: the name of the corpus."""
    name = uncompressed_name(where)
    return name.rpartition(".")[0] or name


def name_of(where: Where | Sequence[Where]) -> str:
    """The name of the corpus of a folder, of a glob, or of several files.

    It is what the names of files begin with, or the name of their folder if they have no name but
    a number: tickets for tickets-*.csv, mail for mail/part-*.csv.
    """
    if not isinstance(where, str | PathLike):
        names = [fspath(file) for file in where]
        where = os.path.commonprefix(names) + "*"  # noqa: RUF071 - of names, not only of folders
    path = fspath(where).rstrip("/")
    begin = re.split(r"[*?[]", path)[0]
    if os.path.lexists(path) or begin == path:
        return Path(path).resolve().name if os.path.isdir(path) else stem(path)
    folder, _, file = begin.rpartition("/")
    name = file.rstrip(NUMBERING)
    return Path(folder).resolve().name if name in ("", *UNNAMED) else name


def mixed_formats_error(folder: Where, file: str, other: str) -> CorpusError:
    """The error for a folder with files of two formats; the first may be what was meant."""
    return CorpusError(
        f"contains {file} and {other}, which are not of one format. Give a glob, such as "
        f"'{Path(fspath(folder)) / all_like(file)}'.",
        where=folder,
    )


def all_like(file: str) -> str:
    """A pattern for the names with the same ending."""
    return f"*{Path(file).suffix}"


def sibling_file(where: Where, name: str) -> Path | None:
    """The file `name` in the folder of the file `where`, plain or compressed, or None."""
    return file_in(Path(fspath(where)).parent, name)


def file_in(folder: Where, name: str) -> Path | None:
    """The file `name` in this folder, plain or compressed, or None."""
    for suffix in ("", *COMPRESSED):
        file = Path(fspath(folder)) / (name + suffix)
        if file.is_file():
            return file
    return None


def unique_names(names: Iterable[str], positions: Iterable[int] | None = None) -> tuple[str, ...]:
    """The names made unique: an empty name becomes its position, a repeated one gets it appended.

    Positions are 1, 2, 3, … by default.
    """
    unique: dict[str, None] = {}
    for position, name in zip(count(1) if positions is None else positions, names, strict=False):
        new = name or str(position)
        while new in unique:
            new = f"{new}#{position}"
        unique[new] = None
    return tuple(unique)


def read_indexed_names(numbered: Iterable[tuple[int, str]], where: Where) -> dict[int, str]:
    """Names by index from lines `index name`, as in TechTC's `features.idx`; # begins a comment."""
    names: dict[int, str] = {}
    for line, text in numbered:
        if not text.strip() or text.startswith("#"):
            continue
        index, _, name = text.strip().partition(" ")
        column = parse_column(index)
        if column is None or not name.strip() or column in names:
            raise CorpusError(
                f"expected a column index and its name, each index once, but found "
                f"{shortened(text)}. Write lines such as `12 word`.",
                where=where,
                line=line,
            )
        names[column] = name.strip()
    return names


def parse_column(token: str) -> int | None:
    """The column index that the token spells, or None if it is not one from 0 to `MAX_COLUMN`."""
    if not (token.isascii() and token.isdigit() and len(token) < 12):
        return None
    column = int(token)
    return column if column <= MAX_COLUMN else None


def shortened(text: str) -> str:
    """An excerpt of the file for a message: quoted, and short."""
    text = text.strip()
    return repr(text if len(text) <= 40 else text[:37] + "...")
