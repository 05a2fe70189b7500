"""Names of columns as the parameter `labeling` of classifiers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from unlabeled import PUEnsemble, PUThresholdClassifier
from unlabeled.app import load_model, save_model
from unlabeled.app.model_files import Card
from unlabeled.diagnostics import diagnose
from unlabeled.labeling import FollowsColumns, KnownChances


@pytest.fixture(scope="module")
def table():
    """Labels follow the age, and the ward a little; neither says much of the class."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(1500, 3)), columns=["dose", "noise", "age"])
    frame["ward"] = rng.choice(["a", "b", "c"], 1500)
    y = rng.random(1500) < expit(4 * frame["dose"] - 1)
    by_ward = frame["ward"].map({"a": 0.5, "b": 0.0, "c": -0.5})
    s = (y & (rng.random(1500) < expit(2 * frame["age"] + by_ward - 0.5))).astype(int)
    return frame, y.to_numpy(), s.to_numpy()


def line(**parameters):
    wards = make_column_transformer((OneHotEncoder(), ["ward"]), remainder="passthrough")
    rows = make_pipeline(wards, LogisticRegression())
    return PUThresholdClassifier(rows, cv=3, random_state=0, **parameters)


def members(**parameters):
    two = [("line", LogisticRegression()), ("flat", LogisticRegression(C=0.1))]
    return PUEnsemble(members=two, cv=3, random_state=0, **parameters)


@pytest.fixture(scope="module")
def fits(table):
    frame, _, s = table
    return line().fit(frame, s), line(labeling=["age"]).fit(frame, s)


def test_a_name_mends_order_and_count(table, fits):
    _, y, s = table
    unlabeled = s == 0
    labels, named = fits
    before, after = (roc_auc_score(y[unlabeled], one.held_out_score_[unlabeled]) for one in fits)
    assert after > before + 0.05
    assert abs(named.class_prior_ - y.mean()) < 0.08 < abs(labels.class_prior_ - y.mean())
    assert named.class_prior_ in named.class_prior_interval()
    assert named.is_mended


def test_a_name_a_list_and_the_object_are_the_same(table, fits):
    frame, _, s = table
    for same in ("age", FollowsColumns("age"), ("age",)):
        again = line(labeling=same).fit(frame, s)
        np.testing.assert_array_equal(again.held_out_score_, fits[1].held_out_score_)
    assert clone(fits[1]).get_params()["labeling"] == ["age"]


def test_new_rows_get_what_rows_of_the_table_get(table, fits):
    frame, _, _ = table
    model = fits[1]
    some = frame.iloc[:200]
    missed, posterior = model.posterior_if_unlabeled(some), model.predict_proba(some)[:, 1]
    assert (missed <= posterior + 1e-12).all()
    close = np.corrcoef(missed, model.held_out_posterior_if_unlabeled_[:200])[0, 1]
    assert close > 0.99
    old = some.assign(age=some["age"] + 1)  # older rows are labeled oftener, so fewer are missed
    assert model.posterior_if_unlabeled(old).mean() < missed.mean()


def test_positions_name_columns_of_an_ensemble_and_categories_are_levels(table):
    frame, y, s = table
    X = frame[["dose", "noise", "age"]].to_numpy()
    model = members(labeling=2).fit(X, s)
    assert abs(model.class_prior_ - y.mean()) < 0.1
    both = line(labeling=["age", "ward"]).fit(frame, s)
    assert abs(both.class_prior_ - y.mean()) < 0.12


def test_checks_of_labels_at_random_do_not_apply_to_named_columns(table, fits):
    frame, _, s = table
    found = diagnose(fits[1], frame, s, checks=("labeling", "class prior"), random_state=0)
    for one in found:
        assert one.state == "not applicable"
    named = members(labeling=[2]).fit(frame.iloc[:, :3].to_numpy(), s)
    again = diagnose(named, frame.iloc[:, :3].to_numpy(), s, checks="scar")["scar"]
    assert "they follow 'x2'" in again.message


@pytest.mark.parametrize("labeling", [3.5, True, KnownChances, {"age": 1}])
def test_what_is_no_labeling_is_rejected(table, labeling):
    frame, _, s = table
    with pytest.raises(ValueError, match="`labeling` must be None"):
        line(labeling=labeling).fit(frame, s)


def test_unknown_names_and_two_samples_are_rejected(table):
    frame, _, s = table
    with pytest.raises(ValueError, match="'wards'"):
        line(labeling=["wards"]).fit(frame, s)
    with pytest.raises(ValueError, match="`sampling` must be 'one-sample'"):
        line(labeling="age", sampling="two-sample").fit(frame, s)
    with pytest.raises(ValueError, match="`class_prior` must be None"):
        line(labeling="age", class_prior=0.4).fit(frame, s)


def test_a_model_file_keeps_what_names_say(table, tmp_path):
    frame, _, s = table
    X = frame.iloc[:, :3].to_numpy()
    plain = PUThresholdClassifier(LogisticRegression(), cv=3, random_state=0)
    for k, labeling in enumerate([[2], FollowsColumns([0, 2])]):
        model = clone(plain).set_params(labeling=labeling).fit(X, s)
        save_model(model, tmp_path / str(k))
        loaded = load_model(tmp_path / str(k))
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        missed = [one.posterior_if_unlabeled(X) for one in (loaded, model)]
        np.testing.assert_array_equal(*missed)


@pytest.mark.parametrize("labeling", ["age", ["age"], 2, [2], FollowsColumns(["age"])])
def test_the_card_of_a_model_names_the_columns(table, labeling):
    frame, _, s = table
    fitted = members(labeling=labeling).fit(frame[["dose", "noise", "age"]], s)
    assert Card.of(fitted).labeled_by == ["age"]
