"""Intervals of metrics of fixed predictions and scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta, norm

from unlabeled import metrics
from unlabeled.codes import PUWarning
from unlabeled.inference import Interval, metric_interval
from unlabeled.label_frequency import PriorDensity
from unlabeled.metrics import METRICS

RNG = np.random.default_rng(0)
TRUE = RNG.random(1500) < 0.3
SCORE = RNG.normal(size=1500) + 1.5 * TRUE
Y = (TRUE & (RNG.random(1500) < 0.5)).astype(int)
PRED = (SCORE > 1).astype(int)
BOTH = ("one-sample", "two-sample")


def found(name, *columns, **options):
    y, score, y_pred = columns or (Y, SCORE, PRED)
    given = {"random_state": 0, "n_resamples": 99}
    metric = METRICS[name]
    given |= {"class_prior": 0.2} if metric.needs_prior else {}
    given |= {"k": 100} if name == "precision_at_k" else {}
    return metric_interval(name, y, score if metric.of_score else y_pred, **given | options)


@pytest.mark.filterwarnings("ignore:.*PU112")
@pytest.mark.parametrize("sampling", BOTH)
@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_an_interval_around_its_value(name, sampling):
    one = found(name, sampling=sampling)
    metric = METRICS[name]
    options = {"sampling": sampling} if metric.has_sampling else {}
    options |= {"class_prior": 0.2} if metric.needs_prior else {}
    options |= {"k": 100} if name == "precision_at_k" else {}
    known = metric.function(Y, SCORE if metric.of_score else PRED, **options)
    assert one.estimate == known
    assert one.lower < known < one.upper
    assert one.upper - one.lower < 0.5 * max(1, known)
    of_function = found(name, sampling=sampling)
    assert of_function == one  # the same seed


def test_a_function_is_as_good_as_its_name():
    given = {"class_prior": 0.2, "random_state": 0}
    by_name = metric_interval("auc", Y, SCORE, **given)
    assert metric_interval(metrics.corrected_auc_score, Y, SCORE, **given) == by_name


def test_the_error_of_a_recall_is_that_of_a_binomial():
    one = found("recall", n_resamples=999)
    labeled, recall = Y.sum(), one.estimate
    error = 1 / np.sqrt(labeled * recall * (1 - recall))  # of the logit
    middle = np.log(recall / (1 - recall))
    ends = 1 / (1 + np.exp(-(middle + norm.ppf([0.025, 0.975]) * error)))
    assert (one.lower, one.upper) == pytest.approx(tuple(ends), abs=0.006)


def test_the_error_of_the_label_auc_is_that_of_delong():
    one = found("label_auc", n_resamples=999, sampling="two-sample")
    above = np.sign(np.subtract.outer(SCORE[Y == 1], SCORE[Y == 0])) / 2 + 0.5
    rows, columns = above.mean(axis=1), above.mean(axis=0)
    error = np.sqrt(rows.var(ddof=1) / len(rows) + columns.var(ddof=1) / len(columns))
    assert one.upper - one.lower == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_a_recall_of_one_has_an_interval_below_one():
    y, y_pred = np.repeat([1, 0], [30, 170]), np.repeat([1, 0], [60, 140])
    one = found("recall", y, None, y_pred, n_resamples=999)
    assert one.estimate == 1
    assert one.upper == 1
    assert one.lower == pytest.approx(beta.ppf(0.025, 30.5, 0.5), abs=0.02)
    precision = found("precision", y, None, y_pred, class_prior=0.2)
    assert precision.lower < precision.estimate <= precision.upper
    nobody = found("precision", y, None, 1 - y_pred, class_prior=0.2)
    assert nobody.estimate == 0 < nobody.upper < 0.2


def test_labels_that_a_score_separates_have_an_interval_below_one():
    y, score = np.repeat([1, 0], [30, 170]), np.arange(200.0)[::-1]
    one = metric_interval("label_auc", y, score, random_state=0)
    assert one.estimate == one.upper == 1
    assert 0.85 < one.lower < 0.96


def test_nobody_predicted_positive_still_has_an_interval():
    one = found("share", Y, None, np.zeros_like(Y))
    assert one.estimate == 0
    assert 0 < one.upper < 0.01


@pytest.mark.parametrize("name", ["precision", "auc", "average_precision", "accuracy"])
def test_an_uncertain_class_prior_widens_the_interval_on_both_sides(name):
    known = found(name, class_prior=0.25)
    wide = found(name, class_prior=Interval(0.25, 0.2, 0.3, 0.95, ""))
    assert wide.estimate == known.estimate
    assert wide.lower < known.lower
    assert wide.upper > known.upper
    lengths = (found(name, class_prior=end).estimate for end in (0.2, 0.3))
    nearest = min(wide.lower, *lengths)
    assert wide.lower == nearest  # it holds the metric at both ends of the prior


def test_class_priors_come_as_ends_or_as_a_density():
    ends = found("precision", class_prior=(0.2, 0.3))
    assert ends.estimate == pytest.approx(found("precision", class_prior=np.sqrt(0.06)).estimate)
    points = np.linspace(0.2, 0.3, 101)
    density = PriorDensity(points, np.full(101, 1 / 101), 1e9)
    lower, upper = density.interval(0.9, "population")
    same = found(
        "precision", class_prior=Interval(0.25, lower, upper, 0.9, ""), confidence_level=0.9
    )
    of_density = found("precision", class_prior=density, confidence_level=0.9)
    assert of_density.lower == pytest.approx(same.lower)
    assert of_density.upper == pytest.approx(same.upper)


def test_no_end_of_a_precision_is_above_one():
    with pytest.warns(PUWarning, match="PU112"):
        one = found("precision", class_prior=0.9)
    assert one.estimate == one.upper == 1


def test_copies_of_a_row_in_one_group_do_not_shorten_the_interval():
    times = 4
    columns = [np.repeat(one, times) for one in (Y, SCORE, PRED)]
    groups = np.repeat(np.arange(1500), times)
    for name in ("auc", "precision", "boyce", "average_precision"):
        plain, copied = found(name), found(name, *columns)
        grouped = found(name, *columns, groups=groups)
        length, short, long = (one.upper - one.lower for one in (plain, copied, grouped))
        assert long == pytest.approx(length, rel=0.35), name
        assert short < 0.75 * length, name


def test_weights_are_part_of_the_metric():
    weight = RNG.random(1500)
    one = found("auc", sample_weight=weight)
    known = metrics.corrected_auc_score(Y, SCORE, class_prior=0.2, sample_weight=weight)
    assert one.estimate == known
    assert one.lower < known < one.upper
    assert found("auc", sample_weight=3 * weight).lower == pytest.approx(one.lower)


def test_two_samples_are_drawn_apart():
    """The number of labeled rows is fixed: lift has no error if recall and share are certain."""
    y, y_pred = np.repeat([1, 0], [500, 500]), np.ones(1000, int)
    y_pred[:250] = 0
    fixed = found("recall", y, None, y_pred, sampling="two-sample")
    free = found("recall", y, None, y_pred)
    assert fixed.upper - fixed.lower == pytest.approx(free.upper - free.lower, rel=0.25)
    share = [found("share", y, None, 1 - y, sampling=one) for one in BOTH]
    assert share[1].estimate == 1 > share[0].estimate
    assert share[1].lower > 0.98 > share[0].upper


def test_any_two_label_values_give_the_same():
    text = np.where(Y == 1, "labeled", "other"), SCORE, np.where(PRED == 1, "labeled", "other")
    for name in ("auc", "f1"):
        assert found(name, *text, pos_label="labeled") == found(name)


def test_only_the_order_of_the_scores_matters():
    for name in ("auc", "average_precision", "precision_at_k", "boyce"):
        assert found(name, Y, np.exp(SCORE), PRED) == found(name)


def test_the_interval_of_boyce_reaches_its_largest_value():
    one = found("boyce")
    assert one.estimate < 1 == one.upper
    wider = found("boyce", windows="score", width=0.2)
    assert wider.estimate == metrics.boyce_index_score(Y, SCORE, windows="score", width=0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "gini"}, "`metric` must be one of .*'f1_pu', .*; got 'gini'"),
        ({"class_prior": None}, "`class_prior` must be a number, two ends or an interval.*'auc'"),
        ({"metric": "boyce"}, "`class_prior` must be None for the metric 'boyce'; got 0.3"),
        ({"class_prior": (0.3, 0.2)}, "`class_prior` must be one number, or two with the smaller"),
        ({"class_prior": (0.3, 0.2, 0.1)}, "`class_prior` must be one number, or two"),
        ({"class_prior": (0.0, 0.2)}, "`class_prior` must be a number strictly between 0 and 1"),
        ({"k": 3}, "`k` must be left out for the metric 'auc'"),
        ({"n_resamples": 1}, "`n_resamples` must be at least 2; got 1"),
        ({"confidence_level": 95}, "`confidence_level` must be between 0 and 1; got 95"),
        ({"sampling": "both"}, "`sampling` must be one of"),
        ({"groups": np.zeros(3)}, "groups"),
        ({"groups": np.zeros(1500)}, "at least two labeled"),
    ],
)
def test_bad_input_is_named(options, message):
    given = {"metric": "auc", "class_prior": 0.3, "n_resamples": 9} | options
    if "groups" in options and len(options["groups"]) != 3:
        given |= {"y": np.r_[1, np.zeros(1499)], "groups": np.r_[0, np.ones(1499)]}
    with pytest.raises(ValueError, match=message):
        metric_interval(**({"y": Y, "predicted": SCORE} | given))


@pytest.mark.slow
@pytest.mark.parametrize("sampling", BOTH)
def test_nine_of_ten_intervals_hold_the_truth(sampling):
    """AUC of N(1, 1) against N(0, 1); 200 samples of 1000 rows at level .9."""
    truth, held, rng = norm.cdf(1 / np.sqrt(2)), 0, np.random.default_rng(5)
    for seed in range(200):
        y_true = rng.random(1000) < 0.3
        score = rng.normal(size=1000) + y_true
        s = y_true & (rng.random(1000) < 0.4)
        if sampling == "two-sample":
            s, score = np.repeat([1, 0], [120, 1000]), np.append(rng.normal(1, 1, 120), score)
        one = metric_interval(
            "auc",
            s.astype(int),
            score,
            class_prior=0.3,
            sampling=sampling,
            confidence_level=0.9,
            n_resamples=199,
            random_state=seed,
        )
        held += one.lower <= truth <= one.upper
    assert 0.84 < held / 200 < 0.96
