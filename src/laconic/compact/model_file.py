"""Writing the file of a compact model. Its format is described in `laconic.runtime.model_file`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.files import Kind, draft
from laconic.runtime.decisions import KernelDecision
from laconic.runtime.model_file import (
    CALIBRATIONS,
    FORMAT,
    MOST_BYTES,
    STORAGE,
    THRESHOLDS,
    VERSION,
)
from laconic.runtime.runtime_model import RuntimeModel
from laconic.runtime.settings import TextSettings
from laconic.runtime.tensors import DTYPES, KEY

# The first bytes of a safetensors file with our metadata key.
START = rb'\A.{8}\{\s*"__metadata__"\s*:\s*\{\s*"%b"\s*:' % KEY.encode()
MODEL_FILE = Kind("model", re.compile(START, re.DOTALL))

Arrays = dict[str, NDArray[Any]]


def bytes_of(model: RuntimeModel) -> bytes:
    """The contents of the file."""
    return to_bytes(header_of(model), arrays_of(model))


def write(model: RuntimeModel, file: str | PathLike[str]) -> None:
    """Write the file; the same model gives the same bytes."""
    data = bytes_of(model)
    if len(data) > MOST_BYTES:
        raise LaconicError(
            f"{fspath(file)}: the model takes {len(data):,} bytes, and files over {MOST_BYTES:,} "
            "are not read. Select fewer words."
        )
    with draft(Path(file), MODEL_FILE) as stream:
        stream.write(data)


def to_bytes(header: dict[str, Any], arrays: Arrays) -> bytes:
    """The bytes that the official library of safetensors writes: the largest types come first."""
    entries: dict[str, Any] = {"__metadata__": {KEY: _compact_json(header)}}
    body = b""
    for dtype, little in DTYPES.items():
        for name in sorted(name for name in arrays if arrays[name].dtype == little.type):
            raw = arrays[name].astype(little).tobytes()
            offsets = len(body), len(body) + len(raw)
            entries[name] = {"dtype": dtype, "shape": arrays[name].shape, "data_offsets": offsets}
            body += raw
    text = _compact_json(entries).encode("ascii")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def _compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def header_of(model: RuntimeModel) -> dict[str, Any]:
    """Everything that is not an array."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": "kernel" if isinstance(model.model, KernelDecision) else "linear",
        "size": int(model.size),
        "normalize": model.model.normalize,
        "rule": model.rule,
        "weighting": model.weights.scheme,
        "length": model.weights.length,
        "text": None if model.text is None else _text_header(model.text),
        "classifier": asdict(model.classifier),
        "features": {"number": model.n_words, "kind": model.features},
        "thresholds": None if model.thresholds is None else THRESHOLDS,
        "calibration": None if model.calibration is None else CALIBRATIONS[model.rule],
        "storage": STORAGE,
        "solved": model.solved,
        "gap": model.gap,
        "notes": list(model.notes),
    }


def _text_header(text: TextSettings) -> dict[str, Any]:
    header = asdict(text)
    del header["stop_words"]
    return header


def arrays_of(model: RuntimeModel) -> Arrays:
    """All arrays, by name."""
    arrays = packed("words", model.words) | packed("classes", model.classes)
    if model.text is not None:
        arrays |= packed("stops", model.text.stop_words)
    if model.weights.idf is not None:
        arrays["idf"] = model.weights.idf
    arrays["intercept"] = model.model.intercept
    for name in ("thresholds", "calibration"):
        if (values := getattr(model, name)) is not None:
            arrays[name] = values
    if isinstance(model.model, KernelDecision):
        return arrays | _kernel_arrays(model.model)
    coefficients = model.model.coefficients
    if coefficients.values.size == coefficients.n_words * coefficients.n_rows:
        return arrays | {"coef": coefficients.array()}
    return arrays | {
        "coef": coefficients.values,
        "coef.row": coefficients.rows.astype(np.uint32),
        "coef.first": coefficients.firsts,
    }


def _kernel_arrays(model: KernelDecision) -> Arrays:
    arrays: Arrays = {
        "support": model.support,
        "dual": model.dual,
        "gamma": np.array([model.gamma]),
    }
    if model.terms is None:
        return arrays | {"components": model.reduction.array()}
    return arrays | {"terms": model.terms.astype(np.uint32), "term.weight": model.term_weights}


def packed(name: str, strings: Iterable[str]) -> Arrays:
    """Strings as their bytes, joined, and the number of bytes of each."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    return {
        f"{name}.text": np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.length": np.array([len(raw) for raw in encoded], np.uint32),
    }
