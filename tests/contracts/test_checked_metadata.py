"""`checked` reaches the fit through pipelines, searches and folds, with and without routing."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import JointLogistic, PropensityLogistic, PULogistic, PUThresholdClassifier
from unlabeled.datasets import make_paper_gaussian

MODELS = [
    PULogistic(C=0.1),
    JointLogistic(C=0.5),
    PropensityLogistic(propensity_features=[0], C=0.1),
]
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


@pytest.fixture(params=[False, True], ids=["without routing", "with routing"])
def routing(request):
    with sklearn.config_context(enable_metadata_routing=request.param):
        yield request.param


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=400, label_frequency=0.5, random_state=0)


@pytest.fixture(scope="module")
def checked(data):
    """Every third unlabeled row was checked."""
    return np.where((data.s == 0) & (np.arange(len(data.s)) % 3 == 0), data.y_true, np.nan)


def requesting(model, routing):
    return clone(model).set_fit_request(checked=True) if routing else clone(model)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_pipeline_hands_checked_rows_to_its_last_step(model, routing, data, checked):
    pipe = make_pipeline(StandardScaler(), requesting(model, routing))
    name = pipe.steps[-1][0]
    pipe.fit(data.X, data.s, **({"checked": checked} if routing else {f"{name}__checked": checked}))
    scaled = StandardScaler().fit_transform(data.X)
    alone = clone(model).fit(scaled, data.s, checked=checked)
    assert pipe[-1].n_checked_ == alone.n_checked_ == np.sum(~np.isnan(checked))
    np.testing.assert_array_equal(pipe[-1].coef_, alone.coef_)
    assert pipe[-1].class_prior_ == alone.class_prior_


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_folds_split_the_answers_with_the_rows(model, routing, data, checked):
    X, s = data.X, data.s
    found = cross_validate(
        requesting(model, routing),
        X,
        s,
        cv=FOLDS,
        params={"checked": checked},
        return_estimator=True,
    )
    score = cross_val_score(requesting(model, routing), X, s, cv=FOLDS, params={"checked": checked})
    np.testing.assert_array_equal(score, found["test_score"])
    for (train, test), fold, value in zip(
        FOLDS.split(X, s), found["estimator"], score, strict=True
    ):
        alone = clone(model).fit(X[train], s[train], checked=checked[train])
        assert fold.n_checked_ == alone.n_checked_
        np.testing.assert_array_equal(fold.coef_, alone.coef_)
        assert value == alone.score(X[test], s[test])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_search_splits_the_answers_and_refits_with_all(model, routing, data, checked):
    X, s = data.X, data.s
    search = GridSearchCV(requesting(model, routing), {"C": [0.01, 1.0]}, cv=FOLDS)
    search.fit(X, s, checked=checked)
    best = clone(model).set_params(**search.best_params_)
    by_hand = [
        clone(best).fit(X[train], s[train], checked=checked[train]).score(X[test], s[test])
        for train, test in FOLDS.split(X, s)
    ]
    assert search.best_score_ == pytest.approx(np.mean(by_hand), rel=1e-12)
    np.testing.assert_array_equal(
        search.best_estimator_.coef_, best.fit(X, s, checked=checked).coef_
    )


def test_a_search_over_a_pipeline_splits_the_answers(routing, data, checked):
    pipe = make_pipeline(StandardScaler(), requesting(JointLogistic(), routing))
    search = GridSearchCV(pipe, {"jointlogistic__C": [0.01, 1.0]}, cv=FOLDS, error_score="raise")
    name = "checked" if routing else "jointlogistic__checked"
    search.fit(data.X, data.s, **{name: checked})
    expected = np.sum(~np.isnan(checked))
    assert search.best_estimator_[-1].n_checked_ == expected


@pytest.mark.parametrize(
    "container",
    [
        list,
        lambda column: [None if np.isnan(value) else bool(value) for value in column],
        lambda column: pd.Series(column, index=np.arange(len(column)) + 7),
        lambda column: pd.Series(column).astype("Int64"),
        lambda column: pd.Series(column).astype("boolean"),
    ],
    ids=["list", "list with None", "series", "Int64 series", "boolean series"],
)
def test_folds_split_answers_in_every_container(container, routing, data, checked):
    model = JointLogistic(C=0.5)
    arrays = cross_val_score(
        requesting(model, routing), data.X, data.s, cv=FOLDS, params={"checked": checked}
    )
    others = cross_val_score(
        requesting(model, routing), data.X, data.s, cv=FOLDS, params={"checked": container(checked)}
    )
    np.testing.assert_array_equal(others, arrays)


def test_a_threshold_classifier_routes_the_answers_and_splits_them(data, checked):
    with sklearn.config_context(enable_metadata_routing=True):
        inner = JointLogistic(C=0.5).set_fit_request(checked=True)
        model = PUThresholdClassifier(inner, cv=3, random_state=0)
        model.fit(data.X, data.s, checked=checked)
    alone = JointLogistic(C=0.5).fit(data.X, data.s, checked=checked)
    np.testing.assert_array_equal(model.estimator_.coef_, alone.coef_)


@pytest.mark.parametrize("cv", ["loo", 3])
def test_folds_inside_the_fit_take_answers_beside_rows_without_weight(cv, data, checked):
    weight = np.where(np.arange(len(data.s)) % 7 == 0, 0.0, 1.0)
    kept, model = weight > 0, PULogistic(C=0.1, cv=cv, random_state=0)
    one = clone(model).fit(data.X, data.s, weight, checked=checked)
    other = clone(model).fit(data.X[kept], data.s[kept], checked=checked[kept])
    assert one.n_checked_ == other.n_checked_ < np.sum(~np.isnan(checked))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    np.testing.assert_allclose(one.held_out_score_[kept], other.held_out_score_, rtol=1e-6)
