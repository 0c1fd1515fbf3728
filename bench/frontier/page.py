"""`docs/frontier.md`: where the claim holds and where not, and how it was measured."""

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
from laconic.report.charts.saving import svg
from laconic.study.layout import SVG_FILE

METRICS = ("f1_micro", "f1_macro")
GOAL = METRICS[0]
FOLDER = "frontier"
TITLE = """# The quality frontier

Quality against the number of words, the bytes of the model and the documents a second: for
Laconic's methods, and for what a user would pick instead. The claim to be tested: **at every budget
of words the Laconic method chosen on validation data is at least as good as the best peer chosen
the same way.**

This page is written by `make frontier`. Do not edit it.
"""
METHOD = """## How it was measured

- **Documents.** Reuters-21578 (ModApte, the 90 topics that both parts have), 20 Newsgroups by date,
  ohscal, every fifth set of TechTC-100, RCV1 (the LIBSVM subsets without repeated vectors; a
  stratified sample of the training documents, all test documents). The official split, else 4:1. A
  stratified fifth of the training part is held out: settings are chosen on it, nothing is trained
  on it afterwards, by either side.
- **Vectors.** Both sides get the same unit ltc vectors over the words of two training documents or
  more (RCV1 comes weighted). fastText gets the words themselves, and is left out of RCV1, which has
  neither texts nor counts.
- **Ours.** IG, RFE and the words of SVM-LARS by λ₁, each with an SVM behind it that all classes
  share; SVM-LARS itself, whose classes have words of their own: as many a class as are within the
  budget together. Without a limit: an SVM on all words.
- **Peers.** chi2, recursive elimination (30 % of the words that are left at a time) and L1 logistic
  regression, each with a LinearSVC behind it; L1 logistic regression also as it is, with the
  largest C whose words fit; fastText on all words, and cut by its own `quantize`, which takes 256
  words or more. Without a limit: LinearSVC on all words.
- **Choice.** {choices} Every SVM behind a selection has C = 1, on either side, with classes
  weighted alike or balanced, and with documents as they were or divided by the length of what was
  selected of them. A candidate may use fewer words than the budget. Of TechTC-100 one candidate is
  chosen for all sets, by the mean.
- **Verdict.** On test documents: a paired bootstrap over documents ({draws:,} draws, fixed seed) at
  5 %, for TechTC-100 Wilcoxon's signed ranks over sets; not corrected for the number of rows.
  "as good" is not significantly different.
- **Bytes.** Ours: the compact model's file. Peers: `joblib.dump(compress=3)` of the words with
  their idf (all words, unless documents are divided by the length of what was selected), the
  columns and the classifier, with sparse coefficients where the penalty is L1; fastText's .bin or
  .ftz.
- **What was seen before.** Test values of some corpora were seen while the grids were settled; RFE
  took the place of WEIGHTS among ours after a first run of all, in which the peers' recursive
  elimination was ahead of it. Within the grids only validation values choose.
- **Documents a second.** CPU time of one thread, at most 2,000 test documents, in turns, the median
  of five: from raw text where there is text, else from vectors (fastText: from words).
"""


@dataclass(frozen=True)
class Measured:
    """All that is known of a corpus."""

    corpus: str
    candidates: tuple[Candidate, ...]
    truths: Mapping[str, Truth]
    speeds: tuple[Speed, ...]

    @classmethod
    def of(cls, corpus: str, lines: Iterable[Line]) -> Measured:
        known = list(lines)
        truths = {line.part: line for line in known if isinstance(line, Truth)}
        speeds = tuple(line for line in known if isinstance(line, Speed))
        return cls(corpus, tuple(candidates(rows_of(known))), truths, speeds)

    def compared(self, budgets: Sequence[Budget], measure: str) -> list[Comparison]:
        return comparisons(self.corpus, self.candidates, self.truths, budgets, measure)


def write(
    where: Path,
    found: Sequence[Measured],
    budgets: Sequence[Budget],
    choices: str,
    measured: str,
    draws: int,
) -> list[Comparison]:
    """The page and its drawings beside it; what it compares."""
    compared = all_compared(found, budgets)
    drawn = {name: svg(spec) for name, spec in drawings(found, budgets).items()}
    parts = [
        TITLE,
        "## Result\n",
        claim(compared) + "\n",
        *(f"{table(compared, measure)}\n" for measure in METRICS),
        METHOD.format(choices=choices, draws=draws),
        f"{measured}\n",
        *(section(one, drawn) for one in found),
    ]
    folder = where.parent / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in drawn.items():
        with draft(folder / f"{name}.svg", SVG_FILE) as stream:
            stream.write(text.encode())
    with draft(where, ANY_FILE) as stream:
        stream.write("\n".join(parts).encode())
    return compared


def all_compared(found: Sequence[Measured], budgets: Sequence[Budget]) -> list[Comparison]:
    return [c for m in METRICS for one in found for c in one.compared(budgets, m)]


def claim(compared: Sequence[Comparison]) -> str:
    """At how many budgets it holds, and where it does not."""
    worse = [one for one in compared if one.verdict == WORSE]
    better = sum(one.verdict == BETTER for one in compared)
    held = len(compared) - len(worse)
    told = (
        f"The claim holds at {held} of {len(compared)} budgets (corpora × budgets × measures): "
        f"ours is significantly better at {better}, not significantly different at {held - better}."
    )
    if not worse:
        return f"{told} It fails nowhere."
    below = sum(one.difference < 0 for one in compared if one.verdict == AS_GOOD)
    return (
        f"{told} **It fails at {len(worse)}**:\n\n{places(worse)}\n\nOf those without a "
        f"significant difference, ours has the lower number at {below}."
    )


