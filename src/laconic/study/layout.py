"""The folder of a study: what its files are called, and which of them a study may replace."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from laconic.compact.tensors import MODEL_FILE
from laconic.corpus.loading import located
from laconic.errors import LaconicError
from laconic.files import (
    Kind,
    check_folder,
    check_not_read,
    check_output,
    distinct_name,
    headed,
    keyed,
    remove,
    remove_drafts,
)
from laconic.rows import KINDS as ROWS_KINDS
from laconic.study.plan import Plan
from laconic.study.settings import Source
from laconic.study.words import KINDS as WORDS_KINDS
from laconic.vectors.stopwords import file_of

JOURNAL = "journal.sqlite"
LOCK = "journal.lock"
PLAN = "plan.toml"
ROWS = "rows.csv"
COMPARISONS = "comparisons.csv"
STABILITY = "stability.csv"
CARDS = "corpora.json"
RECOMMENDATION = "recommendation.json"
MODEL = "model.laconic"
STAND_IN = "stand-in.laconic"
WORDS = "words.csv"
CERTIFICATE = "certificate.json"
DIRECTIONS = "directions.json"
PROBLEMS = "problems"
# The first line of a plan that a study writes.
PLAN_MARK = "# Written by Laconic. The next run of the study writes it again.\n"

# Of one problem: in the folder itself, or, where a study has several, in one for each.
PROBLEM_FILES: dict[str, Kind] = {
    MODEL: MODEL_FILE,
    STAND_IN: MODEL_FILE,
    WORDS: WORDS_KINDS[".csv"],
    CERTIFICATE: keyed("certificate", "certificate"),
    DIRECTIONS: keyed("file of directions", "directions"),
}
# SQLite's header, with our application id where it is not still waiting in the -wal file.
JOURNAL_FILE = Kind("journal", re.compile(rb"\ASQLite format 3\0.{52}(Laco|\0{4})", re.DOTALL))
# All that a study appends to, replaces or deletes in its folder.
FILES: dict[str, Kind] = PROBLEM_FILES | {
    JOURNAL: JOURNAL_FILE,
    # a full disk may have cut it short
    LOCK: Kind("lock", re.compile(rb"\A\d+( [^\n]*\n?)?\Z")),
    PLAN: Kind("plan", re.compile(rb"\A# Written by Laconic")),
    ROWS: ROWS_KINDS[".csv"],
    COMPARISONS: headed(
        "table of comparisons", ("problem", "a", "b", "n_features_a", "n_features_b")
    ),
    STABILITY: headed("table of stability", ("problem", "method", "size", "n_features", "jaccard")),
    CARDS: keyed("file of corpora", "corpora"),
    RECOMMENDATION: keyed("file of findings", "findings"),
}


def place_of(problem: str, several: bool) -> str:
    """The folder of a problem within that of a study of one or of several."""
    return f"{PROBLEMS}/{distinct_name(problem)}" if several else ""


def inputs_of(plan: Plan) -> list[Path]:
    """The files and folders that a study of the plan reads."""
    sources = [one for one in plan.corpora if isinstance(one, Source)]
    places = [located(source.where, source.format) for source in sources]
    return [*filter(None, (*places, file_of(plan.text.stop_words)))]


def check_study_folder(where: Path, inputs: Iterable[Path], places: Iterable[str] = ()) -> None:
    """A study that reads `inputs` may replace all that it finds under the names of its files.

    `places` are the folders of its problems, once they are known.
    """
    read = list(inputs)
    _check(where, FILES, read)
    for place in filter(None, places):
        check_folder(where / PROBLEMS)
        _check(where / place, PROBLEM_FILES, read)


def _check(folder: Path, files: dict[str, Kind], read: list[Path]) -> None:
    check_folder(folder)
    check_not_read((folder, *(folder / name for name in files)), read)
    if not folder.is_dir():
        return
    refusals: dict[str, LaconicError] = {}
    for name, kind in files.items():
        try:
            check_output(folder / name, kind)
        except LaconicError as refusal:
            refusals[name] = refusal
    if refusals:
        first, *others = refusals
        also = f". The same goes for {', '.join(others)}" if others else ""
        raise LaconicError(f"{refusals[first]}{also}")


def clear(folder: Path, *names: str) -> None:
    """Delete files of a study that it has written before."""
    for name in names:
        remove(folder / name, FILES[name])


def remove_left_drafts(where: Path) -> None:
    """Remove what a study that was killed has left half-written."""
    for folder in (where, *where.glob(f"{PROBLEMS}/*")):
        remove_drafts(folder, FILES)
