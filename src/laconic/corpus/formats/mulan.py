"""Mulan's list of labels: the XML file beside a multi-label ARFF file."""

from __future__ import annotations

from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate

from laconic.corpus.formats.opening import open_bytes
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


def mulan_labels(file: Path, reading: ReadOptions) -> list[str]:
    """The names of all labels, nested ones too, in the order of the file."""
    names: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "label" and "name" in attributes:
            names.append(attributes["name"])

    # a document type can define entities that grow without bound, and Mulan has none
    def refuse(*_: object) -> None:
        raise _unread("a DOCTYPE", file, parser.CurrentLineNumber)

    parser = ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    with open_bytes(file, reading) as stream:
        content = stream.read()
    try:
        parser.Parse(content, True)
    except CorpusError:
        raise
    except (ExpatError, LookupError, ValueError) as problem:
        raise _unread(str(problem), file, parser.CurrentLineNumber) from problem
    if not names:
        raise _unread("none", file, None)
    return names


def _unread(found: str, file: Path, line: int | None) -> CorpusError:
    return CorpusError(
        f"a list of labels in XML was expected, but found {found}. Write elements such as "
        '<label name="sports"/>, or name the labels with --label.',
        where=file,
        line=line,
    )
