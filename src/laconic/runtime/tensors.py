"""An untrusted safetensors file: every claim in it is checked before it is used."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.types import Int64s

# A longer header is not ours, and would take many times its length as Python objects.
MOST_HEADER = 1 << 16
# The only key of the metadata.
KEY = "laconic"
# In the order in which safetensors stores them.
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "I8": np.dtype("<i1"),
    "U8": np.dtype("<u1"),
}
# The types of whole numbers, the smallest first.
WHOLE = (np.uint8, np.uint16, np.uint32)


class Tensors:
    """Named arrays, each taken once with the expected type and shape."""

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._left = arrays

    def __contains__(self, name: str) -> bool:
        return name in self._left

    def take(self, name: str, dtype: type, *shape: int | None) -> NDArray[Any]:
        """A copy of the array, aligned and writable; None in the shape is any number."""
        return self._take(name, (dtype,), *shape).astype(dtype)

    def take_whole(self, name: str, *shape: int | None) -> Int64s:
        """Whole numbers of at least 0, of any type."""
        return self._take(name, WHOLE, *shape).astype(np.int64)

    def _take(self, name: str, dtypes: tuple[type, ...], *shape: int | None) -> NDArray[Any]:
        if name not in self._left:
            raise LaconicError(f"has no tensor {name!r}")
        array = self._left.pop(name)
        fits = len(shape) == array.ndim and all(
            side is None or side == actual for side, actual in zip(shape, array.shape, strict=True)
        )
        if array.dtype not in dtypes or not fits:
            expected = ", ".join("any" if side is None else f"{side}" for side in shape)
            raise LaconicError(
                f"its tensor {name!r} is {array.dtype} of shape {array.shape}, not "
                f"{' or '.join(np.dtype(kind).name for kind in dtypes)} of ({expected})"
            )
        return array

    def end(self) -> None:
        """Refuse tensors that were not taken."""
        if self._left:
            raise LaconicError(f"has the unknown tensor {min(self._left)[:40]!r}")


def from_bytes(data: bytes) -> tuple[dict[str, Any], Tensors]:
    """The header and the arrays, which are views of the data; every defect is a ValueError."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(MOST_HEADER, len(data) - 8):
        raise LaconicError("not a compact model of Laconic, or a damaged one")
    entries = _object(_utf8(data[8 : 8 + size]))
    text = _metadata(entries).get(KEY)
    if text is None:
        raise LaconicError("not a compact model of Laconic. Write one with `laconic train`.")
    body = memoryview(data)[8 + size :]
    spans = {name: _span(name, entry) for name, entry in entries.items()}
    _check_cover(spans, len(body))
    arrays = {
        name: np.frombuffer(body[a:b], dtype).reshape(shape)
        for name, (dtype, shape, a, b) in spans.items()
    }
    return _object(text), Tensors(arrays)


def _utf8(raw: bytes) -> str:
    """The header is UTF-8 without a byte order mark; json.loads would accept other encodings."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise LaconicError("has a header that is not UTF-8") from None


def _metadata(entries: dict[str, Any]) -> dict[str, str]:
    """The metadata, removed from the entries. Keys and values are strings, as in safetensors."""
    metadata = entries.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise LaconicError("has metadata that is not text")
    try:
        "".join([*entries, *metadata, *metadata.values()]).encode("utf-8")
    except UnicodeEncodeError:
        raise LaconicError("has half a character in its header") from None
    return metadata


TensorSpan = tuple[np.dtype[Any], tuple[int, ...], int, int]


def _span(name: str, entry: Any) -> TensorSpan:
    """The type, shape, begin and end that an entry states."""
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise LaconicError(f"its entry {name[:40]!r} does not describe a tensor")
    shape, offsets = entry["shape"], entry["data_offsets"]
    for numbers in (shape, offsets):
        if not isinstance(numbers, list) or not all(
            type(number) is int and 0 <= number < 1 << 62 for number in numbers
        ):
            raise LaconicError(f"its entry {name[:40]!r} has sizes {str(numbers)[:40]!r}")
    dtype = DTYPES.get(entry["dtype"]) if isinstance(entry["dtype"], str) else None
    if dtype is None or len(shape) not in (1, 2) or len(offsets) != 2:
        raise LaconicError(f"its tensor {name[:40]!r} is of a kind that no model has")
    begin, end = offsets
    n_items = shape[0] * (shape[1] if len(shape) == 2 else 1)
    if end - begin != n_items * dtype.itemsize:
        raise LaconicError(f"its tensor {name[:40]!r} does not have the bytes of its shape")
    return dtype, tuple(shape), begin, end


def _check_cover(spans: dict[str, TensorSpan], n_bytes: int) -> None:
    """The tensors cover all bytes, without gaps or overlap."""
    at = 0
    for _, _, begin, end in sorted(spans.values(), key=lambda span: span[2:]):
        if begin != at:
            raise LaconicError("its tensors overlap or leave gaps")
        at = end
    if at != n_bytes:
        raise LaconicError(f"has {n_bytes:,} bytes of numbers, but its header states {at:,}")


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(
            text, object_pairs_hook=_distinct, parse_constant=_no_constant, parse_int=_whole
        )
    except RecursionError:
        raise LaconicError("has a header of too many levels") from None
    except json.JSONDecodeError as problem:
        raise LaconicError(f"has a header that is not JSON ({problem.msg})") from None
    if not isinstance(value, dict):
        raise LaconicError("has a header that is not a JSON object")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise LaconicError("has a header with a key twice")
    return values


def _whole(digits: str) -> int:
    """JSON has a negative zero, which safetensors does not accept as a whole number."""
    if digits == "-0":
        raise LaconicError("has -0 in its header, which is not a whole number")
    return int(digits)


def _no_constant(name: str) -> Any:
    raise LaconicError(f"has {name} in its header, which is not a number")
