"""scikit-learn's own checks, and what its users expect beyond them."""

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    VotingClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator
from sklearn.utils.fixes import parse_version

import unlabeled
from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUWarning
from unlabeled.label_frequency import (
    ElkanNoto,
    KernelMean,
    OneDimensionalJoint,
    TIcE,
)
from unlabeled.metrics import f1_pu_score, f1_pu_scorer, make_pu_scorer

# scikit-learn declares the same exception for its own FixedThresholdClassifier.
CUT_ELSEWHERE = {
    "check_classifiers_train": "the cut is not at posterior 1/2, so predict is not the argmax"
}
# Before 1.7 the check makes y binary after shuffling, differently for the two fits it
# compares; what it is after is tested in tests/properties.
RELABELED_BY_THE_CHECK = (
    {
        f"check_sample_weight_equivalence_on_{kind}_data": "the check compares different labels"
        for kind in ("dense", "sparse")
    }
    if parse_version(sklearn.__version__) < parse_version("1.7")
    else {}
)
# Its default estimate of c scores rows out of fold, and folds part copies of a row.
FOLDS_PART_COPIES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "folds of rows are not folds of weights"
    for kind in ("dense", "sparse")
}
# By default only ratios of weights matter, so a row of weight 2 is not two rows.
SAMPLING_WEIGHTS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "a weight is how much a row represents"
    for kind in ("dense", "sparse")
}
DEFAULTS = [
    PULogistic(),
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    WeightedLogistic(),
    PropensityLogistic(),
]
ENSEMBLE = PUEnsemble(members=[("tree", DecisionTreeClassifier(max_depth=3))], cv=2, random_state=0)
ENSEMBLE_OF_COUNTS = clone(ENSEMBLE).set_params(weights="frequency")
# The same classes, fitted in other ways.
VARIANTS = [
    PULogistic(weights="frequency"),
    PULogistic("balanced_accuracy", cv=3, random_state=0, weights="frequency"),
    JointLogistic(weights="frequency"),
    JointLogistic(solver="mm"),
    JointLogistic(solver="em"),
    JointLogistic(settings="published"),
    JointLogistic(label_frequency=0.95),
    WeightedLogistic(0.95),
    WeightedLogistic(ElkanNoto(), weighting="posterior"),
    WeightedLogistic(TIcE(random_state=0)),
    PropensityLogistic(weights="frequency"),
    PropensityLogistic(propensity_features=[0], weights="frequency"),
    ENSEMBLE_OF_COUNTS,
]
CLASSIFIERS = [*DEFAULTS, *VARIANTS]
FREQUENCIES = [one(random_state=0) for one in ESTIMATORS]
VARIANT_FREQUENCIES = [
    ElkanNoto("e2", cv=3),
    ElkanNoto("e3"),
    OneDimensionalJoint("mode"),
    KernelMean("KM1"),
]
# What depends on how a model is fitted and on what it keeps. The other checks are about input
# that is not valid, parameters and tags, which a class treats alike however it fits.
CHECKS_OF_A_FIT = {
    "check_dict_unchanged",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_readonly_memmap_input",
    "check_sample_weights_not_overwritten",
}
CHECKS_OF_WEIGHTS = {
    f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")
}


@pytest.mark.parametrize("estimator", [*DEFAULTS, ENSEMBLE, *FREQUENCIES], ids=repr)
def test_check_estimator(estimator):
    exceptions = dict(RELABELED_BY_THE_CHECK)
    if isinstance(estimator, EnhancedLogistic | PULogistic):
        exceptions |= CUT_ELSEWHERE
    if isinstance(estimator, WeightedLogistic):
        exceptions |= FOLDS_PART_COPIES
    if isinstance(estimator, PULogistic | PUEnsemble):
        exceptions |= SAMPLING_WEIGHTS
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


