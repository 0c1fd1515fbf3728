"""The file of a compact model: safetensors, with the settings as JSON. Nothing in it is executed.

Tensors, for n words, r rows of coefficients and e stored ones:

| name | type, shape | |
|---|---|---|
| words.text, words.length | U8 [bytes], U32 [n] | words in UTF-8, joined; bytes of each |
| classes.text, classes.length | the same | names of the classes |
| stops.text, stops.length | the same | stop words; only where there is text |
| idf | F64 [n] | only for schemes that have one |
| intercept | F64 [r] | |
| thresholds | F64 [r] | only if the header has "rows" |
| calibration | F64 [r, 2], or F64 [1] | a, b of each row for "platt"; T for "temperature" |
| coef | F64 [n, r], or F64 [e] | by word; [e] if a class does not use every word, and then |
| coef.row, coef.first | U32 [e], I64 [n + 1] | entries first[w] to first[w + 1] belong to word w |

A kernel model has, in place of coef: support F64 [s, size], dual F64 [r, s], gamma F64 [1] and
either components F64 [n, size] or terms U32 [size] with term.weight F64 [size].

The one key "laconic" of the metadata is a JSON object:
{"format": "laconic compact model", "version": 2, "kind": "linear" | "kernel", "size": int,
 "normalize", "rule", "weighting", "length": "l1" | "l2" | null,
 "text": null | the options of `TextSettings` by name,
 "classifier": {"name": str | null, "alpha": float | null, "class_weight": str | null},
 "features": {"number": int, "kind": str},
 "thresholds": null | "rows", "calibration": null | "platt" | "temperature",
 "storage": "float64",
 "solved": bool | null, "gap": float | null, "notes": [str, ...], the warnings of the training}
"""

from __future__ import annotations

from itertools import pairwise
from os import PathLike, fspath
from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.runtime.decisions import Coefficients, KernelDecision, LinearDecision
from laconic.runtime.runtime_model import MOST_CLASSES, MOST_WORDS, RuntimeModel
from laconic.runtime.settings import ClassifierSettings, TextSettings, WordWeights
from laconic.runtime.tensors import Tensors, from_bytes
from laconic.types import Floats

FORMAT = "laconic compact model"
VERSION = 2
STORAGE = "float64"
THRESHOLDS = "rows"
CALIBRATIONS = {"sign": "platt", "labels": "platt", "argmax": "temperature"}
MOST_BYTES = 1 << 28
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
        return model_of(*from_bytes(_contents(where)), trusted=trusted)
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
    if fields.take("format", str) != FORMAT:
        raise LaconicError("not a compact model of Laconic. Write one with `laconic train`.")
    version = fields.take("version", int)
    if version != VERSION:
        raise LaconicError(_other_version(version))
    words = unpacked(tensors, "words", MOST_WORDS)
    text = _text(fields.take("text", dict, type(None)), tensors, trusted)
    weights = WordWeights(
        fields.take("weighting", str),
        fields.take("length", str, type(None)),
        tensors.take("idf", np.float64, len(words)) if "idf" in tensors else None,
    )
    _refuse_newer(fields)
    rule, classes = fields.take("rule", str), unpacked(tensors, "classes", MOST_CLASSES)
    size, n_rows = fields.take("size", int), 1 if rule == "sign" else len(classes)
    model = RuntimeModel(
        _model(fields, tensors, len(words), size, n_rows),
        size,
        rule,
        classes,
        words,
        weights,
        text,
        _notes(fields.take("notes", list)),
        _classifier(Fields(fields.take("classifier", dict))),
        fields.take("solved", bool, type(None)),
        fields.take("gap", float, type(None)),
        _thresholds(fields, tensors, n_rows),
        _calibration(fields, tensors, rule, n_rows),
    )
    _check_features(Fields(fields.take("features", dict)), model)
    fields.end()
    tensors.end()
    return model


def _other_version(version: int) -> str:
    this = f"has version {version} of the format, and this Laconic reads version {VERSION}"
    if version > VERSION:
        return f"{this}. Update Laconic, or train the model again."
    return f"{this}: older versions were never released. Train the model again."


def _refuse_newer(fields: Fields) -> None:
    """What later versions of Laconic write into these fields cannot be left out."""
    _refuse_other(fields, "storage", STORAGE)


def _refuse_other(fields: Fields, name: str, *supported: str | None) -> Any:
    value = fields.take(name)
    if value not in supported:
        raise LaconicError(
            f"{name} in its header is {str(value)[:40]!r}: this needs a newer Laconic. "
            "Update with pip install -U laconic."
        )
    return value


