"""`Directions`: training documents on the first directions of a projection, named by words.

The directions are shown as computed, and rotated in two ways: so that each has few words, or few
documents at one end (Torkkola, section 8.3). Rotations are orthogonal: they keep all distances
between documents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from threadpoolctl import threadpool_limits

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, collected_warnings
from laconic.files import KEY, draft, read_json
from laconic.methods import Method, parse_method
from laconic.numerics.spectral.rotation import flip_to_positive_tails, maximize_skewness, varimax
from laconic.numerics.strata import rarest_label
from laconic.reduction import Projection
from laconic.studies.execution.task import Task, describe_failure
from laconic.studies.layout import DIRECTIONS, PROBLEM_FILES, StudyFolder, delete
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.text.problem import Problem
from laconic.types import Bools, Floats, Indices, Matrix

# What a picture can show and a reader can read.
MAX_DIRECTIONS = 12
MAX_DOCUMENTS = 3000
MIN_DOCUMENTS = 250
WORDS_PER_END = 8
TITLE_CHARACTERS = 44
DIGITS = 4
AS_COMPUTED = "as computed"
FEW_WORDS = "few words per direction"
FEW_DOCUMENTS = "few documents per direction"


@dataclass(frozen=True)
class Axis:
    """The words that name a direction: those with the strongest loadings at either end.

    Words and their loadings, strongest first.
    """

    positive: tuple[tuple[str, float], ...]
    negative: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Basis:
    """Axes of the subspace. A document z has the coordinates z·rotation; rotation is orthogonal."""

    name: str
    rotation: tuple[tuple[float, ...], ...]
    axes: tuple[Axis, ...]


@dataclass(frozen=True)
class Directions:
    """Some training documents of one problem on the directions of a projection.

    problem, method : what was projected, and how
    classes, counts : the classes, and the training documents of each
    n_documents : the number of training documents
    documents : titles of the documents that are shown. Every prefix has each class in proportion
    labels : positions in `classes`, one tuple per document
    coordinates : one number per direction, one tuple per document
    bases : the directions as computed, and rotated
    task_key : the task with this method and these documents
    """

    problem: str
    method: str
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    n_documents: int
    documents: tuple[str, ...] = field(repr=False)
    labels: tuple[tuple[int, ...], ...] = field(repr=False)
    coordinates: tuple[tuple[float, ...], ...] = field(repr=False)
    bases: tuple[Basis, ...] = field(repr=False)
    task_key: str = ""

    @classmethod
    def of(
        cls,
        projection: Projection,
        problem: Problem,
        titles: Sequence[str],
        *,
        method: str = "",
        task_key: str = "",
        max_documents: int = MAX_DOCUMENTS,
    ) -> Self:
        """The directions of a projection; `titles` has one per training document."""
        Z = projection.apply(problem.X_train)
        membership = _membership(problem)
        shown = stratified_sample(membership, max_documents)
        return cls(
            problem.name,
            method,
            problem.classes,
            tuple(membership.sum(axis=0).tolist()),
            len(titles),
            tuple(titles[i] for i in shown),
            tuple(tuple(np.flatnonzero(membership[i]).tolist()) for i in shown),
            _rounded(Z[shown]),
            tuple(_bases(projection, Z, problem.vocabulary)),
            task_key,
        )

    def write(self, file: Path) -> None:
        contents = {KEY: "directions", **asdict(self)}
        with draft(file, PROBLEM_FILES[DIRECTIONS]) as stream:
            stream.write(json.dumps(contents, allow_nan=False, separators=(",", ":")).encode())

    @classmethod
    def read(cls, file: Path) -> Self | None:
        """The directions that `write` wrote; None if there is no such file."""
        return read_json(file, cls)


def projection_method(plan: Plan) -> Method | None:
    """The first supervised projection of the plan, or its first projection, if it has one."""
    methods = [method for method in map(parse_method, plan.methods) if method.projects]
    return next((method for method in methods if method.supervised), next(iter(methods), None))


def write_directions(
    plan: Plan, prepared: PreparedCorpus, folder: StudyFolder, n_problems: int
) -> Iterator[str]:
    """Write the directions of each problem of a corpus; yield a warning for each that failed.

    A file of the same task is kept, any other is deleted. `n_problems` is the number of problems
    of the whole study, which share the number of documents that are shown.
    """
    method, split = projection_method(plan), prepared.final_split()
    tasks: dict[str, Task] = {}
    folders = {target.name: folder.problem(target.name, n_problems) for target in prepared.targets}
    for target in prepared.targets:
        name, of_problem = target.name, folders[target.name]
        if method is not None:
            task = plan.one_task(
                prepared.corpus, split, "test", target, method, 0, (MAX_DIRECTIONS,)
            )
            if _task_key(of_problem.directions) == task.key:
                continue
            tasks[name] = task
        delete(of_problem.directions)
    if not tasks:
        return
    titles = [document_title(prepared.corpus, document) for document in split.train]
    max_documents = max(MIN_DOCUMENTS, MAX_DOCUMENTS // n_problems)
    for problem in prepared.problems(split, tasks):
        try:
            directions = compute_directions(tasks[problem.name], problem, titles, max_documents)
            folders[problem.name].make()
            directions.write(folders[problem.name].directions)
        except Exception as failure:
            yield f"{problem.name} has no map: {describe_failure(failure)}"


def compute_directions(
    task: Task, problem: Problem, titles: Sequence[str], max_documents: int
) -> Directions:
    """The directions of the task's method, fitted on the training documents."""
    method = parse_method(task.method)
    random_state = {"random_state": task.random_state} if method.random else {}
    reducer = method.recipe(**{**random_state, **method.settings}).set_params(size=MAX_DIRECTIONS)
    with threadpool_limits(1), collected_warnings():
        reducer.fit(problem.X_train, problem.y_train)
        projection = reducer.at(min(MAX_DIRECTIONS, reducer.available_))
        return Directions.of(
            projection,
            problem,
            titles,
            method=task.method,
            task_key=task.key,
            max_documents=max_documents,
        )


