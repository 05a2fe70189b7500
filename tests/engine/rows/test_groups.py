"""Sums over groups, and how much less the rows of groups tell than independent ones."""

import numpy as np
import pytest

from unlabeled.engine.rows import design_effect, group_sums, validate_groups


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