# For each class, settings of which the first keep more of their fit than the second.
SETTINGS = {
    PULogistic: ({"random_state": 0}, {"C": 1.0, "cv": 3, "random_state": 0}),
    NaiveLogistic: ({}, {"C": 1.0}),
    EnhancedLogistic: ({}, {"C": 1.0}),
    JointLogistic: ({}, {"label_frequency": 0.9}),
    WeightedLogistic: ({}, {"label_frequency": 0.9}),
    PropensityLogistic: ({"propensity_features": [0]}, {"propensity_features": None}),
    PUEnsemble: ({"members": ENSEMBLE.members, "cv": 2}, {"members": [("line", NaiveLogistic())]}),
    PUThresholdClassifier: ({"cv": 3}, {"cv": "loo"}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_a_fit_with_other_settings_leaves_no_attribute_of_the_earlier_fit(kind):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(300, 2))
    s = ((X[:, 0] + rng.logistic(size=300) > 0) & (rng.uniform(size=300) < 0.6)).astype(int)
    first = (LogisticRegression(),) if kind is PUThresholdClassifier else ()
    earlier, later = (kind(*first).set_params(**settings) for settings in SETTINGS[kind])
    model = clone(earlier).fit(X, s)
    private = [name for name in vars(model) if name.startswith("_")]
    vars(model).update(dict.fromkeys([*private, "of_the_earlier_fit_"], "stale"))
    model.set_params(**later.get_params(deep=False)).fit(X, s)
    assert vars(model).keys() == vars(clone(later).fit(X, s)).keys()
    assert not [name for name in private if getattr(model, name, None) == "stale"]


def test_the_settings_are_those_of_every_classifier():
    offered = (getattr(unlabeled, name) for name in unlabeled.__all__)
    assert set(SETTINGS) == {
        one for one in offered if isinstance(one, type) and issubclass(one, ClassifierMixin)
    }


def passed(estimator, names):
    """Run some of scikit-learn's checks, none of which may fail; return the names of those."""
    ran = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for fresh, check in estimator_checks_generator(estimator):
            if check.func.__name__ in names:
                check(fresh)
                ran.add(check.func.__name__)
    return ran


@pytest.mark.parametrize("estimator", [*VARIANTS, *VARIANT_FREQUENCIES], ids=repr)
def test_a_variant_passes_what_depends_on_its_fit(estimator):
    names = CHECKS_OF_A_FIT | (CHECKS_OF_WEIGHTS - RELABELED_BY_THE_CHECK.keys())
    assert passed(estimator, names) == names


def test_an_ensemble_passes_what_depends_on_the_kinds_of_its_members():
    """All but weights that count copies, which scikit-learn does not ask of its forests either."""
    trees = ExtraTreesClassifier(4, bootstrap=True, oob_score=True)
    boosting = HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=4, early_stopping=False)
    members = [("line", PULogistic()), ("trees", trees), ("boosting", boosting)]
    ensemble = PUEnsemble(members=members, cv=2, random_state=0)
    assert passed(ensemble, CHECKS_OF_A_FIT) == CHECKS_OF_A_FIT


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


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, ENSEMBLE], ids=repr)
def test_probabilities_are_probabilities(estimator, golden):
    data = golden(label_frequency=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(estimator).fit(data.X, data.s)
    far = np.vstack([data.X, 1e6 * data.X[:10]])
    proba = model.predict_proba(far)
    assert np.all((proba >= 0) & (proba <= 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_val_predict_works_by_every_method(golden, method):
    data = golden(label_frequency=0.6)
    out = cross_val_predict(EnhancedLogistic(), data.X, data.s, cv=3, method=method)
    assert len(out) == 2000


@pytest.mark.parametrize(
    ("model", "weak"), [(EnhancedLogistic(), np.inf), (PULogistic("f1_pu"), "auto")]
)
def test_grid_search_in_a_pipeline_with_our_scorers(golden, model, weak):
    data = golden(label_frequency=0.6)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {f"{type(model).__name__.lower()}__C": [0.01, 1.0, weak]},
        scoring={"f1_pu": f1_pu_scorer, "f1": make_pu_scorer("f1", class_prior=0.2)},
        refit="f1_pu",
        cv=3,
    )
    search.fit(data.X, data.s)
    assert search.best_score_ > 1.4
    assert np.all(np.isfinite(search.cv_results_["mean_test_f1"]))


def test_predictions_can_be_scored_with_scikit_learn_names(golden):
    data = golden(label_frequency=0.6)
    labels = np.where(data.s == 1, "seen", "not searched")
    model = EnhancedLogistic(pos_label="seen")
    scorer = make_scorer(f1_pu_score, pos_label="seen")
    scores = cross_val_score(model, data.X, labels, scoring=scorer, cv=3)
    numeric = cross_val_score(EnhancedLogistic(), data.X, data.s, scoring=f1_pu_scorer, cv=3)
    np.testing.assert_allclose(scores, numeric)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, ENSEMBLE], ids=repr)
