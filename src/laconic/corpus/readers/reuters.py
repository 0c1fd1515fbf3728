"""Reuters-21578, Distribution 1.0: `reut2-*.sgm` in a folder or a tar archive.

Texts are TITLE, newline, BODY. A BRIEF story has its text in the title (README, VI.B.10); an
UNPROC story has no structure, so all of its TEXT is used. Labels are the TOPICS. The splits are
those of section VIII of the README; documents in neither part are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.io.archives import iter_files
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import decode_lines, is_tar, read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import stem
from laconic.errors import CorpusError

FILE = re.compile(r"(?:.*/)?reut2-\d+\.sgm", re.IGNORECASE)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>", re.DOTALL)
TEXT = re.compile(r'<TEXT(?: TYPE="(\w+)")?>(.*?)</TEXT>', re.DOTALL)
TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
REFERENCE = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot|apos));")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
LEWIS = {"TRAIN": TRAIN, "TEST": TEST}
HAYES = {"TRAINING-SET": TRAIN, "PUBLISHED-TESTSET": TEST}


class _Story(NamedTuple):
    line: int
    attributes: dict[str, str]
    topics: tuple[str, ...]
    text: str


def _mod_apte(attributes: dict[str, str]) -> str | None:
    return LEWIS.get(attributes["LEWISSPLIT"]) if attributes["TOPICS"] == "YES" else None


def _mod_lewis(attributes: dict[str, str]) -> str | None:
    return LEWIS.get(attributes["LEWISSPLIT"]) if attributes["TOPICS"] != "BYPASS" else None


def _mod_hayes(attributes: dict[str, str]) -> str | None:
    return HAYES.get(attributes["CGISPLIT"])


SPLITS: dict[str, Callable[[dict[str, str]], str | None]] = {
    "ModApte": _mod_apte,
    "ModLewis": _mod_lewis,
    "ModHayes": _mod_hayes,
}
NONE = "none"


def read_reuters(where: Where, options: ReadOptions) -> Corpus:
    """Reuters-21578 with the split `options.split`; "none" keeps all documents, without a split."""
    split = split_name(where, options)
    builder = CorpusBuilder(where, options, multilabel=True)
    dropped = 0
    for file, stories in sorted(_files(where, options, builder.notes)):
        for story in stories:
            try:
                part = SPLITS[split](story.attributes) if split != NONE else None
                name = story.attributes["NEWID"]
            except KeyError as missing:
                raise _bad(file, story.line, f"has no attribute {missing.args[0]}") from None
            if part is None and split != NONE:
                dropped += 1
            else:
                builder.add_text(story.text, story.topics, id=name, split=part)
    if dropped:
        builder.notes.append(
            f"{amount(dropped, 'document is', 'documents are')} in neither part of {split}: "
            "left out"
        )
    return builder.corpus(Path(where).resolve().name if os.path.isdir(where) else stem(where))


def split_name(where: Where, options: ReadOptions) -> str:
    """The requested split as spelled in `SPLITS`, or "none"."""
    requested = options.split or "ModApte"
    for name in (*SPLITS, NONE):
        if name.lower() == requested.lower():
            return name
    raise CorpusError(
        f"Reuters-21578 has no split {requested!r}. Its splits are {', '.join(SPLITS)}; --split "
        "none keeps all documents without one.",
        where=where,
    )


def _files(
    where: Where, options: ReadOptions, notes: list[str]
) -> Iterator[tuple[str, list[_Story]]]:
    if not os.path.isdir(where) and not is_tar(where):
        yield str(where), list(_stories(read_lines(where, options, "latin-1", notes=notes), where))
        return
    empty = True
    for name, file in iter_files(where, options, notes):
        if FILE.fullmatch(name):
            empty = False
            member = f"{os.fspath(where)}/{name}"
            numbered = decode_lines(file, member, options, "latin-1", notes=notes)
            yield member, list(_stories(numbered, member))
    if empty:
        raise CorpusError(
            "contains no reut2-*.sgm. Give the folder or archive of Reuters-21578 as it is "
            "distributed.",
            where=where,
        )


def _stories(numbered: Iterable[tuple[int, str]], file: Where) -> Iterator[_Story]:
    start = 0
    story: list[str] = []
    for number, line in numbered:
        if "<REUTERS " in line:
            if story:
                raise _bad(file, start, "does not end before the next one begins")
            start = number
        if start:
            story.append(line)
            if "</REUTERS>" in line:
                yield _parse_story("\n".join(story), file, start)
                start, story = 0, []
    if story:
        raise _bad(file, start, "does not end: the file is truncated")


def _parse_story(element: str, file: Where, line: int) -> _Story:
    topics, text = TOPICS.search(element), TEXT.search(element)
    if topics is None or text is None:
        raise _bad(file, line, f"has no {'TOPICS' if topics is None else 'TEXT'} element")
    kind, content = text.groups()
    if kind != "UNPROC":
        matches = [pattern.search(content) for pattern in (TITLE, BODY)]
        content = "\n".join(match[1] for match in matches if match)
    tag = element.partition(">")[0]
    labels = (_plain_text(label) for label in TOPIC.findall(topics[1]))
    nonempty = tuple(label for label in labels if label.strip())
    return _Story(line, dict(ATTRIBUTE.findall(tag)), nonempty, _plain_text(content))


def _plain_text(markup: str) -> str:
    """The text with references resolved and control characters replaced by blanks."""
    return CONTROL.sub(" ", REFERENCE.sub(_resolved, markup))


def _resolved(match: re.Match[str]) -> str:
    number, name = match.groups()
    if name:
        return NAMED[name]
    return chr(int(number)) if int(number) < 0x110000 else match[0]


def _bad(file: Where, line: int, problem: str) -> CorpusError:
    return CorpusError(
        f"this REUTERS element {problem}. Download the distribution again.", where=file, line=line
    )
