"""A folder or tar archive with one folder per class and one file per document, as 20 Newsgroups.

`CLASS/document`, or `x-train/CLASS/document` and `x-test/CLASS/document`, which gives the split.
A folder around all others is skipped: `20_newsgroups/CLASS/document`.
"""

from __future__ import annotations

import os
import re
from os import fspath
from pathlib import Path
from typing import NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount, validation_note
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, VALIDATION, Corpus
from laconic.corpus.io.addresses import HIDDEN
from laconic.corpus.io.archives import iter_files
from laconic.corpus.io.encodings import Decoder
from laconic.corpus.io.limits import Where
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import stem
from laconic.errors import CorpusError

PART = re.compile(rf"(?:.*[^a-z])?(train|test|{'|'.join(sorted(VALIDATION))})", re.IGNORECASE)


class _Document(NamedTuple):
    names: tuple[str, ...]
    text: str


def read_folder(where: Where, options: ReadOptions) -> Corpus:
    """The corpus of a folder or tar archive, sorted by the names of the documents."""
    builder = CorpusBuilder(where, options)
    documents = _without_outer_folders(_documents(where, options, builder.notes))
    parts = _parts(documents)
    level = 1 if parts else 0
    labelled = [document for document in documents if len(document.names) > level + 1]
    stray = ["/".join(d.names) for d in documents if len(d.names) <= level + 1]
    _check_layout(where, labelled, stray, builder.notes)
    for document, name in zip(labelled, _ids(labelled, level), strict=True):
        part = parts.get(document.names[0], UNUSED) if parts else None
        split = TRAIN if part in VALIDATION else part
        builder.add_text(document.text, (document.names[level],), id=name, split=split)
    _note_parts(labelled, parts, builder.notes)
    return builder.corpus(Path(where).resolve().name if os.path.isdir(where) else stem(where))


def _documents(where: Where, options: ReadOptions, notes: list[str]) -> list[_Document]:
    decoder = Decoder(where, options)
    documents = []
    for name, file in iter_files(where, options, notes):
        text = decoder.text(file.read(), where=f"{fspath(where)}/{name}")
        documents.append(_Document(tuple(name.split("/")), text))
    notes.extend(decoder.notes("document"))
    # an archive keeps the order in which its files were added
    return sorted(documents)


def _without_outer_folders(documents: list[_Document]) -> list[_Document]:
    """The documents without folders that contain everything else; stray files stay at the top."""
    tops = {document.names[0] for document in documents if len(document.names) > 1}
    if len(tops) != 1 or all(len(document.names) < 3 for document in documents):
        return documents
    return _without_outer_folders(
        [d._replace(names=d.names[1:]) if len(d.names) > 1 else d for d in documents]
    )


def _parts(documents: list[_Document]) -> dict[str, str]:
    """The top folders of the train, validation and test parts; empty without train and test."""
    parts = {}
    for top in {document.names[0] for document in documents if len(document.names) > 1}:
        if match := PART.fullmatch(top):
            parts[top] = match[1].lower()
    flat = any(len(document.names) == 2 and document.names[0] in parts for document in documents)
    return parts if {TRAIN, TEST} <= set(parts.values()) and not flat else {}


def _check_layout(
    where: Where, labelled: list[_Document], stray: list[str], notes: list[str]
) -> None:
    if not labelled and stray:
        visible = [name for name in stray if not Path(name).name.startswith(HIDDEN)] or stray
        raise CorpusError(
            f"contains {amount(len(visible), 'file', 'files')} such as {visible[0]}, but no class "
            "folders. Put the documents of each class into a folder with its name; or, if the "
            "files are records, give their format, such as --format jsonl.",
            where=where,
        )
    if stray:
        notes.append(
            f"{amount(len(stray), 'file', 'files')} outside of the class folders left out, such as "
            f"{stray[0]}"
        )


def _note_parts(documents: list[_Document], parts: dict[str, str], notes: list[str]) -> None:
    if n_validation := sum(parts.get(d.names[0]) in VALIDATION for d in documents):
        notes.append(validation_note(n_validation))
    unused = [document.names[0] for document in documents if document.names[0] not in parts]
    if parts and unused:
        notes.append(
            f"{amount(len(unused), 'document is', 'documents are')} in neither train nor test "
            f"(folder {unused[0]}): unused"
        )


def _ids(documents: list[_Document], level: int) -> list[str]:
    short = ["/".join(document.names[level:]) for document in documents]
    if len(set(short)) == len(short):
        return short
    return ["/".join(document.names) for document in documents]
