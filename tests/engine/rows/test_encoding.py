"""Label columns: any two values, which one marks labeled rows, and bad labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from unlabeled.codes import PUWarning
from unlabeled.engine.rows import LabelEncoding, encode_labels, encode_predictions


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 0],
        [-1, 1, -1],
        [0.0, 1.0, 0.0],
        [False, True, False],
        np.array([2, 7, 2]),
        pd.Series([0, 1, 0], index=[5, 3, 9]),
        pl.Series([0, 1, 0]),
    ],
)
def test_the_larger_of_two_values_marks_labeled_rows(y):
    s, encoding = encode_labels(y)
    assert s.tolist() == [0, 1, 0]
    assert s.dtype == np.float64
    assert encoding.classes[1] == max(list(y))


def test_text_without_pos_label_gives_a_warning():
    with pytest.warns(PUWarning, match=r"\[PU101\].*; 'unlabeled' ") as caught:
        s, _ = encode_labels(["labeled", "unlabeled", "unlabeled"])
    assert s.tolist() == [0, 1, 1]
    assert caught[0].message.code == "PU101"


def test_pos_label_overrides_the_order():
    s, encoding = encode_labels(["labeled", "unlabeled", "unlabeled"], pos_label="labeled")
    assert s.tolist() == [1, 0, 0]
    assert encoding.classes.tolist() == ["unlabeled", "labeled"]
    assert encoding.decode(np.array([True, False])).tolist() == ["labeled", "unlabeled"]


@pytest.mark.parametrize(
    ("y", "got"),
    [
        ([1, 1, 1], "got only one class, 1"),
        ([0, 1, 2], "got 3: 0, 1, 2"),
        ([0.0, 1.0, np.nan], "got NaN or inf"),
        ([0, 1, np.inf], "got NaN or inf"),
        (np.array(["a", None, "a"], dtype=object), "got None or NaN"),
        (pd.Series([1, pd.NA, 0], dtype="Int64"), "got NaN or inf"),
        (pd.Series([1, pd.NA, 0], dtype=object), "got None or NaN"),
        ([0.2, 0.9, 0.4], "got fractional numbers"),
        (np.array([0, "a", 0], dtype=object), "got int, str"),
    ],
)
def test_bad_labels_get_one_sentence(y, got):
    with pytest.raises(ValueError, match=f"`y` must.*{got}") as error:
        encode_labels(y)
    assert "\n" not in str(error.value)


def test_unknown_pos_label_is_rejected():
    with pytest.raises(ValueError, match=r"`pos_label` must.*0, 1; got 'yes'"):
        encode_labels([0, 1], pos_label="yes")


@pytest.mark.parametrize("given", [[1], (1,), np.array([1])])
def test_a_list_is_no_pos_label(given):
    with pytest.raises(ValueError, match=r"`pos_label` must be one of the values of `y`"):
        encode_labels([0, 1], pos_label=given)


def test_predictions_with_other_values_are_rejected():
    encoding = LabelEncoding(np.array([0, 1]))
    assert encode_predictions([1, 0], encoding).tolist() == [True, False]
    with pytest.raises(ValueError, match="`y_pred` must.*got -1, 1"):
        encode_predictions([1, -1], encoding)


def test_text_that_was_recoded_on_the_way_is_explained():
    with pytest.raises(ValueError, match=r"`pos_label` must.*got 'lab'.*VotingClassifier"):
        encode_labels([0, 1, 0], pos_label="lab")
    with pytest.raises(ValueError, match=r"got 'lab'\.$"):
        encode_labels(["a", "b"], pos_label="lab")


def test_a_table_of_one_column_is_accepted_with_a_warning_at_the_caller():
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        s, _ = encode_labels(np.array([[0], [1]]))
    assert s.tolist() == [0, 1]
    assert caught[0].filename == __file__


def test_two_columns_are_rejected_by_the_name_of_the_argument():
    encoding = LabelEncoding(np.array([0, 1]))
    with pytest.raises(ValueError, match=r"`y_pred` must.*\(2, 2\)"):
        encode_predictions(np.eye(2), encoding)


def test_an_empty_label_column_is_named_as_such():
    with pytest.raises(ValueError, match="`y` must have two classes.*got no rows at all"):
        encode_labels([])
