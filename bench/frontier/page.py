"""`docs/frontier.md`: where the claim holds and where it fails, and the protocol."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.frontier.charts import LIMITS, against_bytes, against_speed, against_words
from bench.frontier.choosing import Candidate, candidates, choose, of_side, within_bytes
from bench.frontier.families import OURS, PEERS, SIDES, Budget, Family, room
from bench.frontier.journal import Line, Speed, Truth, rows_of
from bench.frontier.judging import AS_GOOD, BETTER, WORSE, Comparison, comparisons
from laconic.files import ANY_FILE, draft
from laconic.report.charts.figure_files import svg
from laconic.studies.layout import SVG_FILE

METRICS = ("f1_micro", "f1_macro")
METRIC = METRICS[0]
FOLDER = "frontier"
TITLE = """# The quality frontier

Quality against the number of words, the bytes of the model and the documents per second, for
Laconic's methods and for the usual alternatives. The claim to be tested: **at every budget of words
the Laconic method chosen on validation data is at least as good as the best peer chosen the same
way.**

This page is written by `make frontier`. Do not edit it.
"""
METHOD = """## How it was measured

- **Documents.** Reuters-21578 (ModApte, the 90 topics that are in both parts), 20 Newsgroups by
  date, ohscal, every fifth set of TechTC-100, RCV1 (the LIBSVM subsets without repeated vectors; a
  stratified sample of the training documents, all test documents). The official split, else 4:1. A
  stratified fifth of the training part is held out to choose settings; neither side trains on it
  afterwards.
- **Vectors.** Both sides get the same unit ltc vectors over the words of at least two training
  documents (RCV1 is already weighted). fastText gets the words themselves, and is skipped on RCV1,
  which has neither texts nor counts.
- **Ours.** IG, RFE and the words of SVM-LARS by λ₁, each followed by an SVM on words that all
  classes share; SVM-LARS itself, with separate words per class: as many per class as are within the
  budget together. Without a limit: an SVM on all words.
- **Peers.** chi2, recursive elimination (30 % of the remaining words per step) and L1 logistic
  regression, each followed by a LinearSVC; L1 logistic regression alone, with the largest C whose
  words fit; fastText on all words, and cut by its `quantize`, which takes at least 256 words.
  Without a limit: LinearSVC on all words.
- **Choice.** {choices} Every SVM after a selection has C = 1, on either side, with equal or
  balanced class weights, and with documents divided by their length over all words (normalize=all)
  or over the selected words (normalize=selected). A candidate may use fewer words than the
  budget. On TechTC-100 one candidate is chosen for all sets, by the mean.
- **Verdict.** On test documents: a paired bootstrap over documents ({draws:,} draws, fixed seed) at
  5 %, for TechTC-100 Wilcoxon's signed-rank test over sets; not corrected for the number of rows.
  "as good" means not significantly different.
- **Bytes.** Ours: the file of the compact model. Peers: `joblib.dump(compress=3)` of the words with
  their idf (all words, unless normalize=selected), the columns and the classifier, with sparse
  coefficients if the penalty is L1; fastText's .bin or .ftz.
- **What was seen before.** Test values of some corpora were seen while the grids were fixed; RFE
  replaced WEIGHTS among ours after a first run of all, in which the peers' recursive elimination
  was ahead of it. Within the grids only validation values choose.
- **Documents per second.** CPU time of one thread, at most 2,000 test documents, in turns, the
  median of five: from raw text if there is text, else from vectors (fastText: from words).
