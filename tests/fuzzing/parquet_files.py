"""Parquet files of all kinds of columns and encodings, with lies in their metadata."""

from __future__ import annotations

import io
import random
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.fuzzing.mutating import Files, bytes_changed, flipped
from tests.fuzzing.text_readers import Fuzzed, reader_of

TEXTS = ["a cat", "b", "été", "c", "", "dogs"]
LABELS: tuple[Any, ...] = (
    ["x", "y", "x", None, "y", "x"],
    [1, 2, 1, 2, 1, 2],
    [["x"], ["x", "y"], [], None, [None], ["y"]],
    [[1], [2, 3], [], [4], [], []],
    [b"x", b"y", b"\xff", b"x", b"y", b"x"],
    [{"a": "x"}, {"a": "y"}, None, None, None, None],
    [1.5, float("nan"), float("inf"), None, 0.0, -0.0],
    [True, False, None, True, False, True],
    pa.array([-(1 << 62), 1 << 45, 0, 1, 2, None], pa.timestamp("us")),
    pa.array([-(1 << 31), (1 << 31) - 1, 0, 1, 2, 3], pa.date32()),
    pa.array(["x", "y", "x", None, "y", "x"]).dictionary_encode(),
    pa.array([["x"], ["y"], ["x"], ["y"], ["x"], ["y"]], pa.list_(pa.string(), 1)),
)
WRITING: tuple[dict[str, Any], ...] = (
    {},
    {"compression": "zstd"},
    {"compression": "gzip", "row_group_size": 2},
    {"compression": "none", "data_page_version": "2.0"},
    {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
    {"use_dictionary": False, "column_encoding": {"text": "DELTA_LENGTH_BYTE_ARRAY"}},
    {"store_schema": False, "compression": "lz4"},
)
NUMBERS = (0, 1, 2, 6, 255, 1 << 16, 1 << 28, (1 << 31) - 1, 1 << 40, (1 << 63) - 1)


def written(columns: dict[str, Any], **writing: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **writing)
    return out.getvalue()


def drawn(rng: random.Random) -> bytes:
    """A valid file, unless its columns are of no use."""
    columns: dict[str, Any] = {"text": TEXTS, "label": rng.choice(LABELS)}
    if rng.random() < 0.3:
        columns["id"] = rng.choice((list(range(6)), ["a", "b", "c", "d", "e", "f"], [None] * 6))
    if rng.random() < 0.3:
        columns["split"] = ["train", "test"] * 3
    return written(columns, **rng.choice(WRITING))


def varint(number: int, n_bytes: int = 1) -> bytes:
    """A whole number as Thrift's compact protocol writes it, in at least so many bytes."""
    number *= 2  # zigzag
    digits = []
    while number or len(digits) < n_bytes:
        digits.append(number & 0x7F)
        number >>= 7
    return bytes([digit | 0x80 for digit in digits[:-1]] + digits[-1:])


def lying(raw: bytes, rng: random.Random) -> bytes:
    """Another number somewhere in the footer, whose length is then stated as it is."""
    begin, footer = split_footer(raw)
    at = rng.randrange(len(footer))
    old = rng.choice((1, 1, 2, 3, 5))
    footer = footer[:at] + varint(rng.choice(NUMBERS)) + footer[at + old :]
    return begin + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def split_footer(raw: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(raw[-8:-4], "little")
    return raw[: -8 - size], raw[-8 - size : -8]


def mutated_parquet(_: Files, __: tuple[str, ...], rng: random.Random) -> Files:
    raw = drawn(rng)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        begin, _footer = split_footer(raw)
        way = rng.random()
        if way < 0.4 and len(raw) > 12 + len(begin):
            raw = lying(raw, rng)
        elif way < 0.75:
            raw = flipped(raw, rng, 4, len(begin) or None)
        elif way < 0.9:
            raw = flipped(raw, rng)
        else:
            raw = bytes_changed(raw, rng)
        if len(raw) < 12:
            break
    return {"a.parquet": raw}


def repeated(n_chars: int, n_rows: int) -> Files:
    """One long text, which the file has once and every row uses."""
    rows = pa.array([0] * n_rows, pa.int32())
    text = pa.DictionaryArray.from_arrays(rows, pa.array(["a b " * (n_chars // 4)]))
    label = pa.DictionaryArray.from_arrays(rows, pa.array(["x"]))
    columns = {"text": text, "label": label}
    return {"a.parquet": written(columns, compression="zstd", dictionary_pagesize_limit=1 << 30)}


def understated(n_chars: int, n_rows: int) -> Files:
    """The same, but the footer says that the texts take one byte when they are unpacked."""
    raw = repeated(n_chars, n_rows)["a.parquet"]
    group = pq.ParquetFile(io.BytesIO(raw)).metadata.row_group(0)
    begin, footer = split_footer(raw)
    old = varint(group.column(0).total_uncompressed_size)
    assert old in footer
    footer = footer.replace(old, varint(1, len(old)))
    return {"a.parquet": begin + footer + len(footer).to_bytes(4, "little") + b"PAR1"}


PARQUET: dict[str, Fuzzed] = {
    "parquet": Fuzzed(
        "a.parquet",
        reader_of("parquet"),
        tuple(
            {"a.parquet": written({"text": TEXTS, "label": LABELS[1]}, **writing)}
            for writing in WRITING
        ),
        (),
        (
            partial(repeated, 15 << 20, 260),
            partial(repeated, 6 << 20, 260),
            partial(repeated, 1 << 10, 1 << 18),
            partial(repeated, 4, 1 << 21),
            partial(understated, 128 << 20, 2),
        ),
        mutated_parquet,
        ({}, {}, {"unlabelled": "keep"}, {"max_input_bytes": 100}),
    )
}
