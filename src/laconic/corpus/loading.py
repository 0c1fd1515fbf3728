"""`load_corpus` and `load_corpora` read catalog names, files and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any

from laconic.corpus.catalog import TECHTC, find, load_family, load_known, locate
from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.registry import FORMATS, RECORDS, format_of
from laconic.errors import CorpusError
from laconic.options import signature_from


@signature_from(ReadOptions)
def load_corpus(
    where: str | PathLike[str],
    *,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Corpus:
    """Read a labelled corpus.

    Parameters
    ----------
    where : str or path
        A name of the catalog ("pydocs", "reuters-21578", "techtc100/Exp_…"), a file or a folder.
        Files compressed by gzip, xz or bzip2 and tar archives of class folders are read directly.
    {options}
    progress : callable (done, total), optional

    Returns
    -------
    Corpus
        Its `notes` list what the reader dropped or replaced.

    Raises
    ------
    CorpusError
        Names the file and line, and says what to do.
    """
    return read_corpus(where, ReadOptions(progress=progress, **options))


def read_corpus(where: str | PathLike[str], options: ReadOptions) -> Corpus:
    """Read a labelled corpus with these options."""
    known = find(where) if isinstance(where, str) and options.format is None else None
    if known is not None:
        _check_fields(options, known.name, has_fields=known.read is FORMATS["jsonl"].read)
        return load_known(known, options)
    file = Path(where)
    format = options.format if options.format is not None else format_of(file, options)
    if options.split is not None and format != "reuters":
        raise CorpusError(
            f"split={options.split!r}: files of the format {format} have no named splits. "
            "Name the column that says train or test (split_column)."
        )
    if format not in FORMATS:
        raise CorpusError(f"format {format!r} is unknown. Choose from {', '.join(FORMATS)}.")
    _check_fields(options, f"the format {format}", has_fields=format in RECORDS)
    return FORMATS[format].read(file, options)


def _check_fields(options: ReadOptions, source: str, *, has_fields: bool) -> None:
    for option in ("group", "time"):
        name = getattr(options, option)
        if name is not None and not has_fields:
            raise CorpusError(
                f"{option}={name!r}: {source} has no columns or keys. Use one of the formats "
                f"{', '.join(RECORDS)}."
            )


def load_corpora(where: str | PathLike[str], **options: Any) -> Iterator[Corpus]:
    """The corpora of a name: one, or the hundred sets of "techtc100"; options as above."""
    return read_corpora(where, ReadOptions(**options))


def read_corpora(where: str | PathLike[str], options: ReadOptions) -> Iterator[Corpus]:
    """The same with these options."""
    if where == TECHTC.name:
        yield from load_family(ReadOptions())
    else:
        yield read_corpus(where, options)


def located(where: str, format: str | None = None) -> Path | None:
    """The file or folder that `load_corpora` reads; None if it is built or missing."""
    known = TECHTC if where == TECHTC.name else find(where) if format is None else None
    if known is None:
        return Path(where)
    with suppress(CorpusError):
        return locate(known) if known.files else None
    return None
