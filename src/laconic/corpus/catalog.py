"""Known corpora: file names, expected counts, licence, citation, standard splits.

Files are searched for in the folder named by the environment variable LACONIC_DATA, under the names
under which they are published. `pydocs` needs no file: it is built from the installed packages.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.pydocs import build_pydocs
from laconic.corpus.readers.arff.reader import read_arff
from laconic.corpus.readers.cluto import read_cluto
from laconic.corpus.readers.folders import read_folder
from laconic.corpus.readers.rcv1 import is_published, read_rcv1
from laconic.corpus.readers.reuters import read_reuters, split_name
from laconic.corpus.readers.shards import read_jsonl
from laconic.corpus.readers.techtc import read_all_techtc, read_techtc
from laconic.corpus.stored_texts import TextStore
from laconic.errors import CorpusError

ExpectedCounts = dict[str, int]
RESEARCH = "for research only; no redistribution"
REUTERS: dict[str, ExpectedCounts] = {
    "ModApte": {"training documents": 9_603, "test documents": 3_299},
    "ModLewis": {"training documents": 13_625, "test documents": 6_188},
    "ModHayes": {"training documents": 20_856, "test documents": 722, "classes": 120},
    "none": {"documents": 21_578, "classes": 120},
}
# Counts without repeated vectors, and with MCAT.
RCV1_SUBSETS: ExpectedCounts = {"documents": 27_613, "terms": 47_236, "classes": 102}
RCV1_PUBLISHED: ExpectedCounts = {"training documents": 23_149, "test documents": 781_265}


@dataclass(frozen=True)
class CatalogEntry:
    """A corpus of the literature. `expected` holds the counts of an intact copy.

    It is a function where the counts depend on the split or on the form of the files.
    """

    name: str
    about: str
    files: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Corpus]
    licence: str
    citation: str
    expected: ExpectedCounts | Callable[[Path, ReadOptions], ExpectedCounts]
    encoding: str | None = None
    splits: tuple[str, ...] = ()


def read_bodies(where: Path, options: ReadOptions) -> Corpus:
    """Messages without their headers, which name the newsgroup."""
    corpus = read_folder(where, options)
    bodies = TextStore()
    for text in corpus.texts or ():
        bodies.append(text.partition("\n\n")[2])
    return replace(corpus, texts=bodies.texts())


CATALOG: dict[str, CatalogEntry] = {
    entry.name: entry
    for entry in (
        CatalogEntry(
            "reuters-21578",
            "Reuters newswire of 1987, 120 topics, any number per document",
            ("reuters21578.tar.gz", "reuters21578"),
            read_reuters,
            RESEARCH,
            "D. D. Lewis, Reuters-21578 text categorization collection, Distribution 1.0, 1997",
            lambda where, options: REUTERS[split_name(where, options)],
            splits=("ModApte", "ModLewis", "ModHayes", "none"),
        ),
        CatalogEntry(
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
        CatalogEntry(
            "20news",
            "20 Newsgroups, the original 19,997 messages with full headers",
            ("20news-19997.tar.xz", "20news-19997.tar.gz", "20_newsgroups"),
            read_folder,
            "Usenet messages, freely copied for research",
            "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995",
            {"documents": 19_997, "classes": 20},
            encoding="latin-1",
        ),
        CatalogEntry(
            "20news-bodies",
            "the same 19,997 messages without headers, which name the newsgroup",
            ("20news-19997.tar.xz", "20news-19997.tar.gz", "20_newsgroups"),
            read_bodies,
            "Usenet messages, freely copied for research",
            "K. Lang, NewsWeeder: learning to filter netnews, ICML 1995",
            {"documents": 19_997, "classes": 20},
            encoding="latin-1",
        ),
        CatalogEntry(
            "rcv1",
            "RCV1-v2 news topics as vectors, any number per document",
            ("rcv1",),
            read_rcv1,
            RESEARCH,
            "D. D. Lewis, Y. Yang, T. G. Rose, F. Li, RCV1, JMLR 5:361-397, 2004",
            lambda where, _: RCV1_PUBLISHED if is_published(where) else RCV1_SUBSETS,
        ),
        CatalogEntry(
            "fbis",
            "Foreign Broadcast Information Service reports, 17 classes, as vectors",
            ("forman/fbis.wc.arff.gz", "fbis.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 2_463, "terms": 2_000, "classes": 17},
        ),
        CatalogEntry(
            "la1",
            "Los Angeles Times articles, 6 sections, as vectors in their original dimension",
            ("cluto/la1.mat.gz", "la1.mat"),
            read_cluto,
            "for research",
            "G. Karypis, CLUTO, a clustering toolkit, University of Minnesota, 2003",
            {"documents": 3_204, "terms": 31_472, "classes": 6},
        ),
        CatalogEntry(
            "la1s",
            "Los Angeles Times articles, 6 sections, as vectors of Forman's 13,195 words",
            ("forman/la1s.wc.arff.gz", "la1s.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 3_204, "terms": 13_195, "classes": 6},
        ),
        CatalogEntry(
            "ohscal",
            "medical abstracts of OHSUMED, 10 classes, as vectors",
            ("forman/ohscal.wc.arff.gz", "ohscal.wc.arff"),
            read_arff,
            "for research",
            "G. Forman, An extensive empirical study of feature selection metrics, JMLR 3, 2003",
            {"documents": 11_162, "terms": 11_465, "classes": 10},
        ),
        CatalogEntry(
            "sms-spam",
            "text messages, spam or ham",
            ("extra/sms_spam.jsonl.gz",),
            read_jsonl,
            "for research",
            "T. A. Almeida, J. M. Gómez Hidalgo, A. Yamakami, SMS spam filtering, DocEng 2011",
            {"documents": 5_574, "classes": 2},
        ),
        CatalogEntry(
            "enron",
            "e-mail of the Enron company, 53 labels, as presence vectors",
            ("extra/mulan_enron.arff.gz", "enron.arff"),
            read_arff,
            "for research",
            "B. Klimt, Y. Yang, The Enron corpus, ECML 2004; Mulan's version",
            {"documents": 1_702, "terms": 1_001, "classes": 53},
        ),
        CatalogEntry(
            "pydocs",
            "docstrings of numpy, scipy, scikit-learn and the standard library; needs no file",
            (),
            lambda _, options: build_pydocs(progress=options.progress),
            "that of the packages (BSD-3-Clause, PSF)",
            "the installed packages themselves",
            {},
        ),
    )
}
TECHTC = CatalogEntry(
    "techtc100",
    "TechTC-100: 100 two-class sets of web pages as vectors; techtc100/Exp_ID1_ID2 names one",
    ("techtc100.tar.xz", "techtc100.tar.gz", "techtc100"),
    read_techtc,
    "for research",
    "E. Gabrilovich, S. Markovitch, Text categorization with many redundant features, ICML 2004",
    # Numbers of documents and terms differ between sets and preprocessings.
    {"classes": 2},
)


def known_corpora() -> tuple[CatalogEntry, ...]:
    return (*CATALOG.values(), TECHTC)


def find(name: str) -> CatalogEntry | None:
    """The catalog entry of this name, or None. `techtc100/Exp_…` is one of the 100 sets."""
    family, _, member = name.partition("/")
    if family != TECHTC.name or not member:
        return CATALOG.get(name)

    def read_member(where: Path, options: ReadOptions) -> Corpus:
        return read_techtc(where, options, name=member)

    return replace(TECHTC, name=name, read=read_member)


def load_known(entry: CatalogEntry, options: ReadOptions) -> Corpus:
    """Read a known corpus from LACONIC_DATA; its notes report unexpected counts."""
    where = locate(entry)
    if options.encoding is None:
        options = replace(options, encoding=entry.encoding)
    corpus = replace(entry.read(where, options), name=entry.name)
    expected = entry.expected(where, options) if callable(entry.expected) else entry.expected
    counts = _counts(corpus)
    differences = [
        f"{what}: found {counts[what]:,}, expected {count:,}"
        for what, count in expected.items()
        if counts[what] != count
    ]
    return replace(corpus, notes=(*corpus.notes, *differences))


def load_family(options: ReadOptions) -> Iterator[Corpus]:
    """Every set of TechTC-100, in archive order."""
    for corpus in read_all_techtc(locate(TECHTC), options):
        yield replace(corpus, name=f"{TECHTC.name}/{corpus.name}")


def locate(entry: CatalogEntry) -> Path:
    """The file or folder of the corpus."""
    if not entry.files:
        return Path()
    folder = os.environ.get("LACONIC_DATA")
    if not folder:
        raise CorpusError(
            f"the corpus {entry.name} is read from the folder named by LACONIC_DATA, which is not "
            f"set. Set it to the folder that contains {entry.files[0]}, or give a file."
        )
    for file in entry.files:
        if (where := Path(folder) / file).exists():
            return where
    raise CorpusError(
        f"the corpus {entry.name} was not found here. Add one of {', '.join(entry.files)}.",
        where=folder,
    )


def _counts(corpus: Corpus) -> ExpectedCounts:
    split = corpus.split or ()
    return {
        "documents": len(corpus),
        "classes": len(corpus.classes),
        "terms": len(corpus.vocabulary or ()),
        "training documents": split.count(TRAIN),
        "test documents": split.count(TEST),
    }
