"""An estimator given as `class_prior` or `label_frequency`, fitted within a classifier's fit."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier, WeightedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto, OneDimensionalJoint, TIcE

pytestmark = pytest.mark.filterwarnings("ignore:.*(PU107|PU109|PU110|PU113)")
DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
TEXT = np.where(S == 1, "lab", "unl")
COUNTS = np.random.default_rng(0).integers(0, 3, 400) * np.where(S == 1, 3, 1)


def over_logistic(class_prior, **options):
    return PUThresholdClassifier(
        LogisticRegression(), class_prior=class_prior, cv="train", **options
    )


def pu_logistic(class_prior, **options):
    return PULogistic(class_prior=class_prior, **options)


def ensemble(class_prior, **options):
    members = [("tree", DecisionTreeClassifier(max_depth=2))]
    return PUEnsemble(members=members, class_prior=class_prior, cv=2, random_state=0, **options)


def weighted(label_frequency, **options):
    return WeightedLogistic(label_frequency, weighting="posterior", **options)


each_kind = pytest.mark.parametrize("kind", [over_logistic, pu_logistic, ensemble, weighted])
each_with_prior = pytest.mark.parametrize("kind", [over_logistic, pu_logistic, ensemble])


@each_kind
def test_it_gets_the_weights_of_the_rows(kind):
    repeated = np.repeat(np.arange(400), COUNTS)
    alone = ElkanNoto().fit(X[repeated], S[repeated])
    model = kind(ElkanNoto()).set_params(weights="frequency")
    model.fit(X, S, sample_weight=COUNTS.astype(float))
    assert model.class_prior_ == pytest.approx(alone.class_prior_, rel=1e-4)
    assert model.label_frequency_ == pytest.approx(alone.label_frequency_, rel=1e-4)


@each_kind
def test_its_splits_are_numbers_of_the_users_rows(kind):
    weight, half = np.ones(400), np.arange(400) % 2 == 0
    weight[:40] = 0
    splits = [
        (np.flatnonzero(half), np.flatnonzero(~half)),
        (np.flatnonzero(~half), np.flatnonzero(half)),
    ]
    later = [tuple(part[part >= 40] - 40 for part in split) for split in splits]
    alone = ElkanNoto(cv=later).fit(X[40:], S[40:])
    model = kind(ElkanNoto(cv=splits)).fit(X, S, sample_weight=weight)
    assert model.class_prior_ == pytest.approx(alone.class_prior_)


@each_kind
def test_its_folds_may_be_automatic_where_rows_have_weight_0(kind):
    weight = np.ones(400)
    weight[:40] = 0
    nested = OneDimensionalJoint(random_state=0)
    alone = OneDimensionalJoint(random_state=0).fit(X[40:], S[40:])
    model = kind(nested).fit(X, S, sample_weight=weight)
    assert model.class_prior_ == pytest.approx(alone.class_prior_)


@each_kind
def test_its_pos_label_may_be_that_of_the_classifier(kind):
    named = kind(ElkanNoto(pos_label="lab"), pos_label="lab").fit(X, TEXT)
    plain = kind(ElkanNoto()).fit(X, S)
    assert named.class_prior_ == plain.class_prior_


@each_with_prior
def test_the_fitted_one_is_kept_and_forgotten(kind):
    given = ElkanNoto()
    model = kind(given).fit(X, S)
    assert model.class_prior_estimator_.class_prior_ == model.class_prior_
    assert not hasattr(given, "class_prior_")
    assert not hasattr(model.set_params(class_prior=None).fit(X, S), "class_prior_estimator_")


def test_the_fitted_label_frequency_estimator_is_forgotten_too():
    model = weighted(ElkanNoto()).fit(X, S)
    assert hasattr(model, "label_frequency_estimator_")
    model.set_params(label_frequency=0.5).fit(X, S)
    assert not hasattr(model, "label_frequency_estimator_")


class Says(BaseEstimator):
    """Sets the given value, and has nothing but `fit`."""

    def __init__(self, value):
        self.value = value

    def fit(self, X, y):
        self.class_prior_ = self.label_frequency_ = self.value
        return self


@each_kind
@pytest.mark.parametrize("value", [1.7, 0.01, float("nan"), "half", None])
def test_its_estimate_must_be_possible(kind, value):
    with pytest.raises(ValueError, match=r"0\.095\) and 1; Says"):
        kind(Says(value)).fit(X, S)


@each_kind
def test_something_else_with_fit_gets_one_sentence(kind):
    with pytest.raises(ValueError, match=r"ElkanNoto\(\).*LogisticRegression"):
        kind(LogisticRegression()).fit(X, S)


@pytest.mark.parametrize(
    ("classifier", "parameter"),
    [(PULogistic, "class_prior"), (WeightedLogistic, "label_frequency")],
)
def test_the_class_of_an_estimator_is_no_estimator(classifier, parameter):
    data = make_paper_gaussian(n=100, label_frequency=0.5, random_state=0)
    with pytest.raises(ValueError, match=rf"`{parameter}` must be .*the class TIcE.*TIcE\(\)"):
        classifier(**{parameter: TIcE}).fit(data.X, data.s)
