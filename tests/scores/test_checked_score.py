"""Labels and checked rows along a score: derivatives, known truth, and answers without contrast."""

import numpy as np
import pytest

from unlabeled.scores import _checked_score, _importance_sample, fit_checked_score, mean_class_prior
from unlabeled.scores._checked_score import _CheckedBins, _shrunk


def draw(rng, n=4000, *, plateau=0.9, tilt=0.0, share_checked=0.1):
    """A table whose posterior is .9 sigmoid(2 t - 1), labeled at .4 or by a tilted sigmoid."""
    score = rng.normal(size=n)
    y_true = rng.random(n) < plateau / (1 + np.exp(1 - 2 * score))
    label = 1 / (1 + np.exp(0.4 - tilt * (score - 1)))
    s = (y_true & (rng.random(n) < label)).astype(float)
    checked = np.where((s == 0) & (rng.random(n) < share_checked), y_true, np.nan)
    return score, s, checked, y_true


def top_only(score, s, y_true, size=100):
    unlabeled = np.flatnonzero(s == 0)
    top = unlabeled[np.argsort(-score[unlabeled])][:size]
    checked = np.full(len(s), np.nan)
    checked[top] = y_true[top]
    return checked


def test_derivatives_are_finite_differences(rng):
    score, s, checked, _ = draw(rng, 800, tilt=1.0)
    rows = _CheckedBins.of(score, s, checked, rng.exponential(size=800))
    for _ in range(5):
        z = rng.normal(size=5)
        _, gradient, hessian = rows.value_gradient_hessian(z)
        steps = 1e-5 * np.eye(5)
        sides = [(rows.value_gradient(z + step), rows.value_gradient(z - step)) for step in steps]
        slopes = [(up[0] - down[0]) / 2e-5 for up, down in sides]
        curves = [(up[1] - down[1]) / 2e-5 for up, down in sides]
        np.testing.assert_allclose(gradient, slopes, atol=1e-8)
        np.testing.assert_allclose(hessian, curves, atol=1e-8)


def test_the_likelihood_is_the_sum_over_rows_of_four_kinds(rng, monkeypatch):
    """With a bin per row, and the priors taken off."""
    monkeypatch.setattr(_checked_score, "_BINS", 10_000)
    score, s, checked, _ = draw(rng, 60, share_checked=0.5)
    rows = _CheckedBins.of(score, s, checked, None)
    assert len(rows.z) == 60
    z = np.array([0.3, 0.5, 0.2, -0.4, 0.7])
    y = (0.5 + 0.5 / (1 + np.exp(-0.2))) / (1 + np.exp(-0.3 - np.exp(0.5) * rows.z))
    e = 1 / (1 + np.exp(0.4 - 0.7 * rows.reach))
    order = np.argsort(score)
    s, checked = s[order], checked[order]
    kinds = [s == 1, checked == 1, checked == 0]
    expected = np.log(np.select(kinds, [e * y, (1 - e) * y, 1 - y], 1 - e * y)).sum()
    prior = _checked_score.log_priors(
        z[None, :], _checked_score._CENTER, _checked_score._DEVIATION
    )[0][0]
    assert rows.log_posterior(z[None, :])[0] - prior == pytest.approx(expected, rel=1e-12)


def test_many_labels_count_as_few_but_the_answers_in_full(rng):
    """The tempered likelihood: labels to a power, times the answers given no label."""
    score, s, checked, _ = draw(rng, 4000)
    rows = _CheckedBins.of(score, s, checked, None)
    z = np.array([[0.3, 0.5, 0.2, -0.4, 0.7]])
    y, e = rows.posterior(z)[0], rows.labeling(z)[0]
    answered = rows.positive + rows.negative
    labels = rows.labeled @ np.log(e * y) + (rows.open + answered) @ np.log(1 - e * y)
    answers = rows.positive @ np.log((1 - e) * y / (1 - e * y))
    answers += rows.negative @ np.log((1 - y) / (1 - e * y))
    prior = _checked_score.log_priors(z, _checked_score._CENTER, _checked_score._DEVIATION)[0][0]
    power = 100 / s.sum()
    assert power < 0.5
    assert rows.log_posterior(z)[0] - prior == pytest.approx(labels + answers)
    assert rows.tempered().log_posterior(z)[0] - prior == pytest.approx(power * labels + answers)


