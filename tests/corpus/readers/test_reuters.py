"""Reuters-21578: the counts its README states, and the odd corners of its SGML."""

from __future__ import annotations

import tarfile
from collections import Counter
from html import unescape
from pathlib import Path

import pytest

from laconic.corpus.corpus import Corpus
from laconic.corpus.io.streams import tar_members
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.reuters import read_reuters
from laconic.errors import CorpusError
from tests.known_corpora import known_corpus

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
STORY = """<REUTERS TOPICS="{topics}" LEWISSPLIT="{lewis}" CGISPLIT="{cgi}" OLDID="1" NEWID="{id}">
<DATE>26-FEB-1987</DATE>
<TOPICS>{labels}</TOPICS>
<PLACES><D>usa</D></PLACES>
<UNKNOWN>&#5;noise</UNKNOWN>
{text}
</REUTERS>
"""
NORM = """<TEXT>&#2;
<TITLE>{title}</TITLE>
<DATELINE> ROME - </DATELINE><BODY>{body}
&#3;</BODY></TEXT>"""


def story(
    id: int,
    labels: str = "",
    *,
    topics: str = "YES",
    lewis: str = "TRAIN",
    cgi: str = "TRAINING-SET",
    text: str = NORM.format(title="A TITLE", body="a body"),
) -> str:
    marked = "".join(f"<D>{label}</D>" for label in labels.split())
    return STORY.format(id=id, labels=marked, topics=topics, lewis=lewis, cgi=cgi, text=text)


def distribution(folder: Path, *stories: str, name: str = "reut2-000.sgm") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes((HEAD + "".join(stories)).encode("latin-1"))
    return folder


def read(folder: Path, *stories: str, split: str | None = "none") -> Corpus:
    return read_reuters(distribution(folder / "reuters", *stories), ReadOptions(split=split))


def test_r14_an_empty_topic_is_no_class(tmp_path: Path) -> None:
    """R14: `<D></D>` gave a class without a name."""
    empty = story(8, "gold").replace("<D>gold</D>", "<D></D><D> </D>")
    corpus = read(tmp_path, story(7, "grain"), empty)
    assert (corpus.labels, corpus.classes) == ((("grain",), ()), ("grain",))


def test_labels_are_the_topics_and_a_story_without_is_of_no_class(tmp_path: Path) -> None:
    corpus = read(tmp_path, story(7, "grain wheat"), story(8), story(9, "gold"))
    assert corpus.labels == (("grain", "wheat"), (), ("gold",))
    assert corpus.ids == ("7", "8", "9")
    assert corpus.multilabel
    assert corpus.split is None


def test_the_text_is_title_and_body(tmp_path: Path) -> None:
    brief = '<TEXT TYPE="BRIEF">&#2;\n***<TITLE>ONLY THIS\n</TITLE>Blah blah blah.\n&#3;</TEXT>'
    unproc = '<TEXT TYPE="UNPROC">&#2;\nall of\nthis\n&#3;</TEXT>'
    body = NORM.format(title="A &lt;B> &amp;lt; C", body="d&#127;e \x85 f\n    g \xfc &unknown; h")
    corpus = read(
        tmp_path, story(1, "x", text=brief), story(2, "y", text=unproc), story(3, text=body)
    )
    assert corpus.texts == (
        "ONLY THIS\n",
        " \nall of\nthis\n ",
        "A <B> &lt; C\nd e   f\n    g \xfc &unknown; h\n ",
    )


PARTS = (
    story(1, "a", topics="YES", lewis="TRAIN", cgi="TRAINING-SET"),
    story(2, "b", topics="YES", lewis="TEST", cgi="PUBLISHED-TESTSET"),
    story(3, "a", topics="NO", lewis="TRAIN", cgi="PUBLISHED-TESTSET"),
    story(4, "b", topics="NO", lewis="TEST", cgi="TRAINING-SET"),
    story(5, "a", topics="BYPASS", lewis="TRAIN", cgi="TRAINING-SET"),
    story(6, "b", topics="YES", lewis="NOT-USED", cgi="TRAINING-SET"),
)


@pytest.mark.parametrize(
    ("split", "train", "test", "dropped"),
    [
        (None, "1", "2", "4 documents are in neither part of ModApte"),
        ("ModApte", "1", "2", "4 documents are in neither part of ModApte"),
        ("modlewis", "1 3", "2 4", "2 documents are in neither part of ModLewis"),
        ("ModHayes", "1 4 5 6", "2 3", ""),
    ],
)
def test_splits_follow_the_readme(
    tmp_path: Path, split: str | None, train: str, test: str, dropped: str
) -> None:
    corpus = read(tmp_path, *PARTS, split=split)
    assert [corpus.ids[i] for i in corpus.part("train")] == train.split()
    assert [corpus.ids[i] for i in corpus.part("test")] == test.split()
    assert len(corpus) == len(train.split()) + len(test.split())
    assert "".join(corpus.notes).startswith(dropped)
    assert bool(corpus.notes) == bool(dropped)


