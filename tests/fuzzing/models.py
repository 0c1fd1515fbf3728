"""Mutated model files: each loads to a model that can predict, or raises LaconicError.

What loads is also accepted by the official library of safetensors: ours is never more lenient.
Most mutants are of what is in the zlib stream, and are compressed again.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from safetensors.numpy import load

from laconic.compact import CompactModel, stored
from laconic.compact.model_file import deflated
from laconic.errors import LaconicError
from laconic.runtime.compression import inflated
from laconic.runtime.settings import ClassifierSettings
from tests.compact.kernel_machines import machine
from tests.compact.models import TEXTS, calibrated, served
from tests.fuzzing.watching import watched

PATIENCE = 60
EVIL = (
    *(-1, 0, 1, 2, 3, 255, 2**31, 2**32, 2**40, 2**61, 2**63 - 1, 2**64, 10**30, -(2**63)),
    *(0.5, 1e308, float("nan"), float("inf"), True, False, None, "", "\x00", "F64", "U8", "I64"),
    *("BF16", "F8_E4M3", "selected", "all", "sign", "labels", "argmax", "l1", "word", "char"),
    *("float64", "float32", "int16", "int8", "ridge", "balanced", "vectors", "word:ngrams=1-2"),
    *(-0.5, 1e-9),
    *("rows", "platt", "temperature"),
    *("(a+)+$", "porter", "turkish", "x" * 5000, [], {}, [[[]]], [1, 1], [0, 0], [1, 2**50]),
)
BYTES = (b"\xff" * 8, b"\x00" * 8, b"\x7f\xf8" + b"\x00" * 6, b"\xff" * 4, b"\x80", b"{", b'"')


def bases() -> list[bytes]:
    models = [
        served("argmax", "selected", ragged=False, stem="porter", stop_words=["the"])[0],
        served("labels", "selected", ngrams=(1, 2))[0],
        served("sign", "all")[0],
        served("argmax", "selected", "binary", unit="char", ngrams=(1, 3))[0],
        machine("argmax", "projection"),
        machine("sign", "selection"),
    ]
    plain = models[0]
    models.append(CompactModel(plain.model, plain.words, plain.weights, None))
    classifier = ClassifierSettings("svm", 0.5, "balanced")
    models.append(replace(plain, classifier=classifier, solved=True, gap=1e-6))
    models += [calibrated(model) for model in models[:3]]
    models += [
        replace(model, model=stored(model.model, storage))
        for model in (models[0], models[1], models[-1])
        for storage in ("float32", "int16", "int8")
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "base"
        contents = []
        for model in models:
            model.save(file)
            contents.append(file.read_bytes())
    return contents


def mutant(data: bytes, rng: random.Random) -> bytes:
    """A few changes of one kind or another."""
    kinds = (flip, flip_header, cut, grow, splice, relength, edit, edit, edit, numbers, numbers)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(kinds)(data, rng)
    return data


def mutant_file(data: bytes, rng: random.Random) -> bytes:
    """A mutant of the file, or one of its contents that is compressed again."""
    if rng.random() < 0.2:
        return mutant(data, rng)
    return deflated([mutant(inflated(data), rng)])


def flip(data: bytes, rng: random.Random) -> bytes:
    return flipped(data, rng, len(data))


def flip_header(data: bytes, rng: random.Random) -> bytes:
    return flipped(data, rng, min(len(data), 8 + int.from_bytes(data[:8], "little")))


def flipped(data: bytes, rng: random.Random, within: int) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if within:
            changed[rng.randrange(within)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def grow(data: bytes, rng: random.Random) -> bytes:
    return data + rng.randbytes(rng.randrange(1, 64))


def splice(data: bytes, rng: random.Random) -> bytes:
    at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:at] + rng.choice(BYTES) * rng.randrange(4) + data[min(end, at + 16) :]


def relength(data: bytes, rng: random.Random) -> bytes:
    size = int.from_bytes(data[:8], "little")
    other = rng.choice((0, 1, size - 1, size + 1, size + 8, 2 * size, 2**31, 2**63, 2**64 - 1))
    return (other % 2**64).to_bytes(8, "little") + data[8:]


def edit(data: bytes, rng: random.Random) -> bytes:
    """Another header: some value of it replaced, left out, renamed, doubled or nested."""
    try:
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + size])
        inner = json.loads(header["__metadata__"]["laconic"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return data
    if rng.random() < 0.5:
        header["__metadata__"]["laconic"] = edited(inner, rng)
        text = json.dumps(header)
    else:
        text = edited(header, rng)
    raw = text.encode("utf-8", "surrogatepass")
    return len(raw).to_bytes(8, "little") + raw + data[8 + size :]


def edited(values: dict, rng: random.Random) -> str:
    holder = values
    while isinstance(holder, dict) and holder:
        key = rng.choice(sorted(holder))
        if not (isinstance(holder[key], dict) and rng.random() < 0.8):
            break
        holder = holder[key]
    if isinstance(holder, dict) and holder:
        way = rng.randrange(5)
        if way == 0:
            del holder[key]
        elif way == 1:
            holder["extra" + key] = holder.pop(key)
        elif way == 2 and isinstance(holder[key], list) and holder[key]:
            holder[key][rng.randrange(len(holder[key]))] = rng.choice(EVIL)
        else:
            holder[key] = rng.choice(EVIL)
    text = json.dumps(values)
    last = rng.randrange(12)
    if last == 0:
        depth = rng.choice((100, 5000, 30000))
        text = text[:-1] + f', "deep": {"[" * depth}{"]" * depth}}}'
    elif last == 1 and values:
        key = rng.choice(sorted(values))
        text = text[:-1] + f", {json.dumps(key)}: {json.dumps(rng.choice(EVIL))}}}"
    elif last == 2:
        text += " " * rng.choice((1, 100, 10**5))
    return text


def numbers(data: bytes, rng: random.Random) -> bytes:
    """Other bytes among the numbers, mostly at the place of one."""
    body = 8 + int.from_bytes(data[:8], "little")
    if body + 8 > len(data):
        return data
    width = rng.choice((1, 4, 8, 8))
    at = body + width * rng.randrange((len(data) - body) // width)
    value = rng.choice(
        (
            np.float64(rng.choice((np.nan, np.inf, -np.inf, -1.0, 1e308, 5e-324, 0.0))).tobytes(),
            np.int64(rng.choice((-1, 0, 1, 2**31, 2**62, -(2**63)))).tobytes(),
            rng.randbytes(8),
        )
    )
    return data[:at] + value[:width] + data[at + width :]


def judge(data: bytes, file: Path) -> str:
    file.write_bytes(data)
    signal.alarm(PATIENCE)  # ends the process: a model that hangs is a failure
    try:
        with watched(len(data)):
            return judged(data, file)
    finally:
        signal.alarm(0)


def judged(data: bytes, file: Path) -> str:
    try:
        model = CompactModel.load(file)
    except LaconicError:
        return "refused"
    assert load(inflated(data)), "the official library reads it too"
    documents = TEXTS if model.text is not None else [{"cat": 1.0, "moon": 2.0}, {}]
    for label in model.predict(documents):
        names = [label] if isinstance(label, str) else label
        assert all(name in model.classes for name in names)
    if model.runtime.calibration is not None:
        chances = model.predict_proba(documents)
        assert ((chances >= 0) & (chances <= 1)).all()
    assert model.summary()
    return "read"


def run_models(count: int, seed: int, file: Path) -> Counter[str]:
    originals = bases()
    outcomes: Counter[str] = Counter()
    assert [judge(data, file) for data in originals] == ["read"] * len(originals)
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        data = mutant_file(rng.choice(originals), rng)
        try:
            outcomes[judge(data, file)] += 1
        except BaseException:
            print(f"model {number} of seed {seed}", file=sys.stderr)
            raise
    return outcomes
