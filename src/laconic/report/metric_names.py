"""What quality is, in plain words: the metric that decides the recommendation, and of what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from laconic.rows import group_pairs

# Problems that are named beside a metric; of more, the number is given.
MAX_NAMES = 3
POSITIVE = frozenset({"f1", "precision", "recall"})
MEANINGS = {
    "accuracy": "the share of documents that are classified correctly",
    "f1": "missed documents and false alarms of that class lower it",
    "f1_micro": "missed and wrong labels lower it, and frequent labels count most",
    "f1_macro": "the mean over all classes, so that rare ones count as much as frequent ones",
}
UNEVEN = "the classes differ in size by more than 5 times"


def quality_sentence(
    metrics: Mapping[str, str], positive_classes: Mapping[str, str], *, default: bool
) -> str:
    """ "Quality is f1 of spam: …"; empty without problems.

    Parameters
    ----------
    metrics : the metric that decides, by problem
    positive_classes : by problem, for problems with two classes
    default : whether the study chose the metrics itself
    """
    problems = group_pairs((metric, problem) for problem, metric in metrics.items())
    names = {
        metric: _name(metric, [positive_classes.get(problem, "") for problem in of_metric])
        for metric, of_metric in problems.items()
    }
    if len(names) == 1:
        ((metric, name),) = names.items()
        reason = f" ({UNEVEN})" if default and metric == "f1_macro" else ""
        meaning = f": {MEANINGS[metric]}" if metric in MEANINGS else ""
        return f"Quality is {name}{reason}{meaning}."
    parts = [f"{name} ({_listed(problems[metric])})" for metric, name in names.items()]
    return f"Quality is {', '.join(parts[:-1])} and {parts[-1]}." if parts else ""


def _name(metric: str, positive_classes: Sequence[str]) -> str:
    if metric not in POSITIVE:
        return metric
    known = set(positive_classes)
    name = known.pop() if len(known) == 1 else ""
    return f"{metric} of {name or 'the positive class'}"


def _listed(problems: Sequence[str]) -> str:
    if len(problems) > MAX_NAMES:
        return f"{len(problems):,} problems"
    return ", ".join(problems)
