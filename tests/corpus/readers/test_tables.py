"""CSV, TSV, JSON lines and Parquet: the rules of their fields, and every way to get them wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.corpus.corpus import Corpus
from laconic.corpus.loading import load_corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.delimited import read_delimited
from laconic.corpus.readers.parquet import reader as parquet_reading
from laconic.corpus.readers.parquet.pages import ThriftReader
from laconic.corpus.readers.shards import read_csv, read_jsonl, read_parquet, read_tsv
from laconic.errors import CorpusError, LaconicError

Read = Callable[[Path, ReadOptions], Corpus]
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
names = texts.map(str.strip).filter(bool)
documents = st.lists(st.tuples(texts, names), min_size=2).filter(
    lambda pairs: len({label for _, label in pairs}) > 1
)


def read(folder: Path, content: str, reader: Read = read_csv, **options: object) -> Corpus:
    file = folder / "table.txt"
    file.write_bytes(content.encode())
    return reader(file, ReadOptions(**options))  # type: ignore[arg-type]


def read_objects(folder: Path, *objects: object, **options: object) -> Corpus:
    content = "\n".join(json.dumps(thing) for thing in objects)
    return read(folder, content, read_jsonl, **options)


def refused(folder: Path, content: str, reader: Read = read_csv, **options: object) -> str:
    with pytest.raises(CorpusError) as caught:
        read(folder, content, reader, **options)
    return str(caught.value).removeprefix(f"{folder / 'table.txt'}")


@given(pairs=documents, delimiter=st.sampled_from(",;\t|"))
def test_csv_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], delimiter: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows([("text", "label"), *pairs])
    for reader in (read_csv, read_tsv):
        corpus = read(tmp_path_factory.getbasetemp(), out.getvalue(), reader)
        assert corpus.texts == tuple(text for text, _ in pairs)
        assert corpus.labels == tuple((label,) for _, label in pairs)
        assert not corpus.multilabel


@given(
    pairs=st.lists(st.tuples(st.text(), st.lists(st.text(min_size=1))), min_size=2).filter(
        lambda pairs: len({tuple(dict.fromkeys(labels)) for _, labels in pairs}) > 1
    ),
    ascii=st.booleans(),
)
def test_json_lines_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, list[str]]],
    ascii: bool,
) -> None:
    content = "\n".join(
        json.dumps({"text": text, "labels": labels}, ensure_ascii=ascii) for text, labels in pairs
    )
    corpus = read(tmp_path_factory.getbasetemp(), content, read_jsonl)
    assert corpus.texts == tuple(text for text, _ in pairs)
    assert corpus.labels == tuple(tuple(dict.fromkeys(labels)) for _, labels in pairs)
    assert corpus.multilabel == any(len(labels) != 1 for _, labels in pairs)


def test_columns_are_found_by_name_in_any_case_and_place(tmp_path: Path) -> None:
    corpus = read(tmp_path, "\ufeffID,Label,junk,TEXT\n7,ham,x,hello\n8,spam,y,buy\n")
    assert corpus.texts == ("hello", "buy")
    assert corpus.labels == (("ham",), ("spam",))
    assert corpus.ids == ("7", "8")
    assert corpus.name == "table"


def test_columns_can_be_named_and_declined(tmp_path: Path) -> None:
    content = "id,body,kind,number\n7,hello,ham,1\n7,buy,spam,2\n"
    named = {"text": "body", "label": ("kind",)}
    assert read(tmp_path, content, **named, id="number").ids == ("1", "2")
    assert read(tmp_path, content, **named, id="").ids == ("0", "1")
    problem = refused(tmp_path, content, **named)
    assert ", line 3: the id '7' occurs twice (first in line 2)" in problem


def test_an_index_column_without_a_name_is_no_id(tmp_path: Path) -> None:
    corpus = read(tmp_path, ",text,label\n5,a,x\n6,b,y\n")
    assert corpus.ids == ("0", "1")
    assert corpus.split is None


@pytest.mark.parametrize(
    ("header", "options", "expected"),
    [
        ("review,stars", {}, "no column 'text' and no column 'label'. Its columns are 'review', "
         "'stars': choose with --text COLUMN --label COLUMN"),
        ("text,stars", {}, "has no column 'label'. Its columns are 'text', 'stars': choose with "
         "--label COLUMN"),
        ("text,label", {"text": "body"}, "has no column 'body'"),
        ("text,label", {"label": ("label", "two")}, "has no column 'two'"),
        ("text,label", {"id": "key"}, "--id COLUMN"),
        ("text,label", {"split_column": "part"}, "--split-column COLUMN"),
        ("Text,TEXT,label", {}, "has no column 'text'"),
        ("text,text,label", {}, "two columns are called 'text'"),
        ("\n", {}, "no column 'text' and no column 'label'. Its columns are none"),
    ],
)  # fmt: skip
def test_a_wrong_column_says_what_is_there(
    tmp_path: Path, header: str, options: dict[str, object], expected: str
) -> None:
    assert expected in refused(
        tmp_path, f"{header}\na,b\n" if header.strip() else header, **options
    )


@pytest.mark.parametrize("reader", [read_csv, read_tsv, read_jsonl, read_parquet])
def test_an_empty_or_missing_file_says_so(tmp_path: Path, reader: Read) -> None:
    assert "is empty" in refused(tmp_path, "", reader)
    with pytest.raises(CorpusError, match="no such file"):
        reader(tmp_path / "nowhere", ReadOptions())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("text,label\n", "it has no documents"),
        ("text,label\na,x\nb,x\n", "all 2 documents have the same label (x)"),
        ("text,label\na,x\nb,\nc, \nd,y\n", ", line 3: 2 of 4 documents have no label"),
        ("text,label\na,x\nb,y,z\n", ", line 3: the record that begins here has 3 fields, but the "
         "first line names 2 columns"),
        ('text,label\n"a\n\n",x\nb\n', ", line 5: the record that begins here has 1 fields"),
        ('text,label\na,x\n"b,y\nc,x\n', ", line 3: a quote in the record that begins here"),
        ('text,label\na,x\n"b" c,y\n', ", line 3: this is not CSV"),
        ("text,label\na,x\rb,y\n", ", line 2: this is not CSV (new-line"),
        ("text,label\na,x\nb\0,y\n", ", line 3: contains a NUL byte"),
    ],
)  # fmt: skip
def test_bad_csv_names_the_line(tmp_path: Path, content: str, expected: str) -> None:
    assert expected in refused(tmp_path, content)


def test_a_delimiter_inside_quotes_does_not_count(tmp_path: Path) -> None:
    corpus = read(tmp_path, '"text, or body";label\n"a;b";x\nc,d;y\n', text="text, or body")
    assert corpus.texts == ("a;b", "c,d")


def test_blank_lines_are_skipped_but_counted(tmp_path: Path) -> None:
    assert len(read(tmp_path, "text,label\n\na,x\n\r\nb,y\n\n")) == 2
    assert ", line 5: the record" in refused(tmp_path, "text,label\n\na,x\n\nb\n")


def test_undecodable_bytes_are_refused_or_replaced_and_noted(tmp_path: Path) -> None:
    file = tmp_path / "latin.csv"
    file.write_bytes("text,label\nschön,x\nb,y\n".encode("latin-1"))
    with pytest.raises(CorpusError, match="line 2: byte 0xf6 in column 4 is not utf-8"):
        read_csv(file, ReadOptions())
    assert read_csv(file, ReadOptions(encoding="latin-1")).texts == ("schön", "b")
    replaced = read_csv(file, ReadOptions(encoding_errors="replace"))
    assert replaced.texts == ("sch\ufffdn", "b")
    assert replaced.notes == ("1 line contained bytes that are not utf-8: replaced",)


def test_utf16_reads_when_named(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_bytes('text,label\n"grün,\nrot",x\nb,y\n'.encode("utf-16"))
    assert read_csv(file, ReadOptions(encoding="utf-16")).texts == ("grün,\nrot", "b")


def test_fields_beyond_the_usual_limit_of_csv_are_read_up_to_max_line(tmp_path: Path) -> None:
    before = 131_072  # Python's own; scipy's ARFF reader sets another for the whole process
    csv.field_size_limit(before)
    long = "x" * (before + 1)
    content = f"text,label\n{long},x\nb,y\n"
    assert read(tmp_path, content).texts == (long, "b")
    assert "--max-line" in refused(tmp_path, content, max_line=before)
    many = "text,label\n" + '"' + "line\n" * 50 + '",x\nb,y\n'
    assert ", line 2: the record that begins here is longer than 100" in refused(
        tmp_path, many, max_line=100
    )


def test_the_limit_is_of_each_record_not_of_all(tmp_path: Path) -> None:
    rows = [f'"a{i}\nb",{"xy"[i % 2]}\n' for i in range(40)]
    corpus = read(tmp_path, "text,label\n" + "".join(rows), max_line=20)
    assert len(corpus) == 40


def test_r8_one_reading_does_not_limit_another() -> None:
    """R8: csv's limit is one for the process, so reading a file must never lower it."""
    long = "x" * 200_000
    good = read_delimited(iter(["text,label\n", f"{long},x\n"]), "good.csv", ",", 1 << 20)
    small = read_delimited(iter(["text,label\n", "a,x\n"]), "small.csv", ",", 100)
    assert [next(good)[1], next(small)[1]] == [["text", "label"]] * 2
    assert [next(good)[1], next(small)[1]] == [[long, "x"], ["a", "x"]]