def _thresholds(fields: Fields, tensors: Tensors, n_rows: int) -> Floats | None:
    stated = _refuse_other(fields, "thresholds", None, THRESHOLDS)
    return None if stated is None else tensors.take("thresholds", np.float64, n_rows)


def _calibration(fields: Fields, tensors: Tensors, rule: str, n_rows: int) -> Floats | None:
    stated = _refuse_other(fields, "calibration", None, *CALIBRATIONS.values())
    if stated is None:
        return None
    if stated != CALIBRATIONS.get(rule):
        raise LaconicError(f"calibration in its header is {stated!r}, not for the rule {rule!r}")
    shape = (1,) if stated == "temperature" else (n_rows, 2)
    return tensors.take("calibration", np.float64, *shape)


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
        stem=fields.take("stem"),
        min_length=fields.take("min_length"),
        stop_words=unpacked(tensors, "stops", MOST_STOP_WORDS),
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
    fields: Fields, tensors: Tensors, n_words: int, size: int, n_rows: int
) -> LinearDecision | KernelDecision:
    kind, normalize = fields.take("kind", str), fields.take("normalize", str)
    intercept = tensors.take("intercept", np.float64, n_rows)
    if not 0 <= size < LARGEST_SIZE or kind not in ("linear", "kernel") or not n_rows:
        raise LaconicError(f"kind {kind[:20]!r}, size {size}, {n_rows} rows: no such model")
    if kind == "linear":
        return LinearDecision(_coefficients(tensors, n_words, n_rows), intercept, normalize)
    terms = None
    if "components" in tensors:
        reduction = Coefficients.dense(tensors.take("components", np.float64, n_words, size))
    else:
        terms = tensors.take("terms", np.uint32, size).astype(np.intp)
        weights = tensors.take("term.weight", np.float64, size)
        reduction = Coefficients.of_terms(terms, weights, n_words)
    support = tensors.take("support", np.float64, None, size)
    return KernelDecision(
        reduction,
        terms,
        support,
        tensors.take("dual", np.float64, n_rows, len(support)),
        intercept,
        float(tensors.take("gamma", np.float64, 1)[0]),
        normalize,
    )


def _coefficients(tensors: Tensors, n_words: int, n_rows: int) -> Coefficients:
    if "coef.first" not in tensors:
        return Coefficients.dense(tensors.take("coef", np.float64, n_words, n_rows))
    values, rows = tensors.take("coef", np.float64, None), tensors.take("coef.row", np.uint32, None)
    first = tensors.take("coef.first", np.int64, n_words + 1)
    if rows.shape != values.shape or first[0] != 0 or first[-1] != rows.size:
        raise LaconicError("coef, coef.row and coef.first differ in length")
    if (np.diff(first) < 0).any() or (rows >= n_rows).any():
        raise LaconicError("coef.row or coef.first point outside the coefficients")
    later = np.ones(rows.size, bool)
    later[first[:-1][first[:-1] < rows.size]] = False
    if (np.diff(rows.astype(np.int64), prepend=-1)[later] <= 0).any():
        raise LaconicError("coef.row has the rows of a word out of order")
    return Coefficients(first, rows.astype(np.int32), values, n_rows)


def unpacked(tensors: Tensors, name: str, most: int) -> tuple[str, ...]:
    """Strings from their bytes."""
    lengths = tensors.take(f"{name}.length", np.uint32, None)
    raw = tensors.take(f"{name}.text", np.uint8, None).tobytes()
    if lengths.size > most:
        raise LaconicError(f"{name}: {lengths.size:,} of them, the limit is {most:,}")
    ends = np.cumsum(lengths, dtype=np.int64)
    if (int(ends[-1]) if ends.size else 0) != len(raw):
        raise LaconicError(f"{name}: the lengths do not add up to {len(raw):,} bytes")
    edges = [0, *ends.tolist()]
    slices = (raw[a:b] for a, b in pairwise(edges))
    try:
        return tuple(piece.decode("utf-8", "surrogatepass") for piece in slices)
    except UnicodeDecodeError:
        raise LaconicError(f"{name}: not UTF-8; the file is damaged") from None


class Fields:
    """The fields of a JSON object, each taken once and of the expected type."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._left = dict(values)

    def take(self, name: str, *types: type) -> Any:
        """The value; of any type if none is given."""
        if name not in self._left:
            raise LaconicError(f"its header has no {name!r}")
        value = self._left.pop(name)
        if types and type(value) not in types:
            expected = " or ".join(kind.__name__ for kind in types)
            raise LaconicError(f"{name} in its header is not {expected}, but {str(value)[:40]!r}")
        return value

    def end(self) -> None:
        """Refuse fields that were not taken."""
        if self._left:
            raise LaconicError(f"its header has the unknown field {min(self._left)[:40]!r}")
