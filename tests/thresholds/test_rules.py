"""Every rule against brute force, and where it cuts in the population."""

import pickle
import re

import numpy as np
import pytest

from reproduction.theory import optimal_cut
from unlabeled.metrics import (
    corrected_accuracy_score,
    corrected_balanced_accuracy_score,
    corrected_f1_score,
    corrected_mcc_score,
    f1_pu_score,
)
from unlabeled.thresholds import Rule, _rules, choose_cut, get_rule, scan_cuts
from unlabeled.thresholds._rules import cost, fbeta, precision_at_least, recall_at_least, share

PRIOR = 0.4


@pytest.fixture
def scored(rng):
    y = rng.random(400) < PRIOR
    score = np.round(rng.normal(size=400) + 1.5 * y, 1)
    return score, (y & (rng.random(400) < 0.5)).astype(int)


def best_by_metric(score, s, metric):
    values = {z: metric(s, (score >= z).astype(int)) for z in np.unique(score)}
    best = max(values.values())
    return best, max(z for z, value in values.items() if value >= best - 1e-12)


@pytest.mark.parametrize(
    ("name", "metric", "options"),
    [
        ("f1_pu", f1_pu_score, {}),
        ("f1", corrected_f1_score, {"class_prior": PRIOR}),
        ("accuracy", corrected_accuracy_score, {"class_prior": PRIOR}),
        ("balanced_accuracy", corrected_balanced_accuracy_score, {"class_prior": PRIOR}),
        ("mcc", corrected_mcc_score, {"class_prior": PRIOR}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*PU112")
def test_named_rules_maximize_their_metric(scored, name, metric, options):
    score, s = scored
    cut = choose_cut(scan_cuts(s, score), get_rule(name), PRIOR)
    best, threshold = best_by_metric(score, s, lambda a, b: metric(a, b, **options))
    assert metric(s, (score > cut.threshold).astype(int), **options) == pytest.approx(best)
    assert cut.upper == threshold


def test_cost_with_equal_costs_is_accuracy_and_misses_lower_the_cut(scored):
    score, s = scored
    cuts = scan_cuts(s, score)
    equal = choose_cut(cuts, _rules.cost(), PRIOR)
    assert equal.threshold == choose_cut(cuts, _rules.accuracy(), PRIOR).threshold
    dear_misses = choose_cut(cuts, _rules.cost(miss=10), PRIOR)
    assert dear_misses.threshold < equal.threshold


def test_fbeta_one_is_f1_and_larger_beta_lowers_the_cut(scored):
    score, s = scored
    cuts = scan_cuts(s, score)
    one = choose_cut(cuts, _rules.fbeta(1.0), PRIOR)
    assert one.threshold == choose_cut(cuts, _rules.f1(), PRIOR).threshold
    assert choose_cut(cuts, _rules.fbeta(3.0), PRIOR).threshold <= one.threshold


def test_recall_at_least_takes_as_few_rows_as_it_can(scored):
    score, s = scored
    cut = choose_cut(scan_cuts(s, score), _rules.recall_at_least(0.8))
    assert cut.recall >= 0.8
    smaller = score > cut.upper
    assert s[smaller].sum() / s.sum() < 0.8


def test_precision_at_least_takes_as_many_rows_as_it_can(scored):
    score, s = scored
    cuts = scan_cuts(s, score)
    cut = choose_cut(cuts, _rules.precision_at_least(0.7), PRIOR)
    precision = PRIOR * cuts.recall / cuts.share
    assert precision[cut.index] >= 0.7
    assert np.all(precision[cut.index + 1 :] < 0.7)
    with pytest.raises(ValueError, match=r"No threshold .* precision_at_least\(1\)"):
        choose_cut(scan_cuts(1 - s, score), _rules.precision_at_least(1.0), 0.01)


def test_share_predicts_as_near_as_ties_allow(scored):
    score, s = scored
    cut = choose_cut(scan_cuts(s, score), _rules.share(0.3))
    assert cut.share == pytest.approx(0.3, abs=0.02)


def test_least_labeled_rows_above_the_cut():
    score, s = np.arange(100.0), np.zeros(100, int)
    s[[99, 60, 50, 40, 30]] = 1
    assert choose_cut(scan_cuts(s, score), _rules.f1_pu()).share == 0.01
    steadier = Rule("own", False, lambda r, q, prior: r**2 / q, "", least_labeled=3)
    assert choose_cut(scan_cuts(s, score), steadier).share >= 0.5


@pytest.mark.parametrize("name", ["f1", "f1_pu", "balanced_accuracy", "mcc"])
def test_rules_tend_to_the_optimal_cut_of_the_population(name, rng):
    """On the paper's design, T ~ N(-1, 3), posterior sigma(-1 + T), SCAR with c = .5."""
    n = 400_000
    t = rng.normal(-1, np.sqrt(3), n)
    y = rng.random(n) < 1 / (1 + np.exp(1 - t))
    s = (y & (rng.random(n) < 0.5)).astype(int)
    cut = choose_cut(scan_cuts(s, t), get_rule(name), 0.2064803545)
    population = optimal_cut(name, -1.0, -1.0, 3.0)
    # Maxima are flat: cube-root convergence of the cut, sharper for its consequences.
    assert cut.threshold == pytest.approx(population.threshold, abs=8 * n ** (-1 / 3))
    assert cut.recall == pytest.approx(population.recall, abs=0.05)
    assert cut.share == pytest.approx(population.share, abs=0.03)


def test_rules_that_need_a_prior_reject_none(scored):
    score, s = scored
    for name in _rules.RULES:
        rule = get_rule(name)
        if rule.needs_class_prior:
            with pytest.raises(ValueError, match="`class_prior` must be .*got None"):
                choose_cut(scan_cuts(s, score), rule)
        else:
            choose_cut(scan_cuts(s, score), rule)
        assert rule.cuts_at


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: recall_at_least(1.2), r"`recall` must be .*got 1\.2"),
        (lambda: recall_at_least("0.9"), r"`recall` must be .*got '0\.9'"),
        (lambda: get_rule("recall_at_least(9)"), r"`recall` must be .*got 9"),
        (lambda: share("0.1"), r"`share` must be .*got '0\.1'"),
        (lambda: cost(miss=0), "`miss` must be .*got 0"),
        (lambda: fbeta("two"), "`beta` must be .*got 'two'"),
        (lambda: fbeta(np.inf), "`beta` must be .*got inf"),
    ],
)
def test_bad_numbers_of_a_rule_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("recall_at_least(0.9)", recall_at_least(0.9)),
        ("precision_at_least(.8)", precision_at_least(0.8)),
        (" share( 0.1 ) ", share(0.1)),
        ("fbeta(2)", fbeta(2)),
        ("cost(5,1)", cost(5, 1)),
    ],
)
def test_a_rule_with_numbers_can_be_written_as_text(text, rule):
    r, q = np.linspace(0.1, 1, 10), np.linspace(0.05, 1, 10)
    found = get_rule(text)
    assert found.name == rule.name
    np.testing.assert_array_equal(found.criterion(r, q, 0.3), rule.criterion(r, q, 0.3))
    assert get_rule(rule.name).name == rule.name


@pytest.mark.parametrize(
    "text",
    ["f2", "recall_at_least", "recall_at_least()", "share(a)", "cost(1)", "f1(1)", "eval(1)", 3],
)
def test_text_that_is_no_rule_is_rejected(text):
    with pytest.raises(ValueError, match=rf"`rule` must be .*got {re.escape(repr(text))}"):
        get_rule(text)


@pytest.mark.parametrize(
    "text", [*_rules.RULES, "fbeta(2)", "recall_at_least(0.123456789)", "share(0.1)"]
)
def test_a_rule_survives_pickling_and_equals_the_one_its_name_gives(text, scored):
    rule = get_rule(text)
    again = pickle.loads(pickle.dumps(rule))
    assert again == rule == get_rule(rule.name)
    assert repr(rule) == f"Rule(name={rule.name!r})"
    score, s = scored
    cuts = scan_cuts(s, score)
    assert choose_cut(cuts, again, PRIOR) == choose_cut(cuts, text, PRIOR)