def test_unlabelled_documents_are_dropped_or_kept_on_request(tmp_path: Path) -> None:
    content = "text,label\na,x\nb,\nc,y\n"
    dropped = read(tmp_path, content, unlabelled="drop")
    assert dropped.texts == ("a", "c")
    assert dropped.notes == ("1 of 3 documents has no label: left out",)
    assert read(tmp_path, content, unlabelled="keep").labels == (("x",), (), ("y",))


def test_a_separator_splits_labels_and_empty_is_no_class(tmp_path: Path) -> None:
    corpus = read(tmp_path, "text,label\na,x; y;x\nb,\nc,y\n", separator=";")
    assert corpus.labels == (("x", "y"), (), ("y",))
    assert corpus.multilabel
    single = read(tmp_path, "text,label\na,x\nb,y\n", separator=";")
    assert single.multilabel


def test_several_label_columns_give_their_union(tmp_path: Path) -> None:
    content = "text,one,two\na,x,y\nb,,y\nc,,\nd,x,x\n"
    corpus = read(tmp_path, content, label=("one", "two"))
    assert corpus.labels == (("x", "y"), ("y",), (), ("x",))
    assert corpus.multilabel


def test_validation_rows_are_training_rows(tmp_path: Path) -> None:
    rows = "a,x,train\nb,y,test\nc,x,Dev\n"
    corpus = read(tmp_path, f"text,label,split\n{rows}")
    assert corpus.split == ("train", "test", "train")
    assert corpus.notes == ("1 validation document is used for training",)
    corpus = read(tmp_path, f"text,label,split\n{rows}d,y,validation\n")
    assert corpus.notes == ("2 validation documents are used for training",)


