"""Count, recall and precision if labeling followed a feature."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import JointLogistic, PropensityLogistic, PULogistic, PUThresholdClassifier, rates
from unlabeled.inference import labeling_sensitivity
from unlabeled.inference._labeling_sensitivity import in_words

NUMBERS = ("class_prior", "lower", "upper", "positives", "recall", "precision")


def drawn(seed, times=3.0, n=1200):
    """Positives of the group, x3 = 1, are labeled `times` as often, in odds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.random(n) < 0.4
    y = rng.random(n) < expit(-1.6 + 1.8 * X[:, 0] + 1.2 * X[:, 1] + X[:, 3])
    tilt = np.log(times) * X[:, 3]
    level = brentq(lambda level: expit(level + tilt)[y].mean() - 0.35, -20, 20)
    return X, (y & (rng.random(n) < expit(level + tilt))).astype(int), y


@pytest.fixture(scope="module")
def fit():
    X, s, _ = drawn(0)
    return PULogistic().fit(X, s), X, s


def same(one, other, rtol=1e-9):
    for name in NUMBERS:
        np.testing.assert_allclose(one.to_frame()[name], other.to_frame()[name], rtol=rtol)


# The numbers.


# At random, errors of class prior and recall nearly cancel in the precision of the second case.
@pytest.mark.parametrize(("times", "measures"), [(3.0, 3), (1 / 3, 2)])
def test_at_the_true_k_it_is_nearer_to_the_truth_than_at_random(times, measures):
    errors = []
    for seed in range(8):
        X, s, y = drawn(seed, times, n=3000)
        model = PULogistic().fit(X, s)
        found = labeling_sensitivity(model, X, s, 3, times=[1, times])
        above = model.held_out_score_ > model.threshold_
        hits = (above & y).sum()
        truth = np.array([y.mean(), hits / y.sum(), hits / above.sum()])
        said = np.array([found.class_prior.estimate, found.recall, found.precision]).T
        errors.append((said - truth)[:, :measures])
    at_random, at_truth = np.array(errors).transpose(1, 0, 2)
    gain = np.abs(at_random) - np.abs(at_truth)
    assert np.all(gain.mean(axis=0) > 2 * gain.std(axis=0, ddof=1) / np.sqrt(8))
    assert np.all(np.abs(at_truth.mean(axis=0)) < 0.4 * np.abs(at_random.mean(axis=0)))
    # No bias beyond three times the Monte-Carlo error.
    assert np.all(np.abs(at_truth.mean(axis=0)) < 3 * at_truth.std(axis=0, ddof=1) / np.sqrt(8))


@pytest.mark.parametrize(
    "classifier",
    [
        PULogistic(),
        PULogistic(rule="recall_at_least(0.9)"),
        PUThresholdClassifier(RandomForestClassifier(40, min_samples_leaf=10, random_state=0)),
        PUThresholdClassifier(
            RandomForestClassifier(40, min_samples_leaf=10, random_state=0, oob_score=True),
            cv="oob",
        ),
    ],
    ids=["line", "recall", "forest", "out of bag"],
)
def test_at_one_the_numbers_are_the_classifier_s(classifier):
    X, s, _ = drawn(1)
    model = classifier.fit(X, s)
    found = labeling_sensitivity(model, X, s, 3, times=[2, 1])
    interval, cut = model.class_prior_interval(), model.cut_
    known = {
        "class_prior": model.class_prior_,
        "lower": interval.lower,
        "upper": interval.upper,
        "recall": cut.recall,
        "precision": min(1.0, rates.precision(cut.recall, cut.share, model.class_prior_)),
    }
    for name, value in known.items():
        assert found.to_frame()[name][1] == pytest.approx(value, rel=1e-9)
    assert found.positives[1] == pytest.approx(found.n_rows * model.class_prior_, rel=1e-9)
    assert abs(np.diff(found.class_prior.estimate)[0]) > 0.005


def test_the_other_part_labeled_one_kth_as_often_gives_the_same_numbers():
    X, s, _ = drawn(0)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "in": X[:, 3], "out": 1 - X[:, 3]})
    model = make_pipeline(_Keep(["a", "b"]), PULogistic()).fit(table, s)
    one = labeling_sensitivity(model, table, s, "in", times=[3, 1, 1 / 2])
    other = labeling_sensitivity(model, table, s, "out", times=[1 / 3, 1, 2])
    same(one, other, 1e-6)
    assert one.n_group == other.n_rows - other.n_group