def _task_key(file: Path) -> str:
    """The task of the directions in the file; empty if they cannot be read."""
    try:
        directions = Directions.read(file)
    except LaconicError:
        return ""
    return "" if directions is None else directions.task_key


def document_title(corpus: Corpus, document: int) -> str:
    """The beginning of the document's text; its id if it has no text."""
    text = corpus.texts[document] if corpus.texts is not None else ""
    # the title is within the first characters of a long text
    words = " ".join(text[: 40 * TITLE_CHARACTERS].split()) or corpus.ids[document]
    return words if len(words) <= TITLE_CHARACTERS else words[: TITLE_CHARACTERS - 1].rstrip() + "…"


def stratified_sample(membership: Bools, most: int) -> Indices:
    """At most so many documents, in an order of which every prefix has each class in proportion.

    Documents of a class, in random order, have the positions 0, 1/n, 2/n, …; so every class occurs
    once before any occurs again. A document of several classes counts for the rarest of them.
    """
    rng = np.random.default_rng(0)
    stratum = rarest_label(membership)
    position = np.empty(stratum.size)
    for number in np.unique(stratum):
        members = np.flatnonzero(stratum == number)
        position[members] = rng.permutation(members.size) / members.size
    return np.argsort(position, kind="stable")[:most]


def _membership(problem: Problem) -> Bools:
    """Documents × classes."""
    y: Matrix = problem.y_train
    if y.ndim == 2:
        return np.asarray((y.toarray() if issparse(y) else y) > 0)
    return np.asarray(y[:, None] == np.arange(len(problem.classes)))


def _bases(projection: Projection, Z: Floats, words: NDArray[Any]) -> Iterator[Basis]:
    A = projection.components
    yield _basis(AS_COMPUTED, A, np.eye(projection.size), words)
    rotations: dict[str, Callable[[], Floats]] = {
        FEW_WORDS: lambda: varimax(A),
        FEW_DOCUMENTS: lambda: maximize_skewness(Z),
    }
    for name, rotation in rotations.items():
        R = flip_to_positive_tails(Z, rotation())
        # the order of rotated directions is arbitrary: sort them by the variance of the documents
        yield _basis(name, A, R[:, np.argsort(-np.var(Z @ R, axis=0), kind="stable")], words)


def _basis(name: str, A: Floats, R: Floats, words: NDArray[Any]) -> Basis:
    return Basis(name, _rounded(R), tuple(_axis(column, words) for column in (A @ R).T))


def _axis(loadings: Floats, words: NDArray[Any]) -> Axis:
    return Axis(_end(loadings, words, 1.0), _end(loadings, words, -1.0))


def _end(loadings: Floats, words: NDArray[Any], sign: float) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-sign * loadings, kind="stable")[:WORDS_PER_END]
    return tuple((str(words[i]), _short(loadings[i])) for i in order if sign * loadings[i] > 0)


def _rounded(numbers: ArrayLike) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(_short, line)) for line in np.asarray(numbers).tolist())


def _short(number: float) -> float:
    if not np.isfinite(number):
        raise LaconicError("a direction has numbers that are not finite")
    return float(f"{number:.{DIGITS}g}")
