from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.text.labels import LabelEncoding


def test_two_classes_are_one_column_and_the_second_is_positive():
    targets = LabelEncoding.of(["spam", "ham", "spam"])
    assert targets.classes.tolist() == ["ham", "spam"]
    assert targets.y_signed.tolist() == [[1.0], [-1.0], [1.0]]
    assert targets.rule == "sign"


def test_several_classes_are_a_column_each():
    targets = LabelEncoding.of([3, 1, 2, 1])
    assert targets.y_signed.tolist() == [[-1, -1, 1], [1, -1, -1], [-1, 1, -1], [1, -1, -1]]
    assert targets.rule == "argmax"


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_an_indicator_matrix_is_labels(form):
    indicator = np.array([[1, 0, 1], [0, 0, 0]])
    targets = LabelEncoding.of(form(indicator))
    assert targets.y_signed.tolist() == [[1, -1, 1], [-1, -1, -1]]
    assert targets.rule == "labels"
    assert targets.transform(form(1 - indicator)).tolist() == [[-1, 1, -1], [1, 1, 1]]


def test_a_class_unseen_in_training_has_no_sign():
    nan = np.nan
    np.testing.assert_array_equal(
        LabelEncoding.of(["b", "d", "c"]).transform(["d", "a", "z", "b"]),
        [[-1, -1, 1], [nan, nan, nan], [nan, nan, nan], [1, -1, -1]],
    )
    np.testing.assert_array_equal(
        LabelEncoding.of(["b", "d"]).transform(["d", "a", "b"]), [[1], [nan], [-1]]
    )


def test_what_is_no_target_is_refused():
    with pytest.raises(LaconicError, match="only one class"):
        LabelEncoding.of(["a", "a"])
    with pytest.raises(LaconicError, match="indicator"):
        LabelEncoding.of(np.array([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="continuous"):
        LabelEncoding.of([0.1, 0.2, 0.3])
