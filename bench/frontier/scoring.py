"""F1 of predictions as a study measures it, and predictions as text for a journal."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from laconic.numerics import metrics
from laconic.types import Bools, Floats, Int64s, Rule

Metric: TypeAlias = Callable[[Bools, Floats, Rule], float]
METRICS: dict[str, Metric] = {"f1_micro": metrics.f1_micro, "f1_macro": metrics.f1_macro}


def rule_of(y: Int64s, n_classes: int) -> Rule:
    if y.ndim > 1:
        return "labels"
    return "sign" if n_classes == 2 else "argmax"


def signed(y: Int64s, n_classes: int) -> Floats:
    """Labels as ±1: one column per class, of two classes one for the second."""
    if y.ndim > 1:
        return np.where(y > 0, 1.0, -1.0)
    classes = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(y[:, None] == classes, 1.0, -1.0)


def packed(predictions: Bools) -> str:
    return base64.b64encode(zlib.compress(np.packbits(predictions).tobytes(), 9)).decode()


def unpacked(text: str, shape: tuple[int, int]) -> Bools:
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return np.unpackbits(bits, count=shape[0] * shape[1]).astype(bool).reshape(shape)
