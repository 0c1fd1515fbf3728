"""`Directions`: training documents on the first directions of a projection, and words to name them.

The directions are told as they were found, and turned twice: until each has few words, and until
each has few documents at one end (Torkkola, section 8.3). The turns are orthogonal, so that they
keep every distance between documents.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, collected_warnings
from laconic.files import KEY, draft, make_folder
from laconic.methods import Method, parse_method
from laconic.numerics.rotation import flip_to_positive_tails, maximize_skewness, varimax
from laconic.reduction import Floats, Projection
from laconic.study.layout import DIRECTIONS, FILES, clear, place_of
from laconic.study.plan import Plan
from laconic.study.ready import PreparedCorpus
from laconic.study.task import Task, said
from laconic.vectors.problem import Problem

# What a picture can show and a reader can read.
MOST_DIRECTIONS = 12
MOST_DOCUMENTS = 3000
FEWEST_DOCUMENTS = 250
WORDS = 8
LETTERS = 44
DIGITS = 4
FOUND, FEW_WORDS, FEW_DOCUMENTS = "as found", "few words each", "few documents each"


@dataclass(frozen=True)
class Axis:
    """The words that name a direction: they draw a document to one end or the other.

    Words and their loadings, strongest first.
    """

    positive: tuple[tuple[str, float], ...]
    negative: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Basis:
    """One way to lay axes into the subspace: `turn`, orthogonal, makes coordinates of coordinates.

    A document z has the coordinates z·turn.
    """

    name: str
    turn: tuple[tuple[float, ...], ...]
    axes: tuple[Axis, ...]


@dataclass(frozen=True)
class Directions:
    """Some training documents of one problem on the directions of a projection.

    `documents` are what names them to a reader, `labels` positions in `classes`, `coordinates` one
    number a direction. They stand in an order whose every beginning has its share of each class;
    `of_documents` is how many were trained on, `counts` by class. `key` is that of the task whose
    method, with these documents, was asked.
    """

    problem: str
    method: str
    classes: tuple[str, ...]
    counts: tuple[int, ...]
    of_documents: int
    documents: tuple[str, ...] = field(repr=False)
    labels: tuple[tuple[int, ...], ...] = field(repr=False)
    coordinates: tuple[tuple[float, ...], ...] = field(repr=False)
    bases: tuple[Basis, ...] = field(repr=False)
    key: str = ""

    @classmethod
    def of(
        cls,
        projection: Projection,
        problem: Problem,
        names: Sequence[str],
        *,
        method: str = "",
        key: str = "",
        most: int = MOST_DOCUMENTS,
    ) -> Self:
        """The directions of a projection; `names` has one of each training document."""
        Z = projection.apply(problem.X_train)
        belongs = _belongs(problem)
        chosen = spread(belongs, most)
        return cls(
            problem.name,
            method,
            problem.classes,
            tuple(belongs.sum(axis=0).tolist()),
            len(names),
            tuple(names[i] for i in chosen),
            tuple(tuple(np.flatnonzero(belongs[i]).tolist()) for i in chosen),
            _rounded(Z[chosen]),
            tuple(_bases(projection, Z, problem.vocabulary)),
            key,
        )

    def write(self, where: Path) -> None:
        told = {KEY: "directions", **asdict(self)}
        with draft(where, FILES[DIRECTIONS]) as stream:
            stream.write(json.dumps(told, allow_nan=False, separators=(",", ":")).encode())

    @classmethod
    def read(cls, where: Path) -> Self | None:
        """What `write` wrote; None where there is no such file."""
        try:
            told = json.loads(where.read_text(encoding="utf-8"))
            del told[KEY]
            bases = tuple(_basis(one) for one in told.pop("bases"))
            return cls(**{name: _tuples(value) for name, value in told.items()}, bases=bases)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as failure:
            raise LaconicError(
                f"{where}: cannot be read ({failure}). Delete it, and run the study again"
            ) from None


def projecting(plan: Plan) -> Method | None:
    """The method of the plan that projects: the first that knows the classes, else the first."""
    methods = [method for method in map(parse_method, plan.methods) if method.projects]
    return next((method for method in methods if method.supervised), next(iter(methods), None))


def find_directions(
    plan: Plan, ready: PreparedCorpus, where: Path, n_problems: int
) -> Iterator[str]:
    """Writes the directions of each problem of a corpus; yields a note where that went wrong.

    What is there already, by the same task, is not made again; what is there by another one goes.
    `n_problems` are those of the whole study, which share the room for documents.
    """
    method, split = projecting(plan), ready.last_split()
    wanted: dict[str, Task] = {}
    places = {q.name: where / place_of(q.name, n_problems > 1) for q in ready.targets}
    for name, place in places.items():
        if method is not None:
            task = plan.one_task(ready.corpus, split, "test", name, method, 0, (MOST_DIRECTIONS,))
            if _key(place / DIRECTIONS) == task.key:
                continue
            wanted[name] = task
        clear(place, DIRECTIONS)
    if not wanted:
        return
    names = [called(ready.corpus, document) for document in split.train]
    most = max(FEWEST_DOCUMENTS, MOST_DOCUMENTS // n_problems)
    for problem in ready.problems(split, wanted):
        try:
            found = directions_by(wanted[problem.name], problem, names, most)
            make_folder(places[problem.name])
            found.write(places[problem.name] / DIRECTIONS)
        except Exception as failure:
            yield f"{problem.name} has no map: {said(failure)}"


def directions_by(task: Task, problem: Problem, names: Sequence[str], most: int) -> Directions:
    """Of the task's method, fitted on the training documents."""
    method = parse_method(task.method)
    given = {"random_state": task.random_state} if method.random else {}
    reducer = method.recipe(**{**given, **method.settings}).set_params(size=MOST_DIRECTIONS)
    with threadpool_limits(1), collected_warnings():
        reducer.fit(problem.X_train, problem.y_train)
        projection = reducer.at(min(MOST_DIRECTIONS, reducer.available_))
        return Directions.of(
            projection, problem, names, method=task.method, key=task.key, most=most
        )


