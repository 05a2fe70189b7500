"""From held-out scores to a class prior, a posterior and a cut."""

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from unlabeled.engine.sampling import Sampling
from unlabeled.scores import Decision, ResolvedPrior, Scale, ScoredRows
from unlabeled.scores._decision import expected_classes, line_through
from unlabeled.thresholds import get_rule

F1 = get_rule("f1")


@pytest.fixture(scope="module")
def scored():
    """Rows whose posterior is sigmoid(-0.5 + 1.5 t), labeled with c = .4."""
    rng = np.random.RandomState(0)
    score = rng.normal(size=4000)
    positive = rng.uniform(size=4000) < expit(-0.5 + 1.5 * score)
    s = (positive & (rng.uniform(size=4000) < 0.4)).astype(float)
    return ScoredRows(score, s)


@pytest.fixture(scope="module")
def answered(scored):
    rng = np.random.RandomState(1)
    checked = np.full(len(scored.s), np.nan)
    drawn = rng.choice(np.flatnonzero(scored.s == 0), 300, replace=False)
    checked[drawn] = rng.uniform(size=300) < expit(-1 + scored.score[drawn])
    return ScoredRows(scored.score, scored.s, checked=checked)


def decide(scored, prior=0.4, **further):
    return Decision.of(scored, F1, ResolvedPrior(prior), **further)


def test_the_posterior_of_labels_at_random_has_the_class_prior_as_its_mean(scored):
    decision = decide(scored)
    posterior = expit(decision.line.logit(scored.score))
    assert posterior.mean() == pytest.approx(0.4, abs=1e-3)  # the line is fitted to bins
    assert decision.label_frequency == pytest.approx(scored.s.mean() / 0.4)


def test_the_true_posterior_is_found(scored):
    truth = expit(-0.5 + 1.5 * scored.score).mean()
    line = decide(scored, truth).line
    assert line.intercept == pytest.approx(-0.5, abs=0.15)
    assert line.slope == pytest.approx(1.5, abs=0.15)


def test_of_two_samples_the_posterior_is_that_of_the_unlabeled_rows(scored):
    two = ScoredRows(scored.score, scored.s, sampling=Sampling.TWO)
    decision = decide(two, 0.4)
    share = scored.s.mean()
    assert decision.class_prior == pytest.approx((0.4 - share) / (1 - share))
    posterior = expit(decision.line.logit(scored.score[scored.s == 0]))
    assert posterior.mean() == pytest.approx(decision.class_prior, abs=1e-3)


def test_rows_between_cuts_decide_as_the_rows_do(scored):
    of_rows = decide(scored)
    of_cuts = decide(ScoredRows.of_cuts(of_rows.scored.cuts))
    assert of_cuts.line == pytest.approx(of_rows.line, rel=1e-6)
    assert of_cuts.cut.index == of_rows.cut.index


def test_a_row_of_weight_two_decides_as_two_rows(scored):
    weight = np.where(np.arange(len(scored.s)) % 3 == 0, 2.0, 1.0)
    once = decide(ScoredRows(scored.score, scored.s, weight))
    copies = np.repeat(np.arange(len(scored.s)), weight.astype(int))
    twice = decide(ScoredRows(scored.score[copies], scored.s[copies]))
    assert once.cut.threshold == twice.cut.threshold
    assert once.cut.recall == pytest.approx(twice.cut.recall, rel=1e-9)
    assert once.line == pytest.approx(twice.line, rel=1e-6)


def test_rows_without_a_score_are_left_out(scored):
    class Rows:
        s, weight, groups, checked, unit = scored.s, None, None, None, None
        sampling = Sampling.ONE

    score = np.where(np.arange(len(scored.s)) < 100, np.nan, scored.score)
    left = ScoredRows.of(Rows, score)
    assert len(left.score) == len(left.s) == len(scored.s) - 100


