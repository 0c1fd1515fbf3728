"""Options that commands share, and what they mean in the library's words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import reading_bar, working
from laconic.errors import LaconicError

if TYPE_CHECKING:
    from pathlib import Path

    from laconic.corpus.corpus import Corpus
    from laconic.corpus.splits import Split
    from laconic.study.settings import Source, TextOptions
    from laconic.vectors.problem import Problem
    from laconic.vectors.vectorizer import Vectorizer


# What labelled and unlabelled documents are both read by.
TEXT = click.option("--text", help="Column or key with the text.  [default: text]")
ENCODING = click.option("--encoding", help="Encoding of the text.  [default: utf-8]")
ENCODING_ERRORS = click.option(
    "--encoding-errors",
    type=click.Choice(["strict", "replace"]),
    default="strict",
    show_default=True,
    help="Bytes that are not in the encoding: an error, or replaced.",
)
MAX_LINE = click.option(
    "--max-line", type=click.IntRange(1), help="Longest line allowed, in bytes."
)
# What `study` and `curve` measure; the defaults are a plan's.
SIZES = click.option(
    "--sizes",
    help="Numbers of words, or shares: 0.01,0.1.  [default: 10,20,50,100,200,500,…,20000]",
)
METRICS = click.option(
    "--metric",
    "metrics",
    multiple=True,
    help="Repeatable; the first decides: accuracy, balanced_accuracy, f1 (two classes), f1_micro, "
    "f1_macro, precision_macro, recall_macro, roc_auc, roc_auc_micro, best_f1, error. Of two "
    "classes, the second is the positive one.  [default: f1_micro, f1_macro, accuracy]",
)
JOBS = click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Processes, at most 4 per usable core; -1: one per core.",
)
TASK_TIMEOUT = click.option(
    "--task-timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="A task that takes longer fails, and the others go on.  [default: no limit]",
)


def decorated(
    command: Callable[..., None], options: Sequence[Callable[..., Any]]
) -> Callable[..., None]:
    """The command with these options, which its help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """How to read a file: the options that every command with a corpus shares."""
    options = (
        click.option("--format", help="Format of the file; default: by its ending or contents."),
        TEXT,
        click.option("--label", multiple=True, help="Column or key with the label; repeatable."),
        click.option("--separator", help="Divides the label column into several labels."),
        click.option("--id", "id", help="Column or key with the document's id."),
        click.option("--split-column", help="Column or key that says train or test."),
        click.option("--split", help="A standard split by name, such as ModApte."),
        ENCODING,
        ENCODING_ERRORS,
        click.option(
            "--unlabelled",
            type=click.Choice(["error", "drop", "keep"]),
            default="error",
            show_default=True,
            help="What to do about documents without a label.",
        ),
        MAX_LINE,
        click.option("--max-bytes", type=click.IntRange(1), help="Most bytes read, unpacked."),
    )
    return decorated(command, options)


def vectorizing_options(command: Callable[..., None]) -> Callable[..., None]:
    """How to count words."""
    options = (
        click.option(
            "--unit",
            type=click.Choice(["word", "char"]),
            default="word",
            show_default=True,
            help="Count words, or characters (for languages without blanks).",
        ),
        click.option("--ngrams", default="1", show_default=True, help="1, 2, or a range: 1-2."),
        click.option("--stem", help="Stemmer, such as porter.  [default: none]"),
        click.option("--stop-words", help="english, smart, or a file.  [default: none]"),
        click.option(
            "--min-length",
            type=click.IntRange(1),
            help="Words must have so many characters.  [default: 2; 1 for vectors]",
        ),
    )
    return decorated(command, options)


