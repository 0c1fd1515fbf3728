"""Many files are one corpus: the same as that of one file with all records."""

from __future__ import annotations

import bz2
import csv
import errno
import gzip
import io
import json
import lzma
import pickle
import tempfile
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laconic.corpus import stored_texts
from laconic.corpus.corpus import Corpus
from laconic.corpus.loading import load_corpus, located
from laconic.corpus.readers import shards
from laconic.corpus.readers.names import name_of
from laconic.corpus.stored_texts import StoredTexts
from laconic.errors import CorpusError, LaconicError, ResourceError
from laconic.processes import LocalProcesses
from laconic.text.problem import CountedCorpus

Objects = list[dict[str, Any]]
WORDS = ("ships", "sun,\n", '"quoted"', "ünïcode", "\U0001f600", "  ", "")
OBJECTS: Objects = [
    {
        "text": f"{WORDS[at % 7]} text {at % 11}",
        "label": ["a", "b", "c"][at % 3],
        "id": f"document {at}",
        "split": "test" if at % 4 == 0 else "dev" if at % 5 == 0 else "train",
    }
    for at in range(40)
]


def as_jsonl(objects: Objects) -> bytes:
    return "".join(json.dumps(thing) + "\n" for thing in objects).encode()


def as_csv(objects: Objects) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(objects[0]) if objects else ["text", "label"])
    writer.writeheader()
    writer.writerows(objects)
    return out.getvalue().encode()


def as_parquet(objects: Objects) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(objects), sink)
    return bytes(sink.getvalue())


WRITERS: dict[str, Callable[[Objects], bytes]] = {
    "jsonl": as_jsonl,
    "csv": as_csv,
    "parquet": as_parquet,
}


def parts_of(objects: Objects, ends: Sequence[int] = (3, 20, 21)) -> list[Objects]:
    edges = [0, *sorted(ends), len(objects)]
    return [objects[a:b] for a, b in pairwise(edges)]


