from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from scipy.io import arff as scipy_arff

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.arff import reader as arff
from laconic.corpus.readers.arff.reader import arff_corpus, read_arff
from laconic.errors import CorpusError
from tests.corpus.readers.matrices import Labelled, almost, entries, labelled

HEADER = (
    "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute class {x,y,z}\n@data\n"
)
MULAN = "@relation m\n@attribute w {0,1}\n@attribute s {0,1}\n@attribute t {0,1}\n@data\n"
NESTED = (
    '<?xml version="1.0"?><labels xmlns="http://mulan.sourceforge.net/labels">'
    '<label name="s"><label name="t"/></label></labels>'
)


def read(text: str, options: ReadOptions | None = None, where: str = "c.arff") -> Corpus:
    builder = CorpusBuilder(where, options or ReadOptions(), multilabel=False)
    return arff_corpus(builder, iter(enumerate(text.split("\n"), 1)))


def dense(corpus: Corpus) -> list[list[float]]:
    assert corpus.vectors is not None
    return corpus.vectors.toarray().tolist()


def names(corpus: Corpus) -> list[str]:
    return [",".join(labels) for labels in corpus.labels]


def test_sparse_without_class_is_the_first_class() -> None:
    corpus = read(HEADER + "{0 2,2 y}\n{1 3}\n{ }\n{ 0 1 , 2 z } % said\n")
    assert names(corpus) == ["y", "x", "x", "z"]
    assert dense(corpus) == [[2, 0], [0, 3], [0, 0], [1, 0]]
    assert (corpus.vocabulary, corpus.classes) == (("a", "b"), ("x", "y", "z"))
    assert (corpus.name, corpus.multilabel) == ("c", False)


def test_dense_and_sparse_may_mix() -> None:
    corpus = read(HEADER + "1,0,x\n 0.5 , -2e1 , y \n{1 7, 2 z}\n")
    assert dense(corpus) == [[1, 0], [0.5, -20], [0, 7]]
    assert names(corpus) == ["x", "y", "z"]
    assert corpus.vectors is not None
    assert corpus.vectors.nnz == 4


def test_quotes_escapes_comments_and_case() -> None:
    text = (
        "% about\n@RELATION 'a b'\n\n@Attribute 'it\\'s, {one}' REAL\n"
        '@ATTRIBUTE "two words" Integer\n@attribute\tthree\tnumeric\n'
        "@attribute c {'a, b', \"}\", plain word}\n@DATA\n% here\n"
        "{0 1,3 '}'}\n{2 '2'}\n1, 2, 3, 'a, b'\n0,0,0,plain word\n"
    )
    corpus = read(text)
    assert corpus.vocabulary == ("it's, {one}", "two words", "three")
    assert names(corpus) == ["}", "a, b", "a, b", "plain word"]
    assert dense(corpus) == [[1, 0, 0], [0, 0, 2], [1, 2, 3], [0, 0, 0]]


def test_a_missing_class_is_an_unlabelled_document() -> None:
    text = HEADER + "{0 1,2 y}\n{0 1,2 ?}\n1,1,?\n{0 1,2 x}\n"
    with pytest.raises(CorpusError, match=r"c\.arff, line 7: 2 of 4 documents have no label"):
        read(text)
    assert names(read(text, ReadOptions(unlabelled="drop"))) == ["y", "x"]


def test_the_label_can_be_named_and_stand_anywhere() -> None:
    text = "@attribute k {p,q}\n@attribute n numeric\n@attribute k2 {0,1}\n@data\n{1 4}\nq,5,1\n"
    corpus = read(text, ReadOptions(label=("k",)))
    assert (names(corpus), corpus.vocabulary) == (["p", "q"], ("n", "k2"))
    assert dense(corpus) == [[4, 0], [5, 1]]


def test_the_only_nominal_attribute_is_the_class_wherever_it_stands() -> None:
    corpus = read("@attribute k {p,q}\n@attribute n numeric\n@data\n{1 4}\nq,5\n")
    assert (names(corpus), corpus.vocabulary) == (["p", "q"], ("n",))


def test_a_numeric_class_is_spelled_canonically() -> None:
    text = "@attribute n numeric\n@attribute k numeric\n@data\n{0 4}\n1,1.0\n2,+1\n"
    assert names(read(text, ReadOptions(label=("k",)))) == ["0", "1", "1"]