def test_groups_and_times_are_read_from_their_columns(tmp_path: Path) -> None:
    table = "text,label,who,when\na,x,ann,2024-05-01\nb,y,,2024-05-02\nc,x,bob,2024-04-01T10:00Z\n"
    plain, corpus = read(tmp_path, table), read(tmp_path, table, group="Who")
    assert (corpus.groups, corpus.times) == (("ann", "", "bob"), None)
    assert corpus.notes == ("1 document has no group: each is a group of its own",)
    assert corpus.take([2, 0]).groups == ("bob", "ann")
    dated = read(tmp_path, table, time="when")
    assert dated.times is not None
    assert np.argsort(dated.times).tolist() == [2, 0, 1]
    assert len({plain.fingerprint, corpus.fingerprint, dated.fingerprint}) == 3
    columns = {"text": ["a", "b"], "label": ["x", "y"], "who": [1, 2], "when": [3.5, 2.5]}
    assert parquet(tmp_path, columns, group="who").groups == ("1", "2")
    assert parquet(tmp_path, columns, time="when").times == (3.5, 2.5)
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"text": "a", "label": "x", "n": 2}\n{"text": "b", "label": "y", "n": 1}\n')
    assert read_jsonl(lines, ReadOptions(time="n")).times == (2.0, 1.0)
    assert read_jsonl(lines, ReadOptions(group="n")).groups == ("2", "1")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("soon", "line 3: the time 'soon' is neither a number nor a date"),
        ("7", "line 3: the time '7' is a number, but earlier ones are dates"),
    ],
)
def test_a_bad_time_is_refused_with_its_line(tmp_path: Path, cell: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, f"text,label,t\na,x,2024-05-01\nb,y,{cell}\n", time="t")