def write(folder: Path, parts: Sequence[Objects], suffix: str = "jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    for number, objects in enumerate(parts, 8):
        (folder / f"part-{number}.{suffix}").write_bytes(WRITERS[suffix](objects))
    return folder


def whole(folder: Path, objects: Objects = OBJECTS, **options: Any) -> Corpus:
    file = folder / "whole.jsonl"
    file.write_bytes(as_jsonl(objects))
    return load_corpus(file, **options)


def described(corpus: Corpus) -> tuple[Any, ...]:
    return (corpus.fingerprint, corpus.notes, corpus.groups, corpus.times, corpus.multilabel)


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary files go; none is left behind."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not list(folder.iterdir())


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    system.store.clear()
    yield system
    system.store.clear()


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_folder_a_glob_and_several_files_are_the_whole(tmp_path: Path, suffix: str) -> None:
    folder = write(tmp_path / "mail", parts_of(OBJECTS), suffix)
    expected = described(whole(tmp_path))
    several = sorted(folder.iterdir(), reverse=True)
    for where in (folder, f"{folder}/part-*.{suffix}", several):
        corpus = load_corpus(where)
        assert described(corpus) == expected
        assert corpus.name == "mail"


@settings(max_examples=25, deadline=None)
@given(
    ends=st.lists(st.integers(0, 12), min_size=1, max_size=4),
    labels=st.lists(
        st.sampled_from(["a", "b", ["a"], ["a", "b"], [], "", None]), min_size=12, max_size=12
    ),
    unlabelled=st.sampled_from(["drop", "keep"]),
)
def test_labels_mean_what_they_mean_in_one_file(
    tmp_path_factory: pytest.TempPathFactory, ends: list[int], labels: list[Any], unlabelled: str
) -> None:
    """A list of several labels changes what no label means in the files after it."""
    folder = tmp_path_factory.mktemp("mail")
    objects = [{"text": f"text {at}", "label": label} for at, label in enumerate(labels)]
    objects += [{"text": "x", "label": "a"}, {"text": "y", "label": "b"}]
    parts = write(folder / "parts", parts_of(objects, ends))
    expected = described(whole(folder, objects, unlabelled=unlabelled))
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(shards, "WORTH_PROCESSES", 0)
        monkeypatch.setattr(shards, "LocalProcesses", in_this_process)
        for n_jobs in (1, 2):
            corpus = load_corpus(parts, unlabelled=unlabelled, n_jobs=n_jobs)
            notes = tuple(note for note in corpus.notes if " empty" not in note)
            assert described(replace(corpus, notes=notes)) == expected


def in_this_process(n_jobs: int) -> LocalProcesses:
    """The same calls, without processes: hypothesis makes many."""
    return LocalProcesses(1)


def test_fields_by_option_and_notes_are_those_of_the_whole(tmp_path: Path) -> None:
    objects = [
        {"body": f"text {at}", "tags": "a;b" if at % 2 else "c", "day": f"2024-05-{at + 1:02}"}
        for at in range(20)
    ]
    options = {"text": "body", "label": "tags", "separator": ";", "id": ""}
    for more in ({"time": "day"}, {"group": "day"}):
        folder = write(tmp_path / "parts", parts_of(objects, [5]))
        corpus = load_corpus(folder, **options, **more)
        assert described(corpus) == described(whole(tmp_path, objects, **options, **more))
        assert corpus.ids == tuple(map(str, range(20)))


def test_shards_may_be_compressed_each_in_its_own_way(tmp_path: Path) -> None:
    packers = (bytes, gzip.compress, lzma.compress, bz2.compress)
    endings = ("", ".gz", ".xz", ".bz2")
    (tmp_path / "mail").mkdir()
    for number, part in enumerate(parts_of(OBJECTS)):
        file = tmp_path / "mail" / f"part-{number}.jsonl{endings[number]}"
        file.write_bytes(packers[number](as_jsonl(part)))
    assert load_corpus(tmp_path / "mail").fingerprint == whole(tmp_path).fingerprint


def test_texts_go_to_files_if_they_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path
) -> None:
    expected = whole(tmp_path)
    assert isinstance(expected.texts, tuple)
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 100)
    monkeypatch.setattr(stored_texts, "PORTION", 64)
    for where in (folder, tmp_path / "whole.jsonl"):
        corpus = load_corpus(where)
        assert isinstance(corpus.texts, StoredTexts)
        assert list(scratch.iterdir())
        assert described(corpus) == described(expected)
        assert tuple(corpus.texts) == expected.texts
        assert corpus.n_copies == expected.n_copies
        del corpus


@pytest.mark.parametrize(
    "copied", [copy, deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_copy_of_a_large_corpus_keeps_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path, copied: Callable[[Any], Any]
) -> None:
    expected = whole(tmp_path)
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 100)
    monkeypatch.setattr(stored_texts, "PORTION", 64)
    corpus = load_corpus(tmp_path / "whole.jsonl")
    counted = CountedCorpus.of(corpus)
    again, counts_again = copied(corpus), copied(counted.counts)
    counts = counted.counts.gathered()
    message = pickle.dumps((corpus, counted.counts))
    del corpus, counted
    assert tuple(again.texts) == expected.texts
    assert (counts_again.gathered() != counts).nnz == 0
    del again, counts_again
    assert not list(scratch.iterdir())
    other, counts_other = pickle.loads(message)
    with pytest.raises(CorpusError, match=r"texts: the temporary texts .* load the corpus again"):
        tuple(other.texts)
    with pytest.raises(LaconicError, match="the word counts are gone"):
        counts_other.gathered()


