"""What quality is, in words."""

import pytest

from laconic.report.metric_names import quality_sentence


@pytest.mark.parametrize(
    ("metric", "positive", "default", "start"),
    [
        ("accuracy", "", True, "Quality is accuracy: the share of documents"),
        ("f1", "spam", True, "Quality is f1 of spam: missed documents and false alarms"),
        ("f1", "", True, "Quality is f1 of the positive class: "),
        ("recall", "spam", False, "Quality is recall of spam."),
        (
            "f1_macro",
            "",
            True,
            "Quality is f1_macro (the classes differ in size by more than 5 times): the mean",
        ),
        ("f1_macro", "spam", False, "Quality is f1_macro: the mean"),
        ("roc_auc", "spam", False, "Quality is roc_auc."),
    ],
)
def test_the_metric_of_a_problem(metric, positive, default, start):
    sentence = quality_sentence({"p": metric}, {"p": positive}, default=default)
    assert sentence.startswith(start)
    assert sentence.endswith(".")


def test_problems_with_different_metrics_are_named():
    metrics = {"news": "accuracy", "sms": "f1", "mail": "f1"}
    classes = {"sms": "spam", "mail": "spam"}
    said = quality_sentence(metrics, classes, default=True)
    assert said == "Quality is accuracy (news) and f1 of spam (sms, mail)."


def test_many_problems_are_counted_and_their_classes_left_out():
    metrics = {f"p{i}": "f1" for i in range(5)} | {"q": "accuracy", "r": "f1_micro"}
    said = quality_sentence(metrics, {f"p{i}": f"class {i}" for i in range(5)}, default=True)
    assert said == (
        "Quality is f1 of the positive class (5 problems), accuracy (q) and f1_micro (r)."
    )


def test_without_results_nothing_is_said():
    assert quality_sentence({}, {}, default=True) == ""