def test_pickled_models_predict_the_same(estimator, golden):
    data = golden(label_frequency=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(estimator).fit(data.X, data.s)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(data.X), again.predict_proba(data.X))


def test_the_base_label_frequency_estimator_is_not_fitted_in_place(golden):
    data = golden(label_frequency=0.6)
    given = ElkanNoto()
    fitted = WeightedLogistic(given, weighting="posterior", C=1.0)
    with pytest.warns(PUWarning, match="PU109"):
        fitted.fit(data.X, data.s)
    assert not hasattr(given, "label_frequency_")
    assert fitted.label_frequency_estimator_.label_frequency_ == fitted.label_frequency_


class OwnFrequency(BaseEstimator):
    """The least a label-frequency estimator must have."""

    def fit(self, X, y):
        self.label_frequency_ = 0.6
        return self


def test_any_estimator_with_a_label_frequency_will_do(golden):
    data = golden(label_frequency=0.6)
    own, number = WeightedLogistic(OwnFrequency()), WeightedLogistic(0.6)
    np.testing.assert_array_equal(own.fit(data.X, data.s).coef_, number.fit(data.X, data.s).coef_)


@pytest.fixture(params=["larger", "smaller", "text"])
def labeled_either_way(request, golden):
    """Labels whose labeled value is the larger or the smaller one, and the estimator's hint."""
    data = golden(label_frequency=0.6)
    if request.param == "larger":
        return data.X, data.s, None, 1
    if request.param == "smaller":
        return data.X, 1 - data.s, 0, 0
    return data.X, np.where(data.s == 1, "labeled", "unlabeled"), "labeled", "labeled"


def test_every_model_means_the_same_whatever_the_labels_are_called(labeled_either_way, golden):
    X, y, hint, positive = labeled_either_way
    data = golden(label_frequency=0.6)
    for kind in (NaiveLogistic, EnhancedLogistic, JointLogistic, WeightedLogistic, PULogistic):
        options = {"label_frequency": 0.6} if kind is WeightedLogistic else {}
        plain = kind(**options).fit(data.X, data.s)
        named = kind(pos_label=hint, **options).fit(X, y)
        assert named.positive_class_ == positive
        assert list(named.classes_) == sorted(set(y))
        column = list(named.classes_).index(positive)
        np.testing.assert_array_equal(plain.predict(X) == 1, named.predict(X) == positive)
        np.testing.assert_allclose(plain.predict_proba(X)[:, 1], named.predict_proba(X)[:, column])
        np.testing.assert_array_equal(
            named.decision_function(X) > 0, named.predict(X) == named.classes_[1]
        )
        np.testing.assert_allclose(
            named.decision_function(X), X @ named.coef_[0] + named.intercept_[0], atol=1e-12
        )
        assert named.score(X, y) == pytest.approx(plain.score(data.X, data.s))


def test_scikit_learn_tools_agree_whatever_the_labels_are_called(labeled_either_way, golden):
    X, y, hint, positive = labeled_either_way
    data = golden(label_frequency=0.6)
    model = EnhancedLogistic(pos_label=hint)
    plain_auc = cross_val_score(EnhancedLogistic(), data.X, data.s, scoring="roc_auc", cv=3)
    np.testing.assert_allclose(cross_val_score(model, X, y, scoring="roc_auc", cv=3), plain_auc)
    plain_f1_pu = cross_val_score(EnhancedLogistic(), data.X, data.s, scoring=f1_pu_scorer, cv=3)
    for wrapped in (model, make_pipeline(StandardScaler(), model)):
        scores = cross_val_score(wrapped, X, y, scoring=f1_pu_scorer, cv=3)
        np.testing.assert_allclose(scores, plain_f1_pu)
    default = cross_val_score(model, X, y, cv=3)
    np.testing.assert_allclose(default, plain_f1_pu)
    calibrated = CalibratedClassifierCV(model, cv=3).fit(X, y)
    column = list(calibrated.classes_).index(positive)
    assert roc_auc_score(data.y_true, calibrated.predict_proba(X)[:, column]) > 0.8