@pytest.mark.filterwarnings("ignore:.PU129")
def test_a_row_of_weight_two_counts_as_two_rows():
    X, s, _ = drawn(2, n=600)
    twice = np.arange(len(s)) % 3 == 0
    rows = np.concatenate([np.arange(len(s)), np.flatnonzero(twice)])
    folds = [(np.flatnonzero(rows % 2 == k), np.flatnonzero(rows % 2 != k)) for k in (0, 1)]
    plain = [(one[one < len(s)], other[other < len(s)]) for one, other in folds]
    doubled = PULogistic(cv=folds, tol=1e-8).fit(X[rows], s[rows])
    counts = PULogistic(cv=plain, tol=1e-8, weights="frequency")
    weighted = counts.fit(X, s, 1.0 + twice)
    one = labeling_sensitivity(weighted, X, s, 0, times=[0.5, 1, 2], sample_weight=1.0 + twice)
    other = labeling_sensitivity(doubled, X[rows], s[rows], 0, times=[0.5, 1, 2])
    same(one, other, 1e-4)
    assert (one.group, one.n_group) == (other.group, other.n_group)


def test_rows_of_weight_zero_are_not_there(fit):
    _, X, s = fit
    weight = (np.arange(len(s)) % 4 > 0).astype(float)
    kept = weight > 0
    one = PULogistic().fit(X, s, weight)
    other = PULogistic().fit(X[kept], s[kept])
    same(
        labeling_sensitivity(one, X, s, 3, times=[2], sample_weight=weight),
        labeling_sensitivity(other, X[kept], s[kept], 3, times=[2]),
        1e-6,
    )
    with pytest.raises(ValueError, match="weights above 0 of rows that had weight 0"):
        labeling_sensitivity(one, X, s, 3, times=[2])


def test_three_copies_of_every_row_tell_as_much_as_one_if_they_belong_together(fit):
    model, X, s = fit
    thrice, cuts = copy(model), model.observed_cuts_
    thrice.observed_cuts_ = replace(cuts, labeled=3 * cuts.labeled, total=3 * cuts.total)
    thrice._design_effect_, thrice.weights = 3.0, "frequency"
    one = labeling_sensitivity(model, X, s, 3, times=[2])
    other = labeling_sensitivity(thrice, X, s, 3, times=[2], sample_weight=np.full(len(s), 3.0))
    assert other.n_rows == 3 * one.n_rows
    for name in ("class_prior", "lower", "upper"):
        np.testing.assert_allclose(one.to_frame()[name], other.to_frame()[name], rtol=1e-9)


def test_no_share_is_below_that_of_the_labeled_rows(fit):
    model, X, s = fit
    found = labeling_sensitivity(model, X, s, 3, times=[1e-4, 1e4])
    assert np.all(found.class_prior.lower >= s.mean())
    assert np.all((found.recall > 0) & (found.recall < 1) & (found.precision <= 1))


# The two parts.


@pytest.mark.parametrize(
    ("column", "group", "inside"),
    [
        (["no", "yes"], "x = yes", 1),
        ([0, 7], "x = 7", 1),
        ([0, 1, 2, 3], "x above 1", 2),
        ([0, 1, 5, 5, 5], "x of at least 5", 3),
        ([0, 0, 0, 3, 4], "x above 0", 2),
        ([1, 2, 3, np.nan], "x above 2", 1),
        ([True, False], "x = 1", 1),
    ],
)
def test_which_rows_are_the_group(column, group, inside):
    X, s, _ = drawn(5, n=1200)
    values = np.tile(np.array(column, dtype=object), -(-len(s) // len(column)))[: len(s)]
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "x": values})
    table["x"] = table["x"].infer_objects()
    pipeline = make_pipeline(_Keep(["a", "b"]), PULogistic()).fit(table, s)
    found = labeling_sensitivity(pipeline, table, s, "x", times=[2])
    assert found.group == group
    assert found.n_group == pytest.approx(len(s) * inside / len(column), abs=1)


class _Keep(StandardScaler):
    """Keeps some columns."""

    def __init__(self, columns):
        super().__init__()
        self.columns = columns

    def fit(self, X, y=None):
        return super().fit(X[self.columns])

    def transform(self, X):
        return super().transform(X[self.columns])


def test_a_pipeline_a_frame_and_sparse_rows_give_the_same_numbers(fit):
    model, X, s = fit
    known = labeling_sensitivity(model, X, s, 3, times=[2])
    table = pd.DataFrame(X, columns=["a", "b", "c", "sex"])
    named = PULogistic().fit(table, s)
    by_name = labeling_sensitivity(named, table, s, "sex", times=[2])
    same(known, by_name)
    assert (by_name.feature, by_name.group) == ("sex", "sex = 1")
    same(known, labeling_sensitivity(named, X, s, "sex", times=[2]))
    scaled = make_pipeline(StandardScaler(), PULogistic()).fit(table, s)
    same(known, labeling_sensitivity(scaled, table, s, "sex", times=[2]), 1e-4)
    rows = sparse.csr_array(X)
    same(known, labeling_sensitivity(PULogistic().fit(rows, s), rows, s, 3, times=[2]), 1e-4)


def test_labels_may_be_text(fit):
    model, X, s = fit
    y = np.where(s == 1, "case", "unknown")
    found = PULogistic(pos_label="case").fit(X, y)
    same(
        labeling_sensitivity(model, X, s, 3, times=[2]),
        labeling_sensitivity(found, X, y, 3, times=[2]),
        1e-6,
    )