def test_labeling_is_constant_below_the_checked_rows(rng):
    score, s, _, y_true = draw(rng, 2000)
    checked = top_only(score, s, y_true)
    rows = _CheckedBins.of(score, s, checked, None)
    cut = np.sort(score[s == 0])[-100]
    below = rows.z * rows.deviation + rows.mean < cut
    assert below.sum() > 100
    assert np.ptp(rows.reach[below]) < 1e-12
    assert np.ptp(rows.reach) > 0.1


@pytest.mark.parametrize("tilt", [0.0, 1.5])
def test_rows_checked_at_random_give_the_class_prior(tilt):
    """The mean error over 20 tables is within three Monte-Carlo errors and half a point."""
    errors = []
    for seed in range(20):
        score, s, checked, y_true = draw(np.random.default_rng(seed), tilt=tilt)
        errors.append(fit_checked_score(score, s, checked).class_prior - y_true.mean())
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(20) + 0.005
    assert np.sqrt(np.mean(np.square(errors))) < 0.03


def test_the_top_of_the_list_gives_the_class_prior_of_random_labels():
    errors = []
    for seed in range(20):
        score, s, _, y_true = draw(np.random.default_rng(seed))
        checked = top_only(score, s, y_true, 200)
        errors.append(fit_checked_score(score, s, checked).class_prior - y_true.mean())
    assert abs(np.mean(errors)) < 3 * np.std(errors) / np.sqrt(20) + 0.005
    assert np.sqrt(np.mean(np.square(errors))) < 0.03


def test_the_curve_comes_back(rng):
    score, s, checked, _ = draw(rng, 60_000, share_checked=0.2)
    fit = fit_checked_score(score, s, checked)
    grid = np.linspace(-2, 3, 50)
    np.testing.assert_allclose(fit.posterior(grid), 0.9 / (1 + np.exp(1 - 2 * grid)), atol=0.03)
    assert fit.plateau == pytest.approx(0.9, abs=0.03)
    assert fit.label_frequency == pytest.approx(0.4, abs=0.02)
    assert fit.class_prior * fit.label_frequency == pytest.approx(s.mean())


def test_everything_checked_gives_the_share_exactly(rng):
    score, s, _, y_true = draw(rng, 500)
    fit = fit_checked_score(score, s, np.where(s == 0, y_true, np.nan))
    assert fit.class_prior == pytest.approx(y_true.mean(), abs=1e-12)
    assert fit.label_frequency == pytest.approx(s.sum() / y_true.sum(), abs=1e-12)
    # The curve is then the one of the true classes, within its weak priors.
    assert fit.posterior(score).mean() == pytest.approx(y_true.mean(), abs=0.005)


def test_weights_count_rows(rng):
    score, s, checked, _ = draw(rng, 150, share_checked=0.3)
    weight = rng.integers(1, 4, size=150)
    weighted = fit_checked_score(score, s, checked, weight.astype(float))
    repeated = fit_checked_score(*(np.repeat(one, weight) for one in (score, s, checked)))
    assert weighted.class_prior == pytest.approx(repeated.class_prior, abs=1e-9)
    assert weighted.slope == pytest.approx(repeated.slope, abs=1e-6)


def test_the_unit_of_the_score_does_not_matter(rng):
    score, s, checked, _ = draw(rng, 600)
    one, other = (fit_checked_score(t, s, checked) for t in (score, 1e3 * score - 7e4))
    assert one.class_prior == pytest.approx(other.class_prior, abs=1e-6)
    assert one.slope == pytest.approx(1e3 * other.slope, rel=1e-4)


@pytest.mark.parametrize("answer", [0.0, 1.0])
@pytest.mark.parametrize("size", [1, 30, 100])
def test_equal_answers_move_the_class_prior_their_way(answer, size, rng):
    score, s, _, y_true = draw(rng, 700)
    checked = top_only(score, s, y_true, size)
    checked[~np.isnan(checked)] = answer
    fit = fit_checked_score(score, s, checked)
    found = (s.sum() + np.nansum(checked)) / len(s)
    assert found <= fit.class_prior < 1
    assert fit.slope > 0
    assert 0.5 < fit.plateau <= 1
    assert np.all(np.diff(fit.posterior(np.sort(score))) >= 0)
    other = checked.copy()
    other[~np.isnan(checked)] = 1 - answer
    gap = fit.class_prior - fit_checked_score(score, s, other).class_prior
    assert gap * (2 * answer - 1) > 0


