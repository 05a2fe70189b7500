"""Weights, groups and other arguments of `fit` reach the estimator and the splitter."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline

from unlabeled import PUThresholdClassifier
from unlabeled.datasets import make_paper_gaussian

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_extra_arguments_need_metadata_routing():
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        PUThresholdClassifier(LogisticRegression()).fit(X, S, color=np.arange(400))


def test_groups_need_no_metadata_routing():
    groups = np.arange(400) // 10
    model = PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3))
    by_hand = PUThresholdClassifier(
        LogisticRegression(), cv=list(GroupKFold(3).split(X, S, groups))
    )
    model.fit(X, S, groups=groups)
    np.testing.assert_array_equal(model.held_out_score_, by_hand.fit(X, S).held_out_score_)


@pytest.mark.usefixtures("routing")
def test_groups_reach_the_splitter():
    groups = np.arange(400) // 10
    model = PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3))
    by_hand = PUThresholdClassifier(
        LogisticRegression(), cv=list(GroupKFold(3).split(X, S, groups))
    )
    assert model.fit(X, S, groups=groups).threshold_ == by_hand.fit(X, S).threshold_


@pytest.mark.usefixtures("routing")
def test_weights_reach_the_step_that_requests_them():
    weight = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    base = LogisticRegression().set_fit_request(sample_weight=True)
    counts = {"cv": folds, "weights": "frequency"}
    alone = PUThresholdClassifier(base, **counts).fit(X, S, sample_weight=weight)
    piped = PUThresholdClassifier(make_pipeline(base), **counts).fit(X, S, sample_weight=weight)
    assert piped.threshold_ == alone.threshold_
    repeated = np.repeat(np.arange(400), weight.astype(int))
    whole = clone(base).fit(X[repeated], S[repeated])
    np.testing.assert_allclose(alone.estimator_.coef_, whole.coef_, atol=1e-3)


@pytest.mark.usefixtures("routing")
def test_rows_of_weight_0_leave_with_their_groups():
    weight, groups = np.ones(400), np.arange(400) // 10
    weight[:100] = 0
    model = PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3))
    model.estimator.set_fit_request(sample_weight=False)
    weighted = clone(model).fit(X, S, sample_weight=weight, groups=groups)
    fewer = clone(model).fit(X[100:], S[100:], groups=groups[100:])
    assert weighted.threshold_ == fewer.threshold_


def test_weights_without_routing_go_to_the_estimator_and_zeros_leave():
    weight = np.ones(400)
    weight[:100] = 0
    model = PUThresholdClassifier(LogisticRegression(), random_state=0)
    weighted = clone(model).fit(X, S, sample_weight=weight)
    assert weighted.threshold_ == clone(model).fit(X[100:], S[100:]).threshold_
