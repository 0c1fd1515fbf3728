"""Small studies for the tests of reports: each is run once per session, in a new folder."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from laconic import Corpus, Plan, Study
from laconic.studies.execution.local import InProcess
from laconic.studies.options import SplitOptions, TrainingOptions
from tests.studies.corpora import pets

METHODS = ("ALL", "DF", "IG", "WS")
SIZES = (3, 9, 18, 40)
# one classifier and alpha, since tuning takes longer
UNTUNED = TrainingOptions(alpha=1.0, classifiers=("ridge",))

# Each may end a script, a string, a template or a line, or turn the text around.
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>document.title='hacked'</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "{{7*7}}{% raw %}",
    "${x}`;alert(1)//",
    "<!--<script>",
    "]]>&lt;&amp;&#x3c;",
    "javascript:alert(1)",
    "=HYPERLINK('http://evil.example')",
    "@import 'http://evil.example/x.css'",
    "\u202edetrever\u202c",
    "line\u2028and\u2029paragraph",
    "bell\x07back\x08escape\x1b[31m",
    "tab\tnew\nline\rreturn",
    "\\u003c\\\\' \\\" \\",
    "datum.x); alert(1); (",
    "__proto__",
    "constructor",
    "&nbsp;\ufeff\u200b\U0001f600",
)


@cache
def pets_study() -> Path:
    """The folder of a finished study of three classes that few words tell apart."""
    return finished(pets(150))


@cache
def hostile_study() -> Path:
    """The folder of a finished study whose words, labels, ids and name are attacks."""
    return finished(hostile())


@cache
def family_study() -> Path:
    """The folder of a finished study of two corpora: two problems."""
    return finished((pets(90, name="pets"), pets(90, seed=1, name="more pets")))


@cache
def tuned_study() -> Path:
    """The folder of a finished study that tunes: one problem of three classes, one of two."""
    three = pets(90, name="three pets")
    two = [i for i, label in enumerate(three.labels) if label != ("fish",)]
    labels, texts = (tuple(values[i] for i in two) for values in (three.labels, three.texts))
    corpora = three, Corpus("two pets", labels, ids=tuple(map(str, two)), texts=texts)
    plan = {"methods": ("ALL", "IG"), "sizes": (2, 9), "split": SplitOptions(cv=2)}
    return finished(corpora, training=TrainingOptions(), **plan)


def finished(corpora: Corpus | tuple[Corpus, ...], **options) -> Path:
    """A folder in which a study of these corpora has been run, removed at the end."""
    plan = {"methods": METHODS, "sizes": SIZES, "split": SplitOptions(cv=3)}
    plan |= {"training": UNTUNED, "features": "words"} | options
    folder = _folder()
    Study(Plan(corpora, **plan), folder).run(InProcess(), command="laconic study of the tests")
    return folder


def hostile(n_docs: int = 120, seed: int = 0) -> Corpus:
    """Ready vectors, since a vectorizer would cut such words."""
    rng = np.random.default_rng(seed)
    labels = ("<script>alert(1)</script>", "</script>\"'{{7*7}}${x}", "\u202elebal\u2028\x07&amp;")
    words = HOSTILE + tuple(f"<b>{i}</b>" for i in range(40))
    counts = (rng.random((n_docs, len(words))) < 0.1).astype(float)
    for i in range(n_docs):  # each class has six of the words for its own
        counts[i, 6 * (i % 3) + rng.choice(6, 2, replace=False)] = 1
    return Corpus(
        "</script><script>alert(1)</script> {{7*7}} ${x} \"'\u202e\u2028\x07",
        labels=tuple((labels[i % 3],) for i in range(n_docs)),
        ids=tuple(f"{HOSTILE[i % len(HOSTILE)]}{i}" for i in range(n_docs)),
        vectors=csr_array(counts),
        vocabulary=words,
    )


def _folder() -> Path:
    where = tempfile.TemporaryDirectory(prefix="laconic-report-")
    atexit.register(where.cleanup)
    return Path(where.name)