def test_a_few_checked_rows_stay_near_the_labels(rng):
    score, s, _, y_true = draw(rng, 2000, plateau=1.0)
    checked = top_only(score, s, y_true, 5)
    before = mean_class_prior(score, s, None)
    assert fit_checked_score(score, s, checked).class_prior == pytest.approx(before, abs=0.1)


def test_a_small_move_is_shrunk_and_a_large_one_is_not():
    """Totals 10 +- 1 by the answers: with 10 by labels none of it, with 9 half, with 0 most."""
    positives, part = np.array([[4.0, 5.0], [5.0, 6.0]]), np.array([0.5, 0.5])
    mean = np.array([4.5, 5.5])
    for by_labels, kept in (([5.0, 5.0], 0.0), ([4.0, 5.0], 0.5), ([0.0, 0.0], 100 / 101)):
        expected = np.array(by_labels) + kept * (mean - by_labels)
        shrunk = _shrunk(positives, part, np.array(by_labels), np.ones(2))
        np.testing.assert_allclose(shrunk, expected)


def test_the_bins_know_the_estimate_from_labels_alone(rng):
    score, s, _, y_true = draw(rng, 3000)
    rows = _CheckedBins.of(score, s, top_only(score, s, y_true, 1), None)
    missed = rows.open * rows.missed_by_labels()
    alone = (rows.labeled + rows.positive + missed).sum() / 3000
    assert alone == pytest.approx(mean_class_prior(score, s, None), abs=0.01)


def test_a_score_without_information(rng):
    _, s, checked, y_true = draw(rng, 400, share_checked=0.3)
    fit = fit_checked_score(np.zeros(400), s, checked)
    assert fit.class_prior == pytest.approx(y_true.mean(), abs=0.1)


def positives(rows, points):
    return rows.labeled + rows.positive + rows.open * rows.missed(points)


def test_an_unlabeled_row_is_less_likely_positive_where_positives_are_labeled_more_often(rng):
    """The labeling follows the score: what the answers show of it enters P(Y=1|S=0,t)."""
    score, s, checked, y_true = draw(rng, 6000, tilt=1.5, share_checked=0.3)
    fit = fit_checked_score(score, s, checked)
    unlabeled = s == 0
    missed = fit.posterior_if_unlabeled(score)
    top = unlabeled & (score > np.quantile(score[unlabeled], 0.9))
    error = 2 * np.sqrt(0.25 / top.sum())
    assert missed[top].mean() == pytest.approx(y_true[top].mean(), abs=error + 0.03)
    c = s.mean() / fit.class_prior
    with_one_c = (1 - c) * fit.posterior(score) / (1 - c * fit.posterior(score))
    assert with_one_c[top].mean() > missed[top].mean() + 0.05


def points_of(rows):
    tempered = rows.tempered()
    return _importance_sample.draw_points(tempered.log_posterior, *tempered.mode(rows.starts()))[:2]


def test_the_mean_is_that_of_many_more_points(rng, monkeypatch):
    score, s, _, y_true = draw(rng, 500, tilt=1.0)
    checked = top_only(score, s, y_true, 40)
    rows = _CheckedBins.of(score, s, checked, None)
    points, part = points_of(rows)
    few = (part @ positives(rows, points)).sum() / 500
    monkeypatch.setattr(_importance_sample, "_PAIRS", 10_000)
    monkeypatch.setattr(_importance_sample, "_ENOUGH_POINTS", 2000)
    points, part = points_of(rows)
    many = (part @ positives(rows, points)).sum() / 500
    assert few == pytest.approx(many, abs=0.005)


def test_without_checked_rows_there_is_nothing_to_fit(rng):
    score, s, _, _ = draw(rng, 200)
    with pytest.raises(ValueError, match="checked"):
        fit_checked_score(score, s, np.where(s == 1, 1.0, np.nan))
