"""Columns beside X: weights that count copies, answers of checked rows, groups."""

import pickle

import numpy as np
import pandas as pd
import pytest

from unlabeled import JointLogistic
from unlabeled.engine.rows import (
    CopyCounts,
    design_effect,
    group_sums,
    validate_checked,
    validate_groups,
    validate_rows,
)

X, Y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
COUNTS = CopyCounts.of([1, 2, 1, 3])


def rows_of(weight):
    return validate_rows(JointLogistic(weights="frequency"), X, Y, weight)


def test_weights_are_copies_if_they_say_so_also_in_a_slice_and_in_another_process():
    for weight in (COUNTS, COUNTS[np.arange(4)], pickle.loads(pickle.dumps(COUNTS))):
        assert rows_of(weight).are_copies
    assert not rows_of(np.asarray(COUNTS)).are_copies
    assert not rows_of(None).are_copies


def test_weights_whose_squares_overflow_are_refused():
    message = r"`sample_weight` must have squares .*; got a weight of 1e\+160\. Divide"
    with pytest.raises(ValueError, match=message):
        rows_of([1.0, 1e160, 1.0, 1.0])
    assert rows_of([1.0, 1e150, 1.0, 1.0]).weight.max() == 1e150


def test_validated_weights_are_plain_numbers():
    weight = rows_of(COUNTS).weight
    assert type(weight) is np.ndarray
    assert weight.tolist() == [1, 2, 1, 3]


S = np.array([1.0, 0.0, 0.0, 0.0])
NAN = np.nan


@pytest.mark.parametrize(
    "checked",
    [
        [NAN, 1, 0, NAN],
        [None, 1, 0, None],
        [None, True, False, None],
        [1, 1.0, 0.0, NAN],  # the first row is labeled: its answer says nothing new
        np.array([NAN, 1, 0, NAN], dtype=np.float32),
        np.ma.masked_array([0, 1, 0, 0], mask=[True, False, False, True]),
        pd.Series([pd.NA, 1, 0, pd.NA], dtype="Int64", index=[7, 5, 3, 1]),
        pd.Series([pd.NA, True, False, pd.NA], dtype="boolean"),
        pd.DataFrame({"answer": [NAN, 1, 0, NAN]})["answer"],
        np.array([None, np.bool_(True), np.int8(0), pd.NaT], dtype=object),
    ],
    ids=lambda one: f"{type(one).__name__}-{getattr(one, 'dtype', '')}",
)
def test_ones_zeros_and_missing_values_of_every_kind_are_read(checked):
    np.testing.assert_array_equal(validate_checked(checked, S), [NAN, 1, 0, NAN])


def test_booleans_are_answers_about_every_row():
    answers = validate_checked(np.array([True, True, False, False]), S)
    np.testing.assert_array_equal(answers, [NAN, 1, 0, 0])


@pytest.mark.parametrize("checked", [None, [None] * 4, np.full(4, NAN), [1, None, None, None]])
def test_nothing_checked_is_none(checked):
    assert validate_checked(checked, S) is None


@pytest.mark.parametrize(
    ("checked", "error", "named"),
    [
        ([NAN, 2, 0, 1], ValueError, "`checked` .* got 2.0 in row 1"),
        ([None, 1, -1, None], ValueError, "`checked` .* got -1 in row 2"),
        ([None, "yes", None, "no"], ValueError, "`checked` .* got 'yes' in row 1"),
        ([None, "1", None, None], ValueError, "`checked` .* got '1' in row 1"),
        ([NAN, 0.5, 0, 1], ValueError, "`checked` .* got 0.5"),
        ([NAN, np.inf, 0, 1], ValueError, "`checked` .* got inf"),
        ([None, 1, 0], ValueError, "4 rows in `X`, and 3 in `checked`"),
        ([[NAN], [1], [0], [NAN]], ValueError, r"`checked` .* shape \(4, 1\)"),
        (1, ValueError, r"`checked` .* shape \(\)"),
        ([0, 1, 0, 1], ValueError, "`checked` must not be 0 in a labeled row.* is row 0"),
    ],
)
def test_other_answers_are_rejected_in_a_sentence(checked, error, named):
    with pytest.raises(error, match=named):
        validate_checked(checked, S)


