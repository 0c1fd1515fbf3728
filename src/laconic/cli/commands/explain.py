"""The command `explain`: the words that decided about one document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from laconic.cli.console import (
    as_text,
    printable,
    show,
    table_of,
)
from laconic.cli.options import (
    TRUSTED,
)
from laconic.corpus.options import ReadOptions

if TYPE_CHECKING:
    from laconic.runtime.runtime_model import RuntimeModel
    from laconic.types import Floats


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("text", required=False)
@click.option("--file", help="A file with the document, or - for standard input.")
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="Words per class."
)
@click.option("--every", is_flag=True, help="All classes, not only the predicted ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@TRUSTED
def explain(
    model: Path,
    text: str | None,
    file: str | None,
    top: int,
    every: bool,
    as_json: bool,
    trusted: bool,
) -> None:
    """Show the words that decided the class of one document, with their contributions.

    \b
    laconic explain tickets.laconic "the printer is on fire"
    laconic explain tickets.laconic --file ticket.txt
    """
    from laconic.runtime.model_file import load

    if (text is None) == (file is None):
        raise click.UsageError("give the document as TEXT, or with --file")
    loaded = load(model, trusted=trusted)
    raw = text if text is not None else whole_text(str(file))
    # undecodable bytes of the command line are lone surrogates
    document = raw.encode("utf-8", "replace").decode("utf-8")
    words = loaded.explain(document, top)
    decision = loaded.decision([document])
    chosen = loaded.named(decision)[0]
    scores = dict(zip(words, decision[0].tolist(), strict=True))
    facts = facts_of(loaded, decision)
    if as_json:
        click.echo(json.dumps({"label": chosen, "scores": scores, "words": words} | facts))
        return
    print_explanation(chosen, scores, words, facts, every=every)


def facts_of(model: RuntimeModel, decision: Floats) -> dict[str, dict[str, float]]:
    """Probabilities, if the model has them, and thresholds, unless the largest value wins."""
    facts: dict[str, dict[str, float]] = {}
    if model.calibration is not None:
        shares = model.probabilities(decision)[0].tolist()
        facts["probabilities"] = dict(zip(model.classes, shares, strict=True))
    if model.rule != "argmax":
        names = model.classes[1:] if model.rule == "sign" else model.classes
        thresholds = [0.0] * len(names) if model.thresholds is None else model.thresholds.tolist()
        facts["thresholds"] = dict(zip(names, thresholds, strict=True))
    return facts


def print_explanation(
    chosen: Any,
    scores: dict[str, float],
    words: dict[str, list[tuple[str, float]]],
    facts: dict[str, dict[str, float]],
    *,
    every: bool,
) -> None:
    probabilities, thresholds = facts.get("probabilities", {}), facts.get("thresholds", {})
    labels = [chosen] if isinstance(chosen, str) else list(chosen)
    named = [f"{name} ({probabilities[name]:.1%})" if probabilities else name for name in labels]
    click.echo(f"label: {printable(', '.join(named)) or '(none)'}")
    # of two classes only the second has words: weights below 0 are for the first
    shown = [name for name in words if every or name in labels]
    for name in shown or [max(words, key=lambda name: scores[name])]:
        table = table_of("word", f"for {as_text(name)}")
        for word, share in words[name]:
            table.add_row(as_text(word), f"{share:+.4f}")
        limit = f" (threshold {thresholds[name]:+.4f})" if thresholds else ""
        chance = f", probability {probabilities[name]:.1%}" if probabilities else ""
        show(table, f"{name}: {scores[name]:+.4f}{limit}{chance}")
        if not words[name]:
            click.echo("  none of its words is in the document")


def whole_text(file: str) -> str:
    from laconic.corpus.io.encodings import Decoder
    from laconic.corpus.io.streams import open_bytes

    reading = ReadOptions(max_input_bytes=ReadOptions.max_line)
    where = "/dev/stdin" if file == "-" else file
    with open_bytes(where, reading) as stream:
        return Decoder(where, reading).text(stream.read())