def test_several_processes_read_the_same_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unlabelled documents are dropped after their texts were stored."""
    monkeypatch.setattr(shards, "WORTH_PROCESSES", 0)
    objects = [thing if at % 6 else thing | {"label": None} for at, thing in enumerate(OBJECTS)]
    folder = write(tmp_path / "mail", [*parts_of(objects), []])
    reported: list[tuple[int, int]] = []
    for in_memory in (1 << 20, 100):
        monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", in_memory)
        several, single = (
            load_corpus(
                folder,
                unlabelled="drop",
                n_jobs=n_jobs,
                progress=lambda *done: reported.append(done),
            )
            for n_jobs in (2, 1)
        )
        assert described(several) == described(single)
        assert several.notes[0].startswith("1 file is empty, such as ")
        assert isinstance(several.texts, StoredTexts) == (in_memory == 100)
        total = sum(file.stat().st_size for file in folder.iterdir())
        assert reported[-1] == (total, total)
        assert [done for done, _ in reported].count(total) == 2
        reported.clear()
        del several, single


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_broken_shard_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path, n_jobs: int
) -> None:
    monkeypatch.setattr(shards, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 10)
    monkeypatch.setattr(stored_texts, "PORTION", 10)
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    with (folder / "part-9.jsonl").open("ab") as file:
        file.write(b'{"text": "cut')
    with pytest.raises(CorpusError, match=r"/part-9\.jsonl, line 18: is not JSON") as caught:
        load_corpus(folder, n_jobs=n_jobs)
    assert not list(scratch.iterdir())
    assert caught.value.line == 18


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"id": "document 1"},
            r"part-11.*occurs twice \(first in .*part-8\.jsonl, line 2\)",
        ),
        ({"id": None}, r"part-11\.jsonl, line 3: has no id, but earlier documents have one"),
        ({"text": 3}, r"part-11\.jsonl, line 3: the text is a number"),
        ({"label": {}}, r"part-11\.jsonl, line 3: a label, id or group is an object"),
        ({"label": None}, r"part-11\.jsonl, line 3: 1 of 40 documents has no label"),
    ],
)
def test_a_wrong_document_is_named_with_its_shard(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    objects = [thing | wrong if at == 23 else thing for at, thing in enumerate(OBJECTS)]
    with pytest.raises(CorpusError, match=message):
        load_corpus(write(tmp_path / "mail", parts_of(objects)))


def test_shards_have_the_same_fields(tmp_path: Path) -> None:
    def without(name: str, suffix: str) -> str:
        first, second = parts_of(OBJECTS, [20])
        second = [{key: value for key, value in d.items() if key != name} for d in second]
        with pytest.raises(CorpusError) as caught:
            load_corpus(write(tmp_path / f"{name}-{suffix}", [first, second], suffix))
        return str(caught.value).partition(f"{suffix}/")[2]

    for suffix in WRITERS:
        assert without("split", suffix).startswith(f"part-9.{suffix}: has no split, but the files")
        assert "has no id, but earlier documents have one" in without("id", suffix)
    for suffix in ("csv", "parquet"):
        assert f"part-9.{suffix}, line 1: has no column 'label'" in without("label", suffix)
    assert "part-9.jsonl, line 1: has no key 'label'" in without("label", "jsonl")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_first_error_is_reported_whoever_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_jobs: int
) -> None:
    monkeypatch.setattr(shards, "WORTH_PROCESSES", 0)
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    lines = (folder / "part-9.jsonl").read_text().splitlines()
    lines[2], lines[4] = lines[0], "{broken"
    (folder / "part-9.jsonl").write_text("\n".join(lines))
    with pytest.raises(CorpusError, match=r"part-9\.jsonl, line 3: the id .* occurs twice"):
        load_corpus(folder, n_jobs=n_jobs)


def test_a_full_disk_names_the_folder_of_the_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scratch: Path
) -> None:
    class Full(io.BytesIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            self.flush()

    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 10)
    monkeypatch.setattr(stored_texts, "PORTION", 10)
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    monkeypatch.setattr(stored_texts, "open", lambda *_: Full(), raising=False)
    with pytest.raises(ResourceError, match=r"No space left.* set TMPDIR to another folder"):
        load_corpus(folder)
    assert not list(scratch.iterdir())


def test_partitions_of_a_table_are_no_classes(tmp_path: Path) -> None:
    table = tmp_path / "table"
    for year, part in zip((2023, 2024), parts_of(OBJECTS, [20]), strict=True):
        table.mkdir(exist_ok=True)
        write(table / f"year={year}", [part])
    with pytest.raises(CorpusError, match=r"has folders such as year=202\d, .*Give a glob"):
        load_corpus(table)
    assert len(load_corpus(f"{table}/**/*.jsonl")) == len(OBJECTS)
    assert len(load_corpus(table, format="folder")) == 2


def test_no_label_anywhere_names_the_keys(tmp_path: Path) -> None:
    objects = [{"text": "a", "topic": "x"}, {"text": "b", "topic": "y"}]
    folder = write(tmp_path / "mail", parts_of(objects, [1]))
    with pytest.raises(CorpusError, match=r"part-8\.jsonl, line 1: has no key 'label'.*'topic'"):
        load_corpus(folder)
    assert len(load_corpus(folder, label="topic")) == 2


def test_formats_are_not_mixed(tmp_path: Path) -> None:
    folder = write(tmp_path / "mail", parts_of(OBJECTS, [20]))
    (folder / "part-10.csv").write_bytes(as_csv(OBJECTS))
    message = r"part-10\.csv: its format is csv, but that of .*part-8\.jsonl is jsonl"
    with pytest.raises(CorpusError, match=message):
        load_corpus(folder)
    (folder / "part-10.csv").rename(folder / "README.md")
    with pytest.raises(
        CorpusError, match=r"contains part.* and README\.md, .*Give a glob, such as"
    ):
        load_corpus(folder)
    assert len(load_corpus(f"{folder}/*.jsonl")) == len(OBJECTS)
    assert load_corpus(f"{folder}/part-8*").name == "part-8"  # one file
    with pytest.raises(CorpusError, match=r"README\.md: its format is unknown, but several files"):
        load_corpus([folder / "README.md", folder / "part-8.jsonl"])


def test_names_without_an_ending_need_the_format(tmp_path: Path) -> None:
    """As Hadoop writes them."""
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    for file in list(folder.iterdir()):
        file.rename(file.with_suffix(""))
    (folder / "_SUCCESS").touch()
    assert load_corpus(folder, format="jsonl").fingerprint == whole(tmp_path).fingerprint
    message = r"contains 4 files such as part-\d+, but no class .* such as --format jsonl"
    with pytest.raises(CorpusError, match=message):
        load_corpus(folder)


def test_json_files_have_an_object_per_line(tmp_path: Path) -> None:
    """As Spark writes them; an array says how it is converted."""
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    for file in list(folder.iterdir()):
        file.rename(file.with_suffix(".json"))
    (folder / "_SUCCESS").touch()
    expected = whole(tmp_path).fingerprint
    for where in (folder, f"{folder}/*.json"):
        assert load_corpus(where).fingerprint == expected
    (folder / "part-8.json").write_text(json.dumps(OBJECTS))
    with pytest.raises(CorpusError, match=r"part-8\.json, line 1: .* JSON array: convert it"):
        load_corpus(folder)


def test_the_limit_of_bytes_is_for_all_shards(tmp_path: Path) -> None:
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    total = sum(file.stat().st_size for file in folder.iterdir())
    assert len(load_corpus(folder, max_input_bytes=total)) == len(OBJECTS)
    with pytest.raises(CorpusError, match=rf"mail: contains more than {total - 1:,} bytes"):
        load_corpus(folder, max_input_bytes=total - 1)


def test_replaced_bytes_and_empty_files_are_counted_once(tmp_path: Path) -> None:
    folder = tmp_path / "mail"
    folder.mkdir()
    for number, label in enumerate(("a", "b")):
        raw = f'{{"text": "caf\xe9", "label": "{label}"}}\n'.encode("latin-1")
        (folder / f"{number}.jsonl").write_bytes(raw)
    (folder / "2.jsonl.gz").write_bytes(gzip.compress(b""))
    assert load_corpus(folder, encoding_errors="replace").notes == (
        f"1 file is empty, such as {folder / '2.jsonl.gz'}",
        "2 lines contained bytes that are not utf-8: replaced",
    )
    with pytest.raises(CorpusError, match=r"0\.jsonl, line 1: byte 0xe9 in column 14 is not utf-8"):
        load_corpus(folder)
    for file in folder.iterdir():
        file.write_bytes(b"")
    with pytest.raises(CorpusError, match=r"0\.jsonl: is empty"):
        load_corpus(folder)


@pytest.mark.parametrize("suffix", WRITERS)
def test_addresses_are_read_like_files(tmp_path: Path, memory: Any, suffix: str) -> None:
    for number, part in enumerate(parts_of(OBJECTS)):
        memory.pipe(f"/mail/part-{number}.{suffix}", WRITERS[suffix](part))
    memory.pipe(f"/whole.{suffix}", WRITERS[suffix](OBJECTS))
    expected = described(whole(tmp_path))
    reported: list[tuple[int, int]] = []
    addresses = ("memory://mail", f"memory://mail/*.{suffix}", f"memory://whole.{suffix}")
    for where in (*addresses, [f"memory://mail/part-{number}.{suffix}" for number in range(4)]):
        corpus = load_corpus(where, progress=lambda *done: reported.append(done), n_jobs=2)
        assert described(corpus) == expected
        assert corpus.name == ("whole" if where == addresses[2] else "mail")
        assert reported[-1][0] == reported[-1][1] > 0


def test_an_address_that_cannot_be_read_is_named(memory: Any) -> None:
    memory.pipe("/mail/part-0.parquet", as_parquet(OBJECTS))
    memory.pipe("/mail/part-1.parquet", as_parquet(OBJECTS)[:-100])
    with pytest.raises(CorpusError, match=r"memory:///mail/part-1\.parquet: is not a Parquet file"):
        load_corpus("memory://mail", id="")
    memory.pipe("/mail/part-1.parquet", as_parquet(OBJECTS))
    with pytest.raises(CorpusError, match="contains more than 10 bytes"):
        load_corpus("memory://mail", max_input_bytes=10)
    memory.pipe("/mail.svm", b"1 1:1\n")
    with pytest.raises(
        CorpusError, match=r"mail\.svm: its format is svmlight, but several files, "
    ):
        load_corpus("memory://mail.svm")


def test_folders_of_records_are_no_classes(tmp_path: Path) -> None:
    """Each shard would be a document of the class train or test."""
    table = tmp_path / "table"
    table.mkdir()
    for part, objects in zip(("train", "test"), parts_of(OBJECTS, [20]), strict=True):
        (write(table / part, [objects]) / "_SUCCESS").touch()
    message = r"such as (train|test), whose files, such as part-8\.jsonl, .*table/\*/\*\.jsonl'"
    with pytest.raises(CorpusError, match=message):
        load_corpus(table)
    assert len(load_corpus(f"{table}/*/*.jsonl")) == len(OBJECTS)
    assert load_corpus(table, format="folder").classes == ("test", "train")


def test_records_beside_folders_are_not_left_out(tmp_path: Path) -> None:
    folder = write(tmp_path / "mail", parts_of(OBJECTS, [20]))
    (folder / "old").mkdir()
    (folder / "old" / "README").write_text("earlier mail")
    message = r"such as old, beside part-\d+\.jsonl, a file of records\. .*mail/\*\*/\*\.jsonl'"
    with pytest.raises(CorpusError, match=message):
        load_corpus(folder)
    assert len(load_corpus(f"{folder}/**/*.jsonl")) == len(OBJECTS)


def test_other_folders_are_what_they_were(tmp_path: Path) -> None:
    """Class folders in which not all files look like records."""
    for label, name in (("a", "1.csv"), ("b", "1.txt")):
        (tmp_path / "news" / label).mkdir(parents=True)
        (tmp_path / "news" / label / name).write_text(f"text of {label}")
    assert load_corpus(tmp_path / "news").texts == ("text of a", "text of b")


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("mail/part-*.jsonl", "mail"),
        ("mail/tickets-20*.csv", "tickets"),
        ("s3://bucket/mail/train-0*.parquet", "train"),
        ("s3://bucket/mail", "mail"),
        (["mail/part-1.csv", "mail/part-2.csv"], "mail"),
        (["x/tickets_2023.csv", "x/tickets_2024.csv"], "tickets"),
    ],
)
def test_a_corpus_is_called_by_what_its_files_share(where: Any, name: str) -> None:
    assert name_of(where) == name


def test_inputs_are_located(tmp_path: Path) -> None:
    folder = write(tmp_path / "mail", parts_of(OBJECTS))
    assert located(f"{folder}/*-1*.jsonl") == [folder / "part-10.jsonl", folder / "part-11.jsonl"]
    assert located(str(folder)) == [folder]
    assert located(f"{folder}/*.csv") == located("s3://bucket/part-*") == []