def test_a_dask_column_is_rejected():
    pytest.importorskip("dask")
    import dask.array as da

    with pytest.raises(TypeError, match="`checked` must be in memory"):
        validate_checked(da.zeros(4), S)


def test_answers_of_rows_without_weight_are_dropped_with_them():
    X, y = np.arange(5.0)[:, None], [1, 0, 0, 1, 0]
    weight, checked = [1, 0, 1, 1, 2], [NAN, 1, 0, NAN, 1]
    rows = validate_rows(JointLogistic(), X, y, weight, checked=checked)
    np.testing.assert_array_equal(rows.checked, [NAN, 0, NAN, 1])
    # Labeled, found positive, unknown; no row is unknown here.
    np.testing.assert_array_equal(rows.target, [[1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    with pytest.raises(ValueError, match="is row 3"):
        validate_rows(JointLogistic(), X, y, weight, checked=[NAN, NAN, NAN, 0, NAN])


def test_the_target_without_answers_is_the_labels():
    rows = validate_rows(JointLogistic(), np.arange(4.0)[:, None], S, checked=[NAN] * 4)
    assert rows.target is rows.s


def test_rows_in_chunks_are_rejected_with_answers():
    pytest.importorskip("dask")
    import dask.array as da

    X = da.from_array(np.arange(4.0)[:, None], chunks=2)
    with pytest.raises(TypeError, match="`checked` must be None for rows in chunks"):
        JointLogistic().fit(X, da.from_array(S, chunks=2), checked=[NAN, 1, 0, NAN])


def test_sums_are_those_of_each_group():
    rng = np.random.RandomState(0)
    values, groups = rng.normal(size=(50, 2)), rng.choice([3, 8, 11], 50)
    expected = [values[groups == one].sum(axis=0) for one in (3, 8, 11)]
    np.testing.assert_allclose(group_sums(values, groups), expected)


def test_copies_of_rows_have_the_number_of_copies_as_design_effect():
    residual = np.random.RandomState(0).normal(size=40)
    groups = np.repeat(np.arange(40), 7)
    assert design_effect(np.repeat(residual, 7), groups) == pytest.approx(7)
    assert design_effect(residual, np.arange(40), np.full(40, 7.0)) == pytest.approx(7)


def test_rows_on_their_own_have_no_design_effect():
    residual = np.random.RandomState(0).normal(size=40)
    assert design_effect(residual, None) == 1.0
    assert design_effect(residual, np.arange(40)) == pytest.approx(1)
    assert design_effect(np.zeros(40), np.zeros(40)) == 1.0


def test_a_design_effect_is_the_ratio_of_two_variances():
    rng = np.random.RandomState(0)
    groups = np.repeat(np.arange(200), 5)
    sums, found = [], []
    for _ in range(400):
        residual = rng.normal(size=200)[groups] + rng.normal(size=1000)
        sums.append(residual.sum())
        found.append(design_effect(residual, groups))
    # A variance of 2 per row, half of which is the group's: 1 + (5 - 1) / 2.
    assert np.mean(found) == pytest.approx(3, rel=0.02)
    assert np.var(sums) / (2 * 1000) == pytest.approx(3, rel=0.2)


def test_opposite_rows_of_a_group_do_not_tell_more_than_independent_ones():
    assert design_effect(np.array([1.0, -1.0, 1.0, -1.0]), np.array([0, 0, 1, 1])) == 1.0


def test_groups_may_be_text_and_must_be_whole():
    assert validate_groups(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="`groups` must say.*got 1 missing"):
        validate_groups(["b", None, "b"], 3)
    with pytest.raises(ValueError, match="3 rows.*2 in `groups`"):
        validate_groups(["b", "a"], 3)
