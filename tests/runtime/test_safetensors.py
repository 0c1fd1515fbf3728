"""The bytes of our files are those of the official library of safetensors."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from safetensors.numpy import load, save

from laconic.compact.model_file import tensor_parts
from laconic.runtime.compression import inflated
from laconic.runtime.tensors import Tensors, from_bytes
from tests.fuzzing.models import bases, mutant

numbers = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(st.none(), st.booleans(), numbers, st.text())
headers = st.dictionaries(st.text(), st.one_of(values, st.lists(values, max_size=3)), max_size=4)
tensors = st.dictionaries(
    st.from_regex(r"[a-z.]{1,8}", fullmatch=True),
    st.sampled_from(["<f8", "<f4", "<u4", "<u2", "i1", "u1"]).flatmap(
        lambda dtype: arrays(dtype, array_shapes(max_dims=2, min_side=0, max_side=3))
    ),
    max_size=5,
)


@given(headers, tensors)
def test_we_write_what_the_official_library_writes(
    header: dict[str, Any], named: dict[str, NDArray[Any]]
) -> None:
    data = b"".join(tensor_parts(header, named))
    text = json.dumps(header, separators=(",", ":"))
    assert data == save(named, {"laconic": text})


@given(headers, tensors)
def test_what_we_write_is_read_by_both(
    header: dict[str, Any], named: dict[str, NDArray[Any]]
) -> None:
    data = b"".join(tensor_parts(header, named))
    found, read = from_bytes(data)
    assert found == header
    check_equal(read, data)
    assert not [name for name in named if name in read], "all were taken"


def check_equal(read: Tensors, data: bytes) -> None:
    """The arrays that we read are those that the official library reads, and no other."""
    for name, array in load(data).items():
        taken = read.take(name, array.dtype.type, *array.shape)
        assert taken.tobytes() == array.tobytes()
    read.end()


@pytest.fixture(scope="module")
def originals() -> list[bytes]:
    return [inflated(data) for data in bases()]


@given(seed=st.integers(0, 1 << 32))
def test_we_are_never_more_lenient(seed: int, originals: list[bytes]) -> None:
    """Every mutant that we read is read by the official library, with the same arrays."""
    rng = random.Random(seed)
    data = mutant(rng.choice(originals), rng)
    try:
        _, read = from_bytes(data)
    except ValueError:
        return
    check_equal(read, data)