def training_options(command: Callable[..., None]) -> Callable[..., None]:
    """What is measured, and how models are trained."""
    options = (
        click.option(
            "--target",
            type=click.Choice(["auto", "multiclass", "multilabel", "one-vs-rest"]),
            default="auto",
            show_default=True,
            help="One label per document, any number of labels, or one binary problem per class.",
        ),
        click.option(
            "--alpha",
            default="1.0",
            show_default=True,
            help="Strength of regularisation, or loo to choose it by leave-one-out (ridge only).",
        ),
        click.option(
            "--intercept/--no-intercept", default=True, show_default=True, help="Fit an intercept."
        ),
        click.option(
            "--weighting",
            type=click.Choice(["ltc", "tfidf", "binary", "histogram", "count"]),
            help="Weights of words.  [default: ltc; count for vectors that are weighted already]",
        ),
        click.option(
            "--min-df",
            type=click.IntRange(1),
            default=2,
            show_default=True,
            help="Words must occur in so many training documents.",
        ),
        click.option(
            "--max-df",
            type=click.FloatRange(0, 1),
            default=1.0,
            help="… in at most this share.",
        ),
    )
    return decorated(command, options)


def source_of(where: str, options: dict[str, Any]) -> Source:
    from laconic.study.settings import Source

    reading = ("format", "text", "label", "separator", "id", "split_column", "split", "encoding")
    policy = ("encoding_errors", "unlabelled", "max_line", "max_bytes")
    given = {key: options[key] for key in (*reading, *policy) if options[key] is not None}
    return Source(where, **given)


def load(name: str, options: dict[str, Any]) -> Corpus:
    with reading_bar(f"reading {name}") as progress:
        return next(source_of(name, options).load(progress))


def check_not_input(output: Path, where: str, options: dict[str, Any]) -> None:
    """A command writes neither over its corpus nor over its stop words."""
    from laconic.corpus.loading import located
    from laconic.files import check_not_read
    from laconic.vectors.stopwords import file_of

    read = (located(where, options["format"]), file_of(options["stop_words"]))
    check_not_read([output], filter(None, read))


def vectorizing_of(options: dict[str, Any]) -> TextOptions:
    from laconic.study.settings import TextOptions

    names = ("unit", "stem", "stop_words", "min_length", "weighting", "min_df", "max_df")
    given = {name: options[name] for name in names if name in options}
    return TextOptions(ngrams=parse_ngrams(options["ngrams"]), **given)


def vectorizer_of(options: dict[str, Any]) -> Vectorizer:
    return vectorizing_of(options).vectorizer()


def problems_of(loaded: Corpus, options: dict[str, Any]) -> Iterator[Problem]:
    from laconic.vectors.problem import make_problems

    vectorizing = vectorizing_of(options)
    with working(f"counting the words of {loaded.name}"):
        problems = make_problems(
            loaded,
            splits_of(loaded, options),
            vectorizer=vectorizing.vectorizer(),
            weighting=vectorizing.weighting_for(loaded),
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


def sizes_of(options: dict[str, Any]) -> tuple[int | float, ...]:
    """Those asked for, else a plan's."""
    from laconic.study import plan

    return plan.SIZES if options["sizes"] is None else tuple(parse_sizes(options["sizes"]))


def metrics_of(options: dict[str, Any]) -> tuple[str, ...]:
    """Those asked for, else a plan's."""
    from laconic.study import plan

    names = [name.strip() for text in options["metrics"] for name in text.split(",")]
    return tuple(names) or plan.METRICS


def parse_sizes(text: str) -> list[int | float]:
    try:
        return [float(word) if "." in word else int(word) for word in text.split(",")]
    except ValueError:
        raise LaconicError(
            f"sizes {text!r}: give whole numbers, or shares with a point, such as 10,100,1000 or "
            "0.01,0.1,1.0"
        ) from None


def parse_size(text: str) -> int | float:
    sizes = parse_sizes(text)
    if len(sizes) != 1:
        raise LaconicError(f"size {text!r}: give one number of words; a model has one size")
    return sizes[0]


def parse_alpha(text: str) -> float | str:
    if text == "loo":
        return text
    try:
        return float(text)
    except ValueError:
        raise LaconicError(f"alpha {text!r}: give a number, or loo") from None


def parse_ngrams(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    try:
        return int(low), int(high or low)
    except ValueError:
        raise LaconicError(f"ngrams {text!r}: give a number or a range, such as 1-2") from None
