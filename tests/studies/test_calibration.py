"""The probabilities of a calibrated SVM are at most half as far off as those of a plain one.

As a study does it: a temperature, or a Platt pair per label, from the decisions of five folds; then
the model of all training documents on the test documents. A plain SVM has P = softmax(f), or
1 / (1 + exp(−f)). The expected calibration error has 15 bins.
"""

from __future__ import annotations

import numpy as np
import pytest

from laconic import ReduceThenFit, SVMClassifier, TopTerms, load_corpus
from laconic.corpus.splits import Split, folds
from laconic.numerics.calibration import fitted_calibration
from laconic.studies.analysis.held_out import decision_calibration_error
from laconic.studies.options import SplitOptions
from laconic.text.labels import signed_labels
from laconic.text.problem import CountedCorpus, Problem, targets_of

SIZE, ALPHA = 1000, 0.3


def decided(problem: Problem) -> tuple[np.ndarray, np.ndarray, str]:
    """Decisions on the test documents, their labels as ±1, and the rule."""
    path = ReduceThenFit(TopTerms("ig"), SVMClassifier(ALPHA, tol=1e-4), size=SIZE)
    model = path.fit(problem.X_train, problem.y_train).model_
    return (
        model.decision(problem.X_test),
        signed_labels(problem.y_test, model.classes, model.rule),
        model.rule,
    )


@pytest.mark.slow
@pytest.mark.usefixtures("corpora")
@pytest.mark.filterwarnings("ignore:.*labels occur in no training document")
@pytest.mark.parametrize("name", ["20news-bydate", "pydocs", "sms-spam", "reuters-21578"])
def test_calibration_halves_the_error_of_an_svm(name):
    corpus = load_corpus(name)
    (whole,) = SplitOptions().held_out(corpus)
    counted, targets = CountedCorpus.of(corpus), targets_of(corpus)
    part = corpus.take(whole.train)
    inner = [Split(f.name, whole.train[f.train], whole.train[f.test]) for f in folds(part, 5)]
    pairs = [decided(problem) for split in inner for problem in counted.problems(split, targets)]
    (problem,) = counted.problems(whole, targets)
    decision, y_signed, rule = decided(problem)
    n_rows = decision.shape[1]
    pooled = [np.vstack([pair[place] for pair in pairs]) for place in (0, 1)]
    fitted = fitted_calibration(*pooled, rule)
    plain = np.ones(1) if rule == "argmax" else np.tile([1.0, 0.0], (n_rows, 1))
    labels = np.nan_to_num(y_signed).astype(np.int8)
    before, after = (
        decision_calibration_error(decision, labels, rule, calibration)
        for calibration in (plain, fitted)
    )
    print(f"{name}: {before:.4f} plain, {after:.4f} calibrated")
    assert after <= before / 2
