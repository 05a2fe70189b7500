"""What people found when they checked rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import Table, TableError, checked_rows, label_column, read_answer


@pytest.mark.parametrize(
    ("cells", "meaning"),
    [
        (["yes", "YES", " Yes ", "y", "1", "1.0", "1,0", "true", "TRUE", "t", "ja", "oui"], 1.0),
        (["no", "No", "N", "0", "0.0", "0,0", "false", "FALSE", "nein", "non"], 0.0),
        (["", " ", "not sure", "Not  Sure", "unsure", "?", "NA", "-"], float("nan")),
        (["perhaps", "2", "-1", "yes!", "unlabeled", "labeled", "10"], None),
    ],
)
def test_words_of_many_kinds_are_read(cells, meaning):
    found = [read_answer(cell) for cell in cells]
    if meaning is None:
        assert found == [None] * len(cells)
    else:
        np.testing.assert_array_equal(found, [meaning] * len(cells))


def table(**columns):
    return Table(pd.DataFrame(columns), Path("t.csv"))


STATUS = ["confirmed", "rejected", None, "rejected", None, "confirmed"]


def test_a_third_label_value_marks_known_negatives():
    labels = label_column(table(status=STATUS, age=range(6)), "status", negative=["Rejected"])
    assert labels.s.tolist() == [1, 0, 0, 0, 0, 1]
    assert labels.negative.tolist() == [False, True, False, True, False, False]
    assert (labels.positive, labels.negatives, labels.others) == ("confirmed", {"rejected": 2}, {})
    assert str(labels) == (
        "2 of 6 rows are labeled (`status` = 'confirmed'), 2 are known to be negative "
        "('rejected': 2). The other 2 are unlabeled (blank: 2)."
    )
    np.testing.assert_array_equal(
        checked_rows(None, labels), [np.nan, 0, np.nan, 0, np.nan, np.nan]
    )


def test_several_values_may_mark_negatives_and_the_rest_is_unlabeled():
    status = ["yes", "no", "withdrawn", "open", None]
    found = label_column(table(a=status), "a", "yes", negative=["no", "withdrawn"])
    assert found.negatives == {"no": 1, "withdrawn": 1}
    assert found.others == {"open": 1}
    assert found.to_dict()["unlabeled"] == 4


@pytest.mark.parametrize(
    ("positive", "negative", "said"),
    [
        (None, ["reject"], "`negative` must be a value of 'status'.*Did you mean 'rejected'"),
        (None, ["rejected", "confirmed"], "`negative` must leave a value of 'status'"),
        ("confirmed", ["confirmed"], "`negative` must leave a value of 'status'"),
    ],
)
def test_wrong_negatives_are_refused(positive, negative, said):
    with pytest.raises(TableError, match=said):
        label_column(table(status=STATUS), "status", positive, negative)


def test_a_checked_column_and_known_negatives_are_put_together():
    made = table(status=STATUS, seen=[None, None, "yes", "no", "not sure", "yes"])
    found = checked_rows(made, label_column(made, "status", negative=["rejected"]), "seen")
    np.testing.assert_array_equal(found, [np.nan, 0, 1, 0, np.nan, np.nan])


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (["no", None, None, None, None, None], "must not say no about labeled rows.*1 row "),
        ([None, "yes", None, None, None, None], "`checked` and `negative` must not disagree"),
        (["yes", "later", None, None, None, "soon"], "'later', 'soon' in 2 rows"),
        ([None] * 6, "says yes or no for some rows"),
    ],
)
def test_a_wrong_checked_column_is_refused(seen, said):
    made = table(status=STATUS, seen=seen)
    with pytest.raises(TableError, match=said):
        checked_rows(made, label_column(made, "status", negative=["rejected"]), "seen")


def test_no_checked_row_is_none():
    made = table(status=["yes", None])
    assert checked_rows(made, label_column(made, "status")) is None
