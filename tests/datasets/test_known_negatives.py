"""A label column with a third value: what each value becomes, and what is rejected."""

import numpy as np
import pandas as pd
import pytest

from unlabeled import JointLogistic
from unlabeled.audit import chosen_beforehand
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian, split_labels

NAN = np.nan


@pytest.mark.parametrize(
    ("column", "values"),
    [
        (["yes", "no", None, "", "  ", NAN], ("yes", "no")),
        (pd.Series(["yes", "no", pd.NA, None, "", pd.NaT], index=range(5, 11)), ("yes", "no")),
        (pd.Categorical(["yes", "no", None, None, None, None]), ("yes", "no")),
        (np.array([1.0, -1.0, NAN, NAN, NAN, NAN]), (1, -1)),
        (pd.Series([1, 0, pd.NA, pd.NA, pd.NA, pd.NA], dtype="Int64"), (1, 0)),
        (pd.Series([True, False, pd.NA, pd.NA, pd.NA, pd.NA], dtype="boolean"), (True, False)),
    ],
    ids=["list", "text", "categories", "numbers", "whole numbers", "booleans"],
)
def test_labels_negatives_and_blanks_are_told_apart(column, values):
    y, checked = split_labels(column, labeled=values[0], negative=values[1])
    np.testing.assert_array_equal(y, [1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(checked, [NAN, 0, NAN, NAN, NAN, NAN])


def test_several_values_may_mean_the_same():
    y, checked = split_labels(
        ["a", "b", "c", "d", "open", None],
        labeled=["a", "b"],
        negative=("c", "d"),
        unlabeled="open",
    )
    np.testing.assert_array_equal(y, [1, 1, 0, 0, 0, 0])
    np.testing.assert_array_equal(checked, [NAN, NAN, 0, 0, NAN, NAN])


def test_a_column_without_negatives_has_nothing_checked():
    y, checked = split_labels(["yes", None], labeled="yes", negative="no")
    assert y.tolist() == [1, 0]
    assert np.isnan(checked).all()


@pytest.mark.parametrize(
    ("column", "names", "named"),
    [
        (["yes", "no", "maybe"], {}, "every value .* got 'maybe'"),
        (["yes", "no", "yes "], {}, "every value .* got 'yes '"),
        (["yes", "1", 1], {}, "every value .* got '1'"),
        (["no", None], {}, "`labeled` must be a value of the column; got 'yes'"),
        (["yes", "no"], {"negative": ["no", "yes"]}, "`negative` must not share .* got 'yes'"),
        (["yes", "no"], {"unlabeled": "no"}, "`unlabeled` must not share .* got 'no'"),
        ([["yes", "no"]], {}, r"`column` must have one value per row; got .* \(1, 2\)"),
    ],
)
def test_other_values_are_rejected_in_a_sentence(column, names, named):
    with pytest.raises(ValueError, match=named):
        split_labels(column, **{"labeled": "yes", "negative": "no"} | names)


def test_both_parts_go_into_a_fit():
    data = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
    status = np.where(data.s == 1, "confirmed", "").astype(object)
    rejected = (data.y_true == 0) & (np.arange(600) % 4 == 0)
    status[rejected] = "rejected"
    y, checked = split_labels(status, labeled="confirmed", negative="rejected")
    with pytest.raises(ValueError, match="recorded because they are negative"):
        JointLogistic(0.5).fit(data.X, y, checked=checked)
    with pytest.warns(PUWarning, match="PU123"):
        model = JointLogistic(0.5).fit(data.X, y, checked=chosen_beforehand(checked))
    assert model.n_checked_ == rejected.sum()
