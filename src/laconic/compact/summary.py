"""What is in a compact model, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from laconic.compact.compact_model import CompactModel
    from laconic.compact.settings import TextSettings

CLASSES_SHOWN = 20
RULES = {
    "sign": "the second class where its value is above 0",
    "argmax": "the class of the highest value",
    "labels": "each class whose value is above 0",
}


def summary(compact: CompactModel) -> str:
    """A few lines, one fact each."""
    model, weights = compact.model, compact.weights
    shown = ", ".join(compact.classes[:CLASSES_SHOWN])
    more = len(compact.classes) - CLASSES_SHOWN
    return "\n".join(
        (
            f"{compact.n_words:,} words, {len(compact.classes):,} classes",
            f"classes: {shown}" + (f" … and {more:,} more" if more > 0 else ""),
            f"answer: {RULES[model.rule]}",
            f"kind: {type(model).__name__}, weights {weights.scheme}, {_divided(compact)}",
            f"self-contained: {_self_contained(compact)}",
            f"text: {_text(compact.text)}",
            *(f"note: {note}" for note in compact.notes),
        )
    )


def _divided(compact: CompactModel) -> str:
    if compact.model.normalize == "selected":
        return "divided by the length over its own words"
    length = compact.weights.length
    return f"divided by the length ({length}) over all words" if length else "not divided"


def _self_contained(compact: CompactModel) -> str:
    if compact.self_contained:
        return "yes, it needs its own words only"
    return (
        f"no, it divides by the length over all words and so carries a table of "
        f"{len(compact.words):,}"
    )


def _text(text: TextSettings | None) -> str:
    if text is None:
        return "not read; the documents came as vectors"
    shortest, longest = text.ngrams
    parts = [
        f"{text.unit}s" + (f" {text.token_pattern}" if text.unit == "word" else ""),
        "lower case" if text.lowercase else "case kept",
    ]
    if text.unit == "word":
        parts += [
            f"at least {text.min_length} characters",
            f"{len(text.stop_words):,} stop words",
            f"stems {text.stem}" if text.stem else "no stems",
        ]
    parts += [f"n-grams {shortest} to {longest}"] if longest > 1 else []
    return ", ".join(parts)