def places(worse: Iterable[Comparison]) -> str:
    """A line a corpus and measure."""
    lines: dict[str, list[str]] = {}
    for one in worse:
        told = f"{words(one.budget)} ({one.difference:+.3f} against {one.peer.family})"
        lines.setdefault(f"{one.corpus}, {one.measure}", []).append(told)
    return "\n".join(f"- {where}: {'; '.join(several)}" for where, several in lines.items())


def table(compared: Iterable[Comparison], measure: str) -> str:
    lines = [
        f"### {measure}\n",
        "| corpus | words at most | ours | peer | difference | p | verdict | chosen: ours | "
        "chosen: peer |",
        "|---|--:|--:|--:|--:|--:|---|---|---|",
    ]
    for one in compared:
        if one.measure == measure:
            verdict = f"**{one.verdict}**" if one.verdict == WORSE else one.verdict
            cells = (
                one.corpus,
                words(one.budget).removesuffix(" words"),
                f"{one.ours.value(measure):.3f}",
                f"{one.peer.value(measure):.3f}",
                f"{one.difference:+.3f}",
                f"{one.p:.3f}",
                verdict,
                one.ours.told,
                one.peer.told,
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def words(budget: Budget) -> str:
    return "all words" if budget is None else f"{budget:,} words"


def section(one: Measured, drawn: Mapping[str, str]) -> str:
    lines = [f"## {one.corpus}\n", f"{sizes(one)}\n", f"{bytes_table(one)}\n"]
    if one.speeds:
        lines.append(f"{speed_table(one)}\n")
    for what in ("words", "bytes", "speed"):
        if (name := f"{one.corpus}-{what}") in drawn:
            lines.append(f"![{GOAL} against {what}, {one.corpus}]({FOLDER}/{name}.svg)\n")
    return "\n".join(lines)


def sizes(one: Measured) -> str:
    """Of the only task, or of the first of several."""
    sets = list(one.truths.values())
    first = sets[0]
    told = (
        f"{first.n_train:,} training, {first.n_valid:,} validation and {first.n_docs:,} test "
        f"documents, {first.n_words:,} words, {first.n_classes} classes"
    )
    return f"{len(sets)} sets; the first has {told}." if len(sets) > 1 else f"{told}."


def bytes_table(one: Measured) -> str:
    lines = [
        f"| bytes at most | ours, {GOAL} | bytes | peer, {GOAL} | bytes | chosen: ours | "
        "chosen: peer |",
        "|--:|--:|--:|--:|--:|---|---|",
    ]
    for limit in LIMITS:
        both = [choose(of_side(one.candidates, side), GOAL, within_bytes(limit)) for side in SIDES]
        if any(both):
            values = [cell for c in both for cell in _value(c)]
            names = [_chosen(c) for c in both]
            lines.append(f"| {' | '.join([f'{limit:,}', *values, *names])} |")
    return "\n".join(lines) + "\n"


def _value(one: Candidate | None) -> tuple[str, str]:
    return ("none", "") if one is None else (f"{one.value(GOAL):.3f}", f"{one.n_bytes:,}")


def _chosen(one: Candidate | None) -> str:
    return "" if one is None else f"{one.told}, {words(one.budget)}"


def speed_table(one: Measured) -> str:
    raw = "raw text" if one.speeds[0].raw else "vectors"
    lines = [
        f"| words at most | ours, documents a second (from {raw}) | peer | ratio | chosen: ours | "
        "chosen: peer |",
        "|--:|--:|--:|--:|---|---|",
    ]
    asked = sorted({speed.asked for speed in one.speeds}, key=room)
    for budget in asked:
        own, other = (
            next(s for s in one.speeds if s.asked == budget and s.side == side) for side in SIDES
        )
        cells = (
            words(budget).removesuffix(" words"),
            f"{own.rate:,.0f}",
            f"{other.rate:,.0f}",
            f"{own.rate / other.rate:.1f}",
            own.family,
            other.family,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def drawings(found: Iterable[Measured], budgets: Sequence[Budget]) -> dict[str, dict[str, object]]:
    made = {}
    for one in found:
        made[f"{one.corpus}-words"] = against_words(one.corpus, one.candidates, budgets, GOAL)
        made[f"{one.corpus}-bytes"] = against_bytes(one.corpus, one.candidates, GOAL)
        speed = against_speed(one.corpus, one.candidates, one.speeds, GOAL)
        if speed is not None:
            made[f"{one.corpus}-speed"] = speed
    return made


def counted(families: Iterable[Family], budgets: Sequence[Budget]) -> str:
    """How many settings either side chooses from."""
    several = list(families)

    def number(side: str, budget: Budget) -> int:
        return sum(len(f.settings) for f in several if f.side == side and f.asked([budget]))

    limited = next(budget for budget in budgets if budget is not None)
    return (
        f"At a budget of words ours chooses from {number(OURS, limited)} settings and the peers "
        f"from {number(PEERS, limited)}; without a limit from {number(OURS, None)} and "
        f"{number(PEERS, None)} more."
    )