def test_groups_and_times_need_columns_and_exclude_each_other(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="choose with --group COLUMN"):
        read(tmp_path, "text,label\na,x\nb,y\n", group="who")
    vectors = tmp_path / "some.svm"
    vectors.write_text("1 1:1\n2 1:1\n")
    with pytest.raises(CorpusError, match="time='t': the format svmlight has no columns"):
        load_corpus(vectors, time="t")
    with pytest.raises(CorpusError, match="group='who': pydocs has no columns"):
        load_corpus("pydocs", group="who")
    with pytest.raises(LaconicError, match="Give one of them"):
        ReadOptions(group="who", time="t")


def test_the_split_column_knows_train_and_test(tmp_path: Path) -> None:
    corpus = read(tmp_path, "text,label,split\na,x,Train\nb,y,TEST\nc,x,extra\nd,y, train \n")
    assert corpus.split == ("train", "test", "", "train")
    assert corpus.notes == ("1 document is in neither train nor test (the first: 'extra'): unused",)
    assert read(tmp_path, "text,label,split\na,x,all\nb,y,all\n").split is None
    declined = read(tmp_path, "text,label,split\na,x,train\nb,y,test\n", split_column="")
    assert declined.split is None


def test_a_packed_table_reads_as_the_plain_one(tmp_path: Path) -> None:
    content = b"text,label\na,x\nb,y\n"
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(content))
    plain, packed = (read_csv(tmp_path / name, ReadOptions()) for name in ("a.csv", "b.csv.gz"))
    assert plain.fingerprint == packed.fingerprint
    assert packed.name == "b"
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(content)[:-6])
    with pytest.raises(CorpusError, match="truncated or damaged"):
        read_csv(tmp_path / "b.csv.gz", ReadOptions())


def test_json_labels_may_be_strings_numbers_and_lists(tmp_path: Path) -> None:
    corpus = read_objects(
        tmp_path,
        {"text": "a", "label": "x"},
        {"text": "b", "label": 1},
        {"text": "c", "label": ["x", 2, True]},
        {"text": "d", "label": []},
    )
    assert corpus.labels == (("x",), ("1",), ("x", "2", "true"), ())
    assert corpus.multilabel


def test_lists_of_one_label_are_not_multilabel(tmp_path: Path) -> None:
    pair = {"text": "a", "labels": ["x"]}, {"text": "b", "labels": ["y"]}
    assert not read_objects(tmp_path, *pair).multilabel


@pytest.mark.parametrize("missing", [{}, {"labels": None}])
def test_an_empty_list_is_no_class_but_an_absent_label_is_missing(
    tmp_path: Path, missing: dict[str, None]
) -> None:
    objects = [{"text": "a", "labels": []}, {"text": "b", "labels": ["y"]}, {"text": "c"} | missing]
    with pytest.raises(CorpusError, match="line 3: 1 of 3 documents has no label"):
        read_objects(tmp_path, *objects)
    corpus = read_objects(tmp_path, *objects, unlabelled="drop")
    assert corpus.labels == ((), ("y",))
    assert corpus.multilabel


