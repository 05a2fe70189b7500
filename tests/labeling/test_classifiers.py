"""Histories of labels in the classifiers that take them: fit, decision, new rows, refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from unlabeled import PUEnsemble, PUThresholdClassifier
from unlabeled.app import load_model, save_model
from unlabeled.labeling import KnownChances, LabelDates, LabelSources

N_ROWS = 1200


def dated(X, y_true, rng):
    exposure, time = rng.uniform(0, 3, N_ROWS), rng.exponential(1.0, N_ROWS)
    s = y_true & (time <= exposure)
    history = pd.DataFrame({"exposure": exposure, "delay": np.where(s, time, np.nan)})
    horizon = np.quantile(exposure[s], 0.9, method="lower")
    return s, history, LabelDates(), (y_true & ((time <= horizon) | s))


def from_sources(X, y_true, rng):
    chance = expit(np.column_stack([-0.3 + X["b"], -0.3 - 0.5 * X["b"]]))
    has = y_true[:, None] & (rng.random((N_ROWS, 2)) < chance)
    history = pd.DataFrame(has.astype(int), columns=["registry", "hospital"])
    return has.any(axis=1), history, LabelSources(["b"]), y_true


def with_chances(X, y_true, rng):
    chance = rng.uniform(0.2, 0.9, N_ROWS)
    return y_true & (rng.random(N_ROWS) < chance), chance, KnownChances(), y_true


KINDS = {"dates": dated, "sources": from_sources, "chances": with_chances}


def table(kind, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 3)), columns=list("abc"))
    y_true = np.asarray(rng.random(N_ROWS) < expit(2 * X["a"] - X["c"] - 0.7))
    s, history, labeling, counted = KINDS[kind](X, y_true, rng)
    return X, s.astype(int), history, labeling, counted, y_true


CLASSIFIERS = {
    "threshold": lambda labeling: PUThresholdClassifier(
        LogisticRegression(), labeling=labeling, random_state=0
    ),
    "ensemble": lambda labeling: PUEnsemble(
        members=[("line", LogisticRegression()), ("flat", LogisticRegression(C=0.01))],
        labeling=labeling,
        cv=3,
        random_state=0,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_history_gives_the_count_and_a_decision(kind, name):
    X, s, history, labeling, counted, y_true = table(kind)
    model = CLASSIFIERS[name](labeling).fit(X, s, history=history)
    lower, upper = model.class_prior_interval(confidence_level=0.999)
    assert lower < counted.mean() < upper
    assert model.class_prior_ == pytest.approx(model.class_prior_density_.mean)
    assert model.labeling_said_[0].startswith("Counted are ")
    assert model.labeling_found_ is not None
    # The rows of the fit: the logit of the posterior, and r with their own history.
    np.testing.assert_allclose(model.held_out_posterior_, expit(model.held_out_score_))
    hidden = model.held_out_posterior_if_unlabeled_[s == 0]
    assert s.sum() + hidden.sum() == pytest.approx(N_ROWS * model.class_prior_, rel=0.06)
    # New rows: y before labeling, and less if they have no label.
    posterior = model.predict_proba(X)[:, 1]
    assert posterior.mean() == pytest.approx(counted.mean(), abs=0.05)
    assert np.all(model.posterior_if_unlabeled(X) <= posterior + 1e-9)
    np.testing.assert_allclose(expit(model.positive_score(X)), posterior)
    chosen = model.predict(X) == 1
    f1 = 2 * (chosen & y_true).sum() / (chosen.sum() + y_true.sum())
    assert f1 > 0.7


def test_dates_of_a_row_change_what_is_known_of_it_and_not_of_new_rows():
    X, s, history, labeling, *_ = table("dates")
    model = CLASSIFIERS["threshold"](labeling).fit(X, s, history=history)
    horizon = model.labeling_found_.horizon
    exposure = history["exposure"].to_numpy()
    r = model.held_out_posterior_if_unlabeled_
    assert np.all(r[exposure >= horizon] < 1e-6)
    short = (exposure < 0.3) & (model.held_out_posterior_ > 0.5)
    assert np.all(r[short] > 0.3)
    np.testing.assert_array_equal(model.predict_proba(X[:7]), model.predict_proba(X)[:7])


def test_the_interval_is_shorter_than_that_of_labels_alone():
    X, s, history, labeling, *_ = table("dates")
    with_dates = CLASSIFIERS["threshold"](labeling).fit(X, s, history=history)
    alone = CLASSIFIERS["threshold"](None).fit(X, s)
    length = [np.diff(list(model.class_prior_interval()))[0] for model in (with_dates, alone)]
    assert length[0] < 0.5 * length[1]
    assert not hasattr(alone, "labeling_said_")


def test_a_fit_again_without_a_history_forgets_it():
    X, s, history, labeling, *_ = table("dates")
    model = CLASSIFIERS["threshold"](labeling).fit(X, s, history=history)
    again = model.set_params(labeling=None).fit(X, s)
    assert not hasattr(again, "labeling_found_")
    assert again.threshold_ == CLASSIFIERS["threshold"](None).fit(X, s).threshold_


@pytest.mark.parametrize("kind", KINDS)
def test_clones_and_pickles_keep_the_labeling(kind):
    X, s, history, labeling, *_ = table(kind)
    model = CLASSIFIERS["threshold"](labeling)
    assert repr(clone(model).labeling) == repr(labeling)
    model.fit(X, s, history=history)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.positive_score(X), model.positive_score(X))


def test_rows_of_weight_zero_have_no_part_and_weights_are_refused():
    X, s, history, labeling, *_ = table("dates")
    weight = np.ones(N_ROWS)
    weight[:100] = 2
    with pytest.raises(ValueError, match="`sample_weight` must be None with labeling=LabelDates"):
        CLASSIFIERS["threshold"](labeling).fit(X, s, weight, history=history)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_what_a_history_cannot_be_combined_with_is_refused(name):
    X, s, history, labeling, *_ = table("dates")
    make = CLASSIFIERS[name]
    with pytest.raises(ValueError, match="`history` must have the columns.*got None"):
        make(labeling).fit(X, s)
    with pytest.raises(ValueError, match="`history` must be None if `labeling` is"):
        make(None).fit(X, s, history=history)
    with pytest.raises(ValueError, match="`history` must have one row"):
        make(labeling).fit(X, s, history=history[:-1])
    with pytest.raises(ValueError, match="`class_prior` must be None with labeling=LabelDates"):
        make(labeling).set_params(class_prior=0.4).fit(X, s, history=history)
    with pytest.raises(ValueError, match="`sampling` must be 'one-sample' with labeling=LabelDat"):
        make(labeling).set_params(sampling="two-sample").fit(X, s, history=history)
    with pytest.raises(ValueError, match="`groups` must be None with labeling=LabelDates"):
        make(labeling).fit(X, s, history=history, groups=np.arange(N_ROWS) // 2)
    checked = np.where((s == 0) & (np.arange(N_ROWS) % 9 == 0), np.arange(N_ROWS) % 2, np.nan)
    with pytest.raises(ValueError, match="`checked` must be None with labeling=LabelDates"):
        make(labeling).fit(X, s, history=history, checked=checked)


def test_folds_of_a_cross_validation_get_their_rows_of_the_history():
    import sklearn

    X, s, history, labeling, *_ = table("dates")
    with sklearn.config_context(enable_metadata_routing=True):
        model = CLASSIFIERS["threshold"](labeling).set_fit_request(history=True)
        found = cross_validate(
            model, X, s, cv=2, params={"history": history}, return_estimator=True
        )
    ends = [one.class_prior_ for one in found["estimator"]]
    assert np.all(np.isfinite(found["test_score"]))
    assert max(ends) - min(ends) < 0.1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_model_file_predicts_new_rows_and_holds_no_history(kind, name, tmp_path):
    X, s, history, labeling, *_ = table(kind)
    model = CLASSIFIERS[name](labeling).fit(X, s, history=history)
    save_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.posterior_if_unlabeled(X), model.posterior_if_unlabeled(X))
    assert again.labeling_said_ == model.labeling_said_
    assert not hasattr(again, "labeling_found_")
    assert again.class_prior_density_.identified == model.class_prior_density_.identified
