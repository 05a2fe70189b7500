"""Recall against share: points of the metrics, the models' own cuts, areas like those of ROC."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.metrics import pu_recall_score
from unlabeled.plots import RecallShareDisplay


def test_points_are_recall_and_share_of_the_cuts(golden):
    data = golden(label_frequency=0.6)
    score = {"last": data.X[:, 2], "first": -data.X[:, 0]}
    numbers = RecallShareDisplay.from_predictions(data.s, score).to_frame()
    assert numbers["model"].unique().tolist() == ["last", "first"]
    for name, values in score.items():
        curve = numbers[numbers["model"] == name]
        assert curve[["share", "recall"]].iloc[0].tolist() == [0, 0]
        assert curve[["share", "recall"]].iloc[-1].tolist() == [1, 1]
        point = curve.iloc[500]
        predicted = (values >= point["threshold"]).astype(int)
        assert point["recall"] == pytest.approx(pu_recall_score(data.s, predicted))
        assert point["share"] == pytest.approx(predicted.mean())


def test_marks_are_where_the_models_cut(golden):
    data = golden(label_frequency=0.6)
    models = {
        "naive": NaiveLogistic(),
        "enhanced": EnhancedLogistic(),
        "joint": JointLogistic(),
        "ours": PULogistic(),
        "forest": RandomForestClassifier(10, min_samples_leaf=20, random_state=0),
    }
    models = {name: model.fit(data.X, data.s) for name, model in models.items()}
    display = RecallShareDisplay.from_estimators(models, data.X, data.s, f1_pu_lines=False)
    lines = display.ax_.get_lines()
    marks = [line for line in lines if len(line.get_xdata()) == 1]
    for model, mark in zip(models.values(), marks, strict=True):
        predicted = model.predict(data.X)
        recall = pu_recall_score(data.s, predicted)
        point = [predicted.mean(), recall]
        np.testing.assert_allclose(mark.get_xydata()[0], point)
    assert "Marks: the model's cut" in display.ax_.get_legend().get_title().get_text()


def test_the_area_is_a_line_in_that_of_the_true_roc_curve():
    data = make_paper_gaussian(n=50000, label_frequency=0.5, random_state=0)
    score, prior = data.X @ [-1.0, 1, 1], data.y_true.mean()
    area = RecallShareDisplay.from_predictions(data.s, {"index": score}).areas()["index"]
    expected = prior / 2 + (1 - prior) * roc_auc_score(data.y_true, score)
    assert area == pytest.approx(expected, abs=0.01)


def test_lines_of_equal_f1_pu_are_what_they_say(golden):
    data = golden(label_frequency=0.6)
    display = RecallShareDisplay.from_predictions(data.s, {"one": data.X[:, 2]})
    drawn = display.ax_.get_lines()[1:5]
    for level, line in zip((1, 2, 4, 8), drawn, strict=True):
        share, recall = line.get_xydata()[1:].T
        np.testing.assert_allclose(recall**2 / share, level)


@pytest.mark.filterwarnings("ignore:.PU110")  # labels the wrong way round
def test_bad_arguments_are_rejected(golden):
    data = golden(label_frequency=0.6)
    for scores, got in ((data.X[:, 0], "ndarray"), ({}, "an empty one")):
        with pytest.raises(ValueError, match=f"`scores` must be .*got {got}"):
            RecallShareDisplay.from_predictions(data.s, scores)
    with pytest.raises(ValueError, match="`marked` must .*'a'; got 'b'"):
        RecallShareDisplay.from_predictions(data.s, {"a": data.X[:, 0]}, marked={"b": 0.0})
    y = np.where(data.s == 1, "a", "b")
    models = {label: JointLogistic(1.0, pos_label=label) for label in "ab"}
    models = {label: model.fit(data.X, y) for label, model in models.items()}
    with pytest.raises(ValueError, match="`estimators` must .*got 'a', 'b'"):
        RecallShareDisplay.from_estimators(models, data.X, y)
