"""The outer header of a model file: read no more leniently than the official library reads it."""

from __future__ import annotations

import json

import pytest
from safetensors import SafetensorError
from safetensors.numpy import load

from laconic.errors import LaconicError
from laconic.runtime.tensors import from_bytes

PLAIN = json.dumps(
    {
        "__metadata__": {"laconic": "{}"},
        "a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]},
    }
)


def file_of(header: bytes, body: bytes = bytes(8)) -> bytes:
    return len(header).to_bytes(8, "little") + header + body


def test_what_we_write_is_read() -> None:
    data = file_of(PLAIN.encode())
    assert list(load(data)) == ["a"]
    told, tensors = from_bytes(data)
    assert (told, "a" in tensors) == ({}, True)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-32-be"])
def test_r11_the_header_is_utf8_without_a_mark(encoding: str) -> None:
    """R11: json.loads guesses the encoding of bytes, and safetensors does not."""
    data = file_of(PLAIN.encode(encoding))
    with pytest.raises(SafetensorError):
        load(data)
    with pytest.raises(LaconicError, match=r"not JSON|not UTF-8"):
        from_bytes(data)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[0, 8]", "[-0, 8]", "-0"),
        ('"a":', '"b": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}, "a":', "overlap"),
        ('"{}"', '"{}", "x": 1', "metadata that is not text"),
        ('"{}"', '"{}", "x": {"y": "z"}', "metadata that is not text"),
        ('{"laconic": "{}"}', "[]", "metadata that is not text"),
        ('"{}"', r'"{}", "\ud800": "x"', "half a character"),
        ('"{}"', r'"{}\udc00"', "half a character"),
        ('"a"', r'"\ud800"', "half a character"),
    ],
)
def test_r11_what_safetensors_refuses_is_refused(old: str, new: str, says: str) -> None:
    """R11: other differences of Python's JSON and of the official library's."""
    data = file_of(PLAIN.replace(old, new).encode())
    with pytest.raises(SafetensorError):
        load(data)
    with pytest.raises(LaconicError, match=says):
        from_bytes(data)