def _key(where: Path) -> str:
    """Of the task by which the directions there were found; none if they cannot be read."""
    try:
        found = Directions.read(where)
    except LaconicError:
        return ""
    return "" if found is None else found.key


def called(corpus: Corpus, document: int) -> str:
    """What a reader knows a document by: how its text begins; its id where there is no text."""
    text = corpus.texts[document] if corpus.texts is not None else ""
    # the beginning of a long text is enough to find its first letters in
    words = " ".join(text[: 40 * LETTERS].split()) or corpus.ids[document]
    return words if len(words) <= LETTERS else words[: LETTERS - 1].rstrip() + "…"


def spread(belongs: NDArray[np.bool_], most: int) -> NDArray[np.intp]:
    """At most so many documents, of every class its share at each beginning of the list.

    Class by class, the documents in a random order are due at 0, 1/n, 2/n, …; so each class comes
    once before any comes again. The class of a document of several is the rarest of them.
    """
    rng = np.random.default_rng(0)
    counts = belongs.sum(axis=0)
    rarest = np.where(belongs, counts, belongs.shape[0] + 1).argmin(axis=1)
    stratum = np.where(belongs.any(axis=1), rarest, belongs.shape[1])
    due = np.empty(stratum.size)
    for one in np.unique(stratum):
        members = np.flatnonzero(stratum == one)
        due[members] = rng.permutation(members.size) / members.size
    return np.argsort(due, kind="stable")[:most]


def _belongs(problem: Problem) -> NDArray[np.bool_]:
    """Documents × classes."""
    y = problem.y_train
    return y > 0 if y.ndim == 2 else y[:, None] == np.arange(len(problem.classes))


def _bases(projection: Projection, Z: Floats, words: NDArray[Any]) -> Iterator[Basis]:
    A = projection.components
    yield _told(FOUND, A, np.eye(projection.size), words)
    turns: dict[str, Callable[[], Floats]] = {
        FEW_WORDS: lambda: varimax(A),
        FEW_DOCUMENTS: lambda: maximize_skewness(Z),
    }
    for name, turn in turns.items():
        R = flip_to_positive_tails(Z, turn())
        # the order of turned directions means nothing: those on which documents differ most first
        yield _told(name, A, R[:, np.argsort(-np.var(Z @ R, axis=0), kind="stable")], words)


def _told(name: str, A: Floats, R: Floats, words: NDArray[Any]) -> Basis:
    return Basis(name, _rounded(R), tuple(_axis(column, words) for column in (A @ R).T))


def _axis(loadings: Floats, words: NDArray[Any]) -> Axis:
    return Axis(_end(loadings, words, 1.0), _end(loadings, words, -1.0))


def _end(loadings: Floats, words: NDArray[Any], sign: float) -> tuple[tuple[str, float], ...]:
    order = np.argsort(-sign * loadings, kind="stable")[:WORDS]
    return tuple((str(words[i]), _short(loadings[i])) for i in order if sign * loadings[i] > 0)


def _rounded(numbers: ArrayLike) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(map(_short, line)) for line in np.asarray(numbers).tolist())


def _short(number: float) -> float:
    if not np.isfinite(number):
        raise LaconicError("a direction has numbers that are not finite")
    return float(f"{number:.{DIGITS}g}")


def _basis(told: Mapping[str, Any]) -> Basis:
    axes = (Axis(*(_tuples(one[end]) for end in ("positive", "negative"))) for one in told["axes"])
    return Basis(told["name"], _tuples(told["turn"]), tuple(axes))


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
