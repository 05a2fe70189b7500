"""Label columns: any two values, which one marks labeled rows, and bad labels."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import DataConversionWarning

from unlabeled.app.tables._formats import MISSING
from unlabeled.engine.label_words import UNLABELED, as_word
from unlabeled.engine.rows import (
    LabelEncoding,
    encode_labels,
    encode_predictions,
)


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


@pytest.mark.parametrize(
    ("unlabeled", "labeled"),
    [
        # Where both are text, 0.2.0 took the value that sorts last: wrong in all but three.
        ("unlabeled", "labeled"),
        ("unlabelled", "labelled"),
        ("unlabeled", "positive"),
        ("Unlabeled", "Known"),
        ("unk", "pos"),
        ("unknown", "fraud"),
        ("U", "P"),
        ("not tested", "ill"),
        ("not_tested", "TESTED ILL"),
        ("unverified", "confirmed"),
        ("no", "yes"),
        ("N", "Y"),
        ("N", "P"),
        ("False", "True"),
        ("negative", "positive"),
        ("neg", "pos"),
        ("0", "1"),
        ("-1", "1"),
        ("", "case"),
        ("nan", "case"),
        ("None", "case"),
        ("nein", "ja"),
    ],
)
@pytest.mark.parametrize("dtype", [None, object])
def test_texts_that_say_which_one_is_labeled_need_no_word(unlabeled, labeled, dtype):
    y = np.array([unlabeled, labeled, unlabeled], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        s, encoding = encode_labels(y)
    assert s.tolist() == [0, 1, 0]
    assert encoding.classes.tolist() == [unlabeled, labeled]


@pytest.mark.parametrize(
    "values",
    [
        ("cleared", "fraud"),
        ("case", "control"),
        ("a", "b"),
        ("1", "2"),
        ("Yes", "yes"),
        # Beside words for unlabeled rows, these are no positives.
        ("negative", "unlabeled"),
        ("no", "unknown"),
        ("N", "U"),
        ("other", "unknown"),
        ("unknown", "unlabeled"),
        ("U", "unk"),
        (b"labeled", b"unlabeled"),
    ],
)
def test_texts_that_do_not_say_it_are_rejected_with_both_values(values):
    with pytest.raises(ValueError, match=r"^`pos_label` must be.*; got None\. Set") as error:
        encode_labels([values[0], values[1], values[0]])
    assert all(repr(value) in str(error.value).partition("Set")[2] for value in values)
    assert encode_labels([*values, values[0]], pos_label=values[0])[0].tolist() == [1, 0, 1]


def test_what_is_a_missing_cell_of_a_table_is_an_unlabeled_row_in_python():
    words = {as_word(cell) for cell in MISSING if any(letter.isalpha() for letter in cell)}
    in_python = {word for word in words if word.isalpha() or word in ("n/a", "<na>")}
    assert in_python == {"na", "n/a", "<na>", "null", "nan", "none"}
    assert in_python <= UNLABELED


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