def test_json_keys_can_be_renamed(tmp_path: Path) -> None:
    corpus = read_objects(
        tmp_path,
        {"Body": "a", "kind": "x", "key": 10, "part": "train"},
        {"body": "b", "kind": "y", "key": "11", "part": "test"},
        text="body",
        label=("kind",),
        id="key",
        split_column="part",
    )
    assert corpus.texts == ("a", "b")
    assert corpus.ids == ("10", "11")
    assert corpus.split == ("train", "test")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"text": "a", "label": "x"}\n\n{"text": "b" "label"}', ", line 3: is not JSON: Expecting "
         "',' delimiter in column 14"),
        ('[{"text": "a", "label": "x"}]', "jq -c '.[]'"),
        ('"a"', ", line 1: is JSON, but not an object"),
        ("[" * 100_000, "is not readable JSON"),
        ('{"text": "a", "label": ' + "1" * 5000 + "}", "is not readable JSON"),
        ('{"label": "x", "body": "a"}', ", line 1: has no key 'text'. Its keys are 'label', "),
        ('{"text": ["a"], "label": "x"}', ", line 1: the text is a list, not a string"),
        ('{"text": null, "label": "x"}', ", line 1: the text is null, not a string"),
        ('{"text": "a", "label": {"x": 1}}', "line 1: a label, id or group is an object"),
        ('{"text": "a", "label": [["x"]]}', "a label, id or group is a list"),
        ('{"text": "a", "label": "x", "id": []}', "a label, id or group is a list"),
        ('{"text": "a", "class": "x"}\n{"text": "b", "class": "y"}', ", line 1: has no key "
         "'label'. Its keys are 'text', 'class': choose with --label KEY"),
        ('{"text": "a", "label": "x", "id": 1}\n{"text": "b", "label": "y"}', ", line 2: has no "
         "id, but earlier documents have one"),
        ('{"text": "a", "label": "x", "id": 1}\n{"text": "b", "label": "y", "id": "1"}',
         ", line 2: the id '1' occurs twice (first in line 1)"),
        ('{"text": "a", "label": "x"}\n{"text": "b", "label": "x"}', "have the same label (x)"),
    ],
    ids=range(15),
)  # fmt: skip
def test_bad_json_names_the_line(tmp_path: Path, content: str, expected: str) -> None:
    assert expected in refused(tmp_path, content, read_jsonl)


def parquet(folder: Path, columns: dict[str, object], **options: object) -> Corpus:
    file = folder / "table.parquet"
    pq.write_table(pa.table(columns), file)
    return read_parquet(file, ReadOptions(**options))  # type: ignore[arg-type]


def test_parquet_reads_as_csv_does(tmp_path: Path) -> None:
    n_docs = 1000
    columns = {
        "Text": [f"document {i}" for i in range(n_docs)],
        "label": [i % 3 for i in range(n_docs)],
        "id": list(range(n_docs, 0, -1)),
        "split": ["train", "test"] * (n_docs // 2),
    }
    out = io.StringIO(newline="")
    csv.writer(out).writerows([columns, *zip(*columns.values(), strict=True)])
    told: list[tuple[int, int]] = []
    corpus = parquet(tmp_path, columns, progress=lambda *done: told.append(done))
    assert corpus.fingerprint == read(tmp_path, out.getvalue()).fingerprint
    assert corpus.labels[4] == ("1",)
    size = (tmp_path / "table.parquet").stat().st_size
    assert told[-1] == (size, size)


def test_parquet_labels_may_be_lists_or_dictionaries(tmp_path: Path) -> None:
    lists = parquet(tmp_path, {"text": ["a", "b", "c"], "labels": [["x", "y"], [], ["y"]]})
    assert lists.labels == (("x", "y"), (), ("y",))
    coded = pa.array(["x", "y", "x"]).dictionary_encode()
    assert parquet(tmp_path, {"text": ["a", "b", "c"], "label": coded}).labels[1] == ("y",)


@pytest.mark.parametrize(
    ("columns", "options", "expected"),
    [
        ({"body": ["a"], "label": ["x"]}, {}, "has no column 'text'"),
        ({"text": ["a", None], "label": ["x", "y"]}, {}, "document 2: the text is null"),
        ({"text": ["a", "b"], "label": ["x", None]}, {}, "1 of 2 documents has no label"),
        ({"text": [b"\xff", b"b"], "label": ["x", "y"]}, {}, "document 1: the text is of type"),
        ({"text": ["a" * 99_999] * 9, "label": list("xyxyxyxyx")}, {"max_input_bytes": 500_000},
         "more than 500,000 bytes"),
    ],
)  # fmt: skip
def test_bad_parquet_says_which_document(
    tmp_path: Path, columns: dict[str, object], options: dict[str, object], expected: str
) -> None:
    with pytest.raises(CorpusError) as caught:
        parquet(tmp_path, columns, **options)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("n_chars", "n_rows"),
    [(17 << 20, 2), (1 << 20, 300), (8, 1 << 21)],
    ids=("page", "text", "row"),
)
def test_r6_what_parquet_repeats_is_counted_before_it_is_expanded(
    tmp_path: Path, n_chars: int, n_rows: int
) -> None:
    """R6: 2,698 bytes took 3.9 GB. A text is in the file once and in every row."""
    rows = pa.array([0] * n_rows, pa.int32())
    columns = {
        "text": pa.DictionaryArray.from_arrays(rows, pa.array(["a" * n_chars])),
        "label": pa.DictionaryArray.from_arrays(rows, pa.array(["x"])),
    }
    file = tmp_path / "bomb.parquet"
    pq.write_table(pa.table(columns), file, compression="zstd", dictionary_pagesize_limit=1 << 30)
    assert file.stat().st_size < 20_000
    with pytest.raises(CorpusError, match="may be a decompression bomb"):
        read_parquet(file, ReadOptions())


