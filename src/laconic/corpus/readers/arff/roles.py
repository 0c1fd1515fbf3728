"""The roles of the attributes of an ARFF file: labels, or the numbers of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from laconic.corpus.io.limits import Where
from laconic.corpus.readers.arff.syntax import NOMINAL, NUMERIC, Attribute, Instance
from laconic.corpus.readers.names import shortened
from laconic.corpus.readers.svmlight import canonical_label, parse_finite
from laconic.errors import CorpusError


@dataclass(frozen=True)
class LabelAttributes:
    """The label attributes: the class, or, if `multilabel`, one 0/1 attribute per label."""

    where: Where
    attributes: Sequence[Attribute]
    columns: tuple[int, ...]
    multilabel: bool

    def classes(self) -> list[str]:
        if self.multilabel:
            names = {self.attributes[column].name for column in self.columns}
        else:
            names = set(self.attributes[self.columns[0]].values)
        return sorted(names - {""})

    def of(self, instance: Instance, line: int) -> list[str]:
        if not self.multilabel:
            value = self._value(instance, self.columns[0], line)
            return [value] if value else []
        return [
            self.attributes[column].name
            for column in self.columns
            if self._has_label(instance, column, line)
        ]

    def _value(self, instance: Instance, column: int, line: int) -> str | None:
        attribute = self.attributes[column]
        value = instance.get(column, attribute.omitted)
        if value is None or value in attribute.values:
            return value
        if attribute.kind == NOMINAL:
            expected = f"one of the {len(attribute.values)} values of {attribute.name}"
            _refuse(expected, value, self.where, line)
        return canonical_label(value)

    def _has_label(self, instance: Instance, column: int, line: int) -> bool:
        value = self._value(instance, column, line)
        number = None if value is None else canonical_label(value)
        if number not in ("0", "1"):
            expected = f"0 or 1 for the label {self.attributes[column].name}"
            _refuse(expected, value, self.where, line)
        return number == "1"


class NumericAttributes:
    """The attributes that are terms: numeric, or nominal with numbers as values."""

    def __init__(self, where: Where, attributes: Sequence[Attribute], columns: list[int]) -> None:
        if not columns:
            raise CorpusError(
                "expected terms, but every attribute is a label or an id. Declare numeric "
                "attributes, or one string attribute with the text.",
                where=where,
            )
        self.where, self.attributes = where, attributes
        self.place = {column: place for place, column in enumerate(columns)}
        self.nominal = {
            column: self._nominal_numbers(attributes[column])
            for column in columns
            if attributes[column].kind != NUMERIC
        }
        # mostly empty: with {0,1} an omitted value is 0, but with {1,0} it is 1
        self.omitted = {
            column: value
            for column, numbers in self.nominal.items()
            if (value := numbers[attributes[column].values[0]])
        }

    def of(self, instance: Instance, line: int) -> tuple[list[int], list[float]]:
        indices, values = [], []
        for column, token in instance.items():
            place = self.place.get(column)
            if place is not None and (value := self._number(column, token, line)):
                indices.append(place)
                values.append(value)
        for column, value in self.omitted.items():
            if column not in instance:
                indices.append(self.place[column])
                values.append(value)
        return indices, values

    def _number(self, column: int, token: str | None, line: int) -> float:
        numbers = self.nominal.get(column)
        value = None
        if token is not None:
            value = parse_finite(token) if numbers is None else numbers.get(token)
        if value is None:
            expected = "a finite number" if numbers is None else f"one of {', '.join(numbers)}"
            _refuse(f"{expected} for {self.attributes[column].name}", token, self.where, line)
        return value

    def _nominal_numbers(self, attribute: Attribute) -> dict[str, float]:
        parsed = {value: parse_finite(value) for value in attribute.values}
        numbers = {value: number for value, number in parsed.items() if number is not None}
        if attribute.kind == NOMINAL and len(numbers) == len(parsed):
            return numbers
        raise CorpusError(
            f"terms are numbers, but the attribute {attribute.name} is {attribute.kind}"
            f"{' with values such as ' + shortened(attribute.values[0]) if parsed else ''}. "
            "Make it numeric, remove it, or name it as the label or the text.",
            where=self.where,
            line=attribute.line,
        )


def _refuse(expected: str, value: str | None, where: Where, line: int) -> NoReturn:
    if value is None:
        shown, advice = "? (missing)", "Missing values are not supported: fill them in first."
    else:
        shown, advice = shortened(value), "Fix the value, or the declaration of the attribute."
    raise CorpusError(f"expected {expected}, but found {shown}. {advice}", where=where, line=line)
