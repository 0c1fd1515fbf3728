"""The file of a compact model: safetensors, with the settings as JSON, in a zlib stream.

Nothing in it is executed. `laconic.runtime.compression` describes the frame. Tensors, for n words,
r rows of coefficients and e stored ones; W is U8, U16 or U32; F is F64 for the storage "float64",
else F32:

| name | type, shape | |
|---|---|---|
| words.bytes | W [2, n] | bytes that a word shares with the word before it; bytes that follow |
| words.text | U8 [bytes] | the bytes that follow, joined, in UTF-8 |
| classes.bytes, classes.text | the same | names of the classes |
| stops.bytes, stops.text | the same | stop words; only if there are any |
| df | W [n] | training documents with each word; only for schemes with idf |
| intercept | F [r] | |
| thresholds | F [r] | only if the header has "rows" |
| calibration | F [r, 2], or F [1] | a, b of each row for "platt"; T for "temperature" |
| coef | F or I8 [n, r], or [e] | by word; [e] if a class does not use every word, and then |
| coef.count, coef.skip | W [n], W [e] | entries of each word; rows skipped before each entry |
| coef.low | U8, as coef | only for "int16", 0 to 7: coef means 8 · coef + coef.low |
| coef.scale | F32 [r] | only for "int8", "int16": a coefficient is coef · scale of its row |

A kernel model has, in place of coef: support F [s, size], dual F [r, s], gamma F [1] and
either components F [n, size] or terms U32 [size] with term.weight F [size].

The one key "laconic" of the metadata is a JSON object. Fields that are null are left out:
{"kind": "linear" | "kernel", "size": int, "normalize", "rule", "weighting",
 "length": "l1" | "l2" | null, "documents": int | null, those that df counts,
 "text": null | the options of `TextSettings` by name,
 "classifier": {"name": str | null, "alpha": float | null, "class_weight": str | null},
 "features": {"number": int, "kind": str},
 "thresholds": null | "rows", "calibration": null | "platt" | "temperature",
 "storage": "float64" | "float32" | "int16" | "int8",
 "solved": bool | null, "gap": float | null, "notes": [str, ...] | null, warnings of training}
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, get_args

import numpy as np

from laconic.errors import LaconicError
from laconic.runtime.choices import Storage
from laconic.runtime.compression import MOST_BYTES, inflated
from laconic.runtime.decisions import Coefficients, KernelDecision, LinearDecision
from laconic.runtime.runtime_model import MOST_CLASSES, MOST_WORDS, RuntimeModel
from laconic.runtime.settings import ClassifierSettings, TextSettings, WordWeights
from laconic.runtime.stored_arrays import StoredNumbers, strings
from laconic.runtime.tensors import Tensors, from_bytes
from laconic.types import Floats

THRESHOLDS = "rows"
CALIBRATIONS = {"sign": "platt", "labels": "platt", "argmax": "temperature"}
PIECE = 1 << 20
MOST_STOP_WORDS = 1 << 20
LARGEST_SIZE = 1 << 40
MOST_NOTES = 1000


def load(file: str | PathLike[str], *, trusted: bool = False) -> RuntimeModel:
    """Read a model, also from an untrusted source: nothing in it is executed.

    Parameters
    ----------
    file : path
    trusted : bool, default=False
        Also accept a custom `token_pattern`, which can be made to run for years.

    Raises
    ------
    LaconicError
        For every defect of the file.
    """
    where = fspath(file)
    try:
        return model_of(*from_bytes(inflated(_contents(where))), trusted=trusted)
    except ValueError as problem:
        raise LaconicError(f"{where}: {problem}") from problem


def _contents(where: str) -> bytes:
    """All bytes of the file, in pieces: memory is never allocated from what the file claims."""
    data = bytearray()
    try:
        with open(where, "rb") as stream:
            while len(data) <= MOST_BYTES and (piece := stream.read(PIECE)):
                data += piece
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise LaconicError(f"cannot be read ({reason})") from None
    if len(data) > MOST_BYTES:
        raise LaconicError(f"has more than {MOST_BYTES:,} bytes, the limit of a compact model")
    return bytes(data)


def model_of(header: dict[str, Any], tensors: Tensors, *, trusted: bool) -> RuntimeModel:
    """The model, after every part of it was checked."""
    fields = Fields(header)
    words = strings(tensors, "words", MOST_WORDS)
    text = _text(fields.take("text", dict, type(None)), tensors, trusted)
    weights = WordWeights(
        fields.take("weighting", str),
        fields.take("length", str, type(None)),
        tensors.take_whole("df", len(words)) if "df" in tensors else None,
        fields.take("documents", int, type(None)) or 0,
    )
    storage: Storage = _refuse_other(fields, "storage", *get_args(Storage))
    numbers = StoredNumbers(tensors, storage)
    rule, classes = fields.take("rule", str), strings(tensors, "classes", MOST_CLASSES)
    size, n_rows = fields.take("size", int), 1 if rule == "sign" else len(classes)
    model = RuntimeModel(
        _model(fields, numbers, len(words), size, n_rows),
        size,
        rule,
        classes,
        words,
        weights,
        text,
        _notes(fields.take("notes", list, type(None)) or []),
        _classifier(Fields(fields.take("classifier", dict))),
        fields.take("solved", bool, type(None)),
        fields.take("gap", float, type(None)),
        _thresholds(fields, numbers, n_rows),
        _calibration(fields, numbers, rule, n_rows),
    )
    _check_features(Fields(fields.take("features", dict)), model)
    fields.end()
    tensors.end()
    return model


def _refuse_other(fields: Fields, name: str, *supported: str | None) -> Any:
    value = fields.take(name) if name in fields else None
    if value not in supported:
        raise LaconicError(
            f"{name} in its header is {str(value)[:40]!r}: this needs a newer Laconic. "
            "Update with pip install -U laconic."
        )
    return value


def _thresholds(fields: Fields, numbers: StoredNumbers, n_rows: int) -> Floats | None:
    stated = _refuse_other(fields, "thresholds", None, THRESHOLDS)
    return None if stated is None else numbers.take("thresholds", n_rows)


def _calibration(fields: Fields, numbers: StoredNumbers, rule: str, n_rows: int) -> Floats | None:
    stated = _refuse_other(fields, "calibration", None, *CALIBRATIONS.values())
    if stated is None:
        return None
    if stated != CALIBRATIONS.get(rule):
        raise LaconicError(f"calibration in its header is {stated!r}, not for the rule {rule!r}")
    shape = (1,) if stated == "temperature" else (n_rows, 2)
    return numbers.take("calibration", *shape)


def _classifier(fields: Fields) -> ClassifierSettings:
    settings = ClassifierSettings(
        name=fields.take("name", str, type(None)),
        alpha=fields.take("alpha", float, type(None)),
        class_weight=fields.take("class_weight", str, type(None)),
    )
    fields.end()
    return settings


def _check_features(fields: Fields, model: RuntimeModel) -> None:
    stated = fields.take("number", int), fields.take("kind", str)
    fields.end()
    if stated != (model.n_words, model.features):
        raise LaconicError(
            f"features in its header: {stated[0]} of the kind {stated[1][:40]!r}, but the model "
            f"has {model.n_words} of the kind {model.features!r}"
        )


def _notes(notes: list[Any]) -> tuple[str, ...]:
    if len(notes) > MOST_NOTES or any(type(note) is not str for note in notes):
        raise LaconicError(f"notes in its header: at most {MOST_NOTES} strings were expected")
    return tuple(notes)


def _text(table: dict[str, Any] | None, tensors: Tensors, trusted: bool) -> TextSettings | None:
    if table is None:
        return None
    fields = Fields(table)
    ngrams = fields.take("ngrams")
    settings = TextSettings(
        unit=fields.take("unit"),
        token_pattern=fields.take("token_pattern"),
        lowercase=fields.take("lowercase"),
        ngrams=tuple(ngrams) if isinstance(ngrams, list) else ngrams,
        stem=fields.take("stem", str, type(None)),
        min_length=fields.take("min_length"),
        stop_words=strings(tensors, "stops", MOST_STOP_WORDS) if "stops.text" in tensors else (),
    )
    fields.end()
    if not (trusted or settings.linear):
        raise LaconicError(
            f"finds words by the custom pattern {settings.token_pattern[:40]!r}, and such a "
            "pattern can be made to run for years. If you trust the file: "
            "CompactModel.load(file, trusted=True), or --trusted."
        )
    return settings


def _model(
    fields: Fields, numbers: StoredNumbers, n_words: int, size: int, n_rows: int
) -> LinearDecision | KernelDecision:
    kind, normalize = fields.take("kind", str), fields.take("normalize", str)
    intercept = numbers.take("intercept", n_rows)
    if not 0 <= size < LARGEST_SIZE or kind not in ("linear", "kernel") or not n_rows:
        raise LaconicError(f"kind {kind[:20]!r}, size {size}, {n_rows} rows: no such model")
    if kind == "linear":
        return LinearDecision(numbers.coefficients(n_words, n_rows), intercept, normalize)
    terms = None
    if "components" in numbers.tensors:
        reduction = Coefficients.dense(numbers.take("components", n_words, size))
    else:
        terms = numbers.tensors.take("terms", np.uint32, size).astype(np.intp)
        reduction = Coefficients.of_terms(terms, numbers.take("term.weight", size), n_words)
    support = numbers.take("support", None, size)
    return KernelDecision(
        reduction,
        terms,
        support,
        numbers.take("dual", n_rows, len(support)),
        intercept,
        float(numbers.take("gamma", 1)[0]),
        normalize,
    )


class Fields:
    """The fields of a JSON object, each taken once and of the expected type."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._left = dict(values)

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, *types: type) -> Any:
        """The value; of any type if none is named. A field that may be null may be missing."""
        if name not in self._left and type(None) not in types:
            raise LaconicError(f"its header has no {name!r}")
        value = self._left.pop(name, None)
        if types and type(value) not in types:
            expected = " or ".join(kind.__name__ for kind in types)
            raise LaconicError(f"{name} in its header is not {expected}, but {str(value)[:40]!r}")
        return value

    def end(self) -> None:
        """Refuse fields that were not taken."""
        if self._left:
            raise LaconicError(f"its header has the unknown field {min(self._left)[:40]!r}")
