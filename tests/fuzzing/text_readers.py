"""Valid small inputs of every reader of text files, and the words of their formats."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.record_stream import stream
from laconic.corpus.readers.registry import FORMATS
from tests.fuzzing.mutating import Files, mutated


@dataclass(frozen=True)
class Fuzzed:
    """A reader: the file it opens, valid inputs, and inputs that once failed."""

    opens: str
    read: Callable[[Path, ReadOptions], Any]
    draws: tuple[Files, ...]
    words: tuple[str, ...] = ()
    bombs: tuple[Callable[[], Files], ...] = ()
    mutate: Callable[[Files, tuple[str, ...], random.Random], Files] = mutated
    options: tuple[dict[str, Any], ...] = field(default=({},))


def reader_of(format: str) -> Callable[[Path, ReadOptions], Any]:
    return FORMATS[format].read


def encoded(**files: str) -> Files:
    """`a_csv="…"` is the file a.csv."""
    return {name.replace("_", "."): text.encode() for name, text in files.items()}


TABLE_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"unlabelled": "drop"},
    {"unlabelled": "keep"},
    {"encoding_errors": "replace"},
    {"separator": ";"},
    {"max_line": 60},
    {"encoding": "utf-16"},
    {"encoding": "latin-1"},
    {"encoding": "idna", "encoding_errors": "replace"},
    {"encoding": "punycode"},
    {"max_input_bytes": 200},
)
CSV = (
    'text,label,id,split\n"a cat, ""sat""\non it",x,1,train\nb,y,2,test\n\nc,x;y,3,\n',
    "label;text\nx;cats sit\ny;dogs bark\nx;été\n",
)
JSONL = (
    '{"text": "a cat", "label": "x", "id": 1}\n{"text": "b", "label": ["x", "y"], "id": "2"}\n\n',
    '{"text": "a", "labels": [], "split": "train"}\n{"text": "\\ud83d", "labels": [1.5, true]}\n',
)
SVM = (
    "+1 qid:7 1:2 3:0.5 # a\n-1 2:1e-1\n1 5:1 5:2\n",
    "1,2 0:1 7:3\n 3:1\n2 1:0\n",
)
R7_SVM = "1 16777216:1\n-1 1:1"
ARFF_DENSE = (
    "% c\n@relation 'r s'\n@attribute a numeric\n@attribute 'b c' real\n@attribute k {x,'y z'}\n"
    "@data\n1,2,x\n0.5,-2e1,'y z'\n",
    "@relation t\n@attribute t string\n@attribute c {ham,spam}\n@data\n"
    "'Win, \\'now\\'!',spam\nhi,ham\n",
)
ARFF_SPARSE = (
    "@relation r\n@attribute a numeric\n@attribute b {1,0}\n@attribute k {x,y}\n@data\n"
    "{0 2,2 y}\n{}\n{1 0}\n",
    "@relation 'm: -C 2'\n@attribute s {0,1}\n@attribute t {0,1}\n@attribute w {0,1}\n@data\n"
    "{0 1,2 1}\n{}\n1,1,1\n",
)
MULAN_XML = (
    '<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">'
    '<label name="s"><label name="t"/></label></labels>'
)
MULAN_ARFF = (
    "@relation m\n@attribute w {0,1}\n@attribute s {0,1}\n@attribute t {0,1}\n@data\n"
    "{0 1,2 1}\n{}\n"
)
STORY = (
    '<REUTERS TOPICS="YES" LEWISSPLIT="{0}" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="{1}">\n'
    '<TOPICS><D>{2}</D><D></D></TOPICS>\n<TEXT TYPE="NORM">&#2;<TITLE>A &lt;b&gt;</TITLE>\n'
    "<BODY>a body&#3;</BODY></TEXT>\n</REUTERS>\n"
)
STORIES = STORY.format("TRAIN", 1, "grain") + STORY.format("TEST", 2, "gold")
RCV1_SUBSETS = {
    "rcv1_topics.tsv": b"index\tcode\tdocs\n0\tC11\t9\n1\tCCAT\t9\n2\tM11\t9\n",
    "rcv1subset1.svm": b"0,1 1:0.6 3:0.8\n2 2:1\n1 47236:1\n",
    "rcv1subset2.svm": b"0 1:0.6 3:0.8\n1:1\n",
}
RCV1_PUBLISHED = {
    "lyrl2004_vectors_train.dat": b"2286  1:0.6 3:0.8\n2287  2:1\n",
    "lyrl2004_vectors_test_pt0.dat": b"26151  4:1\n",
    "rcv1-v2.topics.qrels": b"E11 2286 1\nM11 2287 1\nECAT 26151 1\n",
    "stem.termid.idf.map.txt": b"bak 2 4.5\naa 1 9.1\n",
}
TECHTC = {
    "vectors.dat": b"# c\n+1 1:2 3:1\n-1 2:4\n",
    "features.idx": b"# index word\n1 ant\n2 bee\n3 cat\n4 dog\n",
}
NEWS = {
    "n-train/tea/1": b"Subject: a\n\nhot",
    "n-train/coffee/2": b"black \xe9",
    "n-test/tea/3": b"green",
    "n-test/README": b"words",
}
CLUTO = {
    "a.mat": b"3 4 4\n1 2 4 1\n\n2 0.5 3 1\n",
    "a.mat.rclass": b"tea\ncoffee\ntea\n",
    "a.mat.clabel": b"ant\nbee\ncat\ndog\n",
}
ARFF_WORDS = ("@data", "@attribute", "@relation", "numeric", "string", "{0,1}", "{1,0}", "{", "?")


def filled_in(n_attributes: int, n_docs: int) -> Files:
    """An ARFF file whose sparse lines omit values that are not 0: lines times attributes."""
    declared = "".join(f"@attribute a{i} {{1,0}}\n" for i in range(n_attributes))
    data = "".join(f"{{{i % n_attributes} 0}}\n" for i in range(n_docs))
    return encoded(c_arff=f"@relation r\n{declared}@attribute k {{x,y}}\n@data\n{data}")


def packed_tar(files: Files) -> Files:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, raw in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(raw)
            archive.addfile(entry, io.BytesIO(raw))
    return {"n.tar": out.getvalue()}


def reads_stream(format: str) -> Callable[[Path, ReadOptions], Any]:
    def read(where: Path, options: ReadOptions) -> list[Any]:
        return list(stream(where, replace(options, format=format)))

    return read


TEXT_READERS: dict[str, Fuzzed] = {
    "csv": Fuzzed(
        "a.csv",
        reader_of("csv"),
        tuple(encoded(a_csv=text) for text in CSV),
        ('"', ",", "text", "label", "split", "id"),
        options=TABLE_OPTIONS,
    ),
    "tsv": Fuzzed(
        "a.tsv",
        reader_of("tsv"),
        tuple(encoded(a_tsv=text.replace(",", "\t")) for text in CSV),
        ('"', "\t", "text", "label"),
        options=TABLE_OPTIONS,
    ),
    "jsonl": Fuzzed(
        "a.jsonl",
        reader_of("jsonl"),
        tuple(encoded(a_jsonl=text) for text in JSONL),
        ('"text"', '"label"', "null", "[", "]", "{}", '"\\ud800"', "1e999", "-0"),
        (lambda: {"a.jsonl": b'{"text": ' + b"[" * 1_000_000},),
        options=TABLE_OPTIONS,
    ),
    "stream": Fuzzed(
        "a.jsonl",
        reads_stream("jsonl"),
        tuple(encoded(a_jsonl=text) for text in JSONL),
        ('"text"', '{"a": 1}', "null"),
        options=TABLE_OPTIONS,
    ),
    "svmlight": Fuzzed(
        "a.svm",
        reader_of("svmlight"),
        (
            *(encoded(a_svm=text) for text in SVM),
            encoded(a_svm=SVM[0], a_svm_vocab="a\nb\nc\nd\ne\n"),
        ),
        (":", "1:1", "16777216:1", "0:1", "qid:1", "#", ",", "1e308 1:1e308"),
        (lambda: encoded(a_svm=R7_SVM), lambda: encoded(a_svm="1 1:1e308 1:1e308\n2 1:1\n")),
    ),
    "cluto": Fuzzed(
        "a.mat",
        reader_of("cluto"),
        (CLUTO, {name: raw for name, raw in CLUTO.items() if "clabel" not in name}),
        ("1 1", "2 16777216 2", "3 65537 4"),
        (
            lambda: {"a.mat": b"2 16777216 2\n16777216 1\n1 1\n", "a.mat.rclass": b"x\ny\n"},
            lambda: {"a.mat": b"2 16777216 0\n\n\n", "a.mat.rclass": b"x\ny\n"},
        ),
    ),
    "techtc": Fuzzed(
        "",
        reader_of("techtc"),
        (TECHTC,),
        (":", "16777216 word", "1:1"),
        (lambda: TECHTC | {"features.idx": TECHTC["features.idx"] + b"16777216 z\n"},),
    ),
    "rcv1": Fuzzed(
        "", reader_of("rcv1"), (RCV1_SUBSETS, RCV1_PUBLISHED), (":", "47236:1", "47237:1")
    ),
    "arff-dense": Fuzzed(
        "c.arff", reader_of("arff"), tuple(encoded(c_arff=text) for text in ARFF_DENSE), ARFF_WORDS
    ),
    "arff-sparse": Fuzzed(
        "c.arff",
        reader_of("arff"),
        tuple(encoded(c_arff=text) for text in ARFF_SPARSE),
        (*ARFF_WORDS, "{0 1", "999999999 1"),
        (lambda: filled_in(10_000, 10_000),),
    ),
    "mulan": Fuzzed(
        "m.arff",
        reader_of("arff"),
        (encoded(m_arff=MULAN_ARFF, m_xml=MULAN_XML),),
        (*ARFF_WORDS, "<label", "name=", "</label>", "<!DOCTYPE a>", "&a;", "<![CDATA["),
    ),
    "reuters": Fuzzed(
        "r",
        reader_of("reuters"),
        (
            {"r/reut2-000.sgm": STORIES.encode()},
            {"r/reut2-000.sgm": b"", "r/reut2-001.sgm": STORIES.encode()},
        ),
        (
            "<D>",
            "</D>",
            "&#1114112;",
            "<REUTERS ",
            "</REUTERS>",
            "<TEXT>",
            "</TEXT>",
            "<TOPICS>",
            'NEWID="1"',
        ),
        options=({"split": "none"}, {}, {"split": "ModHayes"}, {"encoding": "utf-8"}),
    ),
    "folder": Fuzzed(
        "",
        reader_of("folder"),
        (NEWS,),
        ("\n\n",),
        options=({"encoding": "latin-1"}, *TABLE_OPTIONS),
    ),
}
