"""F1 of predictions, one column per class, and predictions as text for a journal."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable

import numpy as np

from bench.frontier.corpora import Bools
from laconic.numerics import metrics
from laconic.types import Floats


def f1_micro(answers: Bools, truth: Bools) -> float:
    """F1 of the pooled decisions; the accuracy if each document has one class."""
    return metrics.f1_micro(answers, _signed(truth), "labels")


def f1_macro(answers: Bools, truth: Bools) -> float:
    """The mean over the classes that occur; rare ones weigh as much as frequent ones."""
    occur = truth.any(axis=0)
    return metrics.f1_macro(answers[:, occur], _signed(truth[:, occur]), "labels")


METRICS: dict[str, Callable[[Bools, Bools], float]] = {"f1_micro": f1_micro, "f1_macro": f1_macro}


def _signed(truth: Bools) -> Floats:
    return np.where(truth, 1.0, -1.0)


def packed(answers: Bools) -> str:
    return base64.b64encode(zlib.compress(np.packbits(answers).tobytes(), 9)).decode()


def unpacked(text: str, shape: tuple[int, int]) -> Bools:
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return np.unpackbits(bits, count=shape[0] * shape[1]).astype(bool).reshape(shape)
