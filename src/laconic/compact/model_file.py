"""The file of a compact model: safetensors, with the settings as JSON. Nothing in it is executed.

Tensors, for n words, r rows of coefficients and e stored ones:

| name | type, shape | |
|---|---|---|
| words.text, words.length | U8 [bytes], U32 [n] | words in UTF-8, joined; bytes of each |
| classes.text, classes.length | the same | names of the classes |
| stops.text, stops.length | the same | stop words; only where there is text |
| idf | F64 [n] | only for schemes that have one |
| intercept | F64 [r] | |
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
 "thresholds": null, "calibration": null, "storage": "float64",
 "solved": bool | null, "gap": float | null, "notes": [str, ...], the warnings of the training}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import pairwise
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import to_builtins
from numpy.typing import NDArray
from scipy.sparse import csc_array

from laconic.compact.compact_model import MOST_CLASSES, MOST_WORDS, CompactModel
from laconic.compact.kernel_model import KernelModel
from laconic.compact.provenance import ClassifierSettings
from laconic.compact.settings import TextSettings, WordWeights
from laconic.compact.tensors import MODEL_FILE, Tensors, from_bytes, to_bytes
from laconic.errors import LaconicError
from laconic.files import draft
from laconic.model import LinearModel
from laconic.options import from_exactly
from laconic.reduction import Projection, Selection

FORMAT = "laconic compact model"
VERSION = 2
STORAGE = "float64"
MOST_BYTES = 1 << 28
PIECE = 1 << 20
MOST_STOP_WORDS = 1 << 20
LARGEST_SIZE = 1 << 40
MOST_NOTES = 1000

Arrays = dict[str, NDArray[Any]]


def bytes_of(compact: CompactModel) -> bytes:
    """The contents of the file."""
    return to_bytes(header_of(compact), arrays_of(compact))


def write(compact: CompactModel, file: str | PathLike[str]) -> None:
    """Write the file; the same model gives the same bytes."""
    data = bytes_of(compact)
    if len(data) > MOST_BYTES:
        raise LaconicError(
            f"{fspath(file)}: the model takes {len(data):,} bytes, and files over {MOST_BYTES:,} "
            "are not read. Select fewer words."
        )
    with draft(Path(file), MODEL_FILE) as stream:
        stream.write(data)


def read(file: str | PathLike[str], *, trusted: bool = False) -> CompactModel:
    """The model; a defect of the file raises `LaconicError`."""
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


def header_of(compact: CompactModel) -> dict[str, Any]:
    """Everything that is not an array."""
    model, weights, text = compact.model, compact.weights, compact.text
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "kernel" if isinstance(model, KernelModel) else "linear",
        "size": int(model.size),
        "normalize": model.normalize,
        "rule": model.rule,
        "weighting": weights.scheme,
        "length": weights.length,
        "text": None if text is None else to_builtins(text.values()),
        "classifier": asdict(compact.classifier),
        "features": {"number": compact.n_words, "kind": compact.features},
        "thresholds": None,
        "calibration": None,
        "storage": STORAGE,
        "solved": compact.solved,
        "gap": compact.gap,
        "notes": list(compact.notes),
    }


def arrays_of(compact: CompactModel) -> Arrays:
    """All arrays, by name."""
    arrays = packed("words", compact.words) | packed("classes", compact.classes)
    if compact.text is not None:
        arrays |= packed("stops", compact.text.stop_words)
    if compact.weights.idf is not None:
        arrays["idf"] = compact.weights.idf
    arrays["intercept"] = compact.model.intercept
    if isinstance(compact.model, KernelModel):
        return arrays | _kernel_arrays(compact.model)
    return arrays | _coefficients(compact.model)


def _coefficients(model: LinearModel) -> Arrays:
    by_word = csc_array(model.coef)
    by_word.sort_indices()
    n_rows, n_words = by_word.shape
    if by_word.nnz == n_rows * n_words:
        return {"coef": by_word.data.reshape(n_words, n_rows)}
    return {
        "coef": by_word.data,
        "coef.row": by_word.indices.astype(np.uint32),
        "coef.first": by_word.indptr.astype(np.int64),
    }


def _kernel_arrays(model: KernelModel) -> Arrays:
    arrays: Arrays = {
        "support": model.support,
        "dual": model.dual,
        "gamma": np.array([model.gamma]),
    }
    if isinstance(model.reduction, Projection):
        return arrays | {"components": model.reduction.components}
    terms = model.reduction.terms.astype(np.uint32)
    return arrays | {"terms": terms, "term.weight": model.reduction.weights}


def packed(name: str, strings: Iterable[str]) -> Arrays:
    """Strings as their bytes, joined, and the number of bytes of each."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    return {
        f"{name}.text": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.length": np.array([len(raw) for raw in encoded], np.uint32),
    }


