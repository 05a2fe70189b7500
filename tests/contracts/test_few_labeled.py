"""With fewer than ten labeled rows every classifier says PU114, once."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.datasets import make_paper_gaussian

MODELS = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    WeightedLogistic(),
    PULogistic(),
    PropensityLogistic(propensity_features=[0]),
    PUThresholdClassifier(LogisticRegression()),
    PUThresholdClassifier(EnhancedLogistic()),
    PUEnsemble(members=[("line", PULogistic()), ("bayes", GaussianNB())]),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize(("n_labeled", "times"), [(9, 1), (10, 0)])
def test_every_classifier_warns_of_few_labeled_rows_once(model, n_labeled, times):
    data = make_paper_gaussian(n=1000, label_frequency=0.3, random_state=0)
    few = data.s * (np.cumsum(data.s) <= n_labeled)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data.X, few)
    codes = [getattr(warning.message, "code", None) for warning in caught]
    assert codes.count("PU114") == times


@pytest.mark.filterwarnings("ignore:.PU130")  # 0.01 is no number of copies
@pytest.mark.filterwarnings("ignore:.PU111")  # and so few rows tell nothing
@pytest.mark.parametrize("model", [NaiveLogistic(), PUEnsemble(members=MODELS[-1].members)])
def test_weights_may_make_labeled_rows_count_as_few(model):
    data = make_paper_gaussian(n=1000, label_frequency=0.3, random_state=0)
    model.set_params(weights="frequency")
    with pytest.warns(UserWarning, match="PU114.*labeled rows add up to"):
        model.fit(data.X, data.s, np.full(1000, 0.01))
