"""LightGBM, XGBoost and CatBoost inside our classifiers: names, labels, categories, explanations.

`make test` has all three. The oldest supported versions are tested without them.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.compose import make_column_transformer
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app import ModelFileError, save_model
from unlabeled.codes import PUWarning
from unlabeled.inspection import contributions

N = 400
RNG = np.random.default_rng(0)
LEVEL = RNG.integers(0, 6, N)
X = RNG.normal(size=(N, 3)) * [1.0, 2.0, 0.5]
# Half of the levels are positive, one after the other: codes in their order tell a line nothing.
Y_TRUE = (RNG.random(N) < expit(3.0 * X[:, 0] + 3.0 * (LEVEL % 2) - 1.5)).astype(int)
S = Y_TRUE * (RNG.random(N) < 0.5)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
MIXED = FRAME.assign(level=pd.Categorical(np.array(list("pqrstu"))[LEVEL]))

SETTINGS = {
    "lightgbm": ("LGBMClassifier", {"n_estimators": 20, "n_jobs": 1, "verbose": -1}),
    "xgboost": ("XGBClassifier", {"n_estimators": 20, "n_jobs": 1, "enable_categorical": True}),
    "catboost": (
        "CatBoostClassifier",
        {"iterations": 20, "thread_count": 1, "verbose": 0, "allow_writing_files": False},
    ),
}
PAIRS = [(-1, 1), (1, 2), ("no", "yes"), ("sick", "healthy"), (False, True), (1, 0), (0, -1)]

every_booster = pytest.mark.parametrize("package", SETTINGS)


def booster(package: str, **more):
    reason = f"{package} comes with the extra `boosters`, which `make test` installs"
    pytest.importorskip(package, reason=reason)
    name, settings = SETTINGS[package]
    return getattr(import_module(package), name)(**settings | more)


def for_mixed(package: str):
    """Return a classifier that takes the column of levels."""
    return booster(package, **({"cat_features": ("level",)} if package == "catboost" else {}))


def over(inner, rows=X, labels=S, **settings):
    return PUThresholdClassifier(inner, random_state=0, **settings).fit(rows, labels)


# Names and order of columns.


@every_booster
def test_columns_in_another_order_are_refused_as_by_scikit_learn(package):
    model = over(booster(package), FRAME)
    own = over(LogisticRegression(), FRAME)
    for rows in (FRAME[["c", "a", "b"]], FRAME[["a", "b"]], FRAME.assign(d=1.0)):
        with pytest.raises(ValueError, match="feature names should match") as found:
            model.predict(rows)
        with pytest.raises(ValueError, match="feature names should match") as known:
            own.estimator_.predict(rows)
        assert str(found.value) == str(known.value)
    with pytest.raises(
        ValueError, match="X has 2 features, but PUThresholdClassifier is expecting"
    ):
        over(booster(package)).predict(X[:, :2])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3


@every_booster
def test_rows_without_names_after_a_frame_give_one_warning(package):
    model = over(booster(package), FRAME)
    with pytest.warns(UserWarning, match="X does not have valid feature names") as told:
        found = model.positive_score(X)
    assert len(told) == 1
    np.testing.assert_array_equal(found, model.positive_score(FRAME))


def test_an_order_that_no_step_of_a_pipeline_looks_at_is_refused():
    inner = make_pipeline(FunctionTransformer(), booster("lightgbm"))
    model = over(inner, FRAME)
    silent = model.estimator_.predict_proba(FRAME[["c", "a", "b"]])[:, 1]
    assert np.abs(silent - model.estimator_.predict_proba(FRAME)[:, 1]).max() > 0.1
    with pytest.raises(ValueError, match="same order"):
        model.predict(FRAME[["c", "a", "b"]])


@every_booster
def test_a_fitted_booster_is_asked_for_its_names(package):
    fitted = booster(package).fit(FRAME, S)
    with pytest.raises(ValueError, match="same order"):
        over(fitted, FRAME[["c", "a", "b"]], cv="prefit")
    assert over(fitted, FRAME, cv="prefit").feature_names_in_.tolist() == ["a", "b", "c"]
    assert not hasattr(over(booster(package).fit(X, S), cv="prefit"), "feature_names_in_")


# Labels.


@every_booster
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_label_values_change_nothing(package, pair):
    inner = booster(package)
    known, found = over(inner), over(inner, labels=np.array(pair)[S], pos_label=pair[1])
    assert sorted(found.classes_.tolist()) == sorted(pair)
    # With 1 and 0 the booster sees the other class as its second: equal up to rounding.
    close = {"rtol": 1e-4, "atol": 1e-5}
    posterior = found.predict_proba(X)[:, found.classes_.tolist().index(pair[1])]
    np.testing.assert_allclose(posterior, known.predict_proba(X)[:, 1], **close)
    assert found.class_prior_ == pytest.approx(known.class_prior_, rel=1e-4)
    assert np.mean((found.predict(X) == pair[1]) == known.predict(X)) > 0.99
    explained = contributions(found, X[:20])
    np.testing.assert_allclose(explained.values, contributions(known, X[:20]).values, **close)


@pytest.mark.parametrize(
    "inside",
    [
        lambda one: make_pipeline(FunctionTransformer(), one),
        lambda one: VotingClassifier([("one", one)], voting="soft"),
        lambda one: PUThresholdClassifier(one, random_state=0),
    ],
    ids=["pipeline", "vote", "threshold"],
)
def test_xgboost_inside_others_gets_0_and_1(inside):
    inner = inside(booster("xgboost"))
    known, found = over(inner), over(inner, labels=np.where(S, "yes", "no"), pos_label="yes")
    assert found.estimator_.classes_.tolist() == [0, 1]
    assert found.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(found.predict_proba(X), known.predict_proba(X))


def test_a_fitted_xgboost_keeps_the_labels_that_it_was_fitted_to():
    with pytest.raises(
        ValueError, match=r"label values of `y`, \['no', 'yes'\].* fitted to \[0, 1"
    ):
        over(
            booster("xgboost").fit(X, S),
            labels=np.where(S, "yes", "no"),
            cv="prefit",
            pos_label="yes",
        )


# Categories in an ensemble.


@pytest.fixture(scope="module")
def of_mixed():
    members = [(package, for_mixed(package)) for package in SETTINGS]
    coded = make_column_transformer((OneHotEncoder(), ["level"]), remainder="passthrough")
    members += [("coded", make_pipeline(coded, PULogistic())), ("line", PULogistic())]
    members += [("blind", booster("xgboost", enable_categorical=False))]
    members += [("untold", booster("catboost"))]
    with pytest.warns(PUWarning, match="PU120") as told:
        model = PUEnsemble(members=members, random_state=0).fit(MIXED, S)
    assert len(told) == 1
    return model


def test_members_that_take_categories_get_them_and_others_are_left_out_with_a_reason(of_mixed):
    assert list(of_mixed.members_) == [*SETTINGS, "coded"]
    assert of_mixed.left_out_ == {
        "line": "it cannot take columns with categories",
        "blind": "it takes columns with categories only if enable_categorical=True",
        "untold": "its `cat_features` must be the columns with categories, ['level']",
    }
    assert of_mixed.feature_names_in_.tolist() == ["a", "b", "c", "level"]
    assert list(of_mixed.categories_) == ["level"]
    # The best score that there is knows the levels: .88; without them it would be below .65.
    assert roc_auc_score(Y_TRUE, of_mixed.held_out_score_) > 0.8
    assert of_mixed.class_prior_interval(MIXED, S).lower < Y_TRUE.mean()


def test_categories_of_new_rows_are_those_of_the_fit(of_mixed):
    known = of_mixed.positive_score(MIXED)
    few = MIXED[MIXED["level"].isin(["q", "t"])]
    fewer = few.assign(level=few["level"].cat.remove_unused_categories())
    np.testing.assert_array_equal(of_mixed.positive_score(fewer), known[few.index])
    as_text = MIXED.assign(level=MIXED["level"].astype(str))
    np.testing.assert_array_equal(of_mixed.positive_score(as_text), known)
    turned = MIXED.assign(level=MIXED["level"].cat.set_categories(list("utsrqp")))
    np.testing.assert_array_equal(of_mixed.positive_score(turned), known)
    with pytest.raises(ValueError, match=r"`X` must have the categories .*'level'; got 'new'"):
        of_mixed.predict(MIXED.assign(level=MIXED["level"].cat.rename_categories({"p": "new"})))
    with pytest.raises(ValueError, match="`X` must be a pandas frame, .*; got ndarray"):
        of_mixed.predict(MIXED.to_numpy())
    with pytest.raises(ValueError, match="same order"):
        of_mixed.predict(MIXED[["level", "a", "b", "c"]])


@every_booster
def test_a_threshold_over_a_booster_reads_categories_by_their_values(package):
    model = over(for_mixed(package), MIXED)
    few = MIXED[MIXED["level"].isin(["q", "t"])]
    fewer = few.assign(level=few["level"].cat.remove_unused_categories())
    np.testing.assert_array_equal(model.positive_score(fewer), model.positive_score(few))


def test_a_list_of_cat_features_which_nobody_can_clone_is_said():
    inner = booster("catboost", cat_features=["level"])
    with pytest.raises(ValueError, match="`estimator` must be one that .*CatBoost.*as a tuple"):
        over(inner, MIXED)
    with pytest.raises(ValueError, match="`estimator` must be one that .*CatBoost.*as a tuple"):
        PUEnsemble(members=[("cat", inner)], random_state=0).fit(MIXED, S)


# Contributions.


def raw_score(package, fitted, rows):
    if package == "lightgbm":
        return fitted.predict(rows, raw_score=True)
    if package == "xgboost":
        return fitted.predict(rows, output_margin=True)
    return fitted.predict(rows, prediction_type="RawFormulaVal")


@every_booster
@pytest.mark.parametrize("positive", [0, 1])
def test_contributions_are_the_boosters_own_and_add_up_to_the_raw_score(package, positive):
    fitted = for_mixed(package).fit(MIXED, S)
    found = contributions(fitted, MIXED, pos_label=positive)
    sign = 1 if positive == 1 else -1
    raw = sign * raw_score(package, fitted, MIXED).astype(np.float64)
    total = found.base + found.values.sum(axis=1, dtype=np.float64)
    np.testing.assert_allclose(total, raw, rtol=0, atol=1e-6)
    np.testing.assert_allclose(expit(total), fitted.predict_proba(MIXED)[:, positive], atol=1e-6)
    assert found.feature_names == ("a", "b", "c", "level")
    # Column a tells most, and b and c tell nothing; odd levels raise the score.
    assert np.argsort(np.abs(found.values).mean(axis=0))[::-1][:2].tolist() == [0, 3]
    of_level = sign * found.values[:, 3]
    assert of_level[LEVEL % 2 == 1].mean() > 0 > of_level[LEVEL % 2 == 0].mean()


@every_booster
def test_contributions_of_a_threshold_are_those_of_its_booster(package):
    model = over(booster(package), FRAME)
    found, inner = contributions(model, FRAME), contributions(model.estimator_, FRAME)
    np.testing.assert_array_equal(found.values, inner.values)
    np.testing.assert_array_equal(found.score, inner.score)
    score = model.positive_score(FRAME)
    score = score if hasattr(model.estimator_, "decision_function") else logit(score)
    np.testing.assert_allclose(found.score, score, atol=1e-5)
    with pytest.raises(ValueError, match="feature names should match"):
        contributions(model, FRAME[["c", "b", "a"]])


def test_contributions_of_an_ensemble_add_up_to_its_score():
    members = [(package, for_mixed(package)) for package in SETTINGS]
    model = PUEnsemble(members=members, random_state=0).fit(MIXED, S)
    found = contributions(model, MIXED)
    total = found.base + found.values.sum(axis=1)
    np.testing.assert_allclose(total, model.positive_score(MIXED), rtol=0, atol=1e-6)


# What works as with scikit-learn's own, and what does not.


@every_booster
def test_a_model_file_does_not_hold_it_and_says_so(package, tmp_path):
    inner = booster(package)
    for model in (over(inner), PUEnsemble(members=[("one", inner)], random_state=0).fit(X, S)):
        with pytest.raises(
            ModelFileError, match=f"LightGBM, .* to be saved.*got {type(inner).__name__}"
        ):
            save_model(model, tmp_path / "model")


@every_booster
def test_missing_cells_and_sparse_rows_reach_it(package):
    holed = np.where(np.arange(N)[:, None] % 4 == [0, 1, 2], np.nan, X)
    for rows in (holed, sparse.csr_matrix(X)):
        model = over(booster(package), rows)
        # Four standard errors of an AUC above chance.
        assert roc_auc_score(Y_TRUE, model.held_out_score_) > 0.5 + 4 / np.sqrt(3 * N)
