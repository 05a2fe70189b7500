"""Scorers inside scikit-learn's model selection."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, metrics
from unlabeled.datasets import make_paper_gaussian
from unlabeled.metrics import f1_pu_score, f1_pu_scorer, make_pu_scorer


@pytest.fixture
def data():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 2))
    y_true = rng.random(300) < expit(3 * X[:, 0])
    return X, (y_true & (rng.random(300) < 0.8)).astype(int)


def test_scorer_equals_the_metric_of_the_predictions(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    y_pred = model.predict(X)
    assert f1_pu_scorer(model, X, y) == metrics.f1_pu_score(y, y_pred)
    scorer = make_pu_scorer("f1", class_prior=0.5)
    assert scorer(model, X, y) == metrics.corrected_f1_score(y, y_pred, class_prior=0.5)
    weight = np.random.default_rng(8).random(len(y))
    weighted = metrics.f1_pu_score(y, y_pred, sample_weight=weight)
    assert f1_pu_scorer(model, X, y, sample_weight=weight) == weighted


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("f1_pu", {}),
        ("recall", {}),
        ("lift", {}),
        ("label_auc", {}),
        ("boyce", {}),
        ("boyce", {"windows": "score", "width": 0.2}),
        ("precision_at_k", {"class_prior": 0.4, "k": 20}),
        *(
            (name, {"class_prior": 0.4})
            for name in (
                "precision",
                "f1",
                "fowlkes_mallows",
                "accuracy",
                "balanced_accuracy",
                "mcc",
                "auc",
                "average_precision",
            )
        ),
    ],
)
def test_every_named_metric_scores_folds(name, options, data):
    X, y = data
    scorer = make_pu_scorer(name, **options)
    scores = cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3)
    assert np.all(scores > 0.1)


SCORED = {
    "auc": metrics.corrected_auc_score,
    "average_precision": metrics.corrected_average_precision_score,
    "precision_at_k": metrics.corrected_precision_at_k_score,
    "boyce": metrics.boyce_index_score,
}


def options_of(name, sampling):
    options = {"sampling": sampling} | ({"k": 30} if name == "precision_at_k" else {})
    return options | ({} if name == "boyce" else {"class_prior": 0.3})


@pytest.mark.filterwarnings("ignore:.*PU112")
@pytest.mark.parametrize("sampling", ["one-sample", "two-sample"])
@pytest.mark.parametrize("name", SCORED)
def test_scorers_of_scores_equal_the_metric_of_the_score(name, sampling, data):
    X, y = data
    options = options_of(name, sampling)
    scorer, weight = make_pu_scorer(name, **options), np.random.default_rng(8).random(len(y))
    model = LogisticRegression().fit(X, y)
    score = model.decision_function(X)
    known = SCORED[name](y, score, **options)
    assert scorer(model, X, y) == pytest.approx(known)
    weighted = SCORED[name](y, score, sample_weight=weight, **options)
    assert scorer(model, X, y, sample_weight=weight) == pytest.approx(weighted)
    for labeled in ("a yes", "yes"):  # "none" sorts between them
        text = np.where(y == 1, labeled, "none")
        named = make_pu_scorer(name, pos_label=labeled, **options)
        found = named(LogisticRegression().fit(X, text), X, text)
        assert found == pytest.approx(known, abs=1e-6)
        ours = EnhancedLogistic(pos_label=labeled).fit(X, text)
        same = SCORED[name](y, ours.positive_score(X), **options)
        assert scorer(ours, X, text) == pytest.approx(same)


@pytest.mark.filterwarnings("ignore:.*PU112")
def test_two_samples_reach_every_metric_that_they_change(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    y_pred, score = model.predict(X), model.decision_function(X)
    for name in ("lift", "f1_pu"):
        scorer = make_pu_scorer(name, sampling="two-sample")
        function = {"lift": metrics.lift_score, "f1_pu": f1_pu_score}[name]
        assert scorer(model, X, y) == function(y, y_pred, sampling="two-sample")
    scorer = make_pu_scorer("accuracy", sampling="two-sample", class_prior=0.3)
    known = metrics.corrected_accuracy_score(y, y_pred, sampling="two-sample", class_prior=0.3)
    assert scorer(model, X, y) == known
    for name, known in (  # the same in one sample and in two
        ("recall", metrics.pu_recall_score(y, y_pred)),
        ("label_auc", metrics.label_auc_score(y, score)),
    ):
        assert make_pu_scorer(name, sampling="two-sample")(model, X, y) == known


def test_a_search_is_scored_with_routed_weights(data):
    X, y = data
    weight = np.random.default_rng(8).random(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_pu_scorer("auc", class_prior=0.4).set_score_request(sample_weight=True)
        model = LogisticRegression().set_fit_request(sample_weight=True)
        search = GridSearchCV(model, {"C": [0.1, 1]}, scoring=scorer, cv=3)
        search.fit(X, y, sample_weight=weight)
    scores = search.cv_results_["mean_test_score"]
    assert np.all(scores > 0.6)
    plain = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1]}, scoring=make_pu_scorer("auc", class_prior=0.4), cv=3
    ).fit(X, y)
    assert not np.allclose(scores, plain.cv_results_["mean_test_score"])


def test_a_constant_score_has_no_boyce_index_and_the_fold_says_so(data):
    X, y = data
    with pytest.warns(UserWarning, match="windows with different shares of labeled rows"):
        scores = cross_val_score(
            DummyClassifier(strategy="prior"), X, y, scoring=make_pu_scorer("boyce"), cv=3
        )
    assert np.isnan(scores).all()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "precision_at_k",
            {"class_prior": 0.4},
            "`k` must be given for the metric 'precision_at_k'",
        ),
        ("auc", {"class_prior": 0.4, "k": 3}, "`k` must be left out for the metric 'auc'"),
        ("boyce", {"k": 3}, "`k` must be one of 'windows', 'width', 'n_windows'"),
        ("boyce", {"class_prior": 0.3}, "`class_prior` must be None for the metric 'boyce'"),
        ("auc", {}, r"`class_prior` must be a number in \(0, 1\) for the metric 'auc'"),
        ("f1_pu", {"sampling": "both"}, "`sampling` must be one of"),
    ],
)
def test_options_of_a_metric_are_checked_when_the_scorer_is_made(name, options, message):
    with pytest.raises(ValueError, match=message):
        make_pu_scorer(name, **options)


def test_text_labels_in_a_series_score_like_numbers(data):
    X, y = data
    text = pd.Series(np.where(y == 1, "labeled", "unlabeled"))
    numbers = cross_val_score(LogisticRegression(), X, y, scoring=f1_pu_scorer, cv=3)
    scorer = make_pu_scorer("f1_pu", pos_label="labeled")
    assert cross_val_score(LogisticRegression(), X, text, scoring=scorer, cv=3) == pytest.approx(
        numbers
    )
    text = pd.Series(np.where(y == 1, "yes", "no"))
    known = cross_val_score(LogisticRegression(), X, text, scoring=f1_pu_scorer, cv=3)
    assert known == pytest.approx(numbers)


def test_grid_search_prefers_the_model_that_sees_the_signal(data):
    X, y = data
    grid = {"class_weight": [None, {0: 100, 1: 1}]}
    search = GridSearchCV(LogisticRegression(), grid, scoring=f1_pu_scorer, cv=3).fit(X, y)
    assert search.best_params_ == {"class_weight": None}
    both = {"f1_pu": f1_pu_scorer, "mcc": make_pu_scorer("mcc", class_prior=0.4)}
    search = GridSearchCV(LogisticRegression(), grid, scoring=both, refit="mcc", cv=3).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_f1_pu"]).all()


@pytest.fixture
def fold_without_labeled_rows():
    X = np.zeros((12, 1))
    y = np.array([1, 0] * 4 + [0] * 4)
    first, rest = np.arange(8, 12), np.arange(8)
    return X, y, [(rest, first), (np.arange(4, 12), np.arange(4))]


def test_a_fold_without_labeled_rows_scores_nan_with_the_reason(fold_without_labeled_rows):
    X, y, folds = fold_without_labeled_rows
    model = DummyClassifier(strategy="constant", constant=1)
    with pytest.warns(UserWarning, match="`y` must .* got only the value 0"):
        scores = cross_val_score(model, X, y, scoring=f1_pu_scorer, cv=folds)
    assert np.isnan(scores[0])
    assert scores[1] == 1


def test_a_fold_without_labeled_rows_is_an_error_on_request(fold_without_labeled_rows):
    X, y, folds = fold_without_labeled_rows
    model = DummyClassifier(strategy="constant", constant=1)
    with pytest.raises(ValueError, match="`y` must .* got only the value 0"):
        cross_val_score(model, X, y, scoring=f1_pu_scorer, cv=folds, error_score="raise")


def test_any_function_of_labels_and_predictions_becomes_a_scorer(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    scorer = make_pu_scorer(lambda y, y_pred: float(len(y_pred)))
    assert scorer(model, X, y) == 300
    scorer = make_pu_scorer(metrics.corrected_f1_score, class_prior=0.4)
    assert scorer(model, X, y) == make_pu_scorer("f1", class_prior=0.4)(model, X, y)


def test_scorers_survive_pickling(data):
    X, y = data
    model = LogisticRegression().fit(X, y)
    scorer = make_pu_scorer("mcc", class_prior=0.4)
    assert pickle.loads(pickle.dumps(scorer))(model, X, y) == scorer(model, X, y)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gini",), r"`metric` must be one of .*'f1_pu', .* or a function; got 'gini'\."),
        ((3,), r"`metric` must be one of .*; got 3\."),
        (("f1",), r"`class_prior` must be a number in \(0, 1\) for the metric 'f1'; got None\."),
    ],
)
def test_wrong_metrics_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_pu_scorer(*arguments)


def test_class_prior_is_checked_when_the_scorer_is_made():
    with pytest.raises(ValueError, match=r"`class_prior` must be .* between 0 and 1; got 2\."):
        make_pu_scorer("f1", class_prior=2)
    with pytest.raises(ValueError, match=r"`class_prior` must be None for the metric 'f1_pu'"):
        make_pu_scorer("f1_pu", class_prior=0.3)


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (metrics.corrected_f1_score, {}, "a number .* 'f1'; got None"),
        (metrics.f1_pu_score, {"class_prior": 0.3}, "None .* 'f1_pu'; got 0.3"),
    ],
)
def test_a_function_of_ours_needs_a_class_prior_as_its_name_does(function, options, message):
    with pytest.raises(ValueError, match=f"`class_prior` must be {message}"):
        make_pu_scorer(function, **options)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: FixedThresholdClassifier(
            model, response_method="decision_function", threshold=0.0
        ),
        lambda model: CalibratedClassifierCV(model, cv=3),
        lambda model: RFE(model, n_features_to_select=2),
        lambda model: make_pipeline(StandardScaler(), FixedThresholdClassifier(model)),
    ],
)
def test_a_wrapped_classifier_still_determines_the_pos_label(wrap):
    data = make_paper_gaussian(n=2000, label_frequency=0.5, random_state=0)
    unlabeled_is_one = 1 - data.s
    model = wrap(EnhancedLogistic(C=1, pos_label=0)).fit(data.X, unlabeled_is_one)
    wanted = f1_pu_score(unlabeled_is_one, model.predict(data.X), pos_label=0)
    assert f1_pu_scorer(model, data.X, unlabeled_is_one) == wanted


def test_a_threshold_tuner_needs_the_pos_label_of_texts():
    data = make_paper_gaussian(n=600, label_frequency=0.6, random_state=0)
    y = np.where(data.s == 1, "labeled", "other")
    model = EnhancedLogistic(pos_label="labeled")
    named = make_pu_scorer("f1_pu", pos_label="labeled")
    tuned = TunedThresholdClassifierCV(model, scoring=named, cv=2, random_state=0).fit(data.X, y)
    assert 0.05 < np.mean(tuned.predict(data.X) == "labeled") < 0.6
    with pytest.raises(ValueError, match="`pos_label` must be.*'labeled', 'other'"):
        TunedThresholdClassifierCV(model, scoring=make_pu_scorer("f1_pu"), cv=2).fit(data.X, y)
