"""Writing the file of a compact model. Its format is described in `laconic.runtime.model_file`."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.compact.storage import LARGEST_MULTIPLE, check_storage, exact_storage, multiples
from laconic.errors import LaconicError
from laconic.files import Kind, draft
from laconic.runtime.choices import Storage
from laconic.runtime.compression import MARK, MOST_BYTES, VERSION, most_inflated
from laconic.runtime.decisions import Coefficients, KernelDecision
from laconic.runtime.model_file import CALIBRATIONS, THRESHOLDS
from laconic.runtime.runtime_model import RuntimeModel
from laconic.runtime.settings import TextSettings
from laconic.runtime.stored_arrays import LOW_STEPS, MOST_COEFFICIENTS, MOST_TEXT
from laconic.runtime.tensors import DTYPES, KEY, WHOLE
from laconic.types import Int64s

# The mark, a version, which is no character of a text, and the start of a zlib stream.
MODEL_FILE = Kind("model", re.compile(rb"\A%b[\x01-\x08]\x78" % MARK))
# Tensors of at least so many bytes are compressed with codes of their own.
BLOCK_BYTES = 128
# The level at which a block of zlib has the most symbols.
MEMORY_LEVEL = 9
# The most bytes that a word may share with the word before it.
MOST_SHARED = 255

Arrays = dict[str, NDArray[Any]]


def bytes_of(model: RuntimeModel, storage: Storage | None = None) -> bytes:
    """The contents of the file."""
    chosen = exact_storage(model) if storage is None else storage
    check_storage(chosen)
    return deflated(tensor_parts(header_of(model, chosen), arrays_of(model, chosen)))


def write(model: RuntimeModel, file: str | PathLike[str], storage: Storage | None = None) -> None:
    """Write the file; the same model gives the same bytes."""
    data = bytes_of(model, storage)
    if len(data) > MOST_BYTES:
        raise LaconicError(
            f"{fspath(file)}: the model takes {len(data):,} bytes, and files over {MOST_BYTES:,} "
            "are not read. Select fewer words."
        )
    with draft(Path(file), MODEL_FILE) as stream:
        stream.write(data)


def deflated(parts: list[bytes]) -> bytes:
    """A model file with these parts, joined, in its stream."""
    strategies = zlib.Z_DEFAULT_STRATEGY, zlib.Z_FILTERED
    streams = [_stream(parts, zlib.Z_BEST_COMPRESSION, strategy) for strategy in strategies]
    data = _framed(min(streams, key=len))
    if sum(map(len, parts)) <= most_inflated(len(data)):
        return data
    # a reader would take it for an attack
    return _framed(_stream(parts, zlib.Z_NO_COMPRESSION, zlib.Z_DEFAULT_STRATEGY))


def _framed(stream: bytes) -> bytes:
    return MARK + bytes([VERSION]) + stream


def _stream(parts: Iterable[bytes], level: int, strategy: int) -> bytes:
    """The parts in one zlib stream; those with BLOCK_BYTES bytes or more in blocks of their own."""
    compressor = zlib.compressobj(level, strategy=strategy, memLevel=MEMORY_LEVEL)
    data = bytearray()
    for part in parts:
        if len(part) >= BLOCK_BYTES:
            data += compressor.flush(zlib.Z_BLOCK)
        data += compressor.compress(part)
        if len(part) >= BLOCK_BYTES:
            data += compressor.flush(zlib.Z_BLOCK)
    return bytes(data + compressor.flush())


def tensor_parts(header: dict[str, Any], arrays: Arrays) -> list[bytes]:
    """The bytes that the official library of safetensors writes: the header, then each tensor."""
    entries: dict[str, Any] = {"__metadata__": {KEY: _compact_json(header)}}
    parts: list[bytes] = []
    at = 0
    for name, raw, dtype in _ordered(arrays):
        offsets = at, at + len(raw)
        entries[name] = {"dtype": dtype, "shape": arrays[name].shape, "data_offsets": offsets}
        parts.append(raw)
        at += len(raw)
    text = _compact_json(entries).encode("ascii")
    text += b" " * (-len(text) % 8)
    return [len(text).to_bytes(8, "little") + text, *parts]


def _ordered(arrays: Arrays) -> Iterator[tuple[str, bytes, str]]:
    """Name, bytes and type of each tensor: the largest types come first."""
    for dtype, little in DTYPES.items():
        for name in sorted(name for name in arrays if arrays[name].dtype == little.type):
            yield name, arrays[name].astype(little).tobytes(), dtype


def _compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def header_of(model: RuntimeModel, storage: Storage) -> dict[str, Any]:
    """Everything that is not an array; without fields that are null."""
    header = {
        "kind": "kernel" if isinstance(model.model, KernelDecision) else "linear",
        "size": int(model.size),
        "normalize": model.model.normalize,
        "rule": model.rule,
        "weighting": model.weights.scheme,
        "length": model.weights.length,
        "text": None if model.text is None else _text_header(model.text),
        "classifier": _stated(asdict(model.classifier)),
        "features": {"number": model.n_words, "kind": model.features},
        "thresholds": None if model.thresholds is None else THRESHOLDS,
        "calibration": None if model.calibration is None else CALIBRATIONS[model.rule],
        "storage": storage,
        "solved": model.solved,
        "gap": model.gap,
        "notes": list(model.notes) or None,
        "documents": None if model.weights.idf is None else int(model.weights.n_docs),
    }
    return _stated(header)


def _stated(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _text_header(text: TextSettings) -> dict[str, Any]:
    header = asdict(text)
    del header["stop_words"]
    return _stated(header)


def arrays_of(model: RuntimeModel, storage: Storage) -> Arrays:
    """All arrays, by name."""
    arrays = packed("words", model.words) | packed("classes", model.classes)
    if model.text is not None and model.text.stop_words:
        arrays |= packed("stops", model.text.stop_words)
    if model.weights.document_frequency is not None:
        arrays["df"] = smallest(model.weights.document_frequency)
    real = np.float64 if storage == "float64" else np.float32
    numbers = {"intercept": model.model.intercept}
    for name in ("thresholds", "calibration"):
        if (values := getattr(model, name)) is not None:
            numbers[name] = values
    if isinstance(model.model, KernelDecision):
        numbers |= _kernel_numbers(model.model, storage)
        if model.model.terms is not None:
            arrays["terms"] = model.model.terms.astype(np.uint32)
    else:
        arrays |= _coefficient_arrays(model.model.coefficients, storage)
    return arrays | {name: values.astype(real) for name, values in numbers.items()}


def _coefficient_arrays(coefficients: Coefficients, storage: Storage) -> Arrays:
    """The coefficients by word; if a row does not use every word, with their rows."""
    c = coefficients
    if c.values.size > MOST_COEFFICIENTS:
        raise LaconicError(
            f"the model has {c.values.size:,} coefficients, and files with over "
            f"{MOST_COEFFICIENTS:,} are not read. Select fewer words."
        )
    arrays, scales = _value_arrays(c, storage)
    if c.values.size == c.n_words * c.n_rows:
        shape = c.n_words, c.n_rows
        return scales | {name: values.reshape(shape) for name, values in arrays.items()}
    counts: Int64s = c.firsts[1:] - c.firsts[:-1]
    skips = c.rows.astype(np.int64)
    skips[1:] -= c.rows[:-1] + 1
    starts = c.firsts[:-1][counts > 0]
    skips[starts] = c.rows[starts]
    return scales | arrays | {"coef.skip": smallest(skips), "coef.count": smallest(counts)}


def _value_arrays(c: Coefficients, storage: Storage) -> tuple[Arrays, Arrays]:
    """The tensors with a number per coefficient, and those with a number per row."""
    if storage not in LARGEST_MULTIPLE:
        return {"coef": c.values.astype(storage)}, {}
    whole, scales = multiples(c.values, c.rows, c.n_rows, LARGEST_MULTIPLE[storage])
    if storage == "int8":
        return {"coef": whole.astype(np.int8)}, {"coef.scale": scales}
    # apart, because zlib compresses the high part well, and the low one to its 3 bits
    high, low = np.divmod(whole, LOW_STEPS)
    values = {"coef": high.astype(np.int8), "coef.low": low.astype(np.uint8)}
    return values, {"coef.scale": scales}


def _kernel_numbers(model: KernelDecision, storage: Storage) -> Arrays:
    if storage in LARGEST_MULTIPLE:
        raise LaconicError(f"{storage=} is for linear models. Use float32.")
    numbers: Arrays = {
        "support": model.support,
        "dual": model.dual,
        "gamma": np.array([model.gamma]),
    }
    if model.terms is None:
        return numbers | {"components": model.reduction.array()}
    return numbers | {"term.weight": model.term_weights}


def packed(name: str, strings: Iterable[str]) -> Arrays:
    """Strings as UTF-8: how many bytes each shares with the one before, how many follow, these."""
    shared, rest, previous = [], [], b""
    n_bytes = 0
    for string in strings:
        raw = string.encode("utf-8", "surrogatepass")
        same = _n_shared(previous[:MOST_SHARED], raw)
        shared.append(same)
        rest.append(raw[same:])
        previous = raw
        n_bytes += len(raw)
    if n_bytes > MOST_TEXT:
        raise LaconicError(f"{name}: {n_bytes:,} bytes, and over {MOST_TEXT:,} are not read")
    lengths = np.array([shared, [len(raw) for raw in rest]], np.int64)
    text = np.frombuffer(b"".join(rest), np.uint8)
    return {f"{name}.bytes": smallest(lengths), f"{name}.text": text}


def _n_shared(first: bytes, second: bytes) -> int:
    """How many bytes are equal at the start of both."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))


def smallest(whole: Int64s) -> NDArray[Any]:
    """Whole numbers in the smallest type of a file that has them."""
    largest = int(whole.max(initial=0))
    return whole.astype(next(kind for kind in WHOLE if largest <= np.iinfo(kind).max))
