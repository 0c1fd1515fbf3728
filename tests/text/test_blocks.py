"""Counts in blocks on disk, against one block in memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.selectors.top import TopTerms
from laconic.text import blocks as module
from laconic.text.array_file import read_arrays, write_arrays
from laconic.text.blocks import MANIFEST, BlockFolder, block_ends
from laconic.text.counting import write_block
from laconic.text.options import TextOptions
from laconic.text.vectorizer import Vectorizer
from laconic.text.weighting import Weighting

WORDS = ["the", "cat", "sat", "Straße", "straße", "中文", "running", "ran", "42", "\u212aelvin"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1)


def folder(where: Path, docs: list[str], options: TextOptions | None = None) -> BlockFolder:
    chosen = options or TextOptions()
    text = json.dumps(repr(chosen))
    return BlockFolder(where, docs, sha256("".join(docs).encode()).hexdigest(), chosen, text)


def digest(*arrays: np.ndarray) -> str:
    return sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def generated(n_docs: int) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n_docs)
    rows = [rng.zipf(1.3, 40) % 400 + 7 * label * (rng.random(40) < 0.2) for label in y]
    return [" ".join(f"w{number}" for number in row.astype(int)) for row in rows], y


@given(
    texts, st.integers(1, 60), st.sampled_from([(1, 1), (1, 2)]), st.sampled_from(["word", "char"])
)
@settings(max_examples=30)
def test_blocks_have_the_counts_of_the_vectorizer(tmp_path_factory, docs, limit, ngrams, unit):
    options = TextOptions(ngrams=ngrams, unit=unit)
    vectorizer = Vectorizer(ngrams=ngrams, unit=unit)
    try:
        expected = vectorizer.fit_transform(docs)
    except LaconicError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK_CHARACTERS", limit)
        stored = folder(tmp_path_factory.mktemp("blocks"), docs, options).open()
    assert stored.words.tolist() == vectorizer.vocabulary_.tolist()
    found = stored.counts.gathered()
    assert (found != expected).nnz == 0
    assert found.dtype == np.int32


@pytest.mark.parametrize("n_blocks", [1, 7, 64])
def test_every_result_has_the_same_hash_for_any_number_of_blocks(tmp_path, monkeypatch, n_blocks):
    """Vocabulary, document frequency, information gain, χ² and the weights of the best words."""
    docs, y = generated(640)
    vectorizer = Vectorizer()
    counts = vectorizer.fit_transform(docs)
    weighting = Weighting("ltc", min_df=2).fit(counts)
    X = weighting.transform(counts)
    ends = np.linspace(0, len(docs), n_blocks + 1).astype(int)
    monkeypatch.setattr(module, "block_ends", lambda texts: ends)
    stored = folder(tmp_path, docs).open()
    assert len(stored.counts.parts) == n_blocks
    in_blocks = Weighting("ltc", min_df=2).fit(stored.counts)
    blocks = in_blocks.transform(stored.counts)
    assert isinstance(blocks, Blocks)
    assert "\n".join(stored.words) == "\n".join(vectorizer.vocabulary_)
    assert digest(in_blocks.document_frequency_) == digest(weighting.document_frequency_)
    for score in ("ig", "chi2", "bns", "df"):
        one, several = TopTerms(score, size=50).fit(X, y), TopTerms(score, size=50).fit(blocks, y)
        assert digest(several.scores_) == digest(one.scores_)
        cut, expected = several.transform(blocks).gathered(), one.transform(X)
        expected.sort_indices()
        parts = [(m.data, m.indices.astype(int), m.indptr.astype(int)) for m in (cut, expected)]
        assert digest(*parts[0]) == digest(*parts[1])


def test_what_is_finished_is_not_made_again(tmp_path, monkeypatch):
    docs, _ = generated(100)
    monkeypatch.setattr(module, "BLOCK_CHARACTERS", 2000)
    expected = folder(tmp_path / "other", docs).open().counts.gathered()
    made: list[str] = []

    def counting(job):
        if len(made) == 3:
            raise KeyboardInterrupt
        write_block(job)
        made.append(job.where.name)

    monkeypatch.setattr(module, "write_block", counting)
    with pytest.raises(KeyboardInterrupt):
        folder(tmp_path, docs).open()
    first = list(made)
    made.clear()
    monkeypatch.setattr(
        module, "write_block", lambda job: (write_block(job), made.append(job.where.name))
    )
    progress: list[tuple[int, int]] = []
    counts = folder(tmp_path, docs).open(progress=lambda *numbers: progress.append(numbers)).counts
    assert len(first) == 3
    assert not set(first) & set(made)
    assert len(first) + len(made) == block_ends(docs).size - 1
    assert progress[0][0] > 0, "finished blocks count as done"
    assert progress[-1][0] == progress[-1][1] == sum(map(len, docs))
    assert (counts.gathered() != expected).nnz == 0
    made.clear()
    folder(tmp_path, docs).open()
    assert not made, "another study makes no block again"


def test_a_damaged_block_is_made_again(tmp_path, monkeypatch):
    docs, _ = generated(100)
    monkeypatch.setattr(module, "BLOCK_CHARACTERS", 2000)
    stored = folder(tmp_path, docs)
    expected = stored.open().counts.gathered()
    where = module.block_file(stored.path, 1)
    raw = bytearray(where.read_bytes())
    raw[-3] ^= 1
    where.write_bytes(raw)
    assert (stored.open().counts.gathered() != expected).nnz == 0
    where.write_bytes(raw[:100])
    assert (stored.open().counts.gathered() != expected).nnz == 0
    (stored.path / MANIFEST).unlink()
    assert (stored.open().counts.gathered() != expected).nnz == 0


def test_a_damaged_header_is_read_as_one(tmp_path):
    docs, _ = generated(20)
    stored = folder(tmp_path, docs)
    expected = stored.open().counts.gathered()
    where = module.block_file(stored.path, 0)
    raw = where.read_bytes()
    for name in (b'"hash"', b'"docs"', b'"arrays"'):
        where.write_bytes(raw.replace(name, name.replace(b"s", b"S"), 1))
        assert (stored.open().counts.gathered() != expected).nnz == 0


def test_blocks_of_other_boundaries_are_made_again(tmp_path, monkeypatch):
    docs, _ = generated(60)
    expected = Vectorizer().fit_transform(docs)
    for characters in (3_000, 3_300):
        monkeypatch.setattr(module, "BLOCK_CHARACTERS", characters)
        assert (folder(tmp_path, docs).open().counts.gathered() != expected).nnz == 0
        assert len(list(tmp_path.glob("*/block-*"))) == block_ends(docs).size - 1 == 3


def test_complete_blocks_need_no_lock(tmp_path):
    docs, _ = generated(20)
    stored = folder(tmp_path, docs)
    expected = stored.open().counts.gathered()
    with FileLock(stored.path / "lock"):
        assert (stored.open().counts.gathered() != expected).nnz == 0


def test_blocks_that_another_process_makes_are_waited_for(tmp_path, monkeypatch):
    docs, _ = generated(20)
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.01)
    stored = folder(tmp_path, docs)
    stored.path.mkdir()
    other = FileLock(stored.path / "lock")
    other.acquire()
    shown: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        shown.append((done, total))
        other.release()

    assert stored.open(progress=progress).counts.shape[0] == 20
    assert shown[0] == (0, sum(map(len, docs)))


def test_other_texts_or_options_have_other_blocks(tmp_path):
    docs, _ = generated(10)
    paths = {
        folder(tmp_path, docs).path,
        folder(tmp_path, docs[1:]).path,
        folder(tmp_path, docs, TextOptions(stem="porter")).path,
    }
    assert len(paths) == 3


def test_no_file_of_somebody_else_is_replaced(tmp_path):
    docs, _ = generated(10)
    stored = folder(tmp_path, docs)
    stored.path.mkdir()
    mine = module.block_file(stored.path, 0)
    mine.write_text("my notes")
    with pytest.raises(LaconicError, match="not a file of counts written by"):
        stored.open()
    assert mine.read_text() == "my notes"


def test_a_full_disk_is_an_error_that_loses_nothing(tmp_path, monkeypatch):
    docs, _ = generated(100)
    monkeypatch.setattr(module, "BLOCK_CHARACTERS", 2000)
    stored, real = folder(tmp_path, docs), os.fsync

    def full(handle: int) -> None:
        if len(list(stored.path.glob("block-*"))) == 2:
            raise OSError(28, "No space left on device")
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(LaconicError, match="No space left"):
            stored.open()
    assert sorted(file.name for file in stored.path.iterdir()) == [
        "block-00000.counts",
        "block-00001.counts",
        "lock",
    ]
    assert stored.open().counts.shape[0] == 100


def test_arrays_survive_their_file(tmp_path):
    where, arrays = tmp_path / "a.counts", {"a": np.arange(5), "b": np.empty(0, np.uint8)}
    write_arrays(where, {"docs": 3}, arrays)
    found = read_arrays(where)
    assert found.header["docs"] == 3
    assert found.intact
    assert all(np.array_equal(found.arrays[name], arrays[name]) for name in arrays)
    with pytest.raises(LaconicError, match="made again"):
        read_arrays(tmp_path / "b.counts")


MAKER = """
import json, sys
from pathlib import Path

