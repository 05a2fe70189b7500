"""The bootstrap of rows: its values, its checkpoint, failures, and every kind of estimator."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import bootstrap
from unlabeled.inference._resample import draw_multiplicity
from unlabeled.label_frequency import ElkanNoto

pytestmark = pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(600, label_frequency=0.6, random_state=3)


@pytest.fixture(scope="module")
def found(data):
    return bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=30, random_state=1)


def test_the_values_are_those_of_refits_by_hand(data, found):
    seeds = np.random.RandomState(1).randint(np.iinfo(np.int32).max, size=31)
    multiplicity = draw_multiplicity(data.s, seeds[4])
    rows = np.repeat(np.arange(len(data.s)), multiplicity)
    model = EnhancedLogistic().fit(data.X[rows], data.s[rows])
    assert found.values["label_frequency"][4] == pytest.approx(model.label_frequency_, rel=1e-6)


def test_percentile_ends_are_quantiles_of_the_values(found):
    interval = found.interval("class_prior", confidence_level=0.8)
    expected = np.quantile(found.values["class_prior"], [0.1, 0.9])
    assert (interval.lower, interval.upper) == pytest.approx(tuple(expected))
    assert interval.method == "percentile"


def test_precision_of_nobody_is_not_a_number(data):
    nobody = NaiveLogistic(C=1e-6).fit(data.X, data.s)
    assert not (nobody.predict(data.X) == 1).any()
    found = bootstrap(nobody, data.X, data.s, n_resamples=5, class_prior=0.2, random_state=0)
    assert np.isnan(found.interval("precision").estimate)
    assert found.interval("recall").estimate < 0.05


@pytest.mark.filterwarnings("always::unlabeled.codes.PUWarning")
def test_a_prior_too_large_for_the_labels_is_announced(data):
    found = bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=10, class_prior=0.9)
    with pytest.warns(PUWarning, match="PU112"):
        interval = found.interval("precision")
    assert interval.upper == 1.0


def test_a_tree_that_memorizes_its_rows_is_not_believed():
    """Its recall on its own rows is 1; in the population about .4."""
    tree = DecisionTreeClassifier(min_samples_leaf=3, class_weight="balanced", random_state=0)
    sample = make_paper_gaussian(1000, label_frequency=0.6, random_state=5)
    fresh = make_paper_gaussian(50_000, label_frequency=0.6, random_state=6)
    tree.fit(sample.X, sample.s)
    found = bootstrap(tree, sample.X, sample.s, n_resamples=30, random_state=0).interval("recall")
    truth = tree.predict(fresh.X)[fresh.y_true == 1].mean()
    assert tree.predict(sample.X)[sample.s == 1].mean() > 0.95
    assert found.lower < truth < found.upper < 0.9


def test_an_uncertain_prior_widens_precision_and_leaves_recall(data):
    model = EnhancedLogistic().fit(data.X, data.s)
    known, between = (
        bootstrap(model, data.X, data.s, n_resamples=20, class_prior=prior, random_state=0)
        for prior in (0.2, (0.1, 0.4))
    )
    width = {
        name: [b.interval(name).upper - b.interval(name).lower for b in (known, between)]
        for name in ("recall", "precision", "f1")
    }
    assert width["recall"][0] == width["recall"][1]
    assert width["precision"][1] > 1.2 * width["precision"][0]
    assert width["f1"][1] > 1.2 * width["f1"][0]


def test_a_search_with_one_candidate_has_the_bootstrap_of_the_bare_classifier(data):
    """Leave-one-out chooses C and the cut; it must remove all copies of a row in both."""
    line = PULogistic(random_state=0)
    search = GridSearchCV(line, {"tol": [line.tol]}, cv=2)
    piped = make_pipeline(search)
    bare, searched, inside = (
        bootstrap(one, data.X, data.s, n_resamples=4, class_prior=0.2, random_state=0)
        for one in (line, search, piped)
    )
    for name, values in bare.values.items():
        np.testing.assert_array_equal(searched.values[name], values)
        np.testing.assert_array_equal(inside.values[name], values)


def test_the_result_does_not_depend_on_the_number_of_processes(data, found):
    again = bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=30, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(again.values["class_prior"], found.values["class_prior"])
    assert again.interval("recall") == found.interval("recall")


def test_a_stopped_bootstrap_goes_on_from_its_file(data, found, tmp_path):
    path = tmp_path / "resamples.json"
    seen = []

    def stop_at(done, total):
        seen.append(done)
        if done == 25:
            raise KeyboardInterrupt

    call = {"n_resamples": 30, "random_state": 1, "checkpoint": path}
    with pytest.raises(KeyboardInterrupt):
        bootstrap(EnhancedLogistic(), data.X, data.s, progress=stop_at, **call)
    seen.clear()
    again = bootstrap(
        EnhancedLogistic(), data.X, data.s, progress=lambda n, total: seen.append(n), **call
    )
    assert seen[0] == 25
    np.testing.assert_array_equal(again.values["class_prior"], found.values["class_prior"])


def test_a_file_of_another_call_is_refused(data, tmp_path):
    path = tmp_path / "resamples.json"
    call = {"n_resamples": 2, "checkpoint": path}
    bootstrap(NaiveLogistic(), data.X, data.s, random_state=1, **call)
    with pytest.raises(ValueError, match="`checkpoint`.*same call.*resamples.json"):
        bootstrap(NaiveLogistic(), data.X, data.s, random_state=2, **call)
    with pytest.raises(ValueError, match="`random_state`.*`checkpoint`.*got None"):
        bootstrap(NaiveLogistic(), data.X, data.s, **call)
    path.write_text("not a file of ours")
    with pytest.raises(ValueError, match="`checkpoint`.*resamples.json.*damaged"):
        bootstrap(NaiveLogistic(), data.X, data.s, random_state=1, **call)
    call["checkpoint"] = tmp_path / "nowhere" / "resamples.json"
    with pytest.raises(ValueError, match="`checkpoint`.*folder.*nowhere"):
        bootstrap(NaiveLogistic(), data.X, data.s, random_state=1, **call)


def test_a_file_of_a_model_that_prints_alike_is_refused(data, tmp_path):
    call = {"n_resamples": 2, "random_state": 1, "checkpoint": tmp_path / "resamples.json"}
    columns = list(range(3)) * 20
    models = [
        make_pipeline(ColumnTransformer([("kept", "passthrough", chosen)]), NaiveLogistic(C=1))
        for chosen in (columns, [*columns[:-1], 0])
    ]
    assert repr(models[0]) == repr(models[1])
    bootstrap(models[0], data.X, data.s, **call)
    with pytest.raises(ValueError, match="`checkpoint`.*same call"):
        bootstrap(models[1], data.X, data.s, **call)


def test_a_prediction_that_fails_is_a_failed_resample(data):
    """A rare level that is not in the resample is unknown to its encoder."""
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    frame["level"] = ["rare"] * 2 + ["usual"] * (len(frame) - 2)
    encode = ColumnTransformer([("level", OneHotEncoder(), ["level"])], remainder="passthrough")
    model = make_pipeline(encode, NaiveLogistic(C=1.0))
    result = bootstrap(model, frame, data.s, n_resamples=20, random_state=0)
    assert 0 < result.n_failed < 10
    assert any("unknown categories" in code for code in result.codes)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_warnings_of_other_packages_are_counted(data):
    model = LogisticRegression(max_iter=2)
    result = bootstrap(model, data.X, data.s, n_resamples=4, random_state=0)
    assert result.codes["ConvergenceWarning"] == 4


def test_rows_left_out_inside_a_pipeline_are_left_out_with_their_copies(data):
    """The last step cross-validates: copies on both sides of a split would make it optimistic."""
    inner = PUThresholdClassifier(LogisticRegression(), cv=5, random_state=0)
    plain = bootstrap(inner, data.X, data.s, n_resamples=5, random_state=0)
    piped = make_pipeline(FunctionTransformer(), inner)
    other = bootstrap(piped, data.X, data.s, n_resamples=5, random_state=0)
    np.testing.assert_allclose(plain.values["class_prior"], other.values["class_prior"])


def test_pu_logistic_leaves_a_row_out_with_its_copies():
    """With a copy left in the fit, thirty features would recognize every labeled row."""
    X, y_true = load_breast_cancer(return_X_y=True)
    s = y_true * (np.random.default_rng(0).random(len(y_true)) < 0.3)
    plain = bootstrap(PULogistic(), X, s, n_resamples=12, random_state=0)
    piped = bootstrap(
        make_pipeline(FunctionTransformer(), PULogistic()), X, s, n_resamples=12, random_state=0
    )
    for found in (plain, piped):
        middle = np.median(found.values["class_prior"])
        assert middle == pytest.approx(found.interval("class_prior").estimate, abs=0.08)


@pytest.mark.parametrize(
    ("estimator", "arguments", "message"),
    [
        (LinearRegression(), {}, "`estimator` must be.*LinearRegression"),
        (
            PUThresholdClassifier(LogisticRegression(), cv="prefit"),
            {},
            "`estimator` must be.*cv='prefit'",
        ),
        (
            NaiveLogistic(pos_label=1),
            {"pos_label": 0},
            "`pos_label` must be.*1; got 0",
        ),
    ],
)
def test_estimators_that_cannot_be_resampled_are_refused(estimator, arguments, message, data):
    with pytest.raises(ValueError, match=message):
        bootstrap(estimator, data.X, data.s, **arguments)


def test_too_few_rows_to_resample_are_refused():
    with pytest.raises(ValueError, match="1 labeled of 3 rows"):
        bootstrap(NaiveLogistic(C=1.0), np.arange(3.0)[:, None], [1, 0, 0])


def test_an_interval_of_the_prior_can_be_passed_on(data):
    joint = JointLogistic().fit(data.X, data.s)
    prior = joint.class_prior_interval(data.X, data.s)
    call = {"n_resamples": 5, "random_state": 0}
    passed = bootstrap(joint, data.X, data.s, class_prior=prior, **call)
    told = bootstrap(joint, data.X, data.s, class_prior=(prior.lower, prior.upper), **call)
    assert passed.interval("f1") == told.interval("f1")


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (PULogistic(), {"label_frequency", "class_prior", "recall", "precision"}),
        (JointLogistic(), {"label_frequency", "class_prior", "recall", "f1"}),
        (ElkanNoto(), {"label_frequency", "class_prior"}),
        (LogisticRegression(), {"recall", "share", "f1_pu"}),
        (make_pipeline(StandardScaler(), EnhancedLogistic()), {"class_prior", "recall"}),
        (PUThresholdClassifier(make_pipeline(StandardScaler(), LogisticRegression())), {"f1_pu"}),
        (PUThresholdClassifier(KNeighborsClassifier()), {"recall"}),
        (
            GridSearchCV(make_pipeline(StandardScaler(), JointLogistic()), {}, cv=2),
            {"class_prior", "precision"},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_kind_of_estimator_is_resampled(estimator, names, data):
    result = bootstrap(estimator, data.X, data.s, n_resamples=3, random_state=0)
    assert names <= set(result.names)
    assert ("recall" in result.names) == hasattr(estimator, "predict")
    has_both = "class_prior" in result.names and "recall" in result.names
    assert ("precision" in result.names) == has_both
    assert "Bootstrap of rows: 3 resamples" in str(result)


def test_text_labels_and_frames_give_the_same_intervals(data, found):
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    y = np.where(data.s == 1, "ill", "unknown")
    model = EnhancedLogistic(pos_label="ill")
    other = bootstrap(model, frame, y, n_resamples=30, random_state=1)
    assert other.interval("recall").lower == pytest.approx(found.interval("recall").lower)
    assert not hasattr(model, "coef_")


def test_warnings_of_refits_are_counted(data):
    few = data.s * (np.cumsum(data.s) <= 12)
    result = bootstrap(JointLogistic(), data.X, few, n_resamples=10, random_state=0)
    assert sum(result.codes.values()) > 0
    assert "warnings: " in str(result)


class FailsOnSome(NaiveLogistic):
    """Fails on resamples in which the first row came twice or more."""

    def fit(self, X, y, sample_weight=None):
        if sample_weight is not None and sample_weight[0] > 1:
            raise ValueError("the first row came twice")
        return super().fit(X, y, sample_weight)


@pytest.mark.filterwarnings("always::unlabeled.codes.PUWarning")
def test_resamples_that_cannot_be_fitted_are_counted_and_announced(data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bootstrap(FailsOnSome(), data.X, data.s, n_resamples=40, random_state=0)
    assert 0 < result.n_failed < 40
    assert len(result.values["class_prior"]) == 40 - result.n_failed
    assert "PU115" in {w.message.code for w in caught if isinstance(w.message, PUWarning)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 1}, "`n_resamples` must be.*got 1"),
        ({"class_prior": 1.5}, "`class_prior` must be.*got 1.5"),
        ({"class_prior": (0.4, 0.2)}, r"`class_prior` must be.*got \(0.4, 0.2\)"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, data):
    with pytest.raises(ValueError, match=message):
        bootstrap(NaiveLogistic(), data.X, data.s, **arguments)


def test_an_unknown_name_or_level_is_named(found):
    with pytest.raises(ValueError, match="`name` must be.*got 'accuracy'"):
        found.interval("accuracy")
    with pytest.raises(ValueError, match="`confidence_level` must be.*got 95"):
        found.interval("recall", confidence_level=95)


class SeesAnswers(BaseEstimator):
    """Fails unless each row's answer is the one in its first column; counts the answers."""

    def fit(self, X, y, checked=None):
        np.testing.assert_array_equal(checked, X[:, 0])
        self.class_prior_ = float(np.mean(~np.isnan(checked)))
        return self


