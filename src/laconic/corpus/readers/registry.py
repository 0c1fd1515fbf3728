"""The supported formats, and how the format of a file is determined."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from os import PathLike
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.corpus.io.addresses import HIDDEN, is_glob, list_files, scheme_of
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import is_tar, tar_members
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.arff.reader import read_arff
from laconic.corpus.readers.cluto import read_cluto
from laconic.corpus.readers.folders import read_folder
from laconic.corpus.readers.names import all_like, mixed_formats_error, uncompressed_name
from laconic.corpus.readers.rcv1 import read_rcv1
from laconic.corpus.readers.reuters import read_reuters
from laconic.corpus.readers.shards import read_csv, read_jsonl, read_parquet, read_tsv
from laconic.corpus.readers.svmlight import read_svmlight
from laconic.corpus.readers.techtc import read_techtc
from laconic.errors import CorpusError


@dataclass(frozen=True)
class Format:
    """A reader, the suffixes of its files, and a line for the help."""

    read: Callable[[Path, ReadOptions], Corpus]
    suffixes: tuple[str, ...]
    about: str


FORMATS: dict[str, Format] = {
    "csv": Format(read_csv, (".csv",), "a header line, then one document per record"),
    "tsv": Format(read_tsv, (".tsv", ".tab"), "the same, separated by tabs"),
    "jsonl": Format(read_jsonl, (".jsonl", ".ndjson", ".json"), "one JSON object per line"),
    "parquet": Format(read_parquet, (".parquet", ".pq"), "columns as in CSV (extra: parquet)"),
    "folder": Format(
        read_folder, (), "a folder or tar archive of class folders, one file per document"
    ),
    "reuters": Format(read_reuters, (".sgm",), "Reuters-21578 SGML, archive or folder"),
    "rcv1": Format(read_rcv1, (), "a folder with RCV1-v2 vectors and topics"),
    "svmlight": Format(
        read_svmlight, (".svm", ".svmlight", ".libsvm"), "svmlight / LIBSVM, one or more labels"
    ),
    "arff": Format(read_arff, (".arff",), "Weka, sparse or dense; Mulan with its XML file"),
    "cluto": Format(read_cluto, (".mat",), "CLUTO, with its .rclass file"),
    "techtc": Format(read_techtc, (), "a TechTC folder: vectors.dat and features.idx"),
}
# Formats with named fields.
RECORDS = ("csv", "tsv", "jsonl", "parquet")
MAX_MEMBERS_CHECKED = 50


def resolve(where: Where | Sequence[Where], options: ReadOptions) -> Path | list[str]:
    """A file or folder that one reader takes as a whole, or the files of a corpus of records.

    The latter are those of a sequence, a glob, an address, or a folder in which all files are
    records, in the order of their names.
    """
    if isinstance(where, str | PathLike) and scheme_of(where) is None:
        if not is_glob(where) and not (os.path.isdir(where) and _has_shards(Path(where), options)):
            return Path(where)
        if os.path.isdir(where):
            return list_files(where)
    files = list_files(where)
    return Path(files[0]) if len(files) == 1 and scheme_of(files[0]) is None else files


def format_of_shards(files: Sequence[str], options: ReadOptions) -> str:
    """The format that all files have; `options.format` where it is given."""
    if options.format is not None:
        formats = dict.fromkeys(files, options.format)
    else:
        formats = {file: _by_suffix(file) or "unknown" for file in files}
    first = files[0]
    for file, name in formats.items():
        if name not in RECORDS:
            raise CorpusError(
                f"its format is {name}, but several files, and addresses, are read in the formats "
                f"{', '.join(RECORDS)}. Give the format with --format, or give one file.",
                where=file,
            )
        if name != formats[first]:
            raise CorpusError(
                f"its format is {name}, but that of {first} is {formats[first]}. Give files of one "
                "format.",
                where=file,
            )
    return formats[first]


def format_of(where: Path, options: ReadOptions) -> str:
    """The name of the format, by the contents of a folder or archive, else by the suffix."""
    if where.is_dir():
        return _by_names([file.name for file in where.iterdir()])
    if not where.exists():
        raise CorpusError(
            "no such file, and no known corpus has this name. Check the name, or see "
            "`laconic corpus --known`.",
            where=where,
        )
    if by_suffix := _by_suffix(where):
        return by_suffix
    if is_tar(where):
        first = islice(tar_members(where, options), MAX_MEMBERS_CHECKED)
        return _by_names([Path(member).name for member, _ in first])
    raise CorpusError(
        f"unknown file suffix. Give the format with --format: {', '.join(FORMATS)}.", where=where
    )


def _by_suffix(where: Where) -> str | None:
    name = uncompressed_name(where).lower()
    for format_name, format in FORMATS.items():
        if name.endswith(format.suffixes):
            return format_name
    return None


def _has_shards(folder: Path, options: ReadOptions) -> bool:
    """Whether the files of the folder are records, and it has no folders."""
    if options.format is not None:
        return options.format in RECORDS
    entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(HIDDEN)]
    names = [entry.name for entry in entries]
    if _by_names(names) != "folder":
        return False
    records = [name for name in names if _by_suffix(name) in RECORDS]
    folders = [entry.name for entry in entries if entry.is_dir()]
    if folders:
        _refuse_partitions(folder, folders, records)
        return False
    if records and len(records) < len(names):
        other = next(name for name in names if name not in records)
        raise mixed_formats_error(folder, records[0], other)
    return bool(records)


def _refuse_partitions(folder: Path, folders: list[str], beside: list[str]) -> None:
    """Raise if the folders are parts of a table, such as train or year=2023, and not classes.

    `beside` are the files of records that are not in them.
    """
    inside = _records_inside([folder / name for name in folders])
    if beside:
        reason, files = f"beside {beside[0]}, a file of records", f"**/{all_like(beside[0])}"
    elif inside:
        reason, files = f"whose files, such as {inside[0]}, are records", f"*/{all_like(inside[0])}"
    elif all("=" in name for name in folders):
        reason, files = "which seem to be partitions of a table", "**/*.parquet"
    else:
        return
    raise CorpusError(
        f"has folders such as {folders[0]}, {reason}. Give a glob for the files of one corpus, "
        f"such as '{folder}/{files}'; or --format folder, if the folders are classes.",
        where=folder,
    )


def _records_inside(folders: list[Path]) -> list[str]:
    """The names of the files in these folders, if all are files of records; otherwise none."""
    top = chain.from_iterable(islice(os.walk(folder), 1) for folder in folders)
    files = [name for _, _, names in top for name in names if not name.startswith(HIDDEN)]
    return files if all(_by_suffix(name) in RECORDS for name in files) else []


def _by_names(names: list[str]) -> str:
    if any(name.startswith("reut2-") for name in names):
        return "reuters"
    if "vectors.dat" in names:
        return "techtc"
    if any(name.startswith(("rcv1subset", "lyrl2004_vectors")) for name in names):
        return "rcv1"
    return "folder"
