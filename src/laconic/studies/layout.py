"""`StudyFolder`: the names of a study's files, and which of them a study may replace.

journal.sqlite, journal.lock        every task and its rows; everything else is made from it
plan.toml, rows.csv, corpora.json   what was measured, on what
recommendation.json                 the findings; comparisons.csv, stability.csv: parts of them
model.laconic, words.csv, …         of the problem; with several, in problems/<name>/
budget-<points>.laconic             smaller and larger models, by what they give up
report.html, figures/<chart>.svg    the page and its charts
blocks/                             word counts of a corpus that is too large for memory
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO
from unicodedata import normalize

from laconic.compact.model_file import MODEL_FILE
from laconic.corpus.io.addresses import is_glob
from laconic.corpus.loading import located
from laconic.errors import LaconicError
from laconic.files import (
    Kind,
    check_folder,
    check_not_read,
    check_output,
    csv_kind,
    draft,
    json_kind,
    make_folder,
    remove,
    remove_drafts,
)
from laconic.row_files import KINDS as ROWS_KINDS
from laconic.studies.options import Source
from laconic.studies.plan import Plan
from laconic.studies.words import KINDS as WORDS_KINDS
from laconic.text.stop_words import file_of

JOURNAL = "journal.sqlite"
LOCK = "journal.lock"
PLAN = "plan.toml"
ROWS = "rows.csv"
COMPARISONS = "comparisons.csv"
STABILITY = "stability.csv"
CORPORA = "corpora.json"
FINDINGS = "recommendation.json"
MODEL = "model.laconic"
STAND_IN = "stand-in.laconic"
# Models of the budget table, by the points of the metric that they give up.
BUDGET = {loss: f"budget-{100 * loss:g}.laconic" for loss in (0.0, 0.005, 0.01, 0.02, 0.05)}
WORDS = "words.csv"
CERTIFICATE = "certificate.json"
DIRECTIONS = "directions.json"
REPORT = "report.html"
BLOCKS = "blocks"
PROBLEMS = "problems"
FIGURES = "figures"
# The first line of a plan that a study writes.
PLAN_MARK = "# Written by Laconic. The next run of the study writes it again.\n"
# Figures carry the font of `report.charts.saving`, pictures a chunk that names Laconic.
FIGURE_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
PNG_SOFTWARE = b"Software\0Laconic"

PAGE_FILE = Kind("page", re.compile(rb'<meta name="generator" content="Laconic'))
SVG_FILE = Kind(
    "drawing",
    re.compile(rb'\A<svg [^>]*class="marks"[^>]* font-family="%b">' % FIGURE_FONT.encode()),
)
PNG_FILE = Kind("picture", re.compile(rb"\A\x89PNG\r\n\x1a\n.*tEXt%b" % PNG_SOFTWARE, re.DOTALL))
FIGURE_FILES = {"svg": SVG_FILE, "png": PNG_FILE}

# Files of one problem: in the study's folder, or, if the study has several, in one folder each.
PROBLEM_FILES: dict[str, Kind] = {
    MODEL: MODEL_FILE,
    STAND_IN: MODEL_FILE,
    **dict.fromkeys(BUDGET.values(), MODEL_FILE),
    WORDS: WORDS_KINDS[".csv"],
    CERTIFICATE: json_kind("certificate", "certificate"),
    DIRECTIONS: json_kind("file of directions", "directions"),
}
# SQLite's header, with our application id unless that is still in the -wal file.
JOURNAL_FILE = Kind("journal", re.compile(rb"\ASQLite format 3\0.{52}(Laco|\0{4})", re.DOTALL))
# All files that a study appends to, replaces or deletes in its folder.
FILES: dict[str, Kind] = PROBLEM_FILES | {
    JOURNAL: JOURNAL_FILE,
    # a full disk may have truncated it
    LOCK: Kind("lock", re.compile(rb"\A\d+( [^\n]*\n?)?\Z")),
    PLAN: Kind("plan", re.compile(rb"\A# Written by Laconic")),
    ROWS: ROWS_KINDS[".csv"],
    COMPARISONS: csv_kind("table of comparisons", ("problem", "method_a", "method_b")),
    STABILITY: csv_kind(
        "table of stability", ("problem", "method", "size", "n_features", "jaccard")
    ),
    CORPORA: json_kind("file of corpora", "corpora"),
    FINDINGS: json_kind("file of findings", "findings"),
}

NAME_CHARACTERS = 60
HASHED = re.compile(r"-[0-9a-f]{10}$")
# File names that are devices on Windows.
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True)
class ProblemFolder:
    """The files of one problem: its recommended model and what describes it.

    `name` is the folder relative to `study`; empty if they are the same.
    """

    study: Path
    name: str = ""

    @property
    def path(self) -> Path:
        return self.study / self.name

    @property
    def model(self) -> Path:
        return self.path / MODEL

    @property
    def stand_in(self) -> Path:
        """A smaller model for the page, if the recommended one is too large for it."""
        return self.path / STAND_IN

    def budget(self, loss: float) -> Path:
        """The model of a row of the budget table."""
        return self.path / BUDGET[loss]

    @property
    def words(self) -> Path:
        return self.path / WORDS

    @property
    def certificate(self) -> Path:
        return self.path / CERTIFICATE

    @property
    def directions(self) -> Path:
        return self.path / DIRECTIONS

    def make(self) -> None:
        make_folder(self.path)

    def delete_model(self) -> None:
        """Delete everything that was written about a recommended model."""
        delete(self.words, self.model, self.certificate, self.stand_in)

    def delete_budget(self, *losses: float) -> None:
        """Delete the models of these rows of the budget table."""
        delete(*map(self.budget, losses))


@dataclass(frozen=True)
class StudyFolder:
    """The files of a study."""

    path: Path

    @property
    def journal(self) -> Path:
        return self.path / JOURNAL

    @property
    def plan(self) -> Path:
        return self.path / PLAN

    @property
    def rows(self) -> Path:
        return self.path / ROWS

    @property
    def comparisons(self) -> Path:
        return self.path / COMPARISONS

    @property
    def stability(self) -> Path:
        return self.path / STABILITY

    @property
    def corpora(self) -> Path:
        return self.path / CORPORA

    @property
    def findings(self) -> Path:
        return self.path / FINDINGS

    @property
    def report(self) -> Path:
        return self.path / REPORT

    @property
    def blocks(self) -> Path:
        return self.path / BLOCKS

    @property
    def figures(self) -> Path:
        return self.path / FIGURES

    def figure(self, chart: str, file_format: str) -> Path:
        return self.figures / f"{chart}.{file_format}"

    def problem(self, name: str, n_problems: int) -> ProblemFolder:
        """The folder of a problem: the study's own if it has only this one."""
        folder = f"{PROBLEMS}/{distinct_name(name)}" if n_problems > 1 else ""
        return ProblemFolder(self.path, folder)

    def listing(self) -> list[str]:
        """The names of the files in the folder, without the lock and temporary files."""
        names = (file.name for file in self.path.iterdir())
        return sorted(name for name in names if not name.startswith((".", LOCK)))

    def check(self, inputs: Iterable[Path], problems: Collection[str] = ()) -> None:
        """Raise if a study that reads `inputs` would replace a file that it did not write.

        `problems` are the names of its problems, once they are known.
        """
        sources = list(inputs)
        _check(self.path, FILES, sources)
        for name in problems if len(problems) > 1 else ():
            check_folder(self.path / PROBLEMS)
            _check(self.problem(name, len(problems)).path, PROBLEM_FILES, sources)

    def check_figures(self, charts: Collection[str]) -> None:
        """Raise if a chart of these names, numbered or not, would replace another file."""
        check_folder(self.figures)
        for file in self.figures.glob("*"):
            kind = FIGURE_FILES.get(file.suffix[1:])
            if kind is not None and file.stem.partition("-")[0] in charts:
                check_output(file, kind)

    def remove_drafts(self) -> None:
        """Remove the half-written files of a study that was killed."""
        for folder in (self.path, *self.path.glob(f"{PROBLEMS}/*")):
            remove_drafts(folder, FILES)