if __name__ == "__main__":
    from laconic.text import blocks
    from laconic.text.options import TextOptions

    blocks.BLOCK_CHARACTERS = 8_000
    docs = json.loads(Path(sys.argv[2]).read_text())
    folder = blocks.BlockFolder(Path(sys.argv[1]), docs, "a corpus", TextOptions(), "its options")
    folder.open(n_jobs=2)
"""


def finished(where: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in where.glob("*/block-*.counts")}


@pytest.mark.full
@pytest.mark.parametrize("n_kills", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_processes_leave_what_is_finished_and_nothing_else(tmp_path, monkeypatch, n_kills):
    script, where, scratch = tmp_path / "maker.py", tmp_path / "blocks", tmp_path / "scratch"
    script.write_text(MAKER)
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(sys.path)}
    docs, _ = generated(2_000)
    (tmp_path / "docs.json").write_text(json.dumps(docs))
    command = [sys.executable, script, where, tmp_path / "docs.json"]
    before: dict[str, int] = {}
    for _ in range(n_kills):
        with subprocess.Popen(command, env=environment) as process:
            while process.poll() is None and len(finished(where)) <= len(before):
                time.sleep(0.001)
            process.kill()
        after = finished(where)
        assert before.items() <= after.items(), "no block is made again"
        before = after
    assert not list(where.glob("*/manifest.json")), "all were killed before the end"
    subprocess.run(command, env=environment, check=True)
    assert before.items() <= finished(where).items()
    monkeypatch.setattr(module, "BLOCK_CHARACTERS", 8_000)
    monkeypatch.setattr(module, "write_block", None)
    stored = BlockFolder(where, docs, "a corpus", TextOptions(), "its options").open()
    assert (stored.counts.gathered() != Vectorizer().fit_transform(docs)).nnz == 0
    names = {file.name for file in stored.counts.parts[0].folder.iterdir()}
    assert names == {*finished(where), "vocabulary.counts", MANIFEST, "lock"}
    assert not list(scratch.iterdir())