def test_an_omitted_nominal_term_has_its_first_value() -> None:
    text = "@attribute u {1,0}\n@attribute v {0,2}\n@attribute c {x,y}\n@data\n{2 y}\n{0 0,1 2}\n"
    assert dense(read(text)) == [[1, 0], [0, 2]]


@pytest.mark.parametrize("label", [(), ("u", "v")])
def test_values_that_lines_omit_are_limited(
    label: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """R7: lines times attributes can be many more values than the file has bytes."""
    monkeypatch.setattr(arff, "MAX_FILLED_IN", 5)
    head = "@attribute u {1,0}\n@attribute v {1,0}\n@attribute c {0,1}\n@data\n"
    assert len(read(head + "{}\n{0 0,2 1}\n", ReadOptions(label=label))) == 2
    with pytest.raises(CorpusError, match="line 7: more than 5 omitted values"):
        read(head + "{2 1}\n" + "{}\n" * 9, ReadOptions(label=label))


def test_several_named_labels_are_multilabel() -> None:
    corpus = read(MULAN + "{0 1,2 1}\n{}\n1,1,1\n", ReadOptions(label=("s", "t")))
    assert (corpus.labels, corpus.multilabel) == ((("t",), (), ("s", "t")), True)
    assert dense(corpus) == [[1], [0], [1]]


@pytest.mark.parametrize(("count", "terms"), [("2", ("t",)), ("-2", ("w",))])
def test_meka_says_how_many_labels_come_first_or_last(count: str, terms: tuple[str]) -> None:
    corpus = read(MULAN.replace("@relation m", f"@relation 'm: -C {count}'") + "{0 1,2 1}\n{}\n")
    assert (corpus.vocabulary, corpus.multilabel) == (terms, True)


@pytest.mark.parametrize("name", ["m.arff", "m-train.arff", "m.arff.gz"])
def test_labels_of_the_xml_file_beside(tmp_path: Path, name: str) -> None:
    content = (MULAN + "{0 1,2 1}\n{}\n").encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    (tmp_path / "m.xml").write_text(NESTED)
    corpus = read_arff(tmp_path / name, ReadOptions())
    assert (corpus.labels, corpus.classes) == ((("t",), ()), ("s", "t"))
    assert (corpus.multilabel, corpus.vocabulary) == (True, ("w",))


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ('<!DOCTYPE labels [<!ENTITY a "b">]><labels/>', r"m\.xml, line 1: .* found a DOCTYPE"),
        ("<labels><label", r"m\.xml, line 1: .* found unclosed token"),
        ("<labels/>", r"m\.xml: .* found none"),
        ('<?xml version="1.0" encoding="klingon"?><l/>', r"m\.xml, line 1: .* found unknown enc"),
        ('<labels><label name="no"/></labels>', "'no' is not declared"),
    ],
)
def test_a_bad_list_of_labels_is_refused(tmp_path: Path, xml: str, message: str) -> None:
    (tmp_path / "m.arff").write_text(MULAN + "{0 1,2 1}\n{}\n")
    (tmp_path / "m.xml").write_text(xml)
    with pytest.raises(CorpusError, match=message):
        read_arff(tmp_path / "m.arff", ReadOptions())


def test_one_string_attribute_is_the_text() -> None:
    text = (
        "@attribute t string\n@attribute c {ham,spam}\n@data\n'Win, \\'now\\'!\\n',spam\nhi,ham\n"
    )
    corpus = read(text)
    assert (corpus.texts, names(corpus)) == (("Win, 'now'!\n", "hi"), ["spam", "ham"])


