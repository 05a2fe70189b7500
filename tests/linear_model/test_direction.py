"""How rows are held out, and when JOINT's direction is the naive one."""

import numpy as np
import pytest
from scipy import sparse

from unlabeled.engine.linear_fits import RidgePath
from unlabeled.engine.rows import LabelEncoding, Rows
from unlabeled.linear_model._direction import (
    ComparableFeatures,
    held_out_splits,
    joint_direction,
    naive_direction,
)


def features_of(X, s):
    encoding = LabelEncoding(np.array([0, 1]))
    return ComparableFeatures.of(Rows(X, np.asarray(s, dtype=float), None, encoding))


def wide(n_labeled):
    """Return a table of more than 1000 features with too many rows to be rotated."""
    X = sparse.random(2100, 2200, density=0.002, format="csr", random_state=0)
    return features_of(X, np.arange(2100) < n_labeled)


@pytest.mark.parametrize("shape", [(300, 4), (50, 1200)])
def test_narrow_and_rotated_tables_leave_out_one_row_at_a_time(rng, shape):
    features = features_of(rng.normal(size=shape), np.arange(shape[0]) % 3 == 0)
    assert held_out_splits(features) is None


@pytest.mark.parametrize(("n_labeled", "n_folds"), [(300, 5), (3, 3)])
def test_wide_tables_get_folds_with_a_labeled_row_in_each(n_labeled, n_folds):
    features = wide(n_labeled)
    splits = held_out_splits(features, random_state=0)
    assert len(splits) == n_folds
    assert all(features.rows.s[test].sum() >= 1 for _, test in splits)


def test_wide_tables_need_two_labeled_rows():
    with pytest.raises(ValueError, match="1000 features.*1 labeled of 2100"):
        held_out_splits(wide(1))


def test_with_nearly_all_positives_labeled_joint_is_naive(rng):
    X = rng.normal(size=(500, 3))
    s = rng.random(500) < 1 / (1 + np.exp(1 - X[:, 0]))
    features = features_of(X, s)
    naive = naive_direction(RidgePath(features.rows, features.spread, None, 1e-4, 1000), C=0.1)
    assert naive.point.C == 0.1
    assert joint_direction(naive, s.mean(), C=0.1) is None
    joint = joint_direction(naive, 2 * s.mean(), C=0.1)
    assert (joint.name, joint.frequency) == ("joint", pytest.approx(0.5))
