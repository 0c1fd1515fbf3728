"""Weka's ARFF, sparse or dense; multi-label by Mulan's XML file, MEKA's `-C`, or several `--label`.

**In a sparse instance, an omitted attribute has its first value.** This includes the class: a
document that names no class belongs to the first class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.arff.mulan import read_mulan_labels
from laconic.corpus.readers.arff.roles import LabelAttributes, NumericAttributes
from laconic.corpus.readers.arff.syntax import (
    NOMINAL,
    STRING,
    Attribute,
    Instance,
    read_header,
    read_instances,
)
from laconic.corpus.readers.names import sibling_file, stem, unique_names
from laconic.errors import CorpusError

MEKA = re.compile(r"-C\s+(-?[0-9]{1,6})\b")
PART = re.compile(r"[-_](train|test)$")
# A sparse line may omit a value that is not 0. Such values can outnumber the bytes of the file.
MAX_FILLED_IN = 1 << 22


def read_arff(where: Where, options: ReadOptions) -> Corpus:
    """Numeric attributes become vectors; a single string attribute, or `text`, becomes texts."""
    builder = CorpusBuilder(where, options, multilabel=False)
    return arff_corpus(builder, read_lines(where, options, notes=builder.notes))


def arff_corpus(builder: CorpusBuilder, numbered: Iterator[tuple[int, str]]) -> Corpus:
    """The corpus of numbered lines of ARFF."""
    where, options = builder.where, builder.options
    relation, attributes = read_header(numbered, where)
    labels = LabelAttributes(
        where, attributes, *_label_columns(relation, attributes, where, options)
    )
    builder.multilabel = labels.multilabel
    name = None if options.id is None else _column(options.id, attributes, where)
    used = {*labels.columns, name}
    terms = [i for i in range(len(attributes)) if i not in used]
    text = _text_column(attributes, terms, where, options)
    numbers = None if text is not None else NumericAttributes(where, attributes, terms)
    filled_in = 0
    for line, instance in read_instances(numbered, len(attributes), where):
        document_labels = labels.of(instance, line)
        indices, values = ([], []) if numbers is None else numbers.of(instance, line)
        filled_in += max(0, len(document_labels) + len(indices) - len(instance))
        _check_filled_in(filled_in, where, line)
        id = None if name is None else _required_value(instance, attributes, name, where, line)
        if numbers is not None:
            builder.add_vector(indices, values, document_labels, id=id, line=line)
        elif text is not None:
            document = _required_value(instance, attributes, text, where, line)
            builder.add_text(document, document_labels, id=id, line=line)
    vocabulary = None if numbers is None else unique_names(attributes[i].name for i in terms)
    return builder.corpus(stem(where), vocabulary=vocabulary, classes=labels.classes())


def _label_columns(
    relation: str, attributes: Sequence[Attribute], where: Where, options: ReadOptions
) -> tuple[tuple[int, ...], bool]:
    """The label columns, and whether each is a 0/1 label (multi-label) rather than the class."""
    listed = _mulan_label_names(where, options)
    if options.label or listed:
        names = options.label or listed
        places = {attribute.name: i for i, attribute in reversed([*enumerate(attributes)])}
        named = tuple(
            places[name] if name in places else _column(name, attributes, where)
            for name in dict.fromkeys(names)
        )
        return named, len(named) > 1 or not options.label
    meka = MEKA.search(relation)
    count = 0 if meka is None else int(meka[1])
    if 0 < abs(count) < len(attributes):
        columns = range(len(attributes))
        return tuple(columns[:count] if count > 0 else columns[count:]), True
    return (_class_column(attributes, where),), False


def _mulan_label_names(where: Where, options: ReadOptions) -> list[str]:
    for name in (stem(where), PART.sub("", stem(where))):
        file = sibling_file(where, f"{name}.xml")
        if file is not None:
            return read_mulan_labels(file, options)
    return []


def _class_column(attributes: Sequence[Attribute], where: Where) -> int:
    nominal = [i for i, attribute in enumerate(attributes) if attribute.kind == NOMINAL]
    if nominal and (len(nominal) == 1 or nominal[-1] == len(attributes) - 1):
        return nominal[-1]
    raise CorpusError(
        "expected a class: the last attribute, or the only nominal one. "
        f"Found {len(attributes):,} attributes, {len(nominal):,} of them nominal. "
        "Name the class with --label.",
        where=where,
    )


def _column(name: str, attributes: Sequence[Attribute], where: Where) -> int:
    for column, attribute in enumerate(attributes):
        if attribute.name == name:
            return column
    shown = ", ".join(attribute.name for attribute in attributes[-3:])
    raise CorpusError(
        f"the attribute {name!r} is not declared. There are {len(attributes):,} attributes; the "
        f"last ones are {shown}. Names must match exactly.",
        where=where,
    )


def _check_filled_in(count: int, where: Where, line: int) -> None:
    if count > MAX_FILLED_IN:
        raise CorpusError(
            f"more than {MAX_FILLED_IN:,} omitted values are not 0, because attributes do not "
            "declare 0 first. Declare the values as in {0, 1}, or write all values.",
            where=where,
            line=line,
        )


def _text_column(
    attributes: Sequence[Attribute], columns: Sequence[int], where: Where, options: ReadOptions
) -> int | None:
    if options.text is not None:
        return _column(options.text, attributes, where)
    strings = [column for column in columns if attributes[column].kind == STRING]
    return strings[0] if strings and len(columns) == 1 else None


def _required_value(
    instance: Instance, attributes: Sequence[Attribute], column: int, where: Where, line: int
) -> str:
    value = instance.get(column)
    if value is not None:
        return value
    raise CorpusError(
        f"the value of {attributes[column].name} is missing, but it is the text or the id. Fill it "
        "in.",
        where=where,
        line=line,
    )
