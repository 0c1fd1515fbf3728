"""Tar archives with lies in their headers, zip archives, and damaged compressed streams."""

from __future__ import annotations

import io
import random
import tarfile
import zipfile
from functools import partial
from typing import Any

from tests.fuzzing.mutating import PACKERS, Files, bomb, flipped, mutated
from tests.fuzzing.text_readers import CSV, NEWS, Fuzzed, packed_tar, reader_of

BLOCK = tarfile.BLOCKSIZE
SIZES = (0, 1, 511, 513, 1 << 20, 1 << 32, (1 << 33) - 1)
TYPES = b"0\x00123456789LKxgSVZ"
NAMES = ("../up", "/top", "a/../../b", "", ".", "a" * 99, "n-train/tea/1", "\udcff", "._a", "a\nb")
PAX = (
    {"size": "99999999999"},
    {"path": "../x"},
    {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "99999999999"},
    {"GNU.sparse.map": "0,1,4294967296,1", "GNU.sparse.size": "4294967297"},
    {"hdrcharset": "BINARY"},
    {"mtime": "x"},
)


def with_checksum(header: bytearray) -> bytearray:
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return header


def header_changed(raw: bytes, rng: random.Random) -> bytes:
    """A header with another size, type, name or map of holes, and the right checksum."""
    starts = [at for at in range(0, len(raw), BLOCK) if raw[at + 257 : at + 262] == b"ustar"]
    if not starts:
        return raw
    at = rng.choice(starts)
    header = bytearray(raw[at : at + BLOCK])
    way = rng.randrange(5)
    if way == 0:
        header[124:136] = b"%011o\0" % rng.choice(SIZES)
    elif way == 1:
        header[156] = rng.choice(TYPES)
    elif way == 2:
        name = rng.choice(NAMES).encode("utf-8", "surrogateescape")
        header[:100] = name.ljust(100, b"\0")
    elif way == 3:
        header[156:157] = b"S"
        header[386:410] = b"%011o\0" % rng.choice(SIZES) * 2
        header[483:495] = b"%011o\0" % rng.choice(SIZES)
    else:
        header = bytearray(flipped(bytes(header), rng, 0, 345))
    return raw[:at] + bytes(with_checksum(header)) + raw[at + BLOCK :]


def pax_tar(files: Files, rng: random.Random) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, raw in files.items():
            entry = tarfile.TarInfo(name * rng.choice((1, 1, 20)))
            entry.size, entry.pax_headers = len(raw), dict(rng.choice(PAX))
            archive.addfile(entry, io.BytesIO(raw))
    return out.getvalue()


def tar_mutated(files: Files, words: tuple[str, ...], rng: random.Random) -> Files:
    """Other members, other headers, then perhaps cut or compressed; the name stays."""
    way = rng.random()
    members = mutated(NEWS, words, rng) if way < 0.3 else NEWS
    raw = pax_tar(members, rng) if rng.random() < 0.2 else packed_tar(members)["n.tar"]
    if way > 0.25:
        for _ in range(rng.choice((1, 1, 2, 3))):
            raw = header_changed(raw, rng)
    if rng.random() < 0.15:
        raw = raw[: rng.randrange(len(raw) + 1)]
    if rng.random() < 0.3:
        raw = PACKERS[rng.choice(sorted(PACKERS))](raw)
    return {"n.tar": raw}


def stream_mutated(files: Files, words: tuple[str, ...], rng: random.Random) -> Files:
    """Packed once or twice, then cut, flipped, joined to another or followed by rubbish."""
    raw = mutated({"a.csv": files["a.csv"]}, words, rng).get("a.csv", b"")
    for _ in range(rng.choice((1, 1, 1, 2))):
        raw = PACKERS[rng.choice(sorted(PACKERS))](raw * rng.choice((1, 1, 50)))
    way = rng.randrange(6)
    if way == 0:
        raw = raw[: rng.randrange(len(raw) + 1)]
    elif way < 3:
        raw = flipped(raw, rng, 0, rng.choice((24, len(raw))))
    elif way == 3:
        raw += rng.randbytes(rng.randrange(1, 40))
    elif way == 4:
        raw += PACKERS[rng.choice(sorted(PACKERS))](files["a.csv"])
    return {"a.csv": raw}


def sparse_member(n_bytes: int) -> bytes:
    """One header that claims so many zeros and brings none."""
    entry = tarfile.TarInfo("a/holes")
    entry.type = tarfile.GNUTYPE_SPARSE
    header = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    header[386:410] = b"%011o\0" % 0 * 2
    header[483:495] = b"%011o\0" % n_bytes
    return bytes(with_checksum(header)) + bytes(2 * BLOCK)


def zipped(files: Files) -> Files:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, raw in files.items():
            archive.writestr(name, raw)
    return {"n.tar": out.getvalue()}


def zip_mutated(files: Files, _: tuple[str, ...], rng: random.Random) -> Files:
    return {name: flipped(raw, rng) for name, raw in files.items()}


def table_bomb(ending: str) -> Files:
    lines = b"".join(b"%s,%s\n" % (b"a cat sat, " * 2000, label) for label in (b"x", b"y"))
    return {"a.csv": bomb(b"text,label\n" + lines.replace(b", ", b" "), 64 << 20, ending)}


LATIN: tuple[dict[str, Any], ...] = ({"encoding": "latin-1"}, {}, {"max_input_bytes": 3000})
ARCHIVES: dict[str, Fuzzed] = {
    "tar": Fuzzed(
        "n.tar",
        reader_of("folder"),
        (packed_tar(NEWS),),
        ("\n\n",),
        (
            lambda: {"n.tar": sparse_member(1 << 32)},
            lambda: {"n.tar": bomb(packed_tar(NEWS)["n.tar"][: 8 * BLOCK], 48 << 20, ".gz")},
        ),
        tar_mutated,
        LATIN,
    ),
    "zip": Fuzzed("n.tar", reader_of("folder"), (zipped(NEWS),), (), (), zip_mutated, LATIN),
    "compressed": Fuzzed(
        "a.csv",
        reader_of("csv"),
        ({"a.csv": CSV[0].encode()},),
        ('"', ","),
        tuple(partial(table_bomb, ending) for ending in sorted(PACKERS)),
        stream_mutated,
    ),
}
