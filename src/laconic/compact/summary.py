"""A compact model in a few plain lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from laconic.compact.compact_model import CompactModel
    from laconic.runtime.settings import TextSettings

CLASSES_SHOWN = 20
RULES = {
    "sign": "the second class if its decision value is above {}",
    "argmax": "the class with the highest decision value",
    "labels": "every class with a decision value above {}",
}


def summary(compact: CompactModel) -> str:
    """A few lines, one fact each."""
    shown = ", ".join(compact.classes[:CLASSES_SHOWN])
    more = len(compact.classes) - CLASSES_SHOWN
    return "\n".join(
        (
            f"{compact.n_words:,} words, {len(compact.classes):,} classes",
            f"classes: {shown}" + (f" … and {more:,} more" if more > 0 else ""),
            f"prediction: {_rule(compact)}",
            f"probabilities: {_probabilities(compact)}",
            f"kind: {type(compact.model).__name__}{_trained(compact)}",
            f"weighting: {compact.weights.scheme}, {_length(compact)}",
            f"self-contained: {_self_contained(compact)}",
            f"text: {_text(compact.text)}",
            *(f"note: {note}" for note in compact.notes),
        )
    )


def _rule(compact: CompactModel) -> str:
    thresholds = compact.runtime.thresholds
    if thresholds is None:
        limit = "0"
    else:
        limit = f"{thresholds[0]:.4g}" if thresholds.size == 1 else "its threshold"
    return RULES[compact.model.rule].format(limit)


def _probabilities(compact: CompactModel) -> str:
    calibration = compact.runtime.calibration
    if calibration is None:
        return "none, the model has no calibration"
    if compact.model.rule == "argmax":
        return f"softmax of the decision values divided by {calibration[0]:.4g}"
    return "a logistic function of each decision value"


def _trained(compact: CompactModel) -> str:
    """What is known about its training."""
    classifier = compact.classifier
    facts = [
        "" if classifier.name is None else f"classifier {classifier.name}",
        "" if classifier.alpha is None else f"alpha {classifier.alpha:g}",
        "" if classifier.class_weight is None else f"class weights {classifier.class_weight}",
        "" if compact.solved is None else "solved" if compact.solved else "not solved",
        "" if compact.gap is None else f"gap {compact.gap:.1e}",
    ]
    return "".join(f", {fact}" for fact in facts if fact)


def _length(compact: CompactModel) -> str:
    if compact.model.normalize == "selected":
        return "divided by the length over the model's words"
    length = compact.weights.length
    return f"divided by the {length} length over all words" if length else "not divided"


def _self_contained(compact: CompactModel) -> str:
    if compact.self_contained:
        return "yes, it needs only its own words"
    return (
        "no, it divides by the length over all words, so its file has a table of "
        f"{len(compact.words):,} words"
    )


def _text(text: TextSettings | None) -> str:
    if text is None:
        return "none; the documents came as vectors"
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
