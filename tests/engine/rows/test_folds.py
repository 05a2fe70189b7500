"""Everything that accepts `cv` rejects bad values the same way, and names what it accepts."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.engine.rows import join_folds
from unlabeled.label_frequency import ElkanNoto, KernelMean, TIcE

X = np.random.default_rng(0).normal(size=(30, 2))
S = (np.arange(30) % 3 == 0).astype(int)
ACCEPTED = [
    (PULogistic(), "'auto' or 'loo'"),
    (PUThresholdClassifier(LogisticRegression()), "'loo', 'oob', 'prefit' or 'train'"),
    (ElkanNoto(), "None"),
    (TIcE(), "or a list of .train, test. row numbers"),
    *((one(), "'auto' or None") for one in ESTIMATORS if one not in (ElkanNoto, KernelMean, TIcE)),
]
MODELS = [model for model, _ in ACCEPTED]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


@pytest.mark.parametrize(
    ("model", "accepted"), ACCEPTED, ids=[type(model).__name__ for model in MODELS]
)
@pytest.mark.parametrize("cv", ["fold", 5.0, True])
def test_the_message_names_what_is_accepted(model, accepted, cv):
    with pytest.raises(ValueError, match=f"`cv` must be.*{accepted}; got {cv!r}"):
        model.set_params(cv=cv).fit(X, S)


@each_model
@pytest.mark.parametrize("cv", [-1, 0, 1])
def test_fewer_than_two_folds_are_rejected(model, cv):
    with pytest.raises(ValueError, match=f"`cv` must be at least 2.*; got {cv}"):
        model.set_params(cv=cv).fit(X, S)


@each_model
@pytest.mark.filterwarnings("ignore:.*PU11[01]")
def test_more_folds_than_rows_are_rejected_or_lowered(model):
    model.set_params(cv=31)
    if isinstance(model, PUThresholdClassifier | PULogistic):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, S)
        assert any("PU118" in str(one.message) for one in caught)
    else:
        with pytest.raises(ValueError, match="`cv` must be.*; got 31"):
            model.fit(X, S)


def test_none_is_rejected_where_it_means_nothing():
    for model in (PULogistic(cv=None), TIcE(cv=None)):
        with pytest.raises(ValueError, match="`cv` must be.*; got None"):
            model.fit(X, S)


def test_a_row_in_several_test_parts_gets_its_mean():
    first, second = (np.array([0, 1]), np.array([1.0, 3.0])), (np.array([1]), np.array([5.0]))
    assert join_folds(2, [first, second]).tolist() == [1.0, 4.0]
