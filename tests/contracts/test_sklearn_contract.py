"""scikit-learn's own checks, and what its users expect beyond them."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic
from unlabeled.label_frequency import ElkanNoto, TIcE
from unlabeled.metrics import f1_pu_score, f1_pu_scorer, make_pu_scorer

# scikit-learn declares the same exception for its own FixedThresholdClassifier.
CUT_ELSEWHERE = {
    "check_classifiers_train": "the cut is not at posterior 1/2, so predict is not the argmax"
}
CLASSIFIERS = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    JointLogistic(solver="mm"),
    JointLogistic(solver="em"),
    JointLogistic(settings="published"),
    JointLogistic(label_frequency=0.7),
    WeightedLogistic(),
    WeightedLogistic(0.7),
    WeightedLogistic(weighting="posterior"),
    WeightedLogistic(TIcE(random_state=0)),
]
FREQUENCIES = [ElkanNoto(), ElkanNoto("e2", cv=3), ElkanNoto("e3"), TIcE(random_state=0)]


@pytest.mark.parametrize("estimator", CLASSIFIERS + FREQUENCIES, ids=repr)
def test_check_estimator(estimator):
    exceptions = {}
    if isinstance(estimator, EnhancedLogistic):
        exceptions = CUT_ELSEWHERE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit to toy data that warrant every warning
        results = check_estimator(
            estimator, expected_failed_checks=exceptions, on_fail=None, on_skip=None
        )
    failed = [r["check_name"] for r in results if r["status"] == "failed"]
    assert failed == []
    declared = {r["check_name"] for r in results if r["status"] == "xfail"}
    assert declared <= set(exceptions)
    assert sum(r["status"] == "passed" for r in results) >= 45


def test_the_rest_of_the_excepted_check():
    """check_classifiers_train without `predict == argmax(predict_proba)`."""
    X, y = make_blobs(n_samples=300, centers=2, cluster_std=1.5, random_state=0)
    X = StandardScaler().fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = EnhancedLogistic().fit(X, y)
    y_pred, score, proba = model.predict(X), model.decision_function(X), model.predict_proba(X)
    assert y_pred.shape == (300,)
    assert np.mean(y_pred == y) > 0.83
    assert score.shape == (300,)
    np.testing.assert_array_equal(y_pred, model.classes_[(score > 0).astype(int)])
    assert proba.shape == (300, 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_array_equal(np.argsort(proba[:, 1]), np.argsort(score))
    for wrong in (X.T, X[:, :1]):
        with pytest.raises(ValueError, match="features"):
            model.predict(wrong)
    for bad_length in (y[:-1],):
        with pytest.raises(ValueError, match="inconsistent"):
            EnhancedLogistic().fit(X, bad_length)


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=repr)
def test_probabilities_are_probabilities(estimator, golden):
    data = golden(c=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(estimator).fit(data.X, data.s)
    far = np.vstack([data.X, 1e6 * data.X[:10]])
    proba = model.predict_proba(far)
    assert np.all((proba >= 0) & (proba <= 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict_works_by_every_method(golden, method):
    data = golden(c=0.6)
    out = cross_val_predict(EnhancedLogistic(), data.X, data.s, cv=3, method=method)
    assert len(out) == 2000


def test_grid_search_in_a_pipeline_with_our_scorers(golden):
    data = golden(c=0.6)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), EnhancedLogistic()),
        {"enhancedlogistic__C": [0.01, 1.0, np.inf]},
        scoring={"f1_pu": f1_pu_scorer, "f1": make_pu_scorer("f1", class_prior=0.2)},
        refit="f1_pu",
        cv=3,
    )
    search.fit(data.X, data.s)
    assert search.best_score_ > 1.4
    assert np.all(np.isfinite(search.cv_results_["mean_test_f1"]))


def test_predictions_can_be_scored_with_scikit_learn_names(golden):
    data = golden(c=0.6)
    labels = np.where(data.s == 1, "seen", "not searched")
    model = EnhancedLogistic(positive_label="seen")
    scorer = make_scorer(f1_pu_score, positive_label="seen")
    scores = cross_val_score(model, data.X, labels, scoring=scorer, cv=3)
    numeric = cross_val_score(EnhancedLogistic(), data.X, data.s, scoring=f1_pu_scorer, cv=3)
    np.testing.assert_allclose(scores, numeric)


@pytest.mark.parametrize("estimator", CLASSIFIERS[:8], ids=repr)
def test_pickled_models_predict_the_same(estimator, golden):
    data = golden(c=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(estimator).fit(data.X, data.s)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(data.X), again.predict_proba(data.X))


def test_the_base_label_frequency_estimator_is_not_fitted_in_place(golden):
    data = golden(c=0.6)
    given = ElkanNoto()
    WeightedLogistic(given, C=1.0).fit(data.X, data.s)
    assert not hasattr(given, "label_frequency_")


def test_positive_label_keeps_the_positive_class_last(golden):
    data = golden(c=0.6)
    labels = np.where(data.s == 1, "labeled", "unlabeled")
    plain = EnhancedLogistic().fit(data.X, data.s)
    named = EnhancedLogistic(positive_label="labeled").fit(data.X, labels)
    assert named.classes_.tolist() == ["unlabeled", "labeled"]
    np.testing.assert_array_equal(plain.coef_, named.coef_)
    np.testing.assert_array_equal(plain.predict(data.X) == 1, named.predict(data.X) == "labeled")
    np.testing.assert_array_equal(plain.predict_proba(data.X), named.predict_proba(data.X))
