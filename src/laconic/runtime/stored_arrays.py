"""Strings, numbers and coefficients from the tensors of a model file, checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.text.numpy_kernels import bounds
from laconic.runtime.choices import Storage
from laconic.runtime.decisions import Coefficients
from laconic.runtime.rules import LARGEST
from laconic.runtime.tensors import Tensors
from laconic.types import Bytes, Floats, Int64s

MOST_COEFFICIENTS = 1 << 25
# A multiple of the storage "int16" is LOW_STEPS · coef + coef.low.
LOW_STEPS = 8
# Bytes of strings, once what they share is repeated.
MOST_TEXT = 1 << 27


def strings(tensors: Tensors, name: str, most: int) -> tuple[str, ...]:
    """Strings that each begin with some bytes of the string before."""
    shared, lengths = tensors.take_whole(f"{name}.bytes", 2, None)
    raw = tensors.take(f"{name}.text", np.uint8, None).tobytes()
    if shared.size > most:
        raise LaconicError(f"{name}: {shared.size:,} of them, the limit is {most:,}")
    if int(lengths.sum()) != len(raw):
        raise LaconicError(f"{name}: the lengths do not add up to {len(raw):,} bytes")
    if int(shared.sum()) + len(raw) > MOST_TEXT:
        raise LaconicError(f"{name}: more than {MOST_TEXT:,} bytes, the limit")
    if (shared > np.concatenate([[0], (shared + lengths)[:-1]])[: shared.size]).any():
        raise LaconicError(f"{name}: shares more bytes than the string before has")
    try:
        return _joined(raw, shared, lengths)
    except UnicodeDecodeError:
        raise LaconicError(f"{name}: not UTF-8; the file is damaged") from None


def _joined(raw: bytes, shared: Int64s, lengths: Int64s) -> tuple[str, ...]:
    decoded, previous, at = [], b"", 0
    for same, length in zip(shared.tolist(), lengths.tolist(), strict=True):
        previous = previous[:same] + raw[at : at + length]
        at += length
        decoded.append(previous.decode("utf-8", "surrogatepass"))
    return tuple(decoded)


@dataclass(frozen=True, eq=False)
class StoredNumbers:
    """The tensors of numbers in a file with this storage, as float64."""

    tensors: Tensors
    storage: Storage

    def take(self, name: str, *shape: int | None) -> Floats:
        """Numbers beside the coefficients."""
        kind = np.float64 if self.storage == "float64" else np.float32
        return self.tensors.take(name, kind, *shape).astype(np.float64)

    def coefficients(self, n_words: int, n_rows: int) -> Coefficients:
        """The coefficients of a linear model."""
        if "coef.count" not in self.tensors:
            values = self._coef(n_words, n_rows)
            return Coefficients.dense(values * self._scales(n_rows))
        counts = self.tensors.take_whole("coef.count", n_words)
        values, skips = self._coef(None), self.tensors.take_whole("coef.skip", None)
        if not int(counts.sum()) == values.size == skips.size:
            raise LaconicError("coef, coef.skip and coef.count differ in length")
        firsts = bounds(counts)
        ends = np.cumsum(skips + 1)
        starts = np.concatenate([[0], ends])[firsts[:-1]]
        rows = ends - np.repeat(starts, counts) - 1
        if (rows >= n_rows).any():
            raise LaconicError("coef.skip points outside the coefficients")
        values = values * self._scales(n_rows)[rows]
        return Coefficients(firsts, rows.astype(np.int32), values, n_rows)

    def _coef(self, *shape: int | None) -> Floats:
        floats = {"float32": np.float32, "float64": np.float64}
        values = self.tensors.take("coef", floats.get(self.storage, np.int8), *shape)
        if values.size > MOST_COEFFICIENTS:
            raise LaconicError(f"coef: {values.size:,} of them, the limit is {MOST_COEFFICIENTS:,}")
        if self.storage == "int16":
            return LOW_STEPS * values.astype(np.float64) + self._low(values.shape)
        return values.astype(np.float64)

    def _low(self, shape: tuple[int, ...]) -> Bytes:
        low = self.tensors.take("coef.low", np.uint8, *shape)
        if (low >= LOW_STEPS).any():
            raise LaconicError(f"coef.low: not a number from 0 to {LOW_STEPS - 1}")
        return low

    def _scales(self, n_rows: int) -> Floats:
        """The number by which the values of each row are multiplied."""
        if self.storage in ("float32", "float64"):
            return np.ones(n_rows)
        scales = self.take("coef.scale", n_rows)
        # comparisons with nan are false
        if not ((scales >= 0) & (scales <= LARGEST)).all():
            raise LaconicError(f"coef.scale: not a number from 0 to {LARGEST:g}")
        return scales