# What is printed.


def test_it_prints_a_table_and_gives_columns(fit):
    found = labeling_sensitivity(*fit, 3)
    text = str(found).splitlines()
    assert "x3 = 1" in text[0]
    assert [line.split()[0] for line in text[3:]] == ["1/3", "1/2", "1", "2", "3"]
    assert f"{found.positives[0]:.0f}" in text[3].replace(",", "")
    assert max(len(line) for line in text) <= 88
    assert list(found.to_frame()) == ["times", *NUMBERS]


def test_times_are_written_as_people_say_them():
    assert [in_words(k) for k in (1, 0.25, 1.5, 0.3)] == ["1", "1/4", "1.5", "0.3"]


# Bad input.


@pytest.mark.parametrize("times", [0, -1.0, [1, 0], [np.inf], [np.nan], ["2"], [True], None])
def test_times_must_be_positive_numbers(fit, times):
    with pytest.raises(ValueError, match="`times` must hold positive numbers; got"):
        labeling_sensitivity(*fit, 3, times=times)


def test_times_may_be_one_number_but_not_none(fit):
    assert labeling_sensitivity(*fit, 3, times=2).times.tolist() == [2.0]
    with pytest.raises(ValueError, match="`times` must hold at least one"):
        labeling_sensitivity(*fit, 3, times=[])


@pytest.mark.parametrize("feature", [4, -1, 1.5, None, True])
def test_a_feature_that_is_no_position_is_rejected(fit, feature):
    with pytest.raises(ValueError, match=f"`feature` must be .* 0 to 3; got {feature}"):
        labeling_sensitivity(*fit, feature)


def test_a_feature_without_that_name_is_rejected_with_a_near_one(fit):
    model, X, s = fit
    with pytest.raises(ValueError, match="`feature` .*got 'sex'.*position"):
        labeling_sensitivity(*fit, "sex")
    table = pd.DataFrame(X, columns=["age", "bmi", "dose", "sex"])
    with pytest.raises(ValueError, match="`feature` .*got 'does'.*'dose'"):
        labeling_sensitivity(model, table, s, "does")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (lambda s: np.full(len(s), 3.0), "two values.*'x', which has 1"),
        (lambda s: np.where(s == 1, 1, 0), "none of the .* rows is labeled among the other rows"),
        (lambda s: np.where(s == 1, 0, 1), "labeled among the rows with x = 1. Nothing is known"),
        (lambda s: np.array(list("abc") * len(s))[: len(s)], "column of numbers.*'x'.* 3 values"),
    ],
    ids=["constant", "all labeled inside", "none inside", "text"],
)
def test_a_column_that_cannot_be_split_is_rejected(values, words):
    X, s, _ = drawn(6, n=600)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "x": values(s)})
    pipeline = make_pipeline(_Keep(["a", "b"]), PULogistic()).fit(table, s)
    with pytest.raises(ValueError, match=f"`feature` must .*{words}"):
        labeling_sensitivity(pipeline, table, s, "x")


def test_models_that_cannot_say_are_rejected(fit):
    _, X, s = fit
    checked = np.where(np.arange(len(s)) % 40 == 0, np.maximum(s, X[:, 0] > 1), np.nan)
    cases = {
        "held-out scores.*got JointLogistic": JointLogistic().fit(X, s),
        "one sample.*'two-sample'": PULogistic(sampling="two-sample").fit(X, s),
        "estimate the class prior.*`class_prior`": PULogistic(class_prior=0.3).fit(X, s),
        "estimate the class prior.*`checked`": PULogistic().fit(X, s, checked=checked),
        "at random; got PropensityLogistic": PropensityLogistic(propensity_features=[3]).fit(X, s),
    }
    for words, model in cases.items():
        with pytest.raises(ValueError, match=f"`estimator` must .*{words}"):
            labeling_sensitivity(model, X, s, 3)
    with pytest.raises(NotFittedError):
        labeling_sensitivity(PULogistic(), X, s, 3)


def test_other_rows_than_those_of_the_fit_are_rejected(fit):
    model, X, s = fit
    moved = np.roll(s, 1)
    for words, rows in {
        "got 1199 rows with 1199 labels": (X[1:], s[1:]),
        "got 1200 rows with 1199 labels": (X, s[1:]),
        "got other features": (X[::-1], s),
        "got other labels or": (X, moved),
    }.items():
        with pytest.raises(ValueError, match=f"must be those of the fit.*{words}"):
            labeling_sensitivity(model, *rows, 3)
    with pytest.raises(ValueError, match="other weights"):
        labeling_sensitivity(model, X, s, 3, sample_weight=1.0 + np.arange(len(s)) % 2)


def test_the_level_is_between_0_and_1(fit):
    with pytest.raises(ValueError, match="`confidence_level` must be between 0 and 1; got 95"):
        labeling_sensitivity(*fit, 3, confidence_level=95)
