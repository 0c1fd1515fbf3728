"""Mulan's list of labels: the XML file next to a multi-label ARFF file."""

from __future__ import annotations

from pathlib import Path
from xml.parsers.expat import ExpatError, ParserCreate

from laconic.corpus.io.streams import open_bytes
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError


def read_mulan_labels(file: Path, options: ReadOptions) -> list[str]:
    """The names of all labels, including nested ones, in file order."""
    names: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "label" and "name" in attributes:
            names.append(attributes["name"])

    # a document type can define entities that expand without bound; Mulan files have none
    def refuse(*_: object) -> None:
        raise _label_list_error("a DOCTYPE", file, parser.CurrentLineNumber)

    parser = ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    with open_bytes(file, options) as stream:
        content = stream.read()
    try:
        parser.Parse(content, True)
    except CorpusError:
        raise
    except (ExpatError, LookupError, ValueError) as problem:
        raise _label_list_error(str(problem), file, parser.CurrentLineNumber) from problem
    if not names:
        raise _label_list_error("none", file, None)
    return names


def _label_list_error(content: str, file: Path, line: int | None) -> CorpusError:
    return CorpusError(
        f"expected a list of labels in XML, but found {content}. Write elements such as "
        '<label name="sports"/>, or name the labels with --label.',
        where=file,
        line=line,
    )
