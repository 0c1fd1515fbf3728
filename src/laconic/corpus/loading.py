"""`load_corpus` and `load_corpora`: one door for catalog names, files and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from laconic.corpus.catalog import TECHTC, find, load_family, load_known, locate
from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.gathering import ReadOptions
from laconic.corpus.formats.registry import FORMATS, format_of
from laconic.errors import CorpusError


def load_corpus(
    where: str | PathLike[str],
    *,
    format: str | None = None,
    text: str | None = None,
    label: str | Sequence[str] = (),
    separator: str | None = None,
    id: str | None = None,
    split_column: str | None = None,
    split: str | None = None,
    encoding: str | None = None,
    encoding_errors: Literal["strict", "replace"] = "strict",
    unlabelled: Literal["error", "drop", "keep"] = "error",
    max_line: int = ReadOptions.max_line,
    max_bytes: int = ReadOptions.max_bytes,
    progress: Callable[[int, int], None] | None = None,
) -> Corpus:
    """Read a labelled corpus.

    Parameters
    ----------
    where : str or path
        A name of the catalog ("pydocs", "reuters-21578", "techtc100/Exp_…"), a file or a folder;
        gzip, xz and bzip2 are unpacked on the way, a tar of class folders is read as it is.
    format : str, optional
        A name from `laconic.corpus.formats.registry.FORMATS`; by default the ending or the
        contents tell.
    text, label, id, split_column : str, optional
        Columns of a table or keys of JSON lines. Several labels: a list, or `separator`.
    separator : str, optional
        Divides the value of the label column into several labels.
    split : str, optional
        A standard split where the corpus has several (Reuters: "ModApte", "ModLewis", …).
    encoding : str, optional
        Of the text; by default UTF-8, or what is known of the corpus.
    undecodable : "error" or "replace"
        What to do about bytes that are not in that encoding; replaced ones are counted.
    unlabelled : "error", "drop" or "keep"
        What to do about documents whose label is missing; they are counted.
    max_line, max_bytes : int
        Limits, so that a broken or hostile file cannot fill the memory.
    progress : callable (done, total), optional

    Returns
    -------
    Corpus
        Its `notes` say what was found on the way.

    Raises
    ------
    CorpusError
        Names the file and line, and says what to do.
    """
    reading = ReadOptions(
        text=text,
        label=(label,) if isinstance(label, str) else tuple(label),
        separator=separator,
        id=id,
        split_column=split_column,
        split=split,
        encoding=encoding,
        encoding_errors=encoding_errors,
        unlabelled=unlabelled,
        max_line=max_line,
        max_bytes=max_bytes,
        progress=progress,
    )
    for option, value, choices in (
        ("encoding_errors", encoding_errors, ("strict", "replace")),
        ("unlabelled", unlabelled, ("error", "drop", "keep")),
    ):
        if value not in choices:
            raise CorpusError(f"{option}={value!r}: choose from {', '.join(choices)}")
    known = find(where) if isinstance(where, str) and format is None else None
    if known is not None:
        return load_known(known, reading)
    file = Path(where)
    name = format if format is not None else format_of(file, reading)
    if split is not None and name != "reuters":
        raise CorpusError(
            f"split={split!r}: a file of the format {name} has no splits by name. "
            "Name the column that says train or test (split_column)."
        )
    if name not in FORMATS:
        raise CorpusError(f"format {name!r} is not known. Choose from {', '.join(FORMATS)}.")
    return FORMATS[name].read(file, reading)


def load_corpora(where: str | PathLike[str], **options: Any) -> Iterator[Corpus]:
    """The corpora of a name: one, or, for "techtc100", its hundred sets; options as above."""
    if where == TECHTC.name:
        yield from load_family(ReadOptions())
    else:
        yield load_corpus(where, **options)


def located(where: str, format: str | None = None) -> Path | None:
    """The file or folder that `load_corpora` reads; None for one that is built, or not there."""
    known = TECHTC if where == TECHTC.name else find(where) if format is None else None
    if known is None:
        return Path(where)
    with suppress(CorpusError):
        return locate(known) if known.files else None
    return None
