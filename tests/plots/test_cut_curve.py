"""The cut curve: what is drawn is what `frame` says."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from unlabeled import EnhancedLogistic
from unlabeled.metrics import f1_pu_score, pu_recall_score
from unlabeled.plots import CutCurveDisplay


@pytest.fixture
def model_and_data(golden):
    data = golden(c=0.6)
    return EnhancedLogistic().fit(data.X, data.s), data


def test_numbers_are_those_of_the_metrics(model_and_data):
    model, data = model_and_data
    numbers = CutCurveDisplay.from_estimator(model, data.X, data.s).frame()
    score = data.X @ model.coef_[0]
    for g in (0, 10, 801, 1999):
        predicted = (score >= numbers["threshold"][g]).astype(int)
        assert numbers["f1_pu"][g] == pytest.approx(f1_pu_score(data.s, predicted))
        assert numbers["recall"][g] == pytest.approx(pu_recall_score(data.s, predicted))
        assert numbers["share"][g] == pytest.approx(predicted.mean())


def test_the_largest_value_is_the_classifier_s_cut(model_and_data):
    model, data = model_and_data
    display = CutCurveDisplay.from_estimator(model, data.X, data.s)
    assert display.chosen.threshold == pytest.approx(-model.intercept_[0])
    assert display.threshold == -model.naive_intercept_


def test_the_plot_shows_the_frame(model_and_data):
    model, data = model_and_data
    _, ax = plt.subplots()
    display = CutCurveDisplay.from_estimator(model, data.X, data.s, ax=ax)
    assert display.ax_ is ax
    drawn = ax.get_lines()[0]
    np.testing.assert_array_equal(drawn.get_ydata(), display.frame()["f1_pu"])
    assert "naive cut" in [text.get_text() for text in ax.get_legend().get_texts()][-1]
    plt.close("all")


def test_from_predictions_takes_any_score(golden):
    data = golden(c=0.6)
    labels = np.where(data.s == 1, "seen", "other")
    display = CutCurveDisplay.from_predictions(
        labels, data.X[:, 0], positive_label="seen", plot=True
    )
    assert display.figure_ is not None
    plt.close("all")
