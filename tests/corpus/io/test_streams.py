"""Files that strangers wrote: packed, damaged, endless, or not what their name says."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import re
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.io import streams as opening
from laconic.corpus.io.encodings import Decoder
from laconic.corpus.io.streams import BUFFER, is_tar, open_bytes, read_lines, tar_members
from laconic.corpus.options import MIB, ReadOptions
from laconic.errors import CorpusError

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}
TEXT = "".join(f"line {i} of some text\n" for i in range(5000)).encode()


def written(folder: Path, raw: bytes, name: str = "file.txt") -> Path:
    file = folder / name
    file.write_bytes(raw)
    return file


def drain(file: Path, options: ReadOptions | None = None) -> int:
    with open_bytes(file, options or ReadOptions()) as stream:
        return sum(len(chunk) for chunk in iter(lambda: stream.read(MIB), b""))


@pytest.mark.parametrize("packing", PACKERS)
def test_compression_is_told_by_the_first_bytes_not_by_the_name(
    tmp_path: Path, packing: str
) -> None:
    file = written(tmp_path, PACKERS[packing](TEXT), "misnamed.bz2.txt")
    with open_bytes(file, ReadOptions()) as stream:
        assert stream.read() == TEXT


@pytest.mark.parametrize("packing", ["gzip", "xz", "bzip2"])
@pytest.mark.parametrize("kept", [0.3, 0.9, 0.999])
def test_a_truncated_file_is_an_error_not_a_short_text(
    tmp_path: Path, packing: str, kept: float
) -> None:
    raw = PACKERS[packing](TEXT)
    file = written(tmp_path, raw[: int(len(raw) * kept)])
    with pytest.raises(CorpusError, match="truncated or damaged"):
        drain(file)


def test_damage_after_some_lines_is_reported_with_the_next(tmp_path: Path) -> None:
    text = random.Random(0).randbytes(2 * BUFFER).hex("\n", 40).encode()
    file = written(tmp_path, gzip.compress(text)[:-BUFFER])
    lines: list[tuple[int, str]] = []
    with pytest.raises(CorpusError) as caught:
        lines.extend(read_lines(file, ReadOptions()))
    assert lines
    assert f"{file}, line {len(lines) + 1}: is truncated or damaged" in str(caught.value)


@pytest.mark.parametrize("packing", ["gzip", "xz", "bzip2"])
def test_a_flipped_byte_is_found(tmp_path: Path, packing: str) -> None:
    raw = bytearray(PACKERS[packing](TEXT))
    raw[len(raw) // 2] ^= 0xFF
    with pytest.raises(CorpusError, match="truncated or damaged"):
        drain(written(tmp_path, bytes(raw)))


def test_a_missing_file_a_folder_and_a_forbidden_file_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.csv: there is no such file"):
        open_bytes(tmp_path / "nowhere.csv", ReadOptions())
    with pytest.raises(CorpusError, match="is a folder"):
        open_bytes(tmp_path, ReadOptions())

    def forbid(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # root may read anything, so a mode of 000 would prove nothing
    monkeypatch.setattr(opening, "ProgressFile", forbid)
    with pytest.raises(CorpusError, match="permission denied"):
        open_bytes(written(tmp_path, b"x"), ReadOptions())


@pytest.mark.parametrize("packing", PACKERS)
def test_an_empty_file_is_empty_packed_or_not(tmp_path: Path, packing: str) -> None:
    with pytest.raises(CorpusError, match="is empty"):
        open_bytes(written(tmp_path, PACKERS[packing](b"")), ReadOptions())


def test_a_zip_archive_is_named_as_such(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.csv", "w") as archive:
        archive.writestr("x.csv", "text,label\n")
    with pytest.raises(CorpusError, match="is a zip archive"):
        open_bytes(tmp_path / "x.csv", ReadOptions())


@pytest.mark.parametrize("packing", PACKERS)
def test_no_more_than_max_bytes_comes_out(tmp_path: Path, packing: str) -> None:
    file = written(tmp_path, PACKERS[packing](bytes(MIB)))
    assert drain(file, ReadOptions(max_input_bytes=MIB)) == MIB
    with pytest.raises(CorpusError, match=r"more than 1,048,575 bytes .* --max-input-bytes"):
        drain(file, ReadOptions(max_input_bytes=MIB - 1))


def test_an_absurd_ratio_is_a_bomb_long_before_max_bytes(tmp_path: Path) -> None:
    file = written(tmp_path, gzip.compress(bytes(16 * MIB)) * 20)
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match="may be a decompression bomb"):
            drain(file)
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


def test_a_small_file_of_zeros_is_no_bomb(tmp_path: Path) -> None:
    assert drain(written(tmp_path, bz2.compress(bytes(16 * MIB)))) == 16 * MIB


def test_progress_climbs_to_the_size_of_the_file(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    file = written(tmp_path, gzip.compress(os.urandom(5 * MIB)))
    drain(file, ReadOptions(progress=lambda done, total: told.append((done, total))))
    size = file.stat().st_size
    done = [done for done, _ in told]
    assert {total for _, total in told} == {size}
    assert done == sorted(set(done))
    assert done[-1] == size
    assert 5 <= len(told) <= 7


def numbered(folder: Path, raw: bytes, options: ReadOptions | None = None) -> list[tuple[int, str]]:
    return list(read_lines(written(folder, raw), options or ReadOptions()))


def test_lines_lose_their_ends_and_the_mark_at_the_start(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbfone\r\ntwo\rstill two\n\nfour\r"
    assert numbered(tmp_path, raw) == [(1, "one"), (2, "two\rstill two"), (3, ""), (4, "four\r")]
    kept = read_lines(tmp_path / "file.txt", ReadOptions(), keep_ends=True)
    assert [line for _, line in kept] == ["one\r\n", "two\rstill two\n", "\n", "four\r"]


@given(text=st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32"])
def test_lines_are_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, encoding: str, text: str
) -> None:
    text = "x" + text
    file = written(tmp_path_factory.getbasetemp(), text.encode(encoding))
    expected = text.split("\n")
    if expected[-1] == "":
        expected.pop()
    assert [line for _, line in read_lines(file, ReadOptions(encoding=encoding))] == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_line_may_have_max_line_and_no_more(tmp_path: Path, end: str, encoding: str) -> None:
    options = ReadOptions(max_line=10, encoding=encoding)
    good = ("short\n" + "x" * 10 + end).encode(encoding)
    assert numbered(tmp_path, good, options) == [(1, "short"), (2, "x" * 10)]
    bad = ("short\n" + "x" * 11 + end).encode(encoding)
    with pytest.raises(CorpusError, match=r"line 2: is longer than 10 bytes.*--max-line"):
        numbered(tmp_path, bad, options)


def test_a_line_of_100_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    file = tmp_path / "one-line.csv"
    with file.open("wb") as out:
        out.write(b"text,label\n")
        out.truncate(100 * MIB)
    tracemalloc.start()
    try:
        with pytest.raises(CorpusError, match="line 2: is longer than 1,048,576 bytes"):
            list(read_lines(file, ReadOptions(max_line=MIB)))
        assert tracemalloc.get_traced_memory()[1] < 8 * MIB
    finally:
        tracemalloc.stop()


def test_a_nul_byte_names_its_line_and_utf16(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"line 2: contains a NUL byte.*utf-16"):
        numbered(tmp_path, b"fine\nnot\0fine\n")
    with pytest.raises(CorpusError, match=r"line 1: contains a NUL byte.*--encoding utf-16"):
        numbered(tmp_path, "text,label\n".encode("utf-16"))
    with pytest.raises(CorpusError, match="line 2: contains a NUL byte"):
        numbered(tmp_path, "a\n\0".encode("utf-16"), ReadOptions(encoding="utf-16"))


def test_bytes_that_are_not_the_encoding_are_found(tmp_path: Path) -> None:
    raw = "gut\nschön ü\n".encode("latin-1")
    with pytest.raises(CorpusError, match=r"line 2: byte 0xf6 in column 4 .*latin-1.*replace"):
        numbered(tmp_path, raw)
    assert numbered(tmp_path, raw, ReadOptions(encoding="latin-1")) == [(1, "gut"), (2, "schön ü")]
    with pytest.raises(CorpusError, match="byte 0x81 in column 2 is not cp1252"):
        numbered(tmp_path, b"a\x81", ReadOptions(encoding="cp1252"))


def test_half_a_character_of_utf16_names_its_line(tmp_path: Path) -> None:
    raw = "a\nbc".encode("utf-16-le") + b"\x00\xd8" + "d\n".encode("utf-16-le")
    with pytest.raises(CorpusError, match="line 2: byte 0x00 in column 3 is not utf-16-le"):
        numbered(tmp_path, raw, ReadOptions(encoding="utf-16-le"))
    replacing = ReadOptions(encoding="utf-16-le", encoding_errors="replace")
    assert numbered(tmp_path, raw, replacing) == [(1, "a"), (2, "bc\ufffdd")]


def test_replaced_lines_are_counted_in_a_note(tmp_path: Path) -> None:
    notes: list[str] = []
    file = written(tmp_path, b"a\xff\xfe\nb\nc\xff\n")
    read = list(read_lines(file, ReadOptions(encoding_errors="replace"), notes=notes))
    assert read == [(1, "a\ufffd\ufffd"), (2, "b"), (3, "c\ufffd")]
    assert notes == ["2 lines contained bytes that are not utf-8: replaced"]


def test_utf16_without_its_mark_needs_its_byte_order(tmp_path: Path) -> None:
    raw = "gelb\nrot".encode("utf-16-le")
    assert numbered(tmp_path, raw, ReadOptions(encoding="utf-16-le")) == [(1, "gelb"), (2, "rot")]
    with pytest.raises(CorpusError, match=r"is not utf-16: .*--encoding utf-8 or utf-16-le"):
        numbered(tmp_path, raw, ReadOptions(encoding="utf-16"))


@pytest.mark.parametrize("name", ["klingon", "hex", "undefined", "a\0b"])
def test_an_unknown_encoding_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CorpusError, match="unknown text encoding"):
        numbered(tmp_path, b"x", ReadOptions(encoding=name))


@pytest.mark.parametrize("encoding_errors", ["strict", "replace"])
def test_r10_an_encoding_that_cannot_replace_is_refused(
    tmp_path: Path, encoding_errors: Any
) -> None:
    """R10: `--encoding idna --encoding-errors replace` ended with a traceback."""
    file = written(tmp_path, b"text,label\n\xff,x\n")
    with pytest.raises(CorpusError, match="unknown text encoding 'idna'"):
        list(read_lines(file, ReadOptions(encoding="idna", encoding_errors=encoding_errors)))


def test_a_document_follows_the_same_rules() -> None:
    assert Decoder("x", ReadOptions()).text(b"\xef\xbb\xbfa\r\nb") == "a\r\nb"
    assert Decoder("x", ReadOptions(), "latin-1").text(b"\xe9") == "é"
    assert Decoder("x", ReadOptions(encoding_errors="replace")).text(b"a\xe9") == "a\ufffd"
    with pytest.raises(CorpusError, match="x, line 3: byte 0xe9 in column 2"):
        Decoder("x", ReadOptions()).text(b"a\nb\nc\xe9")
    with pytest.raises(CorpusError, match="x, line 2: contains a NUL"):
        Decoder("x", ReadOptions()).text(b"a\n\0")


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def packed(
    contents: Iterable[tuple[str | tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for what, content in contents:
            info = what if isinstance(what, tarfile.TarInfo) else entry(what)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def unpacked(file: Path, options: ReadOptions | None = None) -> list[tuple[str, bytes]]:
    return [(name, stream.read()) for name, stream in tar_members(file, options or ReadOptions())]


DOCUMENTS = [("b/2", b"two" * 1000), ("a/1", b"one"), ("ü/" + "long" * 60, b"")]


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_members_come_in_the_order_of_the_archive(tmp_path: Path, packing: str, form: int) -> None:
    file = written(tmp_path, PACKERS[packing](packed(DOCUMENTS, form)), "x")
    assert is_tar(file)
    assert unpacked(file) == DOCUMENTS


def test_only_documents_come_out(tmp_path: Path) -> None:
    contents = [
        (entry("./a", tarfile.DIRTYPE), b""),
        ("./a/1", b"one"),
        ("a/._1", b"finder"),
        ("a/.DS_Store", b"finder"),
    ]
    assert unpacked(written(tmp_path, packed(contents))) == [("a/1", b"one")]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (entry("../escape"), "has a path outside"),
        (entry("a/../../escape"), "has a path outside"),
        (entry("/etc/passwd"), "has a path outside"),
        (entry("../folder", tarfile.DIRTYPE), "has a path outside"),
        (entry("link", tarfile.SYMTYPE, "/etc/passwd"), "is a link"),
        (entry("hard", tarfile.LNKTYPE, "a/1"), "is a link"),
        (entry("pipe", tarfile.FIFOTYPE), "is a device or pipe"),
        (entry("device", tarfile.CHRTYPE), "is a device or pipe"),
    ],
)
def test_what_is_no_plain_file_inside_is_refused_by_name(
    tmp_path: Path, bad: tarfile.TarInfo, reason: str
) -> None:
    file = written(tmp_path, packed([("a/1", b"one"), (bad, b"")]))
    with pytest.raises(CorpusError, match=f"its member '{re.escape(bad.name)}' {reason}"):
        unpacked(file)
    assert os.listdir(tmp_path) == ["file.txt"]


def test_an_archive_cut_anywhere_never_passes_for_whole(tmp_path: Path) -> None:
    whole = packed([("a/1", b"one" * 300), ("b/2", b"two" * 300)])
    end = tarfile.BLOCKSIZE * 6
    assert not any(whole[end:])
    for cut in range(1, end, 101):
        with pytest.raises(CorpusError, match="truncated or damaged"):
            unpacked(written(tmp_path, whole[:cut]))
    for cut in range(tarfile.BLOCKSIZE, end + 1, tarfile.BLOCKSIZE):
        with pytest.raises(CorpusError, match="truncated or damaged"):
            unpacked(written(tmp_path, whole[:cut]))
    assert len(unpacked(written(tmp_path, whole[: end + tarfile.BLOCKSIZE]))) == 2


def test_a_damaged_header_is_not_the_end(tmp_path: Path) -> None:
    whole = bytearray(packed([("a/1", b"one"), ("b/2", b"two")]))
    whole[2 * tarfile.BLOCKSIZE] ^= 0xFF
    with pytest.raises(CorpusError, match="truncated or damaged"):
        unpacked(written(tmp_path, bytes(whole)))


def test_members_together_stay_within_max_bytes(tmp_path: Path) -> None:
    file = written(tmp_path, gzip.compress(packed([("a/1", bytes(MIB)), ("a/2", bytes(MIB))])))
    assert len(unpacked(file)) == 2
    with pytest.raises(CorpusError, match="--max-input-bytes"):
        unpacked(file, ReadOptions(max_input_bytes=2 * MIB - 1))


def test_a_sparse_member_is_refused(tmp_path: Path) -> None:
    """A header of 512 bytes claims 4 GiB of zeros, which is below the usual limit."""
    header = entry("holes", tarfile.GNUTYPE_SPARSE)
    raw = bytearray(header.tobuf(tarfile.GNU_FORMAT))
    raw[386:410] = b"00000000000\0" + b"00000000000\0"
    raw[483:495] = b"%011o\0" % (1 << 32)
    raw[148:156] = b"%06o\0 " % (sum(raw[:148]) + 8 * 32 + sum(raw[156:]))
    file = written(tmp_path, bytes(raw) + bytes(1024))
    with pytest.raises(CorpusError, match=r"holes.*is a sparse file"):
        next(tar_members(file, ReadOptions()))


def test_a_table_and_a_folder_are_no_archives(tmp_path: Path) -> None:
    assert not is_tar(written(tmp_path, b"text,label\n" * 100))
    assert not is_tar(tmp_path)
    with pytest.raises(CorpusError, match="no such file"):
        is_tar(tmp_path / "nowhere")
