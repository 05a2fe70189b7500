"""Population-optimal cuts: golden numbers, conditions on the posterior, optimality."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm

from reproduction.theory import (
    binormal_cut,
    class_prior,
    cut_properties,
    optimal_cut,
    ruud_projection,
)
from unlabeled import rates
from unlabeled.thresholds import get_rule

PAPER = {"beta0": -1, "mean": -1, "var": 3}
CRITERIA = ("f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc")
COLUMNS = (
    "threshold posterior share recall precision f1 f1_pu balanced_accuracy accuracy mcc".split()
)
TABLE = """
f1       .119480 .293070 .259032 .660730 .526683 .586140 1.685366 .753111 .807343 .467717
f1_pu   -.142482 .241865 .310269 .726880 .483730 .580887 1.702890 .762508 .783423 .459390
balanced_accuracy
        -.346273 .206480 .352927 .773093 .452299 .570706 1.693474 .764748 .759850 .448500
accuracy       1      .5 .124107 .408842 .680204 .510715 1.346839 .679413 .838249 .440533
mcc      .289170 .329415 .228347 .614535 .555687 .583632 1.653859 .743339 .818952 .469301
""".split()
GOLDEN = {
    TABLE[start]: [float(value) for value in TABLE[start + 1 : start + 11]]
    for start in range(0, len(TABLE), 11)
}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_optimal_cuts_equal_the_printed_table(criterion):
    cut = optimal_cut(criterion, **PAPER)
    for column, printed in zip(COLUMNS, GOLDEN[criterion], strict=True):
        assert getattr(cut, column) == pytest.approx(printed, abs=6e-7), column


@pytest.mark.parametrize("beta0", [-3, -1, 2, 3])
@pytest.mark.parametrize("var", [0.5, 3, 10])
def test_the_mcc_cut_is_the_mean_of_precision_and_share_of_positives_below(beta0, var):
    cut = optimal_cut("mcc", beta0, mean=-1, var=var)
    prior = class_prior(beta0, mean=-1, var=var)
    below = prior * (1 - cut.recall) / (1 - cut.share)
    assert get_rule("mcc").cuts_at.startswith("the mean of the precision and of the share of pos")
    assert cut.posterior == pytest.approx((cut.precision + below) / 2, rel=1e-8)
    # Not between the class prior and half the precision: above both where few are predicted.
    assert cut.posterior > cut.precision / 2
    assert (cut.posterior > prior) == (cut.share < 0.5)


def test_class_prior_of_the_paper_design():
    assert class_prior(**PAPER) == pytest.approx(0.2064803545, abs=6e-11)


@pytest.mark.parametrize(
    ("c", "f1", "balanced_accuracy"),
    [
        (0.3, 0.019396, 0.504855),
        (0.6, 0.212947, 0.558217),
        (0.1, 0.000097, 0.500024),
        (0.5, 0.126780, 0.533145),
        (0.9, 0.458463, 0.651075),
    ],
)
def test_naive_rule_on_the_paper_design(c, f1, balanced_accuracy):
    intercept, slope = ruud_projection(**PAPER, c=c)
    cut = cut_properties(-intercept / slope, **PAPER)
    assert cut.f1 == pytest.approx(f1, abs=6e-7)
    assert cut.balanced_accuracy == pytest.approx(balanced_accuracy, abs=6e-7)


@pytest.mark.parametrize(
    ("c", "f1_pu_intercept", "f1_intercept"),
    [(0.3, 0.092893, -0.077896), (0.6, 0.109600, -0.091906)],
)
def test_best_intercepts_in_the_units_of_the_naive_fit(c, f1_pu_intercept, f1_intercept):
    slope = ruud_projection(**PAPER, c=c).slope
    assert -slope * optimal_cut("f1_pu", **PAPER).threshold == pytest.approx(
        f1_pu_intercept, abs=6e-7
    )
    assert -slope * optimal_cut("f1", **PAPER).threshold == pytest.approx(f1_intercept, abs=6e-7)


@pytest.mark.parametrize(
    ("distance", "prior", "threshold", "f1_pu"),
    [
        (1, 0.5, -0.382003, 1.073286),
        (2, 0.5, 0.805381, 1.428003),
        (1, 0.2, 0.244576, 1.257298),
        (2, 0.1, 1.669671, 3.748624),
    ],
)
def test_binormal_cuts_equal_the_printed_values(distance, prior, threshold, f1_pu):
    cut = binormal_cut("f1_pu", distance, prior)
    assert cut.threshold == pytest.approx(threshold, abs=6e-7)
    assert cut.f1_pu == pytest.approx(f1_pu, abs=6e-7)


def test_binormal_rates_equal_the_printed_values():
    cut = binormal_cut("f1_pu", 1, 0.5)
    assert (cut.recall, cut.share) == pytest.approx((0.916515, 0.782643), abs=6e-7)


def test_binormal_closed_forms_of_accuracy_and_balanced_accuracy():
    assert binormal_cut("balanced_accuracy", 1.4, 0.2).threshold == pytest.approx(0.7, abs=1e-12)
    bayes = 0.7 - logit(0.2) / 1.4
    assert binormal_cut("accuracy", 1.4, 0.2).threshold == pytest.approx(bayes, abs=1e-12)


@pytest.mark.parametrize(
    "design", [PAPER, {"beta0": 2, "mean": 0.5, "var": 0.3}, {"beta0": 0, "mean": 0, "var": 50}]
)
def test_posterior_at_the_cut_is_what_each_criterion_wants(design):
    cuts = {criterion: optimal_cut(criterion, **design) for criterion in CRITERIA}
    prior = class_prior(**design)
    assert cuts["accuracy"].posterior == pytest.approx(0.5, abs=1e-12)
    assert cuts["balanced_accuracy"].posterior == pytest.approx(prior, abs=1e-12)
    assert cuts["f1"].posterior == pytest.approx(cuts["f1"].f1 / 2, abs=1e-10)
    assert cuts["f1_pu"].posterior == pytest.approx(cuts["f1_pu"].precision / 2, abs=1e-10)
    assert cuts["f1_pu"].posterior <= 0.5


@pytest.mark.parametrize("var", [0.01, 3, 60])
@pytest.mark.parametrize("beta0", [-6, 2])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_other_cut_of_a_normal_index_is_better(criterion, beta0, var):
    best = getattr(optimal_cut(criterion, beta0, 0, var), criterion)
    others = [cut_properties(t, beta0, 0, var) for t in np.sqrt(var) * np.linspace(-6, 6, 49)]
    assert best >= max(getattr(cut, criterion) for cut in others) - 1e-12


@pytest.mark.parametrize("distance", [0.3, 1, 4])
@pytest.mark.parametrize("prior", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_no_other_cut_of_two_normal_classes_is_better(criterion, distance, prior):
    t = np.linspace(-6, 6 + distance, 2001)
    recall = norm.sf(t - distance)
    share = prior * recall + (1 - prior) * norm.sf(t)
    arguments = (recall, share) if criterion == "f1_pu" else (recall, share, prior)
    curve = getattr(rates, criterion)(*arguments)
    best = getattr(binormal_cut(criterion, distance, prior), criterion)
    assert best == pytest.approx(np.max(curve), abs=1e-5)
    assert best >= np.max(curve) - 1e-12


@pytest.mark.parametrize("threshold", [-4.0, 0.0, 1.5, 6.0])
def test_cut_properties_agree_with_direct_integration(threshold):
    cut = cut_properties(threshold, -1, 0.5, 2)
    sd = np.sqrt(2)

    def mass(function, lower):
        return quad(lambda t: function(t) * norm.pdf(t, 0.5, sd), lower, 20, epsabs=1e-14)[0]

    prior = mass(lambda t: expit(t - 1), -20)
    assert cut.share == pytest.approx(mass(lambda t: 1.0, threshold), rel=1e-9)
    assert cut.recall * prior == pytest.approx(mass(lambda t: expit(t - 1), threshold), rel=1e-9)


@pytest.mark.parametrize("threshold", [-2.0, 0.3, 2.5])
def test_measures_of_a_cut_are_those_of_its_confusion_probabilities(threshold):
    cut = cut_properties(threshold, **PAPER)
    prior = class_prior(**PAPER)
    tp = prior * cut.recall
    fp, fn = cut.share - tp, prior - tp
    tn = 1 - tp - fp - fn
    expected = {
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "f1_pu": (tp / (tp + fn)) ** 2 / (tp + fp),
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "accuracy": tp + tn,
        "mcc": (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5,
    }
    for name, value in expected.items():
        assert getattr(cut, name) == pytest.approx(value, abs=1e-13), name


def test_without_signal_f1_pu_calls_everything_positive():
    cut = optimal_cut("f1_pu", -1, 0, 1e-6)
    assert (cut.share, cut.recall) == pytest.approx((1, 1))
    assert cut.f1_pu == pytest.approx(1)


def test_empty_and_full_rules_have_ratio_zero_where_it_is_undefined():
    nothing, everything = cut_properties(1e5, **PAPER), cut_properties(-1e5, **PAPER)
    assert (nothing.precision, nothing.f1_pu, nothing.mcc) == (0, 0, 0)
    assert (everything.f1_pu, everything.mcc, everything.recall) == (1, 0, 1)


def test_a_cut_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        optimal_cut("f1", **PAPER).threshold = 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: optimal_cut("auc", **PAPER), "`criterion` must be .*got 'auc'"),
        (lambda: optimal_cut("f1", -1, 0, -2), r"`var` must be .* got -2\."),
        (
            lambda: optimal_cut("f1", 2000, 0, 1),
            "`beta0` .*prior of 1",
        ),
        (
            lambda: cut_properties(np.nan, **PAPER),
            r"`threshold` must be .* got nan\.",
        ),
        (
            lambda: binormal_cut("f1", 0, 0.5),
            r"`distance` must be .* got 0\.",
        ),
        (lambda: binormal_cut("f1", 1, 1), r"`class_prior` must be .*got 1\."),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
