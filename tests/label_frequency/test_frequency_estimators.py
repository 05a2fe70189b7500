"""What all estimators of the label frequency have in common."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.preprocessing import StandardScaler

from unlabeled import label_frequency
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import (
    DEDPUL,
    BestBin,
    KernelMean,
    LabelFrequencyEstimator,
    OneDimensionalJoint,
    PriorBound,
)
from unlabeled.label_frequency._base import frequency_of_share, scale_rows
from unlabeled.label_frequency._out_of_fold import ScoreFrequencyEstimator

# Every public estimator. The tests of contracts, model files and folds take theirs from here.
ESTIMATORS = [
    one
    for one in (getattr(label_frequency, name) for name in label_frequency.__all__)
    if isinstance(one, type) and issubclass(one, BaseEstimator) and one != LabelFrequencyEstimator
]
SCORED = [
    *(
        one(tol=1e-9, random_state=0)
        for one in ESTIMATORS
        if issubclass(one, ScoreFrequencyEstimator)
    ),
    OneDimensionalJoint("mode", tol=1e-9, random_state=0),
]
ALL = [
    *SCORED,
    KernelMean(max_rows=400, random_state=0),
    KernelMean("KM1", max_rows=400, random_state=0),
]
every_estimator = pytest.mark.parametrize("estimator", ALL, ids=repr)


def two_normals(n, c, gap, seed, class_prior=0.4):
    rng = np.random.default_rng(seed)
    y_true = (rng.random(n) < class_prior).astype(int)
    X = rng.normal(size=(n, 2))
    X[:, 0] += gap * y_true
    return X, y_true * (rng.random(n) < c)


def frequency(estimator, X, s, weight=None):
    return clone(estimator).fit(X, s, sample_weight=weight).label_frequency_


@every_estimator
def test_the_class_prior_is_that_of_the_whole_sample(estimator):
    X, s = two_normals(400, 0.5, 3, seed=1)
    model = clone(estimator).fit(X, s)
    assert model.class_prior_ == pytest.approx(s.mean() / model.label_frequency_)
    if hasattr(model, "unlabeled_share_"):
        whole = s.mean() + (1 - s.mean()) * model.unlabeled_share_
        assert model.class_prior_ == pytest.approx(whole)


@every_estimator
def test_weights_count_as_numbers_of_rows(estimator, rng):
    X, s = two_normals(240, 0.5, 2, seed=2)
    count = rng.integers(0, 4, size=240)
    groups = np.arange(240) % 3
    again = np.repeat(np.arange(240), count)
    weighted, repeated = clone(estimator).set_params(weights="frequency"), clone(estimator)
    if "cv" in estimator.get_params():
        weighted.set_params(cv=list(LeaveOneGroupOut().split(X, groups=groups)))
        repeated.set_params(cv=list(LeaveOneGroupOut().split(X[again], groups=groups[again])))
    found = frequency(weighted, X, s, count.astype(float))
    assert found == pytest.approx(frequency(repeated, X[again], s[again]), rel=1e-5)


@every_estimator
def test_units_of_the_features_do_not_matter(estimator):
    X, s = two_normals(300, 0.5, 2, seed=3)
    scaled = frequency(estimator, X * [1e3, 1e-3] + [5, -7], s)
    assert scaled == pytest.approx(frequency(estimator, X, s), rel=1e-5)


@every_estimator
def test_sparse_rows_give_the_same(estimator):
    X, s = two_normals(300, 0.5, 2, seed=4)
    X[np.abs(X) < 0.5] = 0
    found = frequency(estimator, sparse.csr_array(X), s)
    assert found == pytest.approx(frequency(estimator, X, s), rel=1e-5)


@every_estimator
def test_a_named_pos_label_gives_the_same(estimator):
    X, s = two_normals(300, 0.5, 2, seed=5)
    named = clone(estimator).set_params(pos_label="a labeled row")
    labels = np.where(s == 1, "a labeled row", "b")
    assert frequency(named, X, labels) == frequency(estimator, X, s)


@every_estimator
def test_one_seed_gives_one_estimate(estimator):
    X, s = two_normals(600, 0.5, 2, seed=6)
    assert frequency(estimator, X, s) == frequency(estimator, X, s)


@pytest.mark.parametrize("c", [0.3, 0.7])
@pytest.mark.parametrize(
    ("estimator", "error"),
    [
        (OneDimensionalJoint(random_state=0), 0.03),
        (BestBin(random_state=0), 0.03),
        (DEDPUL(random_state=0), 0.03),
        (KernelMean(max_rows=500, random_state=0), 0.06),
    ],
    ids=repr,
)
def test_separated_classes_give_the_true_frequency(estimator, error, c):
    # 3000 rows, 1200 positives: the share of labeled positives alone has sd .013, its mean
    # over four draws .007. Classes four standard deviations apart overlap by a few percent.
    found = [frequency(estimator, *two_normals(3000, c, 4, seed)) for seed in range(4)]
    assert np.mean(found) == pytest.approx(c, abs=error)


@pytest.mark.parametrize(
    "estimator", [BestBin(), DEDPUL(), KernelMean(max_rows=500), PriorBound()], ids=repr
)
def test_overlap_makes_the_frequency_too_low_in_the_papers_design(estimator):
    # Twelve draws of DEDPUL had mean .45 and sd .08, so the mean of six is below .55 by three of
    # its standard errors; the others lie lower and vary less.
    found = []
    for seed in range(6):
        data = make_paper_gaussian(5000, label_frequency=0.6, random_state=seed)
        model = clone(estimator).set_params(random_state=seed)
        found.append(frequency(model, data.X, data.s))
    assert np.mean(found) < 0.55


@pytest.mark.parametrize("estimator", SCORED, ids=repr)
def test_a_ridge_must_be_positive(estimator, golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match="`C` must be .*got 0"):
        clone(estimator).set_params(C=0).fit(data.X, data.s)


def test_the_share_among_unlabeled_rows_becomes_a_frequency():
    # 100 rows, 20 labeled, 8 of the other 80 positive: c = 20 / 28.
    assert frequency_of_share(0.1, 0.2) == pytest.approx(20 / 28)
    assert frequency_of_share(0.0, 0.2) == 1.0
    assert frequency_of_share(1.0, 0.2) == 0.2


def test_scaled_rows_have_unit_variance_and_keep_everything_else(golden):
    data = golden(label_frequency=0.6)
    rows = validate_rows(BestBin(), data.X, data.s)
    scaled = scale_rows(rows)
    np.testing.assert_allclose(scaled.X, StandardScaler().fit_transform(rows.X))
    assert scaled.s is rows.s