def test_text_and_id_can_be_named() -> None:
    text = (
        "@attribute id string\n@attribute t string\n@attribute n numeric\n"
        "@attribute c {ham,spam}\n@data\nm1,hello,3,ham\nm2,buy,4,spam\n"
    )
    corpus = read(text, ReadOptions(text="t", id="id"))
    assert (corpus.texts, corpus.ids) == (("hello", "buy"), ("m1", "m2"))
    with pytest.raises(CorpusError, match="attribute id is string"):
        read(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{0 1 1 2}", "pairs of index and value"),
        ("{0 1,}", "pairs of index and value"),
        ("{a 1}", "pairs of index and value"),
        ("{0 1", "pairs of index and value"),
        ("{-1 1}", "pairs of index and value"),
        ("{0 1} 3", "expected nothing after"),
        ("{3 1}", "each index at most once, from 0 to 2"),
        ("{0 1,0 2}", "each index at most once"),
        ("{0 x}", "a finite number for a"),
        ("{0 1_0}", "a finite number for a"),
        ("{0 inf}", "a finite number for a"),
        ("{0 ?}", "Missing values are not supported"),
        ("{2 w}", "one of the 3 values of class"),
        ("1,2", "3 values separated by commas.* found 2"),
        ("1,2,x,y", "3 values separated by commas.* found 4"),
        ("1,,x", "a value, quoted"),
        ("1,2,'x", "a value, quoted"),
        ("?,2,x", "Missing values are not supported"),
    ],
)
def test_a_bad_line_of_data_is_named(line: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(HEADER + f"{{0 1,2 y}}\n{line}\n{{}}")
    assert (caught.value.where, caught.value.line) == ("c.arff", 7)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("@attribute", "the name of an attribute"),
        ("@attribute 'a", "the name of an attribute"),
        ("@attribute d", "the type of the attribute"),
        ("@attribute d {p,q", "values such as"),
        ("@attribute d {}", "values such as"),
        ("@attribute d {p q} more", "expected nothing after"),
        ("@attribute d date", "attribute d is date"),
        ("@attribute d {red,blue}", "attribute d is nominal with values such as 'red'"),
        ("1,2,3", "@relation, @attribute or @data"),
    ],
)
def test_a_bad_declaration_is_named(line: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(HEADER.replace("@attribute a numeric", line) + "{}\n")
    assert (caught.value.where, caught.value.line) == ("c.arff", 2)


def test_what_is_missing_as_a_whole() -> None:
    with pytest.raises(CorpusError, match="has no @data line"):
        read(HEADER.replace("@data", ""))
    with pytest.raises(CorpusError, match="Name the class with --label"):
        read("@attribute a numeric\n@data\n1\n")
    with pytest.raises(CorpusError, match="every attribute is a label"):
        read("@attribute c {x,y}\n@data\nx\ny\n")
    with pytest.raises(CorpusError, match="no document"):
        read(HEADER)


def test_a_long_line_that_never_closes_is_refused_at_once() -> None:
    for line in ("{0 '" + "\\'" * 200_000, "{" + " " * 400_000 + "x", "'" + "a" * 400_000):
        with pytest.raises(CorpusError, match="line 6"):
            read(HEADER + line)


def written(data: Labelled, classes: list[str], sparse: bool) -> str:
    n_docs, n_terms = data.matrix.shape
    text = ["@relation r", *(f"@attribute t{column} numeric" for column in range(n_terms))]
    text += [f"@attribute class {{{','.join(classes)}}}", "@data"]
    for document in range(n_docs):
        name = data.labels[document][0]
        if sparse:
            pairs = [f"{column} {value!r}" for column, value in entries(data.matrix, document)]
            # as Weka does, the first class is left out
            pairs += [f"{n_terms} {name}"] if name != classes[0] else []
            text.append("{" + ",".join(pairs) + "}")
        else:
            values = data.matrix[[document]].toarray()[0].tolist()
            text.append(",".join([*map(repr, values), name]))
    return "\n".join(text) + "\n"


@given(labelled(classes=("p", "q", "r")))
def test_what_is_written_sparse_is_read(data: Labelled) -> None:
    corpus = read(written(data, ["q", "p", "r"], sparse=True))
    np.testing.assert_array_equal(dense(corpus), data.matrix.toarray())
    assert list(corpus.labels) == data.labels


@given(labelled(classes=("p", "q", "r")))
def test_dense_agrees_with_scipy(data: Labelled) -> None:
    text = written(data, ["q", "p", "r"], sparse=False)
    corpus = read(text)
    table, meta = scipy_arff.loadarff(io.StringIO(text))
    assert corpus.vocabulary == tuple(meta.names()[:-1])
    expected = [[float(record[name]) for name in meta.names()[:-1]] for record in table]
    np.testing.assert_array_equal(dense(corpus), expected)
    assert names(corpus) == [record["class"].decode() for record in table]


@given(almost("{~}~0 1~,~2 y~1~?~'~\"~\\~%~x~nan~@data~@attribute~ numeric~string"))
def test_any_lines_give_a_corpus_or_a_corpus_error(lines: list[str]) -> None:
    for text in ("\n".join(lines), HEADER + "\n".join(lines)):
        try:
            corpus = read(text)
        except CorpusError:
            continue
        assert corpus.vectors is not None or corpus.texts is not None
        assert len(corpus) <= len(lines)