@pytest.mark.parametrize(
    "estimator",
    [SeesAnswers(), make_pipeline("passthrough", SeesAnswers())],
    ids=["alone", "in a pipeline"],
)
def test_answers_are_drawn_with_their_rows(data, estimator):
    answers = np.where((data.s == 0) & (np.arange(len(data.s)) % 3 == 0), data.y_true, np.nan)
    found = bootstrap(
        estimator, answers[:, None], data.s, n_resamples=5, random_state=1, checked=answers
    )
    assert found.codes == {}
    seeds = np.random.RandomState(1).randint(np.iinfo(np.int32).max, size=6)
    multiplicity = draw_multiplicity(data.s, seeds[2])
    share = np.average(~np.isnan(answers), weights=multiplicity)
    assert found.values["class_prior"][2] == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "routing"),
    [(JointLogistic(C=1.0), False), (JointLogistic(C=1.0), True), (PULogistic(C=0.1), False)],
    ids=["rows repeated", "rows repeated, with routing", "rows weighted"],
)
def test_answers_reach_refits_of_pipelines_and_searches(data, model, routing):
    answers = np.where((data.s == 0) & (np.arange(len(data.s)) % 3 == 0), data.y_true, np.nan)
    with sklearn.config_context(enable_metadata_routing=routing):
        last = clone(model).set_fit_request(checked=True) if routing else model
        pipe = make_pipeline(StandardScaler(), last)
        alone = bootstrap(
            model, data.X, data.s, n_resamples=3, random_state=1, checked=answers
        ).values["class_prior"]
        search = GridSearchCV(pipe, {f"{pipe.steps[-1][0]}__C": [model.C]}, cv=2)
        for estimator in (pipe, search):
            found = bootstrap(
                estimator, data.X, data.s, n_resamples=3, random_state=1, checked=answers
            )
            np.testing.assert_allclose(found.values["class_prior"], alone, rtol=0.1)
            without = bootstrap(estimator, data.X, data.s, n_resamples=3, random_state=1)
            assert not np.allclose(without.values["class_prior"], alone, rtol=1e-6)


