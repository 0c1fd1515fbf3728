"""Options of commands, made from the declarations of the library, and values made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_origin

import click
from click.core import ParameterSource

from laconic.cli.console import reading_bar, working
from laconic.corpus.options import ReadOptions
from laconic.errors import LaconicError
from laconic.options import NONE, Option, options_of, parse_bytes
from laconic.studies.options import SearchOptions, Source, TrainingOptions, parse_sizes
from laconic.text.options import TextOptions, WeightingOptions

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier
    from laconic.corpus.corpus import Corpus
    from laconic.corpus.splits import Split
    from laconic.methods import Method
    from laconic.text.problem import Problem

T = TypeVar("T")
Decorator = Callable[[Callable[..., None]], Callable[..., None]]


class Parsed(click.ParamType):  # type: ignore[type-arg]  # not generic in click 8.2
    """A value that the declaration parses."""

    name = "text"

    def __init__(self, option: Option) -> None:
        self.option = option

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return self.option.parsed(value) if isinstance(value, str) else value


def click_option(option: Option) -> Decorator:
    """The option of a command that a declaration describes."""
    flag = option.flag or f"--{option.name.replace('_', '-')}"
    help = option.help
    settings: dict[str, Any] = {"default": option.default, "show_default": True}
    (kind, *_) = option.kinds
    limits: dict[str, Any] = {"min": option.minimum, "max": option.maximum}
    words = option.choices and len(option.kinds) > 1
    if option.parse is not None or words or option.default_text == NONE:
        settings |= {"type": Parsed(option), "show_default": option.default_text is None}
    elif get_origin(option.type) is tuple:
        settings["multiple"] = True
        help += " Repeatable."
    elif option.choices:
        settings["type"] = click.Choice(option.choices)
    elif kind is bool:
        flag += f"/--no-{flag.removeprefix('--')}"
    elif kind is int:
        settings["type"] = click.IntRange(**limits)
    elif kind is float:
        settings["type"] = click.FloatRange(**limits)
    if option.default_text is not None:
        help += f"  [default: {option.default_text}]"
    return click.option(flag, option.name, help=help, **settings)


def options_from(
    kind: type, *, only: tuple[str, ...] = (), omit: tuple[str, ...] = ()
) -> Decorator:
    """Gives a command the options that a dataclass declares: all, or some."""
    chosen = [o for o in options_of(kind) if (not only or o.name in only) and o.name not in omit]
    return together(*map(click_option, chosen))


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one; help lists their options in this order."""
    return lambda command: reduce(
        lambda function, add: add(function), reversed(decorators), command
    )


def values_of(kind: type[T], params: dict[str, Any], **more: Any) -> T:
    """The dataclass, with the values of the command's options."""
    names = [option.name for option in options_of(kind) if option.name in params]
    return kind(**{name: params[name] for name in names}, **more)


JOBS = click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Processes, at most 4 per usable core; -1: one per core.",
)
CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="A dask.distributed cluster, such as tls://scheduler.example:8786, or local:4 for four "
    "workers on this machine, local:4x2GB with their memory; pip install 'laconic[cluster]'.",
)
SHARED = click.option(
    "--shared",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder that all machines of the cluster see under this path.  [default: the folder that "
    "the output is in]",
)
TASK_TIMEOUT = click.option(
    "--task-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="A task that takes longer fails; the others continue.  [default: no limit]",
)
MEMORY_LIMIT = click.option(
    "--memory-limit",
    type=parse_bytes,
    metavar="SIZE",
    help="Memory per process, such as 2GB: a task that needs more fails; the others continue. "
    "[default: no limit]",
)
CORPUS = click.argument("where", nargs=-1, required=True, metavar="CORPUS | FILE...")
METHOD = click.option(
    "--method",
    default="RFE",
    show_default=True,
    help="A name of `laconic methods`, with settings and classifier: SS:rank=10+svm.",
)
DRAW = click.option(
    "--random-state",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed of a random method.",
)
TRUSTED = click.option(
    "--trusted", is_flag=True, help="Also load a model whose token pattern is not a known one."
)
reading_options = options_from(ReadOptions)
text_options = options_from(TextOptions)
model_options = together(
    options_from(SearchOptions, only=("target",)),
    options_from(TrainingOptions, only=("alpha", "intercept")),
    options_from(WeightingOptions),
)


def estimator_of(method: Method, options: dict[str, Any]) -> PathClassifier:
    """The estimator of a method, with the options for training."""
    training = values_of(TrainingOptions, options)
    method.check_intercept(training.intercept)
    random_state = options["random_state"]
    assert not isinstance(training.alpha, Mapping)  # only a plan has one alpha per problem
    return method.build(training.alpha, random_state, training.intercept, training.normalize)


def vectors_of(options: dict[str, Any]) -> tuple[TextOptions, WeightingOptions]:
    return values_of(TextOptions, options), values_of(WeightingOptions, options)


def load(where: Sequence[str], options: dict[str, Any]) -> Corpus:
    """The corpus of a name, or of several files."""
    from laconic.corpus.loading import read_corpus

    with reading_bar(f"reading {' '.join(where[:2])}{' …' * (len(where) > 2)}") as progress:
        if len(where) == 1:
            return next(values_of(Source, options, where=where[0]).load(progress))
        return read_corpus(where, values_of(ReadOptions, options, progress=progress))


def check_not_input(output: Path, where: Sequence[str], options: dict[str, Any]) -> None:
    """A command overwrites neither its corpus nor its stop words."""
    from laconic.corpus.loading import located
    from laconic.files import check_not_read
    from laconic.text.stop_words import file_of

    corpora = [file for name in where for file in located(name, options["format"])]
    check_not_read([output], [*corpora, *filter(None, [file_of(options["stop_words"])])])


def problems_of(loaded: Corpus, options: dict[str, Any]) -> Iterator[Problem]:
    from laconic.text.problem import make_problems

    text, weighting = vectors_of(options)
    with working(f"counting the words of {loaded.name}"):
        problems = make_problems(
            loaded,
            splits_of(loaded, options),
            vectorizer=text.vectorizer(),
            weighting=weighting.weighting_for(loaded, text),
            target=options["target"],
        )
        first = next(problems)
    yield first
    yield from problems


def splits_of(loaded: Corpus, options: dict[str, Any]) -> Iterator[Split] | None:
    from laconic.corpus.splits import folds, random_splits

    if options["cv"] is not None and options["test_size"] is not None:
        raise click.UsageError("--cv and --test-size: give one of them")
    repeats, random_state = options["repeats"], options["random_state"]
    if options["cv"] is not None:
        return folds(loaded, options["cv"], repeats=repeats, random_state=random_state)
    if options["test_size"] is not None:
        return random_splits(loaded, options["test_size"], times=repeats, random_state=random_state)
    if loaded.split is None:
        return random_splits(loaded, times=repeats, random_state=random_state)
    if repeats > 1:
        raise click.UsageError("--repeats: the corpus has its own split; add --cv or --test-size")
    return None


def parse_size(text: str) -> int | float:
    sizes = parse_sizes(text)
    if len(sizes) != 1:
        raise LaconicError(f"size {text!r}: give one number of words; a model has one size")
    return sizes[0]


def uses_cluster(ctx: click.Context) -> bool:
    """Whether --cluster is given; its options and those of processes here exclude each other."""
    if ctx.params["cluster"] is None:
        if ctx.params["shared"] is not None:
            raise click.UsageError("--shared is the folder of a cluster: give --cluster too")
        return False
    if ctx.get_parameter_source("jobs") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--jobs is for processes of this machine: leave it or --cluster out")
    return True
