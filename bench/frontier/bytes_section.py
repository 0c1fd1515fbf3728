"""The section about files: F1 within so many bytes, against the peers as saved, and in int8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bench.frontier.corpora import BYTES
from bench.frontier.journal import Deciding
from bench.frontier.judging import Cell, CorpusResults, corrected
from bench.frontier.model_bytes import FORMS, Form
from bench.frontier.scoring import METRICS
from bench.markdown import cells as row

# A file of this size is large: nobody should be worse from here on.
LARGE = 300_000
INTRODUCTION = """## Bytes

The best on the folds whose file fits. Peers decide labels by thresholds here, if the folds want
them. p has Holm's correction over the cells of a form.
"""
NAMES: dict[Form, str] = {"float64": "joblib, float64", "int8": "int8"}


def bytes_section(results: Sequence[CorpusResults]) -> Iterator[str]:
    yield INTRODUCTION
    by_form = {form: bytes_cells(results, form, "thresholds") for form in FORMS}
    plain = {form: bytes_cells(results, form, "plain") for form in FORMS}
    for form in FORMS:
        yield _sentence(f"the peers ({NAMES[form]})", plain[form])
        yield _sentence(f"the peers with thresholds ({NAMES[form]})", by_form[form])
    for metric in METRICS:
        yield f"### {metric} by bytes\n\n{_table(results, metric, by_form)}"


def bytes_cells(results: Sequence[CorpusResults], form: Form, deciding: Deciding) -> list[Cell]:
    return corrected([cell for corpus in results for cell in corpus.cells(deciding, form)])


def _sentence(whom: str, cells: Sequence[Cell]) -> str:
    """The smallest files by corpus, and where large ones are worse."""
    smallest = "; ".join(
        f"{c.corpus} {c.metric} {c.difference:+.3f}" for c in cells if c.limit == BYTES[0]
    )
    large = [cell for cell in cells if cell.limit >= LARGE]
    worse = ", ".join(f"{c.corpus} {c.metric} {c.limit:,}" for c in large if c.worse)
    return (
        f"- Against {whom}, within {BYTES[0]:,} bytes: {smallest or 'no cell'}. From {LARGE:,} "
        f"bytes on significantly worse in {worse or 'none'} of {len(large)} cells.\n"
    )


def _table(
    results: Sequence[CorpusResults], metric: str, by_form: Mapping[Form, Sequence[Cell]]
) -> str:
    names = ["corpus", "bytes", "ours"]
    for form in FORMS:
        names += [f"peer, {NAMES[form]}", "difference", "p (Holm)"]
    lines = [row(names), "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for corpus in results:
        lines += [_row(corpus, metric, n_bytes, by_form) for n_bytes in BYTES]
    return "\n".join(lines) + "\n"


def _row(
    results: CorpusResults, metric: str, n_bytes: int, by_form: Mapping[Form, Sequence[Cell]]
) -> str:
    """A side that has no model of this size says so."""
    ours = _test(a.test for a in results.ours if (a.metric, a.limit.n_bytes) == (metric, n_bytes))
    values = [results.corpus, f"{n_bytes:,}", ours]
    for form, cells in by_form.items():
        where = results.corpus, metric, n_bytes
        here = next((c for c in cells if (c.corpus, c.metric, c.limit) == where), None)
        if here is None:
            peers = [a for a in results.peers if a.metric == metric and a.limit.form == form]
            values += [_test(a.test for a in peers if a.limit.n_bytes == n_bytes), "", ""]
        else:
            values += [f"{here.peer.test:.3f}", f"{here.difference:+.3f}", f"{here.p_holm:.3f}"]
    return row(values)


def _test(values: Iterator[float]) -> str:
    value = next(values, None)
    return "none" if value is None else f"{value:.3f}"
