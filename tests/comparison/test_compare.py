"""Comparison of methods: numbers, standard errors, failures, and how the result prints."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.codes import warn
from unlabeled.comparison import compare_methods
from unlabeled.comparison._comparison import mean_and_standard_error, reading
from unlabeled.comparison._judge import draw_splits
from unlabeled.datasets import make_paper_gaussian
from unlabeled.metrics import corrected_f1_score, corrected_precision_score, f1_pu_score


class Fixed(ClassifierMixin, BaseEstimator):
    """Predicts positive if a column is above a cut, whatever it is fitted to."""

    def __init__(self, column=0, cut=0.0, pos_label=None):
        self.column, self.cut, self.pos_label = column, cut, pos_label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, self.column] - self.cut

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


class Constant(Fixed):
    """Predicts every row positive, and has no score."""

    decision_function = None

    def __getattribute__(self, name):
        if name == "decision_function":
            raise AttributeError(name)
        return super().__getattribute__(name)

    def predict(self, X):
        return np.full(len(X), self.classes_[1])


class Moody(Fixed):
    """Fails if its first training row is small, and warns if it is large."""

    def fit(self, X, y):
        first = float(np.asarray(X)[0, 0])
        if first < self.cut:
            raise RuntimeError("not in the mood")
        warn("PU105", "in a mood")
        warnings.warn("twice", RuntimeWarning, stacklevel=2)
        warnings.warn("twice", RuntimeWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(600, label_frequency=0.6, random_state=3)


def splits_of(s, n_repeats, seed, test_size=0.3):
    """Return the splits of a comparison, from scikit-learn itself."""
    rng = np.random.RandomState(seed)
    seeds = rng.randint(np.iinfo(np.int32).max, size=n_repeats + 1)
    splitter = StratifiedShuffleSplit(n_repeats, test_size=test_size, random_state=seeds[-1])
    return list(splitter.split(s, s))


def test_known_decisions_give_numbers_computed_by_hand():
    # Of 40 labeled rows 20 are above the cut of "high", and none of the 80 others.
    X = np.tile([3, 3, -1, -1, 1, 1, -2, -2, -2, -2, -2, -2], 10)[:, None].astype(float)
    s = np.tile([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 10)
    found = compare_methods(
        {"all": Constant(), "none": Fixed(cut=5.0), "high": Fixed(cut=2.0)}, X, s, random_state=0
    )
    assert found.mean("recall")[:2].tolist() == [1, 0]
    assert found.mean("share")[:2].tolist() == [1, 0]
    assert found.mean("f1_pu")[:2].tolist() == [1, 0]
    assert found.mean("gain")[:2].tolist() == [0, 0]
    assert found.error("f1_pu")[:2].tolist() == [0, 0]
    # "high" is above only in labeled rows, so recall = share * 36 / 12 and F1_PU = 3 * recall.
    np.testing.assert_allclose(3 * found.values["share"][2], found.values["recall"][2])
    np.testing.assert_allclose(found.values["f1_pu"][2], 3 * found.values["recall"][2])
    assert found.decide_alike[:, 0, 1].tolist() == [0] * 5
    assert np.isnan(found.rank_correlation[:, 0, 1]).all()
    assert np.isnan(found.values["label_auc"][0]).all()  # it has no score
    np.testing.assert_allclose(found.decide_alike[:, 1, 2], 1 - found.values["share"][2])
    assert found.rank_correlation[:, 1, 2] == pytest.approx(1)
    assert found.best == "high"


def test_numbers_are_those_of_the_metrics_on_held_out_rows(data):
    prior = 0.25
    models = {"enhanced": EnhancedLogistic(), "fixed": Fixed(1)}
    found = compare_methods(models, data.X, data.s, n_repeats=3, class_prior=prior, random_state=7)
    for k, (train, test) in enumerate(splits_of(data.s, 3, 7)):
        fitted = EnhancedLogistic().fit(data.X[train], data.s[train])
        s, predicted = data.s[test], fitted.predict(data.X[test])
        at = {name: values[0, k] for name, values in found.values.items()}
        assert at["f1_pu"] == pytest.approx(f1_pu_score(s, predicted))
        assert at["recall"] == pytest.approx(predicted[s == 1].mean())
        assert at["share"] == pytest.approx(predicted.mean())
        assert at["gain"] == pytest.approx(at["recall"] - at["share"])
        assert at["precision"] == pytest.approx(
            corrected_precision_score(s, predicted, class_prior=prior)
        )
        assert at["f1"] == pytest.approx(corrected_f1_score(s, predicted, class_prior=prior))
        assert at["label_frequency"] == fitted.label_frequency_
        assert at["class_prior"] == fitted.class_prior_
        assert at["seconds"] > 0
        fixed = data.X[test, 1] > 0
        assert found.decide_alike[k, 0, 1] == pytest.approx(np.mean(predicted == fixed))
        rank = spearmanr(fitted.decision_function(data.X[test]), data.X[test, 1]).statistic
        assert found.rank_correlation[k, 0, 1] == pytest.approx(rank)
    assert np.isnan(found.values["class_prior"][1]).all()


def test_errors_are_corrected_for_the_rows_that_splits_share(data):
    models = {"a": Fixed(0), "b": EnhancedLogistic()}
    found = compare_methods(models, data.X, data.s, n_repeats=4, test_size=0.25, random_state=0)
    k, test_to_train = 4, 150 / 450
    for measure, shared in (("f1_pu", test_to_train), ("label_frequency", 1 / test_to_train)):
        spread = found.values[measure][1].var(ddof=1)
        assert found.error(measure)[1] == pytest.approx(np.sqrt(spread * (1 / k + shared)))
    spread = found.values["seconds"][1].var(ddof=1)
    assert found.error("seconds")[1] == pytest.approx(np.sqrt(spread / k))


@pytest.fixture
def fifth():
    """Six hundred rows, a fifth of them labeled: on every split the share is the same."""
    s = (np.arange(600) % 5 == 0).astype(int)
    return np.random.default_rng(0).normal(size=(600, 2)) + s[:, None], s


def test_with_a_known_frequency_the_class_prior_has_the_error_of_the_labeled_share(fifth):
    models = {"low": JointLogistic(label_frequency=0.5), "high": JointLogistic(label_frequency=0.8)}
    found = compare_methods(models, *fifth, n_repeats=3, random_state=0)
    share_error = np.sqrt(0.2 * 0.8 / 600)
    np.testing.assert_allclose(found.mean("class_prior"), [0.4, 0.25])
    np.testing.assert_allclose(found.error("class_prior"), [share_error / 0.5, share_error / 0.8])
    np.testing.assert_allclose(found.error("label_frequency"), 0, atol=1e-15)
    # Both come from the same share, so their errors are fully correlated.
    apart = found.differences("class_prior", to="low")["error"]
    np.testing.assert_allclose(apart, [0, share_error / 0.5 - share_error / 0.8], atol=1e-15)


def test_with_a_given_class_prior_it_is_the_label_frequency_that_has_that_error(fifth):
    models = {"told": PULogistic(class_prior=0.4), "itself": EnhancedLogistic()}
    found = compare_methods(models, *fifth, n_repeats=3, random_state=0)
    assert found.error("class_prior")[0] == pytest.approx(0, abs=1e-15)
    assert found.error("label_frequency")[0] == pytest.approx(np.sqrt(0.2 * 0.8 / 600) / 0.4)
    spread = found.values["class_prior"][1].var(ddof=1) * (1 / 3 + 420 / 180)
    share = found.mean("class_prior")[1] ** 2 * 0.8 / (0.2 * 600)
    assert found.error("class_prior")[1] == pytest.approx(np.sqrt(spread + share))


def test_differences_are_paired_over_splits(data):
    models = {"a": Fixed(0), "b": EnhancedLogistic(), "c": Fixed(1)}
    found = compare_methods(models, data.X, data.s, n_repeats=6, random_state=0)
    apart = found.values["recall"][0] - found.values["recall"][2]
    paired = found.differences("recall", to="c")
    assert paired["difference"][0] == pytest.approx(apart.mean())
    corrected = apart.var(ddof=1) * (1 / 6 + 180 / 420)
    assert paired["error"][0] == pytest.approx(np.sqrt(corrected))
    assert (paired["difference"][2], paired["error"][2], paired["splits"][2]) == (0, 0, 6)
    to_best = found.differences()
    assert to_best["difference"].max() == to_best["difference"][found.names.index(found.best)] == 0


def test_mean_and_standard_error_leave_out_what_is_missing():
    mean, error = mean_and_standard_error(
        np.array([[1, 3, np.nan], [np.nan, 2, np.nan], [np.nan] * 3]), 0.5
    )
    np.testing.assert_allclose(mean, [2, 2, np.nan])
    np.testing.assert_allclose(error, [np.sqrt(2 * (1 / 2 + 0.5)), np.nan, np.nan])


def without_seconds(found):
    record = found.to_dict()
    for one in record["methods"]:
        del one["seconds"]
    return record | {"prepare": None}


def test_the_result_does_not_depend_on_the_number_of_processes(data):
    # The forest has no seed.
    forest = PUThresholdClassifier(RandomForestClassifier(10, min_samples_leaf=5), cv=2)
    models = {"forest": forest, "enhanced": EnhancedLogistic()}
    alone, together, again, other = (
        compare_methods(models, data.X, data.s, n_repeats=2, n_jobs=jobs, random_state=seed)
        for jobs, seed in ((None, 0), (2, 0), (1, 0), (1, 1))
    )
    assert without_seconds(alone) == without_seconds(together) == without_seconds(again)
    assert without_seconds(alone) != without_seconds(other)
    assert forest.estimator.random_state is None


def test_failures_and_warnings_are_counted_and_printed(data):
    cut = float(np.median(data.X[:, 0]))
    models = {"moody": Moody(cut=cut), "steady": Fixed(0)}
    found = compare_methods(models, data.X, data.s, n_repeats=8, random_state=0)
    failing = [data.X[train[0], 0] < cut for train, _ in splits_of(data.s, 8, 0)]
    n_failed = sum(failing)
    assert 0 < n_failed < 8
    assert found.failures == {"moody": ["RuntimeError: not in the mood"] * n_failed, "steady": []}
    assert found.codes["moody"] == {"PU105": 8 - n_failed, "RuntimeWarning": 8 - n_failed}
    assert np.isnan(found.values["f1_pu"][0]).tolist() == failing
    assert np.isnan(found.decide_alike[:, 0, 1]).tolist() == failing
    assert found.differences(to="steady")["splits"].tolist() == [8 - n_failed, 8]
    assert f"moody failed on {n_failed} of 8 splits: RuntimeError: not in the mood" in str(found)
    assert f"moody: warning PU105 in {8 - n_failed}, RuntimeWarning in" in str(found)
    assert found.to_frame()["failed"].tolist() == [n_failed, 0]


def test_a_method_that_failed_is_not_the_best_where_another_did_not(data):
    cut = float(np.median(data.X[:, 0]))
    models = {"moody": Moody(cut=cut), "nobody": Fixed(0, cut=99.0)}
    found = compare_methods(models, data.X, data.s, n_repeats=8, random_state=0)
    assert found.mean("f1_pu")[0] > found.mean("f1_pu")[1] == 0
    assert found.best == "nobody"


def test_where_every_method_fails_everywhere_it_is_an_error(data):
    with pytest.raises(ValueError, match="`models`.*all 5 splits.*'x': RuntimeError"):
        compare_methods({"x": Moody(cut=np.inf)}, data.X, data.s)


def test_a_score_that_is_not_a_number_is_a_failure(data):
    models = {"broken": Fixed(cut=np.nan), "good": Fixed(0)}
    found = compare_methods(models, data.X, data.s, n_repeats=2)
    assert re.match("ValueError: .*score.*NaN", found.failures["broken"][0])


def test_frames_sparse_matrices_and_lists_give_the_same(data):
    models = {"enhanced": EnhancedLogistic(), "plain": LogisticRegression()}
    forms = (
        data.X,
        data.X.tolist(),
        sparse.csc_array(data.X),
        pd.DataFrame(data.X, columns=list("abc"), index=np.arange(600)[::-1]),
    )
    means = [
        compare_methods(models, X, data.s, n_repeats=2, random_state=0).mean("f1_pu") for X in forms
    ]
    for other in means[1:]:
        np.testing.assert_allclose(other, means[0], rtol=1e-6)


def test_pipelines_and_searches_are_refitted_on_every_split(data):
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 10.0]}, cv=2)
    models = {"search": search, "pipe": make_pipeline(StandardScaler(), EnhancedLogistic())}
    found = compare_methods(models, data.X, data.s, n_repeats=2, random_state=0)
    assert not hasattr(search, "best_estimator_")
    assert found.mean("class_prior")[1] > 0


def test_prepare_is_fitted_to_the_rows_of_the_fit_only(data):
    # One level per row: every held-out level is unknown to the encoder, so all rows score alike.
    frame = pd.DataFrame({"name": [f"row {i}" for i in range(600)]})
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    found = compare_methods(
        {"plain": LogisticRegression()}, frame, data.s, prepare=encoder, n_repeats=2
    )
    assert set(found.values["share"][0]) <= {0.0, 1.0}
    assert (found.prepare_seconds > 0).all()


def test_a_failing_prepare_is_a_failure_of_all_methods_on_that_split(data):
    class Picky(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            if X[0, 0] < np.median(data.X[:, 0]):
                raise RuntimeError("picky")
            return super().fit(X)

    models = {"a": Fixed(0), "b": Fixed(1)}
    found = compare_methods(models, data.X, data.s, prepare=Picky(), n_repeats=8, random_state=0)
    assert found.failures["a"] == found.failures["b"]
    assert 0 < len(found.failures["a"]) < 8
    assert found.failures["a"][0] == "`prepare` failed: RuntimeError: picky"


def test_labels_may_be_any_two_values(data):
    y = np.where(data.s == 1, "ill", "unknown")
    models = {"told": EnhancedLogistic(pos_label="ill"), "plain": LogisticRegression()}
    numbers = compare_methods(
        {"told": EnhancedLogistic(), "plain": LogisticRegression()}, data.X, data.s, random_state=0
    )
    for given in (None, "ill"):
        words = compare_methods(models, data.X, y, pos_label=given, random_state=0)
        np.testing.assert_array_equal(words.values["f1_pu"], numbers.values["f1_pu"])


def test_max_rows_keeps_the_share_of_labeled_rows_and_says_so(data):
    found = compare_methods({"a": Fixed(0)}, data.X, data.s, max_rows=200, n_repeats=2)
    n_labeled = round(200 * data.s.mean())
    assert (found.rows.n_used, found.rows.n_labeled) == (200, n_labeled)
    assert (found.rows.n_train, found.rows.n_test) == (140, 60)
    for numbers in ("200 of the 600", f"{n_labeled} of the {int(data.s.sum())}"):
        assert numbers in found.note
    assert found.note in str(found)
    assert compare_methods({"a": Fixed(0)}, data.X, data.s, max_rows=600, n_repeats=2).note is None


def test_splits_keep_the_share_of_labeled_rows_and_share_no_row(data):
    for train, test in draw_splits(data.s, 3, 0.3, 0):
        assert not set(train) & set(test)
        assert len(train) + len(test) == 600
        assert data.s[test].sum() == pytest.approx(0.3 * data.s.sum(), abs=1)


def test_progress_is_called_after_every_split(data):
    calls = []
    compare_methods(
        {"a": Fixed(0)}, data.X, data.s, n_repeats=3, progress=lambda *call: calls.append(call)
    )
    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"models": [Fixed()]}, "`models` must be a dict.*got list"),
        ({"models": {}}, "`models` must be a dict .*got an empty dict"),
        ({"models": {1: Fixed()}}, "`models` must have names.*got 1"),
        ({"models": {"a": Fixed}}, "`models` must hold classifiers.*class Fixed.*'a'"),
        ({"models": {"a": LinearRegression()}}, "`models` must.*LinearRegression.*'a'"),
        ({"models": {"a": "enhanced"}}, "`models` must.*got str"),
        (
            {"models": {"a": PUThresholdClassifier(Fixed(), cv="prefit")}},
            "`models` must.*cv='prefit'.*'a'",
        ),
        ({"models": {"a": FrozenEstimator(Fixed())}}, "`models` must.*frozen estimator.*'a'"),
        (
            {"models": {"a": Fixed(pos_label=0), "b": Fixed(pos_label=1)}},
            "`pos_label` must.*got 1 in 'b' and 0 elsewhere",
        ),
        ({"n_repeats": 1}, "`n_repeats` must be.*got 1"),
        ({"n_repeats": 2.5}, "`n_repeats` must be.*got 2.5"),
        ({"test_size": 1.0}, "`test_size` must be.*got 1.0"),
        ({"test_size": 0}, "`test_size` must be.*got 0"),
        ({"max_rows": 0}, "`max_rows` must be.*got 0"),
        ({"max_rows": 20}, "got 2 labeled of 20 rows"),
        ({"test_size": 0.001}, "`y` must.*`test_size` 0.001"),
        ({"class_prior": 1.5}, "`class_prior` must be.*got 1.5"),
        ({"class_prior": 0.01}, "`class_prior` must be.*0.1000; got 0.01"),
        ({"y": np.zeros(200)}, "`y` must have two classes"),
        ({"y": np.eye(1, 200)[0]}, "`y` must.*got 1 labeled of 200"),
        ({"y": np.eye(1, 199)[0]}, "inconsistent numbers of samples"),
    ],
)
def test_bad_input_is_rejected(change, sentence):
    X = np.arange(400.0).reshape(200, 2)
    asked = {"models": {"a": Fixed()}, "X": X, "y": np.arange(200) % 10 == 0} | change
    with pytest.raises(ValueError, match=sentence):
        compare_methods(asked.pop("models"), asked.pop("X"), asked.pop("y"), **asked)


def test_a_better_score_has_a_larger_f1_pu_by_more_than_its_error():
    data = make_paper_gaussian(3000, label_frequency=0.3, random_state=0)
    noise = np.random.default_rng(1).normal(size=(3000, 1))
    models = {
        "random": PUThresholdClassifier(Fixed(3), cv="train"),
        "enhanced": EnhancedLogistic(),
        "naive": NaiveLogistic(),
    }
    X = np.hstack([data.X, noise])
    found = compare_methods(models, X, data.s, n_repeats=10, random_state=0)
    behind = found.differences(to="enhanced")
    assert found.best == "enhanced"
    assert (behind["difference"][[0, 2]] < -2 * behind["error"][[0, 2]]).all()


@pytest.fixture(scope="module")
def three(data):
    cut = float(np.median(data.X[:, 0]))
    models = {"enhanced": EnhancedLogistic(), "all & <none>": Constant(), "moody": Moody(cut=cut)}
    return compare_methods(
        models, data.X, data.s, class_prior=0.9, n_repeats=4, max_rows=500, random_state=0
    )


def test_the_record_is_json_and_comes_back(three):
    record = three.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["rows"] == {
        "total": 600, "used": 500, "labeled": three.rows.n_labeled,
        "fitted_to": 350, "held_out": 150,
    }  # fmt: skip
    methods = {one["name"]: one for one in record["methods"]}
    assert methods["all & <none>"]["f1_pu"] == {"mean": 1.0, "error": 0.0}
    assert methods["all & <none>"]["class_prior"] == {"mean": None, "error": None}
    assert methods["moody"]["splits"] + methods["moody"]["failed"] == 4
    assert sum(methods["moody"]["failures"].values()) == methods["moody"]["failed"] > 0
    assert record["agreement"]["decide_alike"]["mean"][0][0] == 1
    assert record["agreement"]["rank_correlation"]["mean"][0][1] is None
    assert record["reading"] == three.reading()


def test_the_frame_has_one_row_per_method(three):
    frame = three.to_frame()
    assert frame["method"].tolist() == list(three.names)
    assert frame.loc[0, "to_best"] == three.mean("f1_pu")[0] - three.mean("f1_pu").max()
    assert {"f1_pu_error", "precision", "f1", "label_frequency", "warnings"} <= set(frame)


def test_it_prints_as_aligned_columns(three):
    lines = str(three).splitlines()
    table = lines[2:6]
    assert table[0].split()[:3] == ["F1_PU", "vs", "best"]
    assert len({len(line) for line in table}) == 1
    assert "best" in table[1 + three.names.index(three.best)]
    assert "precision is above 1 for" in str(three)


def test_it_shows_as_html_with_names_escaped(three):
    html = three._repr_html_()
    assert "<th>all &amp; &lt;none&gt;</th>" in html
    assert html.count("<table>") == 2
    assert "SCAR" in html


def test_the_reading_says_who_is_ahead_and_who_is_as_good():
    def method(name, difference, error):
        return {
            "name": name,
            "f1_pu": {"mean": 2 + (difference or 0), "error": 0.1},
            "to_best": {"difference": difference, "error": error},
        }

    best, near, far = method("a", 0.0, 0.0), method("b", -0.19, 0.1), method("c", -0.21, 0.1)
    unknown = method("d", None, None)
    said = reading({"best": "a", "methods": [best, near, far, unknown]})
    assert re.match("a .* 2.00 ± 0.10", said[0])
    assert re.fullmatch(r"[^.]*: b\. [^.]*: c\. [^.]*: d\.", said[1])
    alone = reading({"best": "a", "methods": [best, far]})
    assert alone[1].startswith("No other method")
    assert len(reading({"best": "a", "methods": [best]})) == 2


def test_an_unknown_measure_or_method_is_rejected(three):
    with pytest.raises(ValueError, match="`measure` must be .*'f1_pu', .*got 'auc'"):
        three.mean("auc")
    with pytest.raises(ValueError, match="`to` must be .*got 'oracle'"):
        three.differences(to="oracle")


def test_answers_reach_the_methods_that_take_them_with_their_rows():
    data = make_paper_gaussian(n=1200, label_frequency=0.5, random_state=0)
    answers = np.where((data.s == 0) & (np.arange(1200) % 2 == 0), data.y_true, np.nan)
    joint = JointLogistic(C=1.0)
    models = {"naive": NaiveLogistic(), "joint": make_pipeline(StandardScaler(), joint)}
    plain = compare_methods(models, data.X, data.s, n_repeats=2, random_state=0)
    found = compare_methods(models, data.X, data.s, n_repeats=2, random_state=0, checked=answers)
    assert not any(found.failures.values())
    np.testing.assert_array_equal(found.values["recall"][0], plain.values["recall"][0])
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=3).tolist()
    train, _ = draw_splits(data.s.astype(float), 2, 0.3, seeds.pop())[0]
    X = StandardScaler().fit_transform(data.X[train])
    by_hand = JointLogistic(C=1.0).fit(X, data.s[train], checked=answers[train])
    assert found.values["class_prior"][1, 0] == pytest.approx(by_hand.class_prior_, rel=1e-9)
    few = compare_methods(
        models, data.X, data.s, n_repeats=2, random_state=0, checked=answers, max_rows=600
    )
    assert not any(few.failures.values())
    with pytest.raises(ValueError, match="`checked` .* got 7"):
        compare_methods(models, data.X, data.s, checked=np.full(1200, 7))


def test_whole_groups_are_split_and_given_to_the_methods():
    data = make_paper_gaussian(150, label_frequency=0.6, random_state=0)
    person = np.repeat(np.arange(150), 4)
    X, s = data.X[person], data.s[person]
    X = X + 1e-6 * np.random.default_rng(0).normal(size=X.shape)  # equal rows are split together
    for train, test in draw_splits(s, 4, 0.3, 0, person):
        assert np.intersect1d(person[train], person[test]).size == 0
        assert len(train) + len(test) == 600
        assert len(test) == pytest.approx(180, abs=4)
        assert s[test].mean() == pytest.approx(s.mean(), abs=0.02)
    forest = RandomForestClassifier(20, min_samples_leaf=2)
    models = {
        "folds": PUThresholdClassifier(forest, cv=3),
        "bag": PUThresholdClassifier(forest.set_params(oob_score=True), cv="oob"),
    }
    options = {"n_repeats": 2, "random_state": 0}
    apart = compare_methods(models, X, s, groups=person, **options)
    mixed = compare_methods(models, X, s, **options)
    assert mixed.mean("label_auc")[0] > 0.97
    assert apart.mean("label_auc")[0] < 0.85
    assert "`cv` must keep the rows of one group together; got 'oob'" in apart.failures["bag"][0]


def test_groups_without_enough_labeled_ones_are_rejected():
    s = np.repeat([1.0, 0.0], [30, 70])
    with pytest.raises(ValueError, match="`y` must have at least 2 labeled"):
        draw_splits(s, 2, 0.3, 0, np.where(s == 1, 0, np.arange(100)))