def _check(folder: Path, files: dict[str, Kind], inputs: list[Path]) -> None:
    check_folder(folder)
    check_not_read((folder, *(folder / name for name in files)), inputs)
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
        also = f". The same is true of {', '.join(others)}" if others else ""
        raise LaconicError(f"{refusals[first]}{also}")


def write(file: Path) -> AbstractContextManager[IO[bytes]]:
    """A stream to a file of a study, which appears whole or not at all."""
    return draft(file, FILES[file.name])


def delete(*files: Path) -> None:
    """Delete files of a study, if they exist and a study wrote them."""
    for file in files:
        remove(file, FILES[file.name])


def input_paths(plan: Plan) -> list[Path]:
    """The files and folders that a study of the plan reads."""
    sources = [source for source in plan.corpora if isinstance(source, Source)]
    corpora = [file for source in sources for file in located(source.where, source.format)]
    return [*corpora, *filter(None, [file_of(plan.text.stop_words)])]


def check_apart(folder: Path, plan: Plan) -> None:
    """Raise if the folder of the study has files that a glob of the plan matches.

    The glob might match the files of the study too, when it is resumed.
    """
    for source in plan.corpora:
        if not isinstance(source, Source) or not is_glob(source.where):
            continue
        if any(file.resolve().parent == folder.resolve() for file in located(source.where)):
            raise LaconicError(
                f"{folder}: has files of the corpus {source.where}, which might match files of the "
                "study too. Choose another folder for the study"
            )


def safe_name(name: str) -> str:
    """The name of a method, problem or corpus, in characters that every file system allows."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-") or "corpus"


def distinct_name(name: str) -> str:
    """A safe name that differs for different names, also if case is ignored: C++, C#, C and c.

    A safe name in lower case stays as it is; any other ends with its hash.
    """
    safe = safe_name(name)
    if name == safe[:NAME_CHARACTERS] == normalize("NFC", name.casefold()) and not _reserved(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{safe[:NAME_CHARACTERS]}-{digest[:10]}"


def _reserved(name: str) -> bool:
    """Whether it looks like a name with its hash, or is a device of Windows."""
    return HASHED.search(name) is not None or DEVICES.fullmatch(name) is not None
