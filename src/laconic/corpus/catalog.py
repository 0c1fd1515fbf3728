"""Known corpora: where their files are, what must come out, licence, citation, standard splits.

Files are looked for in the folder that the environment variable LACONIC_DATA names, under the
names in which the public gets them. `pydocs` needs no file: it is made from the installation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.formats.arff import read_arff
from laconic.corpus.formats.cluto import read_cluto
from laconic.corpus.formats.folders import read_folder
from laconic.corpus.formats.rcv1 import is_published, read_rcv1
from laconic.corpus.formats.reuters import read_reuters, split_name
from laconic.corpus.formats.tables import read_jsonl
from laconic.corpus.formats.techtc import read_all_techtc, read_techtc
from laconic.corpus.options import ReadOptions
from laconic.corpus.pydocs import build_pydocs
from laconic.errors import CorpusError

Counts = dict[str, int]
RESEARCH = "for research only; not to be passed on"
REUTERS: dict[str, Counts] = {
    "ModApte": {"training documents": 9_603, "test documents": 3_299},
    "ModLewis": {"training documents": 13_625, "test documents": 6_188},
    "ModHayes": {"training documents": 20_856, "test documents": 722, "classes": 120},
    "none": {"documents": 21_578, "classes": 120},
}
# The subsets are counted after the repeated vectors are left out, and with MCAT.
RCV1_SUBSETS: Counts = {"documents": 27_613, "terms": 47_236, "classes": 102}
RCV1_PUBLISHED: Counts = {"training documents": 23_149, "test documents": 781_265}


@dataclass(frozen=True)
class Known:
    """A corpus of the literature. `expected` are the counts that a sound copy gives.

    Where they depend on the split or on the form of the files, it is a function that tells them.
    """

    name: str
    about: str
    files: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Corpus]
    licence: str
    citation: str
    expected: Counts | Callable[[Path, ReadOptions], Counts]
    encoding: str | None = None
    splits: tuple[str, ...] = ()


def read_bodies(where: Path, reading: ReadOptions) -> Corpus:
    """Messages without what precedes the first empty line: the header names the newsgroup."""
    whole = read_folder(where, reading)
    return replace(whole, texts=tuple(text.partition("\n\n")[2] for text in whole.texts or ()))


CATALOG: dict[str, Known] = {
    known.name: known
    for known in (
        Known(
            "reuters-21578",
            "Reuters newswire of 1987, 120 topics, several a document",
            ("reuters21578.tar.gz", "reuters21578"),
            read_reuters,
            RESEARCH,
            "D. D. Lewis, Reuters-21578 text categorization collection, Distribution 1.0, 1997",
            lambda where, reading: REUTERS[split_name(where, reading)],
            splits=("ModApte", "ModLewis", "ModHayes", "none"),
        ),
        Known(
            "20news-bydate",
            "20 Newsgroups, split by date, without repeated messages",
            ("20news-bydate.tar.xz", "20news-bydate.tar.gz", "20news-bydate"),
            read_folder,
            "Usenet messages, freely copied for research",
            "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995; J. Rennie's version",
            {
                "documents": 18_846,
                "classes": 20,
                "training documents": 11_314,
                "test documents": 7_532,
            },
            encoding="latin-1",
        ),
        Known(
            "20news",
            "20 Newsgroups, the original 19,997 messages with full headers",
            ("20news-19997.tar.xz", "20news-19997.tar.gz", "20_newsgroups"),
            read_folder,
            "Usenet messages, freely copied for research",
            "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995",
            {"documents": 19_997, "classes": 20},
            encoding="latin-1",
        ),
        Known(
            "20news-bodies",
            "the same 19,997 messages without their headers, which name the group",
            ("20news-19997.tar.xz", "20news-19997.tar.gz", "20_newsgroups"),
            read_bodies,
            "Usenet messages, freely copied for research",
            "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995",
            {"documents": 19_997, "classes": 20},
            encoding="latin-1",
        ),
        Known(
            "rcv1",
            "RCV1-v2 news topics as vectors, several a document",
            ("rcv1",),
            read_rcv1,
            RESEARCH,
            "D. D. Lewis, Y. Yang, T. G. Rose, F. Li, RCV1, JMLR 5:361-397, 2004",
            lambda where, _: RCV1_PUBLISHED if is_published(where) else RCV1_SUBSETS,
        ),
        Known(
            "fbis",
            "Foreign Broadcast Information Service reports, 17 classes, as vectors",
            ("forman/fbis.wc.arff.gz", "fbis.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 2_463, "terms": 2_000, "classes": 17},
        ),
        Known(
            "la1",
            "Los Angeles Times articles, 6 sections, as vectors in their original dimension",
            ("cluto/la1.mat.gz", "la1.mat"),
            read_cluto,
            "for research",
            "G. Karypis, CLUTO, a clustering toolkit, University of Minnesota, 2003",
            {"documents": 3_204, "terms": 31_472, "classes": 6},
        ),
        Known(
            "la1s",
            "Los Angeles Times articles, 6 sections, as vectors of Forman's 13,195 words",
            ("forman/la1s.wc.arff.gz", "la1s.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 3_204, "terms": 13_195, "classes": 6},
        ),
        Known(
            "ohscal",
            "medical abstracts of OHSUMED, 10 classes, as vectors",
            ("forman/ohscal.wc.arff.gz", "ohscal.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 11_162, "terms": 11_465, "classes": 10},
        ),
        Known(
            "sms-spam",
            "text messages, spam or ham",
            ("extra/sms_spam.jsonl.gz",),
            read_jsonl,
            "for research",
            "T. A. Almeida, J. M. Gómez Hidalgo, A. Yamakami, SMS spam filtering, DocEng 2011",
            {"documents": 5_574, "classes": 2},
        ),
        Known(
            "enron",
            "e-mail of the Enron company, 53 labels, as presence vectors",
            ("extra/mulan_enron.arff.gz", "enron.arff"),
            read_arff,
            "for research",
            "B. Klimt, Y. Yang, The Enron corpus, ECML 2004; Mulan's version",
            {"documents": 1_702, "terms": 1_001, "classes": 53},
        ),
        Known(
            "pydocs",
            "docstrings of numpy, scipy, scikit-learn and the standard library; needs no file",
            (),
            lambda _, reading: build_pydocs(progress=reading.progress),
            "as the packages that they come from (BSD-3-Clause, PSF)",
            "the installed packages themselves",
            {},
        ),
    )
}
TECHTC = Known(
    "techtc100",
    "TechTC-100: 100 two-class sets of web pages as vectors; techtc100/Exp_ID1_ID2 names one",
    ("techtc100.tar.xz", "techtc100.tar.gz", "techtc100"),
    read_techtc,
    "for research",
    "E. Gabrilovich, S. Markovitch, Text categorization with many redundant features, ICML 2004",
    # The numbers of documents and terms differ from set to set and with the preprocessing.
    {"classes": 2},
)


def known_corpora() -> tuple[Known, ...]:
    return (*CATALOG.values(), TECHTC)


def find(name: str) -> Known | None:
    """The corpus of this name, or None. `techtc100/Exp_…` is one of its hundred sets."""
    family, _, member = name.partition("/")
    if family != TECHTC.name or not member:
        return CATALOG.get(name)

    def read_member(where: Path, reading: ReadOptions) -> Corpus:
        return read_techtc(where, reading, name=member)

    return replace(TECHTC, name=name, read=read_member)


def load_known(known: Known, reading: ReadOptions) -> Corpus:
    """Read a known corpus from LACONIC_DATA under its own name, noting counts that are off."""
    where = locate(known)
    if reading.encoding is None:
        reading = replace(reading, encoding=known.encoding)
    corpus = replace(known.read(where, reading), name=known.name)
    expected = known.expected(where, reading) if callable(known.expected) else known.expected
    found = _counts(corpus)
    off = [
        f"{what}: {found[what]:,} found where {count:,} are known"
        for what, count in expected.items()
        if found[what] != count
    ]
    return replace(corpus, notes=(*corpus.notes, *off))


def load_family(reading: ReadOptions) -> Iterator[Corpus]:
    """Every set of TechTC-100, in the order of the archive."""
    for corpus in read_all_techtc(locate(TECHTC), reading):
        yield replace(corpus, name=f"{TECHTC.name}/{corpus.name}")


def locate(known: Known) -> Path:
    """Where the corpus's file or folder is."""
    if not known.files:
        return Path()
    folder = os.environ.get("LACONIC_DATA")
    if not folder:
        raise CorpusError(
            f"the corpus {known.name} is looked for in the folder that LACONIC_DATA names, which "
            f"is not set. Set it to the folder that holds {known.files[0]}, or give a file."
        )
    for file in known.files:
        if (where := Path(folder) / file).exists():
            return where
    raise CorpusError(
        f"the corpus {known.name} is not there. Put one of {', '.join(known.files)} into it.",
        where=folder,
    )


def _counts(corpus: Corpus) -> Counts:
    split = corpus.split or ()
    return {
        "documents": len(corpus),
        "classes": len(corpus.classes),
        "terms": len(corpus.vocabulary or ()),
        "training documents": split.count(TRAIN),
        "test documents": split.count(TEST),
    }
