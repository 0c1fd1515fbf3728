from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.text.labels import LabelEncoding, signed_labels


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
    others = signed_labels(form(1 - indicator), targets.classes, targets.rule)
    assert others.tolist() == [[-1, 1, -1], [1, 1, 1]]


def test_a_class_unseen_in_training_has_no_sign():
    nan = np.nan
    np.testing.assert_array_equal(
        signed_labels(["d", "a", "z", "b"], np.array(["b", "c", "d"]), "argmax"),
        [[-1, -1, 1], [nan, nan, nan], [nan, nan, nan], [1, -1, -1]],
    )
    np.testing.assert_array_equal(
        signed_labels(["d", "a", "b"], np.array(["b", "d"]), "sign"), [[1], [nan], [-1]]
    )


def test_what_is_no_target_is_refused():
    with pytest.raises(LaconicError, match="only one class"):
        LabelEncoding.of(["a", "a"])
    with pytest.raises(LaconicError, match="indicator"):
        LabelEncoding.of(np.array([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="continuous"):
        LabelEncoding.of([0.1, 0.2, 0.3])


def test_members_take_memory_by_labels_not_by_classes():
    encoding = LabelEncoding.of(np.tile(np.arange(1000), 3))
    assert encoding.members.nnz == 3000
    assert encoding.codes.tolist() == [*range(1000)] * 3
    assert encoding.row_signed(7).tolist() == [
        1.0 if doc % 1000 == 7 else -1.0 for doc in range(3000)
    ]