def test_a_probability_is_put_on_the_logit_scale_before_the_line(scored):
    by_logit = decide(scored)
    probability = ScoredRows(np.clip(expit(scored.score), 1e-3, 1 - 1e-3), scored.s)
    by_probability = decide(probability, scale=Scale(is_probability=True))
    assert by_probability.line == pytest.approx(by_logit.line, rel=1e-3)
    assert logit(by_probability.cut.threshold) == pytest.approx(by_logit.cut.threshold, abs=1e-6)


def test_what_is_known_of_unlabeled_rows_makes_the_posterior(scored):
    r = expit(-2 + 0.3 * scored.score)
    prior = float(np.where(scored.s == 1, 1.0, r).mean())
    decision = decide(scored, prior, posterior_if_unlabeled=r)
    y = np.where(scored.s == 1, 1.0, r)
    assert decision.line == pytest.approx(line_through(scored, y, prior), rel=1e-6)
    # It is flatter than the posterior of labels at random.
    assert decision.line.slope < decide(scored, prior).line.slope


def test_answers_decide_the_recall_above_a_cut(answered):
    r = expit(-1.5 + answered.score)
    decision = decide(answered, 0.45, posterior_if_unlabeled=r)
    classes = expected_classes(answered, r, 0.45)
    above = answered.score >= decision.cuts.score[decision.cut.index]
    assert decision.cut.recall == pytest.approx(classes[above].sum() / classes.sum(), rel=1e-9)


def test_expected_classes_are_labels_answers_and_shifted_logits_with_the_prior_as_mean(answered):
    r = np.full(len(answered.score), 0.2)
    r[::2] = 0.6
    classes = expected_classes(answered, r, 0.3)
    assert classes.mean() == pytest.approx(0.3, abs=1e-9)
    assert np.all(classes[answered.s == 1] == 1)
    known = ~np.isnan(answered.checked)
    np.testing.assert_array_equal(classes[known], answered.checked[known])
    unknown = (answered.s == 0) & np.isnan(answered.checked)
    moved = (logit(classes) - logit(r))[unknown]
    np.testing.assert_allclose(moved, moved[0], atol=1e-9)


def test_the_line_through_classes_is_their_logistic_regression(answered):
    score = answered.score
    classes = expected_classes(answered, expit(-1.5 + score), 0.3)
    line = line_through(answered, classes, 0.3, 10.0)
    twice = LogisticRegression(C=np.inf, tol=1e-10).fit(
        np.concatenate([score, score])[:, None],
        np.repeat([1, 0], len(score)),
        np.concatenate([classes, 1 - classes]),
    )
    assert line.slope == pytest.approx(twice.coef_[0, 0], rel=1e-5)
    assert line.intercept == pytest.approx(twice.intercept_[0], rel=1e-5)
    assert line_through(answered, classes, 0.3, 0.5).slope == pytest.approx(
        0.5 / score.std(), rel=1e-9
    )


def test_a_falling_posterior_becomes_the_class_prior(answered):
    line = line_through(answered, expit(-answered.score), 0.3)
    assert line.slope == 0
    assert line.intercept == pytest.approx(logit(0.3))


def test_only_a_given_class_prior_is_compared_with_its_bound(scored):
    with pytest.warns(UserWarning, match="PU113"):
        Decision.of(scored, F1, ResolvedPrior(0.95, is_given=True))
    decide(scored, 0.95)  # warnings are errors


def test_only_an_estimate_by_labels_alone_says_that_nearly_every_positive_is_labeled(scored):
    share = scored.s.mean()
    with pytest.warns(UserWarning, match="PU106.*0.95"):
        decide(scored, share / 0.95).report_all_labeled()
    decide(scored, share / 0.85).report_all_labeled()  # warnings are errors
    Decision.of(scored, F1, ResolvedPrior(share / 0.95, is_given=True)).report_all_labeled()
    answers = np.where(np.arange(len(scored.s)) < 50, 0.0, np.nan)
    checked = ScoredRows(scored.score, scored.s, checked=np.where(scored.s == 1, np.nan, answers))
    decide(checked, share / 0.95).report_all_labeled()