def test_answers_shorten_the_interval_of_the_class_prior(data):
    answers = data.y_true.astype(float)
    found = bootstrap(
        JointLogistic(), data.X, data.s, n_resamples=40, random_state=0, checked=answers
    ).interval("class_prior")
    half = 1.96 * np.sqrt(answers.mean() * (1 - answers.mean()) / len(answers))
    assert found.upper - found.lower == pytest.approx(2 * half, rel=0.35)


def test_answers_must_be_those_of_the_fit_and_of_an_estimator_that_takes_them(data):
    answers = np.where((data.s == 0) & (np.arange(len(data.s)) % 3 == 0), data.y_true, np.nan)
    fitted = JointLogistic().fit(data.X, data.s, checked=answers)
    with pytest.raises(ValueError, match="`checked` .* got 0"):
        bootstrap(fitted, data.X, data.s, n_resamples=2)
    with pytest.raises(ValueError, match="`checked` must be None .* EnhancedLogistic"):
        bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=2, checked=answers)
    assert bootstrap(fitted, data.X, data.s, n_resamples=2, checked=answers).names


def test_a_checkpoint_of_other_answers_is_rejected(data, tmp_path):
    answers = np.where((data.s == 0) & (np.arange(len(data.s)) % 3 == 0), data.y_true, np.nan)
    arguments = {"n_resamples": 2, "random_state": 0, "checkpoint": tmp_path / "kept.json"}
    bootstrap(JointLogistic(), data.X, data.s, **arguments)
    with pytest.raises(ValueError, match="`checkpoint` must come from the same call"):
        bootstrap(JointLogistic(), data.X, data.s, checked=answers, **arguments)