"""


@dataclass(frozen=True)
class CorpusResults:
    """All measurements of a corpus."""

    corpus: str
    candidates: tuple[Candidate, ...]
    truths: Mapping[str, Truth]
    speeds: tuple[Speed, ...]

    @classmethod
    def of(cls, corpus: str, lines: Iterable[Line]) -> CorpusResults:
        lines = list(lines)
        truths = {line.part: line for line in lines if isinstance(line, Truth)}
        speeds = tuple(line for line in lines if isinstance(line, Speed))
        return cls(corpus, tuple(candidates(rows_of(lines))), truths, speeds)

    def compared(self, budgets: Sequence[Budget], metric: str) -> list[Comparison]:
        return comparisons(self.corpus, self.candidates, self.truths, budgets, metric)


def write(
    where: Path,
    corpora: Sequence[CorpusResults],
    budgets: Sequence[Budget],
    choices: str,
    measured: str,
    draws: int,
) -> list[Comparison]:
    """Write the page and its drawings; return the comparisons."""
    compared = all_compared(corpora, budgets)
    drawn = {name: svg(spec) for name, spec in drawings(corpora, budgets).items()}
    parts = [
        TITLE,
        "## Result\n",
        claim(compared) + "\n",
        *(f"{table(compared, metric)}\n" for metric in METRICS),
        METHOD.format(choices=choices, draws=draws),
        f"{measured}\n",
        *(section(results, drawn) for results in corpora),
    ]
    folder = where.parent / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in drawn.items():
        with draft(folder / f"{name}.svg", SVG_FILE) as stream:
            stream.write(text.encode())
    with draft(where, ANY_FILE) as stream:
        stream.write("\n".join(parts).encode())
    return compared


def all_compared(corpora: Sequence[CorpusResults], budgets: Sequence[Budget]) -> list[Comparison]:
    return [c for m in METRICS for results in corpora for c in results.compared(budgets, m)]


def claim(compared: Sequence[Comparison]) -> str:
    """At how many budgets the claim holds, and where it fails."""
    worse = [c for c in compared if c.verdict == WORSE]
    better = sum(c.verdict == BETTER for c in compared)
    held = len(compared) - len(worse)
    text = (
        f"The claim holds at {held} of {len(compared)} budgets (corpora × budgets × metrics): "
        f"ours is significantly better at {better}, not significantly different at {held - better}."
    )
    if not worse:
        return f"{text} It fails nowhere."
    below = sum(c.difference < 0 for c in compared if c.verdict == AS_GOOD)
    return (
        f"{text} **It fails at {len(worse)}**:\n\n{places(worse)}\n\nOf those without a "
        f"significant difference, ours has the lower number at {below}."
    )


def places(worse: Iterable[Comparison]) -> str:
    """One line per corpus and metric."""
    lines: dict[str, list[str]] = {}
    for c in worse:
        text = f"{words(c.budget)} ({c.difference:+.3f} against {c.peer.family})"
        lines.setdefault(f"{c.corpus}, {c.metric}", []).append(text)
    return "\n".join(f"- {where}: {'; '.join(texts)}" for where, texts in lines.items())


def table(compared: Iterable[Comparison], metric: str) -> str:
    lines = [
        f"### {metric}\n",
        "| corpus | words at most | ours | peer | difference | p | verdict | chosen: ours | "
        "chosen: peer |",
        "|---|--:|--:|--:|--:|--:|---|---|---|",
    ]
    for c in compared:
        if c.metric == metric:
            verdict = f"**{c.verdict}**" if c.verdict == WORSE else c.verdict
            cells = (
                c.corpus,
                words(c.budget).removesuffix(" words"),
                f"{c.ours.value(metric):.3f}",
                f"{c.peer.value(metric):.3f}",
                f"{c.difference:+.3f}",
                f"{c.p:.3f}",
                verdict,
                c.ours.description,
                c.peer.description,
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def words(budget: Budget) -> str:
    return "all words" if budget is None else f"{budget:,} words"


def section(results: CorpusResults, drawn: Mapping[str, str]) -> str:
    lines = [f"## {results.corpus}\n", f"{sizes(results)}\n", f"{bytes_table(results)}\n"]
    if results.speeds:
        lines.append(f"{speed_table(results)}\n")
    for what in ("words", "bytes", "speed"):
        if (name := f"{results.corpus}-{what}") in drawn:
            lines.append(f"![{METRIC} against {what}, {results.corpus}]({FOLDER}/{name}.svg)\n")
    return "\n".join(lines)


def sizes(results: CorpusResults) -> str:
    """The sizes of the only task, or of the first of several."""
    sets = list(results.truths.values())
    first = sets[0]
    text = (
        f"{first.n_train:,} training, {first.n_valid:,} validation and {first.n_docs:,} test "
        f"documents, {first.n_words:,} words, {first.n_classes} classes"
    )
    return f"{len(sets)} sets; the first has {text}." if len(sets) > 1 else f"{text}."


def bytes_table(results: CorpusResults) -> str:
    lines = [
        f"| bytes at most | ours, {METRIC} | bytes | peer, {METRIC} | bytes | chosen: ours | "
        "chosen: peer |",
        "|--:|--:|--:|--:|--:|---|---|",
    ]
    for limit in LIMITS:
        both = [
            choose(of_side(results.candidates, side), METRIC, within_bytes(limit)) for side in SIDES
        ]
        if any(both):
            values = [cell for c in both for cell in _value(c)]
            names = [_chosen(c) for c in both]
            lines.append(f"| {' | '.join([f'{limit:,}', *values, *names])} |")
    return "\n".join(lines) + "\n"


def _value(choice: Candidate | None) -> tuple[str, str]:
    if choice is None:
        return "none", ""
    return f"{choice.value(METRIC):.3f}", f"{choice.n_bytes:,}"


def _chosen(choice: Candidate | None) -> str:
    return "" if choice is None else f"{choice.description}, {words(choice.budget)}"


def speed_table(results: CorpusResults) -> str:
    raw = "raw text" if results.speeds[0].raw else "vectors"
    lines = [
        f"| words at most | ours, documents per second (from {raw}) | peer | ratio | "
        "chosen: ours | chosen: peer |",
        "|--:|--:|--:|--:|---|---|",
    ]
    limits = sorted({speed.limit for speed in results.speeds}, key=room)
    for budget in limits:
        ours, peer = (
            next(s for s in results.speeds if s.limit == budget and s.side == side)
            for side in SIDES
        )
        cells = (
            words(budget).removesuffix(" words"),
            f"{ours.rate:,.0f}",
            f"{peer.rate:,.0f}",
            f"{ours.rate / peer.rate:.1f}",
            ours.family,
            peer.family,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def drawings(
    corpora: Iterable[CorpusResults], budgets: Sequence[Budget]
) -> dict[str, dict[str, object]]:
    charts = {}
    for results in corpora:
        name, measured = results.corpus, results.candidates
        charts[f"{name}-words"] = against_words(name, measured, budgets, METRIC)
        charts[f"{name}-bytes"] = against_bytes(name, measured, METRIC)
        speed = against_speed(name, measured, results.speeds, METRIC)
        if speed is not None:
            charts[f"{name}-speed"] = speed
    return charts


def counted(families: Iterable[Family], budgets: Sequence[Budget]) -> str:
    """The number of settings that each side chooses from."""
    families = list(families)

    def number(side: str, budget: Budget) -> int:
        return sum(len(f.settings) for f in families if f.side == side and f.supported([budget]))

    limited = next(budget for budget in budgets if budget is not None)
    return (
        f"At a budget of words ours chooses from {number(OURS, limited)} settings and the peers "
        f"from {number(PEERS, limited)}; without a limit from {number(OURS, None)} and "
        f"{number(PEERS, None)} more."
    )