def test_the_default_score_does_not_prefer_predicting_nobody(golden):
    data = golden(label_frequency=0.3)
    search = GridSearchCV(
        Pipeline([("model", NaiveLogistic())]),
        {"model": [NaiveLogistic(), EnhancedLogistic()]},
        cv=3,
    ).fit(data.X, data.s)
    assert isinstance(search.best_params_["model"], EnhancedLogistic)


def test_tuned_threshold_classifier_takes_our_scorer(golden):
    data = golden(label_frequency=0.6)
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=f1_pu_scorer, cv=3)
    tuned.fit(data.X, data.s)
    ours = EnhancedLogistic().fit(data.X, data.s)
    assert f1_pu_score(data.s, tuned.predict(data.X)) == pytest.approx(ours.f1_pu_, rel=0.05)


def test_warnings_point_at_the_user_s_line(golden):
    data = golden(label_frequency=1.0)
    with pytest.warns(PUWarning, match="PU106") as caught:
        make_pipeline(StandardScaler(), NaiveLogistic()).fit(data.X, data.s)
    assert caught[0].filename == __file__


def test_public_subpackages_are_attributes():
    import unlabeled

    assert callable(unlabeled.metrics.f1_pu_score)
    assert "thresholds" in dir(unlabeled)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = unlabeled.nothing


@pytest.mark.parametrize("kind", ["str", "category", "object"])
@pytest.mark.parametrize("model", [EnhancedLogistic, PULogistic])
def test_predictions_have_the_type_of_the_classes(golden, model, kind):
    data = golden(label_frequency=0.6)
    y = pd.Series(np.where(data.s == 1, "lab", "unl")).astype(kind)
    named = model(pos_label="lab").fit(data.X, y)
    theirs = LogisticRegression().fit(data.X, y)
    assert named.predict(data.X).dtype == theirs.predict(data.X).dtype == named.classes_.dtype


@pytest.mark.parametrize("positive", [0, 1])
def test_log_probabilities_are_the_logarithms(golden, positive):
    data = golden(label_frequency=0.6)
    y = data.s if positive else 1 - data.s
    for estimator in (NaiveLogistic, EnhancedLogistic, JointLogistic, PULogistic):
        model = estimator(pos_label=positive).fit(data.X, y)
        far = np.vstack([data.X, 1e6 * data.X[:10]])
        np.testing.assert_allclose(np.exp(model.predict_log_proba(far)), model.predict_proba(far))


def test_a_fit_inside_a_fit_does_not_repeat_its_warnings(golden):
    data = golden(label_frequency=0.6)
    twice = np.hstack([data.X, data.X])
    with pytest.warns(PUWarning) as caught:
        WeightedLogistic().fit(twice, data.s)
    codes = [warning.message.code for warning in caught]
    assert codes.count("PU104") == 1


def test_a_text_label_that_a_meta_estimator_recoded_is_explained(golden):
    data = golden(label_frequency=0.6)
    y = np.where(data.s == 1, "lab", "unl")
    voting = VotingClassifier([("one", EnhancedLogistic(pos_label="lab"))])
    with pytest.raises(ValueError, match="`pos_label` must.*VotingClassifier"):
        voting.fit(data.X, y)


def fit_at_the_boundary(data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        NaiveLogistic().fit(data.X, data.s)
    return caught[0].filename


def test_warnings_in_a_worker_point_at_the_function_it_called(golden):
    data = golden(label_frequency=1.0)
    model, seen = NaiveLogistic(), []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, category, filename, *rest: seen.append(filename)
        thread = Thread(target=model.fit, args=(data.X, data.s))
        thread.start()
        thread.join()
    assert [Path(file).name for file in seen] == ["_base.py"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(fit_at_the_boundary, data).result() == __file__
