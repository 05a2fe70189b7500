"""Corrected metrics of a score: by hand, against scikit-learn, invariances, and known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm
from sklearn import metrics as sk

from unlabeled.codes import PUWarning
from unlabeled.metrics import (
    corrected_accuracy_score,
    corrected_auc_score,
    corrected_average_precision_score,
    corrected_precision_at_k_score,
    label_auc_score,
)
from unlabeled.metrics._corrected import proxy_accuracy_score

# Four labeled rows of ten; two rows are tied at 8 and three at 5.
SCORE = np.array([9.0, 8, 8, 7, 6, 5, 5, 5, 2, 1])
Y = np.array([1, 0, 1, 0, 1, 0, 0, 1, 0, 0])
METRICS = {
    "auc": corrected_auc_score,
    "average precision": corrected_average_precision_score,
    "precision at 3": lambda *columns, **options: corrected_precision_at_k_score(
        *columns, k=3, **options
    ),
    "precision at .3": lambda *columns, **options: corrected_precision_at_k_score(
        *columns, k=0.3, **options
    ),
}
BOTH = ("one-sample", "two-sample")


def all_values(y=Y, score=SCORE, sampling="one-sample", **options):
    given = options | {"class_prior": 0.1, "sampling": sampling}
    return [metric(y, score, **given) for metric in METRICS.values()]


def test_auc_by_hand():
    # Against all ten rows the labeled ones win 9.5, 8, 5.5 and 3.5 times: A = 26.5/40 = .6625.
    assert corrected_auc_score(Y, SCORE, class_prior=0.5) == pytest.approx(0.5 + 0.1625 / 0.5)
    # The same from the AUC of the labels, 18.5/24, and the prior among unlabeled rows, .1/.6.
    of_labels = 18.5 / 24
    assert label_auc_score(Y, SCORE) == pytest.approx(of_labels)
    expected = (of_labels - 1 / 12) / (1 - 1 / 6)
    assert corrected_auc_score(Y, SCORE, class_prior=0.5) == pytest.approx(expected)
    # Two samples: the prior among the unlabeled rows is that of the population.
    found = corrected_auc_score(Y, SCORE, class_prior=0.3, sampling="two-sample")
    assert found == pytest.approx((of_labels - 0.15) / 0.7)


def test_average_precision_by_hand():
    # Steps with labeled rows: at 9 (1 of 1 row), 8 (1 of 2), 6 (1 of 1), 5 (1 of 3); each adds
    # .25 to recall. A step of one row has .5 · .25 - .1 = .025 positives too many.
    at_9 = (0.5 * 0.25 - 0.75 * 0.025) / 0.1
    at_8 = 0.5 * 0.5 / 0.3
    at_6 = (0.5 * 0.75 - 0.25 * 0.025) / 0.5
    at_5 = 0.5 * 1 / 0.8
    found = corrected_average_precision_score(Y, SCORE, class_prior=0.5)
    assert found == pytest.approx(0.25 * (at_9 + at_8 + at_6 + at_5))


def test_average_precision_of_two_samples_by_hand():
    # The population: 8, 7, 5, 5, 2, 1. No row of it is at 9 or 6: the cuts lie at 8 and at 5.
    at_9 = (0.3 * 0.25 - 0.75 * 0.3 * 0.25) / (1 / 6)
    at_8 = 0.3 * 0.5 / (1 / 6)
    at_6 = (0.3 * 0.75 - 0.25 * 0.3 * 0.25) / (4 / 6)
    at_5 = 0.3 * 1 / (4 / 6)
    found = corrected_average_precision_score(Y, SCORE, class_prior=0.3, sampling="two-sample")
    assert found == pytest.approx(0.25 * (at_9 + at_8 + at_6 + at_5))


def test_a_labeled_row_below_the_whole_population_is_cut_with_all_of_it():
    y, score = [1, 0, 0, 1], [4.0, 3.0, 2.0, 1.0]
    # at 4: (.25 · .5 - .5 · .125)/.5, at 1: .25/1
    found = corrected_average_precision_score(y, score, class_prior=0.25, sampling="two-sample")
    assert found == pytest.approx(0.5 * (0.0625 / 0.5 + 0.25))


def test_precision_at_k_by_hand():
    # Two rows: that at 9, and half of each of the two at 8, one of which is labeled.
    found = corrected_precision_at_k_score(Y, SCORE, k=2, class_prior=0.5)
    assert found == pytest.approx(0.5 * (1.5 / 4) / 0.2)
    for k in (3, 0.3):  # a number of rows, or a share of them
        found = corrected_precision_at_k_score(Y, SCORE, k=k, class_prior=0.5)
        assert found == pytest.approx(0.5 * (2 / 4) / 0.3)
    everyone = corrected_precision_at_k_score(Y, SCORE, k=10, class_prior=0.5)
    assert everyone == pytest.approx(0.5)


def test_precision_at_k_of_two_samples_counts_rows_of_the_population():
    options = {"class_prior": 0.3, "sampling": "two-sample"}
    # The first row of the population is at 8; two labeled rows lie there or above.
    found = corrected_precision_at_k_score(Y, SCORE, k=1, **options)
    assert found == pytest.approx(0.3 * (2 / 4) / (1 / 6))
    # The third is one of the two at 5: half of the labeled row there counts.
    found = corrected_precision_at_k_score(Y, SCORE, k=3, **options)
    assert found == pytest.approx(0.3 * (3.5 / 4) / (3 / 6))


def test_no_labeled_row_among_the_highest_is_a_precision_of_zero():
    assert corrected_precision_at_k_score([0, 1, 0], [3.0, 2, 1], k=1, class_prior=0.5) == 0


@pytest.mark.parametrize("ties", [1000, 8])
@pytest.mark.parametrize("weighted", [False, True])
def test_with_every_positive_labeled_values_are_those_of_scikit_learn(ties, weighted):
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.3).astype(int)
    score = np.round((rng.normal(size=300) + y) * ties / 4)
    weight = rng.random(300) if weighted else np.ones(300)
    options = {"class_prior": np.average(y, weights=weight), "sample_weight": weight}
    known = sk.average_precision_score(y, score, sample_weight=weight)
    assert corrected_average_precision_score(y, score, **options) == pytest.approx(known, abs=1e-12)
    known = sk.roc_auc_score(y, score, sample_weight=weight)
    assert corrected_auc_score(y, score, **options) == pytest.approx(known, abs=1e-12)


def test_precision_at_k_is_that_of_the_k_first_rows_if_all_positives_are_labeled():
    rng = np.random.default_rng(2)
    y = (rng.random(200) < 0.3).astype(int)
    score = rng.normal(size=200) + y
    for k in (1, 20, 77):
        found = corrected_precision_at_k_score(y, score, k=k, class_prior=y.mean())
        assert found == pytest.approx(y[np.argsort(-score)[:k]].mean())


@pytest.mark.parametrize("sampling", BOTH)
def test_only_the_order_of_the_scores_matters(sampling):
    expected = all_values(sampling=sampling)
    for same in (np.exp(SCORE), SCORE**3 - 7, np.argsort(np.argsort(SCORE)) * 0.0 + SCORE * 1e6):
        assert all_values(score=same, sampling=sampling) == pytest.approx(expected)
    order = np.random.default_rng(3).permutation(10)
    assert all_values(Y[order], SCORE[order], sampling) == pytest.approx(expected)


@pytest.mark.parametrize("sampling", BOTH)
def test_weights_are_copies_and_their_unit_does_not_matter(sampling):
    weight = np.array([1, 2, 3, 1, 1, 4, 2, 3, 1, 2])
    copies = np.repeat(Y, weight), np.repeat(SCORE, weight)
    weighted = all_values(sampling=sampling, sample_weight=weight)
    assert weighted == pytest.approx(all_values(*copies, sampling))
    by_share = [True, True, False, True]  # a number of rows has a unit
    tenth = np.array(all_values(sampling=sampling, sample_weight=np.full(10, 4.0)))
    plain = np.array(all_values(sampling=sampling))
    assert tenth[by_share] == pytest.approx(plain[by_share])
    nobody = np.append(weight, [0, 0])
    more = np.append(Y, [1, 0]), np.append(SCORE, [99.0, 98.0])
    found = all_values(*more, sampling, sample_weight=nobody)
    assert found == pytest.approx(weighted)


@pytest.mark.parametrize("sampling", BOTH)
def test_any_two_label_values_give_the_same(sampling):
    expected = all_values(sampling=sampling)
    assert all_values(1 - Y, sampling=sampling, pos_label=0) == pytest.approx(expected)
    text = np.where(Y == 1, "labeled", "other")
    found = all_values(text, sampling=sampling, pos_label="labeled")
    assert found == pytest.approx(expected)


def test_a_class_prior_too_large_warns_and_nothing_is_clipped():
    with pytest.warns(PUWarning, match=r"PU112.* class prior 0\.8 .* at most 0\.675"):
        found = corrected_auc_score(Y, SCORE, class_prior=0.8)
    assert found == pytest.approx(0.5 + 0.1625 / 0.2)
    with pytest.warns(PUWarning, match="PU112"):
        assert corrected_auc_score(Y, -SCORE, class_prior=0.8) == pytest.approx(1 - found)
    with pytest.warns(PUWarning, match=r"PU112.* class prior 0\.9"):
        assert corrected_average_precision_score(Y, SCORE, class_prior=0.9) > 1
    with pytest.warns(PUWarning, match="PU112"):
        assert corrected_precision_at_k_score(Y, SCORE, k=1, class_prior=0.9) > 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "`k` must be a whole number of rows, at least 1, or a share.*got 0"),
        ({"k": 1.0}, "`k` must be a whole number of rows.*got 1.0"),
        ({"k": True}, "`k` must be a whole number of rows.*got True"),
        ({"k": 11}, "`k` must be at most the number of rows of the population, 10; got 11"),
        ({"k": 7, "sampling": "two-sample"}, "rows of the population, 6; got 7"),
        ({"class_prior": 1}, "`class_prior` must be a number strictly between 0 and 1; got 1"),
        ({"class_prior": 1, "sampling": "two-sample"}, "P.Y=1. in the population"),
        ({"sampling": "both"}, "`sampling` must be one of 'one-sample', 'two-sample'; got 'both'"),
        ({"score": SCORE[:-1]}, "`score` must hold one number for each of the 10 rows"),
        ({"y": np.ones(10)}, "`y` must have two classes"),
        ({"sample_weight": Y}, "`sample_weight` must be positive for some row of each"),
    ],
)
def test_bad_input_is_named(options, message):
    given = {"y": Y, "score": SCORE, "k": 2, "class_prior": 0.5} | options
    with pytest.raises(ValueError, match=message):
        corrected_precision_at_k_score(**given)


def drawn(rng, n, sampling, alpha=0.3, c=0.4):
    """Scores N(1, 1) of positives and N(0, 1) of negatives."""
    y_true = rng.random(n) < alpha
    score = rng.normal(size=n) + y_true
    if sampling == "one-sample":
        return (y_true & (rng.random(n) < c)).astype(int), score
    n_labeled = int(alpha * c * n)
    s = np.repeat([1, 0], [n_labeled, n])
    return s, np.append(rng.normal(1, 1, n_labeled), score)


@pytest.mark.filterwarnings("ignore:.*PU112")
@pytest.mark.parametrize("sampling", BOTH)
def test_means_of_many_samples_are_the_truth(sampling):
    """Means of 250 samples of 1000 rows, within 4 Monte-Carlo standard errors."""
    alpha, grid = 0.3, np.linspace(-8, 9, 200_001)
    recall = norm.sf(grid - 1)
    share = alpha * recall + (1 - alpha) * norm.sf(grid)
    precision = alpha * recall / share
    at = np.searchsorted(-share, -0.1)
    truth = {
        "auc": norm.cdf(1 / np.sqrt(2)),
        "average precision": -trapezoid(precision, recall),
        "precision at 100": precision[at],
    }
    rng, values = np.random.default_rng(4), {name: [] for name in truth}
    for _ in range(250):
        s, score = drawn(rng, 1000, sampling, alpha)
        options = {"class_prior": alpha, "sampling": sampling}
        values["auc"].append(corrected_auc_score(s, score, **options))
        values["average precision"].append(corrected_average_precision_score(s, score, **options))
        values["precision at 100"].append(
            corrected_precision_at_k_score(s, score, k=100, **options)
        )
    for name, sample in values.items():
        error = np.std(sample) / np.sqrt(len(sample))
        assert abs(np.mean(sample) - truth[name]) < 4 * error, (name, np.mean(sample), error)
        assert error < 0.01, name  # the check has teeth


def test_proxy_accuracy_is_the_accuracy_less_a_constant():
    y_pred = (SCORE > 5.5).astype(int)
    # recall 3/4, share .5
    assert proxy_accuracy_score(Y, y_pred, class_prior=0.5) == pytest.approx(0.25)
    # two samples: share 2/6
    found = proxy_accuracy_score(Y, y_pred, class_prior=0.4, sampling="two-sample")
    assert found == pytest.approx(2 * 0.4 * 0.75 - 2 / 6)
    for prior in (0.4, 0.5):
        accuracy = corrected_accuracy_score(Y, y_pred, class_prior=prior)
        proxy = proxy_accuracy_score(Y, y_pred, class_prior=prior)
        assert proxy == pytest.approx(accuracy - (1 - prior))