def test_an_unknown_split_lists_the_three(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no split 'apte'. .*ModApte, ModLewis, ModHayes"):
        read(tmp_path, *PARTS, split="apte")


def test_archive_folder_and_file_read_alike(tmp_path: Path) -> None:
    folder = distribution(tmp_path / "x", *PARTS[:3])
    one = read_reuters(folder / "reut2-000.sgm", ReadOptions(split="none"))
    assert one.ids == ("1", "2", "3")
    distribution(folder, *PARTS[3:], name="reut2-001.sgm")
    (folder / "README.txt").write_bytes(b"\xff not read \0")
    with tarfile.open(tmp_path / "x.tar.gz", "w:gz") as archive:
        for name in ("reut2-001.sgm", "README.txt", "reut2-000.sgm"):
            archive.add(folder / name, f"inside/{name}")
    unpacked = read_reuters(folder, ReadOptions(split="none"))
    packed = read_reuters(tmp_path / "x.tar.gz", ReadOptions(split="none"))
    assert packed.fingerprint == unpacked.fingerprint
    assert packed.ids == ("1", "2", "3", "4", "5", "6")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (story(1, "a") + story(2, "b")[:200], "line 12: .* does not end: the file is truncated"),
        (story(1, "a")[:-12] + story(2), "line 2: .* does not end before the next one begins"),
        (story(1, "a")[:-11] + story(2), "line 2: .* does not end before the next one begins"),
        (story(1, "a", text=""), "line 2: .* has no TEXT element"),
        (story(1).replace("<TOPICS>", "<TOPIC>"), "line 2: .* has no TOPICS element"),
        (story(1, "a").replace("NEWID", "ID"), "line 2: .* has no attribute NEWID"),
        (story(1, "a").replace("CGI", "GCI"), "line 2: .* has no attribute CGISPLIT"),
        (story(1, "a") + story(1, "b"), "the id '1' occurs twice"),
        ("", "it has no documents"),
    ],
)
def test_bad_sgml_names_the_line(tmp_path: Path, content: str, expected: str) -> None:
    with pytest.raises(CorpusError, match=expected):
        read(tmp_path, content, split="ModHayes")


def test_a_folder_without_the_files_says_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "notes.sgm").write_text(story(1, "a"))
    with pytest.raises(CorpusError, match=r"contains no reut2-\*\.sgm"):
        read_reuters(tmp_path, ReadOptions())


@pytest.mark.corpus
def test_all_stories_and_120_topics_are_read(corpora: Path) -> None:
    corpus = known_corpus("reuters-21578", split="none")
    assert len(corpus) == 21_578
    assert len(corpus.classes) == 120
    assert corpus.ids == tuple(str(i) for i in range(1, 21_579))
    assert corpus.texts is not None
    assert corpus.texts[0].startswith("BAHIA COCOA REVIEW\nShowers continued throughout the week")
    assert not any("Blah blah blah" in text for text in corpus.texts)
    assert [i for i, text in zip(corpus.ids, corpus.texts, strict=True) if not text.strip()] == [
        "12793"
    ]


def words(marked: str) -> list[str]:
    # html.unescape drops references to control characters, and knows no C1 blanks
    return unescape(marked.replace("&#", " &#")).split()


def between(element: str, tag: str) -> str:
    return element.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]


@pytest.mark.corpus
def test_every_story_has_the_words_of_its_kind(corpora: Path) -> None:
    corpus = known_corpus("reuters-21578", split="none")
    texts = dict(zip(corpus.ids, corpus.texts or (), strict=True))
    kinds = Counter[str]()
    for name, file in tar_members(corpora / "reuters21578.tar.gz", ReadOptions()):
        stories = file.read().decode("latin-1").split("<REUTERS ")[1:]
        for element in stories if name.endswith(".sgm") else []:
            text, rest = element.partition("<TEXT")[2].split(">", 1)
            kinds[text] += 1
            expected = rest.partition("</TEXT>")[0]
            if "UNPROC" not in text:
                expected = between(rest, "TITLE") + "\n" + between(rest, "BODY")
            number = element.partition('NEWID="')[2].partition('"')[0]
            assert texts[number].split() == words(expected)
    assert kinds == {"": 19_043, ' TYPE="BRIEF"': 1_798, ' TYPE="UNPROC"': 737}