def test_r6_pages_are_added_up_before_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"{i}{'a' * (1 << 20)}" for i in range(18)]
    file = tmp_path / "bomb.parquet"
    table = pa.table({"text": texts, "label": ["x", "y"] * 9})
    pq.write_table(table, file, compression="zstd", use_dictionary=False, write_statistics=False)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", None)
    with pytest.raises(CorpusError, match="may be a decompression bomb"):
        read_parquet(file, ReadOptions())


@pytest.mark.parametrize(
    ("raw", "expected"),
    [(b"\x1c" * 99, "nested too deeply"), (b"\x19\xf5\xff\xff\xff\x7f", "longer than the file")],
)
def test_r6_headers_have_limits(raw: bytes, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        ThriftReader(raw, 0).structure()  # type: ignore[arg-type]


def test_r6_values_that_repeat_the_value_before_are_read_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each may be as long as all of them together, so that a batch could be of any size."""
    texts = [f"{'a' * (1 << 20)}{i}" for i in range(18)]
    file = tmp_path / "bomb.parquet"
    table = pa.table({"text": texts, "label": ["x", "y"] * 9})
    delta = {"text": "DELTA_BYTE_ARRAY"}
    options = {"use_dictionary": False, "column_encoding": delta, "write_statistics": False}
    pq.write_table(table, file, compression="zstd", **options)
    sizes: list[int] = []

    def counted(column: pa.Array) -> int:
        sizes.append(len(column))
        return n_bytes(column)

    n_bytes = parquet_reading._n_bytes
    monkeypatch.setattr(parquet_reading, "_n_bytes", counted)
    with pytest.raises(CorpusError, match="may be a decompression bomb"):
        read_parquet(file, ReadOptions())
    assert set(sizes) == {1}


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_parquet_in_other_encodings(tmp_path: Path, encoding: str, version: str) -> None:
    file = tmp_path / "table.parquet"
    table = pa.table({"text": ["ab", "ac", "ac"], "label": [["x"], ["y", "x"], []]})
    columns = {"text": encoding, "label.list.element": encoding}
    pq.write_table(
        table, file, use_dictionary=False, column_encoding=columns, data_page_version=version
    )
    corpus = read_parquet(file, ReadOptions())
    assert (corpus.texts, corpus.labels) == (("ab", "ac", "ac"), (("x",), ("y", "x"), ()))


def test_parquet_columns_of_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"the column 'label', but found type struct<a"):
        parquet(tmp_path, {"text": ["a", "b"], "label": [{"a": "x"}, {"a": "y"}]})


def test_damaged_parquet_is_an_error(tmp_path: Path) -> None:
    parquet(tmp_path, {"text": ["a", "b"] * 5000, "label": ["x", "y"] * 5000})
    whole = (tmp_path / "table.parquet").read_bytes()
    for raw in (
        whole[:-10],
        b"PAR1" + whole[100:],
        whole[:20] + b"\xff" * 40 + whole[60:],
        b"text",
    ):
        (tmp_path / "table.parquet").write_bytes(raw)
        with pytest.raises(CorpusError, match="is not a Parquet file, or is damaged"):
            read_parquet(tmp_path / "table.parquet", ReadOptions())


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CorpusError, match=r'pip install "laconic\[parquet\]"'):
        read_parquet(tmp_path / "x.parquet", ReadOptions())


@pytest.mark.corpus
def test_the_sms_corpus_has_5574_messages(corpora: Path) -> None:
    corpus = read_jsonl(corpora / "extra" / "sms_spam.jsonl.gz", ReadOptions())
    assert len(corpus) == 5574
    assert corpus.class_counts == {"ham": 4827, "spam": 747}
    assert corpus.split is None
    assert not corpus.multilabel