def model_of(header: dict[str, Any], tensors: Tensors, *, trusted: bool) -> CompactModel:
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
    compact = CompactModel(
        _model(fields, tensors, len(words)),
        words,
        weights,
        text,
        _notes(fields.take("notes", list)),
        _classifier(Fields(fields.take("classifier", dict))),
        fields.take("solved", bool, type(None)),
        fields.take("gap", float, type(None)),
    )
    _check_features(Fields(fields.take("features", dict)), compact)
    fields.end()
    tensors.end()
    return compact


def _other_version(version: int) -> str:
    this = f"has version {version} of the format, and this Laconic reads version {VERSION}"
    if version > VERSION:
        return f"{this}. Update Laconic, or train the model again."
    return f"{this}: older versions were never released. Train the model again."


def _refuse_newer(fields: Fields) -> None:
    """What later versions of Laconic write into these fields cannot be left out."""
    for name, supported in (("thresholds", None), ("calibration", None), ("storage", STORAGE)):
        value = fields.take(name)
        if value != supported:
            raise LaconicError(
                f"{name} in its header is {str(value)[:40]!r}: this needs a newer Laconic. "
                "Update with pip install -U laconic."
            )


def _classifier(fields: Fields) -> ClassifierSettings:
    settings = ClassifierSettings(
        name=fields.take("name", str, type(None)),
        alpha=fields.take("alpha", float, type(None)),
        class_weight=fields.take("class_weight", str, type(None)),
    )
    fields.end()
    return settings


def _check_features(fields: Fields, compact: CompactModel) -> None:
    stated = fields.take("number", int), fields.take("kind", str)
    fields.end()
    if stated != (compact.n_words, compact.features):
        raise LaconicError(
            f"features in its header: {stated[0]} of the kind {stated[1][:40]!r}, but the model "
            f"has {compact.n_words} of the kind {compact.features!r}"
        )


def _notes(notes: list[Any]) -> tuple[str, ...]:
    if len(notes) > MOST_NOTES or any(type(note) is not str for note in notes):
        raise LaconicError(f"notes in its header: at most {MOST_NOTES} strings were expected")
    return tuple(notes)


def _text(table: dict[str, Any] | None, tensors: Tensors, trusted: bool) -> TextSettings | None:
    if table is None:
        return None
    stop_words = unpacked(tensors, "stops", MOST_STOP_WORDS)
    settings = from_exactly(TextSettings, table, stop_words=stop_words)
    if not (trusted or settings.linear):
        raise LaconicError(
            f"finds words by the custom pattern {settings.token_pattern[:40]!r}, and such a "
            "pattern can be made to run for years. If you trust the file: "
            "CompactModel.load(file, trusted=True), or --trusted."
        )
    return settings


def _model(fields: Fields, tensors: Tensors, n_words: int) -> LinearModel | KernelModel:
    kind, rule = fields.take("kind", str), fields.take("rule", str)
    classes = np.array([*unpacked(tensors, "classes", MOST_CLASSES), None], dtype=object)[:-1]
    n_rows = 1 if rule == "sign" else classes.size
    intercept = tensors.take("intercept", np.float64, n_rows)
    size, normalize = fields.take("size", int), fields.take("normalize", str)
    if not 0 <= size < LARGEST_SIZE or kind not in ("linear", "kernel") or not n_rows:
        raise LaconicError(f"kind {kind[:20]!r}, size {size}, {n_rows} rows: no such model")
    if kind == "linear":
        coef = _coef(tensors, n_words, n_rows)
        return LinearModel(coef, intercept, classes, size, normalize, rule)
    return _kernel_model(tensors, n_words, size, intercept, classes, rule, normalize)


def _coef(tensors: Tensors, n_words: int, n_rows: int) -> csc_array:
    shape = (n_rows, n_words)
    if "coef.first" not in tensors:
        values = tensors.take("coef", np.float64, n_words, n_rows)
        rows = np.tile(np.arange(n_rows, dtype=np.int32), n_words)
        first = np.arange(n_words + 1, dtype=np.int64) * n_rows
        return csc_array((values.ravel(), rows, first), shape=shape)
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
    return csc_array((values, rows.astype(np.int32), first), shape=shape)


def _kernel_model(
    tensors: Tensors,
    n_words: int,
    size: int,
    intercept: NDArray[np.float64],
    classes: NDArray[Any],
    rule: Any,
    normalize: Any,
) -> KernelModel:
    if rule not in ("sign", "argmax", "labels") or normalize not in ("all", "selected"):
        raise LaconicError(f"rule {rule[:20]!r}, normalize {normalize[:20]!r}: no such model")
    reduction: Selection | Projection
    if "components" in tensors:
        reduction = Projection(tensors.take("components", np.float64, n_words, size))
    else:
        terms = tensors.take("terms", np.uint32, size)
        reduction = Selection(terms, tensors.take("term.weight", np.float64, size), n_words)
    support = tensors.take("support", np.float64, None, size)
    dual = tensors.take("dual", np.float64, intercept.size, len(support))
    gamma = float(tensors.take("gamma", np.float64, 1)[0])
    return KernelModel(reduction, support, dual, intercept, gamma, classes, rule, normalize)


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
