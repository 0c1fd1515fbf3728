"""Mutations that every format shares: of tokens, lines, bytes and of the set of files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import re
from collections.abc import Callable

Files = dict[str, bytes]

HUGE = (
    *("0", "-0", "-1", "1", "2", "65535", "65536", "65537", "16777215", "16777216", "16777217"),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "18446744073709551616"),
    *("9" * 30, "9" * 5000, "1e308", "1e309", "-1e308", "5e-324", "1e-400", "nan", "inf", "-inf"),
    *("1_0", "0x10", "+1", "1.", ".5", "1e", "٤", "1,5", "true", "null", "NaN", "Infinity"),
)
ODD = (
    *("", " ", "\t", "\r", "\n", "\n\n", "\r\n", "\x00", "\x0b", "\x1c", "\x85", "\u2028"),
    *("\ufeff", "é", "\U0001f600", "\ud800", '"', "'", '""', "\\", "`", "#", "%", "&", "&#0;"),
    *("<", ">", "</", "]]>", "<!--", "{", "}", "[", "]", ":", "::", ",", ",,", ";", "|", "=", "?"),
)
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda raw: gzip.compress(raw, mtime=0),
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}
TOKEN = re.compile(r"\s+|[^\s\w]|\w+")
ENCODINGS = ("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "utf-8-sig", "cp500")
STRANGE = (b"\x00", b"\xff", b"\xfe\xff", b"\xed\xa0\x80", b"\x1a")
REPEATS = (2, 3, 10, 100, 3000)


def mutated(files: Files, words: tuple[str, ...], rng: random.Random) -> Files:
    """The files after one to three changes; `words` belong to the format."""
    files = dict(files)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not files:
            return files
        name = rng.choice(sorted(files))
        way = rng.random()
        if way < 0.65:
            files[name] = tokens_changed(files[name], words, rng)
        elif way < 0.78:
            files[name] = lines_changed(files[name], rng)
        elif way < 0.92:
            files[name] = bytes_changed(files[name], rng)
        else:
            files = set_changed(files, name, rng)
    return files


def times(length: int, rng: random.Random) -> int:
    """How often to repeat something of this length, up to one megabyte in total."""
    return max(1, min(rng.choice(REPEATS), (1 << 20) // max(1, length)))


def tokens_changed(raw: bytes, words: tuple[str, ...], rng: random.Random) -> bytes:
    """A token deleted, doubled, swapped with another, nested deeply, or replaced."""
    tokens = TOKEN.findall(raw.decode("latin-1")) or [""]
    at, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
    way = rng.randrange(8)
    if way == 0:
        del tokens[at]
    elif way == 1:
        tokens[at] *= times(len(tokens[at]), rng)
    elif way == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    elif way == 3:
        depth = rng.choice((10, 1000, 100_000))
        opening, closing = rng.choice((("[", "]"), ('{"a":', "}"), ("<a>", "</a>"), ('"', '"')))
        tokens[at] = opening * depth + tokens[at] + closing * depth
    else:
        word = rng.choice(rng.choice((HUGE, HUGE, ODD, words or HUGE)))
        tokens[at] = word.encode("utf-8", "surrogatepass").decode("latin-1")
    return "".join(tokens).encode("latin-1")


def lines_changed(raw: bytes, rng: random.Random) -> bytes:
    """A line deleted, repeated, swapped, cut or made long."""
    lines = raw.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(6)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines[at:at] = [lines[at]] * times(len(lines[at]), rng)
    elif way == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif way == 3:
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
    elif way == 4:
        lines[at] = b" ".join([lines[at]] * times(len(lines[at]), rng))
    else:
        lines = [b"\r\n".join(lines)] if rng.random() < 0.5 else [b"\r".join(lines)]
    return b"\n".join(lines)


def bytes_changed(raw: bytes, rng: random.Random) -> bytes:
    """Truncated, flipped, with strange bytes inside, or in another encoding."""
    at = rng.randrange(len(raw) + 1)
    way = rng.randrange(6)
    if way == 0:
        return raw[:at]
    if way == 1:
        return flipped(raw, rng)
    if way == 2:
        return raw[:at] + rng.choice(STRANGE) + raw[at:]
    if way == 3:
        text = raw.decode("utf-8", "replace")
        return text.encode(rng.choice(ENCODINGS), "replace")
    if way == 4:
        return rng.randbytes(rng.randrange(1, 600))
    return raw[at:] + raw[:at]


def flipped(raw: bytes, rng: random.Random, begin: int = 0, end: int | None = None) -> bytes:
    """A few bits from `begin` to `end` changed."""
    changed = bytearray(raw)
    stop = len(raw) if end is None else min(end, len(raw))
    for _ in range(rng.choice((1, 1, 2, 8))):
        if begin < stop:
            changed[rng.randrange(begin, stop)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_changed(files: Files, name: str, rng: random.Random) -> Files:
    """A file removed, exchanged with another, compressed (perhaps damaged), or as a bomb."""
    files = dict(files)
    way = rng.randrange(5)
    if way == 0:
        del files[name]
    elif way == 1:
        other = rng.choice(sorted(files))
        files[name], files[other] = files[other], files[name]
    else:
        ending = rng.choice(sorted(PACKERS))
        raw = files.pop(name)
        packed = PACKERS[ending](raw * (times(len(raw), rng) if way == 2 else 1))
        files[name + ending] = flipped(packed, rng) if way == 3 else packed
    return files


def bomb(raw: bytes, n_bytes: int, ending: str) -> bytes:
    """The contents repeated up to this many bytes, and compressed."""
    n_piece = 1 << 20
    piece = PACKERS[ending](raw * (n_piece // len(raw)))
    return piece * (n_bytes // n_piece)
