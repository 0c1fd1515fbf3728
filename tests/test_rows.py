"""The table of rows, against the definitions of its operations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.rows import Row, RowTable, group_pairs

values = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5]))
tables = st.lists(
    st.builds(
        Row,
        st.sampled_from("pq"),
        st.sampled_from(["IG", "ALL"]),
        st.sampled_from([5, 10, 0.5, 1.0, 1]),
        st.sampled_from(["f1", "error"]),
        values,
        fold=st.sampled_from(["fold 1", "fold 2"]),
    )
).map(RowTable)


@given(tables)
def test_where_has_the_rows_with_all_of_these_values(rows):
    assert list(rows.where(method="IG")) == [row for row in rows if row.method == "IG"]
    both = [row for row in rows if row.method == "IG" and row.value is None]
    assert list(rows.where(method="IG", value=None)) == both
    measured = [r for r in rows if r.metric == "f1" and r.problem == "q" and r.value is not None]
    assert list(rows.measured("f1", problem="q")) == measured
    assert isinstance(rows.where(method="IG"), RowTable)


@given(tables)
def test_groups_partition_the_rows_in_their_order(rows):
    by_method, cells = rows.group_by("method"), rows.group_by("problem", "size")
    assert list(by_method) == rows.distinct("method") == list(dict.fromkeys(r.method for r in rows))
    assert list(cells) == rows.distinct("problem", "size")
    assert list(cells) == list(dict.fromkeys((row.problem, row.size) for row in rows))
    for method, of_method in by_method.items():
        assert of_method == rows.where(method=method)
        assert isinstance(of_method, RowTable)
    for (problem, size), of_cell in cells.items():
        assert of_cell == rows.where(problem=problem, size=size)
    assert rows.column("value") == [row.value for row in rows]


def test_a_column_that_does_not_exist_is_an_error():
    rows = RowTable([Row("p", "IG", 10, "f1", 0.5)])
    for operation in (rows.column, rows.distinct, rows.group_by):
        with pytest.raises(AttributeError, match="measure"):
            operation("measure")
    with pytest.raises(AttributeError, match="measure"):
        rows.where(measure="f1")


def test_pairs_are_grouped_in_one_pass():
    pairs = ((n % 3, n) for n in range(7))
    assert group_pairs(pairs) == {0: [0, 3, 6], 1: [1, 4], 2: [2, 5]}
    assert list(group_pairs([("b", 1), ("a", 2), ("b", 3)])) == ["b", "a"]
    assert group_pairs([]) == {}
