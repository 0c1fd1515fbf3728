"""`docs/frontier.md`: the differences per budget, every cell, files, and the rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.frontier.bytes_section import bytes_section
from bench.frontier.classifiers import MAX_ITER, settings_of
from bench.frontier.corpora import BUDGETS
from bench.frontier.judging import DRAWS, Cell, CorpusResults, Summary, corrected, summary
from bench.frontier.scoring import METRICS
from bench.frontier.selections import SELECTIONS
from bench.frontier.texts import RULES, TITLE
from bench.markdown import cells as row
from laconic.files import ANY_FILE, draft

RANGES = {"10 and 30": BUDGETS[:2], "100 to 3,000": BUDGETS[2:]}


@dataclass(frozen=True)
class Opponents:
    """All cells against the peers at 0, and against the peers with thresholds."""

    plain: list[Cell]
    thresholds: list[Cell]

    @classmethod
    def of(cls, results: Sequence[CorpusResults]) -> Opponents:
        plain = [cell for corpus in results for cell in corpus.cells("plain")]
        tuned = [cell for corpus in results for cell in corpus.cells("thresholds")]
        return cls(corrected(plain), corrected(tuned))


def write(
    where: Path,
    results: Sequence[CorpusResults],
    before: Sequence[CorpusResults],
    measured: str,
) -> Opponents:
    """Write the page; return the cells."""
    opponents = Opponents.of(results)
    parts = [
        TITLE,
        "## Result\n",
        claim(opponents),
        "### Difference to the peers, by number of words\n",
        summary_table(opponents.plain),
        "### Difference to the peers with thresholds\n",
        "Labels decided by common or separate thresholds from the folds, as a study does; peers of "
        "corpora without labels are the same.\n",
        summary_table(opponents.thresholds),
        *_before(before),
        *(f"### {metric}\n\n{cell_table(opponents, metric)}" for metric in METRICS),
        *bytes_section(results),
        RULES.format(settings=settings_counted(), draws=DRAWS, max_iter=MAX_ITER),
        f"{measured}\n",
        corpus_table(results),
    ]
    with draft(where, ANY_FILE) as stream:
        stream.write("\n".join(parts).encode())
    return opponents


def claim(opponents: Opponents) -> str:
    """The floor of the claim, against both kinds of peers."""
    lines = [*_claims("the peers", opponents.plain)]
    lines += _claims("the peers with thresholds", opponents.thresholds)
    return "\n".join(lines) + "\n"


def _claims(whom: str, cells: Sequence[Cell]) -> Iterator[str]:
    yield f"Against {whom}, over {len(cells)} cells (corpora × metrics × budgets):\n"
    for what, sizes in RANGES.items():
        if (item := summary(what, _of_sizes(cells, sizes))) is not None:
            share = item.higher / item.n_cells
            yield (
                f"- at {what} words: mean {item.mean:+.4f}, 95 % interval "
                f"{_interval(item.interval)}, higher in {item.higher} of {item.n_cells} cells "
                f"({share:.0%})"
            )
    better, worse = sum(c.better for c in cells), [c for c in cells if c.worse]
    places = "; ".join(f"{c.corpus} {c.metric} {c.limit:,} ({c.difference:+.3f})" for c in worse)
    yield (
        f"- after Holm's correction significantly better in {better}, significantly worse in "
        f"{len(worse)}{f': {places}' if worse else ''}\n"
    )


def _of_sizes(cells: Iterable[Cell], sizes: Sequence[int]) -> list[Cell]:
    return [cell for cell in cells if cell.limit in sizes]


def summary_table(cells: Sequence[Cell]) -> str:
    names = ["words", "corpora", "mean", "95 % (t)", "95 % (corpora resampled)"]
    names += [*METRICS, "higher", "better", "worse"]
    lines = [row(names), "|--:|--:|--:|---|---|--:|--:|--:|--:|--:|"]
    for what, sizes in {**{f"{size:,}": (size,) for size in BUDGETS}, **RANGES}.items():
        of_sizes = _of_sizes(cells, sizes)
        if (item := summary(what, of_sizes)) is not None:
            lines.append(_summary_row(item, of_sizes))
    return "\n".join(lines) + "\n"


def _summary_row(item: Summary, cells: Sequence[Cell]) -> str:
    by_metric = [summary(m, (c for c in cells if c.metric == m)) for m in METRICS]
    values = [item.what, str(item.n_corpora), f"{item.mean:+.4f}", _interval(item.interval)]
    values += [
        _interval(item.resampled),
        *("" if s is None else f"{s.mean:+.4f}" for s in by_metric),
    ]
    values += [f"{item.higher} of {item.n_cells}", str(item.better), str(item.worse)]
    return row(values)


def _interval(interval: tuple[float, float]) -> str:
    return f"[{interval[0]:+.4f}, {interval[1]:+.4f}]"


def _before(results: Sequence[CorpusResults]) -> Iterator[str]:
    if not results:
        return
    yield "### Before\n"
    yield (
        "The defaults of Laconic before these methods, on the same folds, against the peers. This "
        "was measured before the rules were fixed.\n"
    )
    yield summary_table(Opponents.of(results).plain)


def cell_table(opponents: Opponents, metric: str) -> str:
    """Every cell; the last columns are for labels."""
    names = ["corpus", "words", "ours", "peer", "difference", "p", "p (Holm)"]
    names += ["with thresholds", "difference", "p (Holm)", "ours is", "peer is"]
    lines = [row(names), "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|---|"]
    tuned = {(c.corpus, c.metric, c.limit): c for c in opponents.thresholds}
    for cell in opponents.plain:
        if cell.metric == metric:
            lines.append(_cell_row(cell, tuned[cell.corpus, cell.metric, cell.limit]))
    return "\n".join(lines) + "\n"


def _cell_row(cell: Cell, tuned: Cell) -> str:
    values = [cell.corpus, f"{cell.limit:,}", f"{cell.ours.test:.3f}", f"{cell.peer.test:.3f}"]
    values += [_marked(cell), f"{cell.p:.4f}", f"{cell.p_holm:.3f}"]
    if tuned.peer == cell.peer:
        values += ["", "", ""]
    else:
        values += [f"{tuned.peer.test:.3f}", _marked(tuned), f"{tuned.p_holm:.3f}"]
    return row([*values, cell.ours.model, cell.peer.model])


def _marked(cell: Cell) -> str:
    text = f"{cell.difference:+.3f}"
    return f"**{text}**" if cell.worse or cell.better else text


def settings_counted() -> str:
    """The number of settings that the peers choose from at a budget."""
    n_settings = sum(1 for _ in settings_of("", 0))
    n_selections = len(SELECTIONS)
    return (
        f"So each selection and size has {n_settings // 2} settings for f1_micro and {n_settings} "
        f"for f1_macro, and there are {n_selections} selections."
    )


def corpus_table(results: Iterable[CorpusResults]) -> str:
    names = ["corpus", "target", "classes", "training documents", "test documents", "words"]
    lines = [row(names), "|---|---|--:|--:|--:|--:|"]
    targets = {"labels": "labels", "sign": "two classes", "argmax": "classes"}
    for item in results:
        truth = item.truth
        numbers = (truth.n_classes, truth.n_train, truth.shape[0], truth.n_words)
        lines.append(row([item.corpus, targets[truth.rule], *(f"{n:,}" for n in numbers)]))
    return "\n".join(lines) + "\n"
