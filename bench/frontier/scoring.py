"""F1 of answers, a column a class, and answers as text for a journal."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable

import numpy as np

from bench.frontier.corpora import Bools
from laconic.numerics import measures
from laconic.reduction import Floats


def micro_f1(answers: Bools, truth: Bools) -> float:
    """That of the pooled decisions; where each document has one class it is the accuracy."""
    return measures.micro_f1(answers, _signs(truth))


def macro_f1(answers: Bools, truth: Bools) -> float:
    """The mean over the classes that occur; rare ones weigh as much as frequent ones."""
    occur = truth.any(axis=0)
    return measures.macro_f1(answers[:, occur], _signs(truth[:, occur]))


MEASURES: dict[str, Callable[[Bools, Bools], float]] = {"micro-f1": micro_f1, "macro-f1": macro_f1}


def _signs(truth: Bools) -> Floats:
    return np.where(truth, 1.0, -1.0)


def packed(answers: Bools) -> str:
    return base64.b64encode(zlib.compress(np.packbits(answers).tobytes(), 9)).decode()


def unpacked(text: str, shape: tuple[int, int]) -> Bools:
    bits = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=np.uint8)
    return np.unpackbits(bits, count=shape[0] * shape[1]).astype(bool).reshape(shape)
