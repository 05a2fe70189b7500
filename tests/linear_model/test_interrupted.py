"""Ctrl-C in a fit raises, watched or not, and leaves the estimator as it was."""

import pytest
from sklearn.base import clone

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    WeightedLogistic,
)
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.objective import Objective


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(2000, label_frequency=0.6, random_state=0)


@pytest.mark.parametrize("verbose", [0, 1])
@pytest.mark.parametrize(
    "model",
    [
        NaiveLogistic(),
        EnhancedLogistic(),
        JointLogistic(),
        WeightedLogistic(0.8),
        PULogistic(),
        PropensityLogistic(propensity_features=[0]),
    ],
    ids=str,
)
@pytest.mark.usefixtures("capsys")
def test_ctrl_c_leaves_the_earlier_fit(model, verbose, data, monkeypatch):
    model = clone(model).set_params(verbose=verbose).fit(data.X, data.s)
    before = dict(vars(model))
    n_calls, plain = [0], Objective.value_gradient

    def pressed(objective, theta):
        n_calls[0] += 1
        if n_calls[0] == 4:
            raise KeyboardInterrupt
        return plain(objective, theta)

    monkeypatch.setattr(Objective, "value_gradient", pressed)
    with pytest.raises(KeyboardInterrupt):
        model.fit(data.X[:1000], data.s[:1000])
    after = vars(model)
    assert set(after) == set(before)
    assert all(after[name] is value for name, value in before.items())
