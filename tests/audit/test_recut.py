"""The mended cut and posterior."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.audit import draw_audit
from unlabeled.datasets import hide_labels, propensity


@pytest.fixture(scope="module")
def biased():
    """Labeling follows the posterior: labels alone claim too few positives."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 3))
    posterior = expit(X @ [2.0, 1.0, 0.0] - 1)
    y_true = (rng.random(4000) < posterior).astype(int)
    e = propensity("posterior", posterior, link="logit", label_frequency=0.3, y_true=y_true)
    return X, y_true, hide_labels(y_true, propensity=e, random_state=0)


@pytest.fixture(scope="module")
def audited(biased):
    X, y_true, s = biased
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(X, s)
    audit = draw_audit(model, X, s, size=200, random_state=0)
    return model, audit.estimate(y_true[audit.rows])


def test_the_mended_classifier_finds_more(biased, audited):
    X, y_true, _ = biased
    model, result = audited
    better = result.recut(model)
    before, after = (f1_score(y_true, one.predict(X)) for one in (model, better))
    assert after > before + 0.03
    off = abs(better.predict_proba(X)[:, 1].mean() - y_true.mean())
    assert off < 0.05 < abs(model.predict_proba(X)[:, 1].mean() - y_true.mean())
    assert better.class_prior_ == result.class_prior.estimate


def test_score_unchanged_and_model_untouched(biased, audited):
    X, _, _ = biased
    model, result = audited
    before = model.threshold_
    better = result.recut(model, rule="balanced_accuracy")
    np.testing.assert_allclose(better.positive_score(X), model.positive_score(X))
    assert model.threshold_ == before
    predicted = better.predict(X) == 1
    np.testing.assert_array_equal(predicted, better.positive_score(X) > better.threshold_)
    np.testing.assert_array_equal(predicted, better.decision_function(X) > 0)
    a, b = better.posterior_line_
    np.testing.assert_allclose(
        better.predict_proba(X)[:, 1], expit(a + b * better.positive_score(X))
    )
    assert better.rule_ == "balanced_accuracy"
    assert better.n_checked_ == 200


