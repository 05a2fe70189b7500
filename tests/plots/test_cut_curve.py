"""The cut curve: what is drawn is what `frame` says, and rules cut where they should."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.metrics import corrected_f1_score, f1_pu_score, pu_recall_score
from unlabeled.plots import CutCurveDisplay
from unlabeled.thresholds import RULES, shown_rules
from unlabeled.thresholds._rules import recall_at_least


@pytest.fixture
def model_and_data(golden):
    data = golden(label_frequency=0.6)
    return EnhancedLogistic().fit(data.X, data.s), data


def test_numbers_are_those_of_the_metrics(model_and_data):
    model, data = model_and_data
    numbers = CutCurveDisplay.from_estimator(model, data.X, data.s).to_frame()
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
    np.testing.assert_array_equal(drawn.get_ydata(), display.to_frame()["f1_pu"])
    assert "The naive cut" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_from_predictions_takes_any_score(golden):
    data = golden(label_frequency=0.6)
    labels = np.where(data.s == 1, "seen", "other")
    display = CutCurveDisplay.from_predictions(labels, data.X[:, 0], pos_label="seen")
    assert display.figure_ is not None


def test_every_rule_is_marked_where_no_other_cut_is_better(model_and_data):
    model, data = model_and_data
    display = CutCurveDisplay.from_estimator(model, data.X, data.s, class_prior=0.4)
    best, score = display.best_cuts(), data.X @ model.coef_[0]
    assert best["rule"].tolist() == [RULES[name]().name for name in shown_rules()]
    r, q = display.cuts.recall, display.cuts.share
    for k, make in enumerate(RULES[name] for name in shown_rules()):
        assert best["value"][k] == np.max(make().criterion(r, q, 0.4))
        predicted = (score > best["threshold"][k]).astype(int)
        assert best["share"][k] == pytest.approx(predicted.mean())
    at_f1 = (score > best["threshold"][3]).astype(int)
    assert best["value"][3] == pytest.approx(corrected_f1_score(data.s, at_f1, class_prior=0.4))


def test_rules_that_need_a_class_prior_wait_for_one(model_and_data):
    _, data = model_and_data
    without = CutCurveDisplay.from_predictions(data.s, -data.X[:, 0]).best_cuts()
    assert without["rule"].tolist() == ["f1_pu", "balanced_accuracy", "mcc"]
    told = CutCurveDisplay.from_predictions(data.s, -data.X[:, 0], class_prior=0.4)
    assert "f1" in told.best_cuts()["rule"]
    with pytest.raises(ValueError, match="`class_prior` must be .*f1; got None"):
        CutCurveDisplay.from_predictions(data.s, data.X[:, 0], rules=["f1"])


def test_rules_of_one_s_own_are_marked(model_and_data):
    model, data = model_and_data
    asked = CutCurveDisplay.from_estimator(model, data.X, data.s, rules=[recall_at_least(0.9)])
    assert asked.best_cuts()["recall"] == pytest.approx(0.9, abs=0.01)
    assert asked.ax_.get_yticklabels()[0].get_text() == "Recall at least (0.9)"


@pytest.mark.parametrize(
    ("model", "rule", "words"),
    [
        (PULogistic("mcc"), "mcc", "held-out scores kept by PULogistic"),
        (
            PUThresholdClassifier(RandomForestClassifier(20, random_state=0), "f1", cv=3),
            "f1",
            "held-out scores kept by PUThresholdClassifier",
        ),
        (PUThresholdClassifier(JointLogistic(), "mcc", cv="train"), "mcc", "training scores kept"),
    ],
)
def test_without_rows_it_shows_the_scores_the_cut_was_chosen_on(golden, model, rule, words):
    data = golden(label_frequency=0.6)
    model.fit(data.X, data.s)
    display = CutCurveDisplay.from_estimator(model)
    assert display.best[rule].threshold == model.cut_.threshold == display.threshold
    assert words in display.ax_.get_xlabel()
    np.testing.assert_array_equal(display.to_frame()["recall"], model.cuts_.recall)


@pytest.mark.parametrize("kind", [EnhancedLogistic, PULogistic])
def test_label_values_move_no_cut(golden, kind):
    data = golden(label_frequency=0.6)
    plain = CutCurveDisplay.from_estimator(kind().fit(data.X, data.s), data.X, data.s, plot=False)
    model = kind(pos_label=0).fit(data.X, 1 - data.s)
    other = CutCurveDisplay.from_estimator(model, data.X, 1 - data.s, plot=False)
    naive = NaiveLogistic().fit(data.X, data.s)
    marked = naive.threshold_ if kind is EnhancedLogistic else model.threshold_
    assert plain.threshold == other.threshold == pytest.approx(marked, rel=1e-12)
    np.testing.assert_allclose(
        other.to_frame()["threshold"], plain.to_frame()["threshold"], atol=1e-12
    )


def test_a_threshold_classifier_s_score_is_that_of_its_cut(golden):
    data = golden(label_frequency=0.6)
    forest = RandomForestClassifier(20, min_samples_leaf=5, random_state=0)
    model = PUThresholdClassifier(forest, cv="train").fit(data.X, data.s)
    display = CutCurveDisplay.from_estimator(model, data.X, data.s)
    np.testing.assert_allclose(display.to_frame()["threshold"], model.cuts_.score, atol=1e-12)
    assert display.threshold == model.threshold_


@pytest.mark.parametrize(("rows", "got"), [(0, "neither"), (1, "one of them")])
def test_rows_must_be_given_if_nothing_was_kept(model_and_data, rows, got):
    model, data = model_and_data
    with pytest.raises(ValueError, match=f"`X` and `y` must .*EnhancedLogistic; got {got}"):
        CutCurveDisplay.from_estimator(model, *[data.X][:rows])


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (np.zeros((2000, 2)), "must hold .*2000 rows; got shape"),
        (np.full(2000, np.nan), "must hold finite.*2000"),
    ],
)
def test_a_score_is_one_finite_number_per_row(model_and_data, score, words):
    with pytest.raises(ValueError, match=f"`score` {words}"):
        CutCurveDisplay.from_predictions(model_and_data[1].s, score)
