"""TechTC: two-class sets `Exp_ID1_ID2`, each a `vectors.dat` (svmlight) and a `features.idx`.

+1 is the category ID1 and -1 is ID2. All sets are in one archive; reading them separately would
decompress it 100 times, so `read_all_techtc` reads it once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from os import fspath
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import decode_lines, open_bytes, tar_members
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import file_in, read_indexed_names, unique_names
from laconic.corpus.readers.svmlight import NamedColumns, svmlight_corpus
from laconic.errors import CorpusError

VECTORS, FEATURES = "vectors.dat", "features.idx"
SET = re.compile(r"Exp_(\w+?)_(\w+)")


def read_techtc(where: Where, options: ReadOptions, name: str | None = None) -> Corpus:
    """One set: `where` is its folder, or, with a `name`, the archive or folder of all sets."""
    if name is None and file_in(where, VECTORS) is not None:
        folder = Path(fspath(where)).resolve()
        return _only(_corpora(_folder_files(folder, options), where, options), where)
    if name is None:
        sets = techtc_sets(where)
        raise CorpusError(
            f"expected one set, but found {len(sets)}: {', '.join(sets[:3])} … "
            "Give the name of one, or read all of them.",
            where=where,
        )
    requested = name if name.startswith("Exp_") else f"Exp_{name}"
    files = (file for file in _files(where, options) if PurePosixPath(file[0]).name == requested)
    return _only(_corpora(files, where, options), where, requested)


def read_all_techtc(where: Where, options: ReadOptions) -> Iterator[Corpus]:
    """All sets of the archive or folder, in order, in one pass."""
    return _corpora(_files(where, options), where, options)


def techtc_sets(where: Where) -> list[str]:
    """The names of the sets in an archive or folder, such as `Exp_10341_10755`."""
    files = _files(where, ReadOptions())
    return [PurePosixPath(folder).name for folder, name, _ in files if name == VECTORS]


def _only(corpora: Iterator[Corpus], where: Where, requested: str = "") -> Corpus:
    for corpus in corpora:
        return corpus
    raise CorpusError(
        f"the set {requested} was not found among {len(techtc_sets(where))} sets. techtc_sets "
        "lists them.",
        where=where,
    )


def _files(where: Where, options: ReadOptions) -> Iterator[tuple[str, str, BinaryIO]]:
    """The folder, file name (one of the two) and content of both files of every set."""
    top = Path(fspath(where))
    if top.is_dir():
        for folder in sorted(top.glob("Exp_*")):
            yield from _folder_files(folder, options)
        return
    for member, content in tar_members(where, options):
        file = PurePosixPath(member)
        if file.name in (VECTORS, FEATURES) and SET.fullmatch(file.parent.name):
            yield str(file.parent), file.name, content


def _folder_files(folder: Path, options: ReadOptions) -> Iterator[tuple[str, str, BinaryIO]]:
    for name in (FEATURES, VECTORS):
        file = file_in(folder, name)
        if file is not None:
            with open_bytes(file, options) as content:
                yield str(folder), name, content


def _corpora(
    files: Iterator[tuple[str, str, BinaryIO]], where: Where, options: ReadOptions
) -> Iterator[Corpus]:
    incomplete: dict[str, dict[str, bytes]] = {}
    for folder, name, content in files:
        pair = incomplete.setdefault(folder, {})
        pair[name] = content.read()
        if len(pair) == 2:
            yield _corpus(folder, incomplete.pop(folder), where, options)
    for folder, pair in incomplete.items():
        raise CorpusError(
            f"the set {folder} needs {VECTORS} and {FEATURES}, but has only {next(iter(pair))}. "
            "Add the other file.",
            where=where,
        )


def _corpus(folder: str, pair: dict[str, bytes], where: Where, options: ReadOptions) -> Corpus:
    origin = folder if Path(fspath(where)).is_dir() else f"{fspath(where)}:{folder}"
    features, vectors = f"{origin}/{FEATURES}", f"{origin}/{VECTORS}"
    builder = CorpusBuilder(vectors, options, multilabel=False)

    def columns(first: int, last: int) -> NamedColumns:
        numbered = decode_lines(io.BytesIO(pair[FEATURES]), features, options, notes=builder.notes)
        names = read_indexed_names(numbered, features)
        n_terms = max(names, default=0)
        if first == 0 or last > n_terms:
            raise CorpusError(
                f"indices go from {first} to {last}, but {FEATURES} names 1 to {n_terms}. "
                "The two files must belong together.",
                where=vectors,
            )
        indices = builder.columns(1, n_terms, names)
        return indices, unique_names((names.get(i, "") for i in indices.tolist()), indices.tolist())

    name = PurePosixPath(folder).name
    categories = SET.fullmatch(name)
    if categories is not None:
        builder.notes.append("1 is category {}, -1 is category {}".format(*categories.groups()))
    numbered = decode_lines(io.BytesIO(pair[VECTORS]), vectors, options, notes=builder.notes)
    return svmlight_corpus(builder, numbered, name, columns)
