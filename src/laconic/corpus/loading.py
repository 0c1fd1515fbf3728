"""`load_corpus` and `load_corpora` read catalog names, files and folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from laconic.corpus.catalog import TECHTC, find, load_family, load_known, locate
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.addresses import is_glob, list_files, scheme_of
from laconic.corpus.io.limits import Where
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import name_of
from laconic.corpus.readers.registry import FORMATS, RECORDS, format_of, format_of_shards, resolve
from laconic.corpus.readers.shards import read_shards
from laconic.errors import CorpusError
from laconic.options import signature_from
from laconic.processes import number_of_workers


@signature_from(ReadOptions)
def load_corpus(
    where: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Corpus:
    """Read a labelled corpus.

    Parameters
    ----------
    where : str, path or a sequence of them
        A name of the catalog ("pydocs", "reuters-21578", "techtc100/Exp_…"), a file or a folder.
        Files compressed by gzip, xz or bzip2 and tar archives of class folders are read directly.
        A folder of CSV, JSONL or Parquet files, a glob and several files are one corpus, in the
        order of the files' names. Addresses such as "s3://bucket/part-*.parquet" need an extra.
    {options}
    n_jobs : int
        Processes that read the files of one corpus; -1 is one per usable CPU. The corpus is the
        same.
    progress : callable (done, total), optional
        Called with the bytes that are read of all files, and their size.

    Returns
    -------
    Corpus
        Its `notes` list what the reader dropped or replaced.

    Raises
    ------
    CorpusError
        Names the file and line, and says what to do.
    """
    n_workers = number_of_workers(n_jobs, f"n_jobs={n_jobs}")
    return read_corpus(where, ReadOptions(n_jobs=n_workers, progress=progress, **options))


def read_corpus(where: Where | Sequence[Where], options: ReadOptions) -> Corpus:
    """Read a labelled corpus with these options."""
    known = find(where) if isinstance(where, str) and options.format is None else None
    if known is not None:
        _check_fields(options, known.name, has_fields=known.read is FORMATS["jsonl"].read)
        return load_known(known, options)
    files = resolve(where, options)
    if isinstance(files, Path):
        format = options.format if options.format is not None else format_of(files, options)
        _check_format(format, options)
        return FORMATS[format].read(files, options)
    format = format_of_shards(files, options)
    _check_format(format, options)
    return read_shards(files, format, options, where=_title(where), name=name_of(where))


def _title(where: Where | Sequence[Where]) -> str:
    """What stands for all files in messages."""
    if isinstance(where, str | PathLike):
        return fspath(where)
    first, *others = [fspath(file) for file in where]
    return f"{first} and {len(others):,} more" if others else first


def _check_format(format: str, options: ReadOptions) -> None:
    if options.split is not None and format != "reuters":
        raise CorpusError(
            f"split={options.split!r}: files of the format {format} have no named splits. "
            "Name the column that says train or test (split_column)."
        )
    if format not in FORMATS:
        raise CorpusError(f"format {format!r} is unknown. Choose from {', '.join(FORMATS)}.")
    _check_fields(options, f"the format {format}", has_fields=format in RECORDS)


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


def read_corpora(where: Where, options: ReadOptions) -> Iterator[Corpus]:
    """The same with these options."""
    if where == TECHTC.name:
        yield from load_family(ReadOptions())
    else:
        yield read_corpus(where, options)


def located(where: str, format: str | None = None) -> list[Path]:
    """The files and folders here that `load_corpora` reads; none if it is built or missing."""
    known = TECHTC if where == TECHTC.name else find(where) if format is None else None
    with suppress(CorpusError):
        if known is not None:
            return [locate(known)] if known.files else []
        if scheme_of(where) is not None:
            return []
        return [Path(file) for file in list_files(where)] if is_glob(where) else [Path(where)]
    return []