def test_wrong_labels_are_no_labeled_positives():
    """Two of five labels are wrong, and 200 labels were checked."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(4000) < 0.3).astype(int)
    X = rng.normal(size=(4000, 2))
    X[:, 0] += 2.0 * y_true
    wrong = (y_true == 0) & (rng.random(4000) < 0.15)
    s = (y_true & (rng.random(4000) < 0.5)) | wrong
    model = PULogistic().fit(X, s)
    audit = draw_audit(model, X, s, size=300, labeled_size=200, random_state=0)
    result = audit.estimate(y_true[audit.rows])
    found = result.recalibration
    assert found.right == np.mean(y_true[audit.rows][s[audit.rows] == 1])
    better = result.recut(model, rule="accuracy_if_unlabeled")
    assert better.label_frequency_ == pytest.approx(s[y_true == 1].mean(), abs=0.1)
    accuracy = (better.predict(X) == y_true)[s == 0].mean()
    score = better.positive_score(X)
    best = max(
        ((score > z) == y_true)[s == 0].mean() for z in np.quantile(score, np.linspace(0, 1))
    )
    assert accuracy > best - 0.01


def test_few_answers_leave_the_posterior_near_the_models(audited, biased):
    X, _, s = biased
    model, _ = audited
    audit = draw_audit(model, X, s, size=10, random_state=0)
    one = np.full(10, np.nan)
    one[0] = float(audit.score[0] > model.threshold_)
    found = audit.estimate(one).recalibration
    assert abs(found.shift) < 3
    assert 0.4 < found.slope < 1.6


def test_it_pickles_clones_and_refuses_to_fit(audited, biased):
    model, result = audited
    better = result.recut(model)
    X = biased[0][:5]
    again = pickle.loads(pickle.dumps(better))
    np.testing.assert_array_equal(again.predict(X), better.predict(X))
    assert clone(better).estimator is not None
    with pytest.raises(TypeError, match="cannot be fitted.*audit it again"):
        better.fit(X)


def test_it_has_the_features_of_the_audited_classifier(audited, biased):
    X, y_true, s = biased
    model, result = audited
    better = result.recut(model)
    assert better.n_features_in_ == 3
    assert not hasattr(better, "feature_names_in_")
    assert not hasattr(clone(better), "n_features_in_")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = make_pipeline(StandardScaler(), PULogistic()).fit(frame, s)
    audit = draw_audit(pipeline, frame, s, random_state=0)
    better = audit.estimate(y_true[audit.rows]).recut(pipeline)
    assert better.feature_names_in_.tolist() == ["a", "b", "c"]


def test_another_model_is_rejected(audited, biased):
    _, result = audited
    X, _, s = biased
    other = PULogistic("balanced_accuracy").fit(X[:500], s[:500])
    with pytest.raises(ValueError, match="the classifier that was audited"):
        result.recut(other)
    with pytest.raises(ValueError, match="got ndarray.*choose_cut"):
        result.recut(X[:, 0])


def test_pipelines_forests_and_plain_scores(biased):
    X, y_true, s = biased
    warnings.simplefilter("ignore")
    pipeline = make_pipeline(StandardScaler(), PULogistic()).fit(X, s)
    forest = RandomForestClassifier(30, min_samples_leaf=10, random_state=0)
    wrapped = PUThresholdClassifier(forest, cv=3).fit(X, s)
    for model in (pipeline, wrapped, forest.fit(X, s)):
        audit = draw_audit(model, X, s, size=150, random_state=1)
        better = audit.estimate(y_true[audit.rows]).recut(model)
        assert f1_score(y_true, better.predict(X)) > f1_score(y_true, model.predict(X)) - 0.02
        proba = better.predict_proba(X)[:, 1]
        order = np.argsort(better.positive_score(X))
        assert np.all(np.diff(proba[order]) >= 0)
    score = X @ [1.0, 0.5, 0.0]
    for labels in (s, None):
        audit = draw_audit(score, None, labels, size=150, random_state=1)
        cut = audit.estimate(y_true[audit.rows]).choose_cut("f1")
        best = max(f1_score(y_true, score > z) for z in np.quantile(score, np.linspace(0, 1, 50)))
        assert f1_score(y_true, score > cut.threshold) > best - 0.05


def test_the_smaller_label_value(biased):
    X, y_true, s = biased
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic(pos_label=0).fit(X, 1 - s)
    audit = draw_audit(model, X, 1 - s, random_state=0)
    better = audit.estimate(y_true[audit.rows]).recut(model)
    assert better.positive_class_ == 0
    np.testing.assert_array_equal(
        better.predict(X) == 0, better.positive_score(X) > better.threshold_
    )
    np.testing.assert_allclose(
        better.predict_proba(X)[:, 0], better.posterior_at(better.positive_score(X))
    )


@pytest.mark.parametrize("n_yes", [0, 1, 2])
def test_with_fewer_than_two_missed_positives_the_cut_of_the_fit_stays(audited, biased, n_yes):
    """A labeled row that is checked too is no missed positive."""
    X, _, s = biased
    model, _ = audited
    audit = draw_audit(model, X, s, size=50, labeled_size=5, random_state=0)
    labeled = s[audit.rows] == 1
    missed = np.argsort(np.where(labeled, -np.inf, audit.score))[::-1][:n_yes]
    answers = np.where(np.isin(np.arange(55), missed), 1, labeled)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        better = audit.estimate(answers).recut(model, "balanced_accuracy")
    kept = [one for one in caught if "PU132" in str(one.message)]
    assert len(kept) == (n_yes < 2)
    assert (better.threshold_ == model.threshold_) == (n_yes < 2)
    if kept:
        assert ("only one" in str(kept[0].message)) == (n_yes == 1)
        np.testing.assert_array_equal(better.predict(X), model.predict(X))
        share = (model.held_out_score_ > model.threshold_).mean()
        assert better.cut_.share == pytest.approx(share, abs=0.002)
        assert better.cut_.lower <= better.threshold_ <= better.cut_.upper