def test_whole_groups_are_drawn_and_given_to_the_refits(data):
    person = np.arange(600) // 4
    X, names = data.X, np.array([f"p{k}" for k in person])
    drawn = draw_multiplicity(data.s, 5, person)
    assert drawn.sum() == 600
    assert (drawn.reshape(150, 4) == drawn[::4, None]).all()
    seen = []

    class Spied(EnhancedLogistic):
        def fit(self, X, y, sample_weight=None, *, groups=None):
            seen.append((sample_weight, groups))
            return super().fit(X, y, sample_weight)

    bootstrap(Spied(), X, data.s, n_resamples=3, random_state=0, groups=names)
    assert len(seen) == 1 + 3
    for weight, groups in seen[1:]:
        for group in np.unique(groups):
            assert len(np.unique(weight[groups == group])) == 1
            assert np.sum(groups == group) == 4


def test_groups_of_copies_have_the_intervals_of_single_rows(data):
    rows = np.repeat(np.arange(600), 4)
    options = {"n_resamples": 60, "random_state": 0}
    alone = bootstrap(EnhancedLogistic(), data.X, data.s, **options)
    grouped = bootstrap(EnhancedLogistic(), data.X[rows], data.s[rows], groups=rows, **options)
    wrong = bootstrap(EnhancedLogistic(), data.X[rows], data.s[rows], **options)
    lengths = [
        one.interval("recall").upper - one.interval("recall").lower
        for one in (alone, grouped, wrong)
    ]
    assert lengths[1] == pytest.approx(lengths[0], rel=0.25)
    assert lengths[2] < 0.7 * lengths[0]


def test_groups_must_be_those_of_the_fit(data):
    model = PULogistic(random_state=0).fit(data.X, data.s, groups=np.arange(600) // 4)
    with pytest.raises(ValueError, match="`groups` must be those of the fit.*150 groups; got none"):
        bootstrap(model, data.X, data.s, n_resamples=2)


def test_a_checkpoint_is_for_the_same_groups(data, tmp_path):
    options = {"n_resamples": 2, "random_state": 0, "checkpoint": tmp_path / "c.json"}
    bootstrap(EnhancedLogistic(), data.X, data.s, groups=np.arange(600) // 4, **options)
    with pytest.raises(ValueError, match="`checkpoint` must come from the same call"):
        bootstrap(EnhancedLogistic(), data.X, data.s, groups=np.arange(600) // 3, **options)


def test_a_fit_with_weights_is_rejected_because_rows_would_count_once():
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    model = PULogistic(weights="frequency").fit(data.X, data.s, np.full(300, 2.0))
    with pytest.raises(ValueError, match="without `sample_weight` .* 300 rows had weights"):
        bootstrap(model, data.X, data.s, n_resamples=2)
