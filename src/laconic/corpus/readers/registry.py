"""The supported formats, and how the format of a file is determined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from laconic.corpus.corpus import Corpus
from laconic.corpus.io.streams import is_tar, tar_members
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.arff.reader import read_arff
from laconic.corpus.readers.cluto import read_cluto
from laconic.corpus.readers.folders import read_folder
from laconic.corpus.readers.names import COMPRESSED
from laconic.corpus.readers.parquet.reader import read_parquet
from laconic.corpus.readers.rcv1 import read_rcv1
from laconic.corpus.readers.reuters import read_reuters
from laconic.corpus.readers.svmlight import read_svmlight
from laconic.corpus.readers.tables import read_csv, read_jsonl, read_tsv
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
    "jsonl": Format(read_jsonl, (".jsonl", ".ndjson"), "one JSON object per line"),
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
    name = where.name.lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    for format_name, format in FORMATS.items():
        if name.endswith(format.suffixes):
            return format_name
    if is_tar(where):
        first = islice(tar_members(where, options), MAX_MEMBERS_CHECKED)
        return _by_names([Path(member).name for member, _ in first])
    raise CorpusError(
        f"unknown file suffix. Give the format with --format: {', '.join(FORMATS)}.", where=where
    )


def _by_names(names: list[str]) -> str:
    if any(name.startswith("reut2-") for name in names):
        return "reuters"
    if "vectors.dat" in names:
        return "techtc"
    if any(name.startswith(("rcv1subset", "lyrl2004_vectors")) for name in names):
        return "rcv1"
    return "folder"
