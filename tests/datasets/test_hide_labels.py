"""Hidden labels have the frequency asked for and never mark a negative."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled.datasets import hide_labels

N = 100_000
Y = (np.arange(N) % 4 == 0).astype(int)


@pytest.mark.parametrize("c", [0.1, 0.5, 0.9])
def test_scar_labels_have_frequency_c(c):
    labelled = hide_labels(Y, c, random_state=0)[Y == 1]
    assert abs(labelled.mean() - c) < 4 * np.sqrt(c * (1 - c) / len(labelled))


def test_every_positive_is_labelled_at_c_one():
    np.testing.assert_array_equal(hide_labels(Y, 1, random_state=0), Y)


def test_sar_labels_follow_the_propensity():
    propensity = np.where(np.arange(N) < N // 2, 0.2, 0.8)
    s = hide_labels(Y, propensity=propensity, random_state=0)
    for value in (0.2, 0.8):
        labelled = s[(Y == 1) & (propensity == value)]
        assert abs(labelled.mean() - value) < 4 * np.sqrt(0.16 / len(labelled))


def test_a_negative_is_never_labelled():
    assert hide_labels(Y, 0.9, random_state=1)[Y == 0].sum() == 0
    assert hide_labels(Y, propensity=np.ones(N), random_state=1)[Y == 0].sum() == 0


def test_propensity_zero_is_never_and_one_always_labelled():
    s = hide_labels([1, 1, 1, 1], propensity=[0, 1, 0, 1], random_state=0)
    assert s.tolist() == [0, 1, 0, 1]


def test_one_seed_gives_one_draw():
    np.testing.assert_array_equal(
        hide_labels(Y, 0.5, random_state=5), hide_labels(Y, 0.5, random_state=5)
    )
    assert np.any(hide_labels(Y, 0.5, random_state=5) != hide_labels(Y, 0.5, random_state=6))


def test_a_constant_propensity_is_scar():
    np.testing.assert_array_equal(
        hide_labels(Y, 0.3, random_state=2),
        hide_labels(Y, propensity=np.full(N, 0.3), random_state=2),
    )


@pytest.mark.parametrize("kind", [bool, float, np.int8, list])
def test_classes_of_any_numeric_type_give_int_labels(kind):
    y = Y[:100].tolist() if kind is list else Y[:100].astype(kind)
    s = hide_labels(y, 0.5, random_state=0)
    assert s.dtype.kind == "i"
    np.testing.assert_array_equal(s, hide_labels(Y[:100], 0.5, random_state=0))


def test_neither_or_both_mechanisms_are_refused():
    with pytest.raises(ValueError, match="either `c` or `propensity`; got neither"):
        hide_labels(Y)
    with pytest.raises(ValueError, match="either `c` or `propensity`; got both"):
        hide_labels(Y, 0.5, propensity=np.ones(N))


@pytest.mark.parametrize("y", [[-1, 1], [1, 2], ["a", "b"], [0.5, 1], [np.nan, 1], [None, 1]])
def test_other_classes_than_zero_and_one_are_refused(y):
    with pytest.raises(ValueError, match="`y_true` must hold the hidden classes"):
        hide_labels(y, 0.5)


@pytest.mark.parametrize("c", [0, 1.5, -1, np.nan, "a"])
def test_a_frequency_outside_its_range_is_refused(c):
    with pytest.raises(ValueError, match=r"`c` must be a number in \(0, 1\]; got"):
        hide_labels([0, 1], c)


def test_bad_propensities_are_refused():
    with pytest.raises(ValueError, match="`propensity` must have one value a row, 2; got 3"):
        hide_labels([0, 1], propensity=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"`propensity` must lie in \[0, 1\]; got 1.2 in row 1"):
        hide_labels([0, 1], propensity=[0.1, 1.2])
    with pytest.raises(ValueError, match="`propensity` must have no missing"):
        hide_labels([0, 1], propensity=[0.1, np.nan])
