"""Known chances: counts, posterior and their limits, with any score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from unlabeled.engine.losses import KnownFrequencyLoss
from unlabeled.labeling import KnownChances
from unlabeled.labeling._chances import (
    ALONG,
    RISING,
    TIMES,
    AlongScore,
    Draws,
    ExpectedChance,
    count_by_chances,
    labels_by_chance,
    rising_posterior,
)
from unlabeled.scores import LabeledScore, bounded_logit


def labeled(seed, chance, n=4000):
    """Rows whose true logit of P(S=1|x) is known: x[:, 0] drives the class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    e = chance(X, rng)
    posterior = expit(1.5 * X[:, 0] - 1)
    y_true = rng.random(n) < posterior
    s = (y_true & (rng.random(n) < e)).astype(float)
    return X, e, posterior, y_true, s


def known_of(X, e, score, s, **others):
    return LabeledScore(score, s, lambda columns: X, e, **others)


def free(X, rng):
    return rng.uniform(0.1, 0.9, len(X))


def by_feature(X, rng):
    return expit(-0.5 + X[:, 1])


def constant(X, rng):
    return np.full(len(X), 0.4)


@pytest.mark.parametrize(
    ("chance", "expected"),
    [(free, lambda e: np.full(len(e), 0.5)), (by_feature, lambda e: e), (constant, lambda e: e)],
    ids=["chance", "feature", "constant"],
)
def test_count_and_posterior_are_right_whatever_the_chances_follow(chance, expected):
    X, e, posterior, y_true, s = labeled(0, chance)
    found = KnownChances().missed(known_of(X, e, logit(posterior * expected(e)), s))
    lower, upper = found.density.interval()
    assert lower < y_true.mean() < upper
    assert upper - lower < 0.06
    assert np.abs(found.of_rows.posterior - posterior).mean() < 0.03
    hidden = found.of_rows.missed[s == 0]
    assert abs(hidden.sum() - y_true[s == 0].sum()) < 4 * np.sqrt((hidden * (1 - hidden)).sum())
    assert set(found.density.said) == {ALONG, RISING, TIMES}


def test_the_ratio_of_score_and_chance_alone_would_be_wrong():
    # The reason for the regression of chances on features: a chance that features do not tell is
    # in no score. With the chance itself in its place the counts along the score are too large.
    _, e, posterior, y_true, s = labeled(0, free)
    score = logit(0.5 * posterior)
    right = count_by_chances(score, s, Draws.of(e), np.full(len(s), 0.5)).said[ALONG][1]
    ratio = np.minimum(expit(score) / e, 1).sum()
    assert abs(right / y_true.sum() - 1) < 0.08 < ratio / y_true.sum() - 1


def test_a_constant_chance_is_the_known_label_frequency():
    X, e, posterior, _, s = labeled(1, constant)
    score = logit(0.4 * posterior) + 0.3
    columns = np.column_stack([np.ones(len(s)), bounded_logit(score, 0.4)])

    def negative_log_posterior(line):
        loss = KnownFrequencyLoss(0.4).derivatives((columns @ line,), s, second=False)
        return loss.value.sum() + 0.5 * line[0] ** 2 + 0.5 * (line[1] - 1) ** 2

    best = minimize(negative_log_posterior, [0.0, 1.0], tol=1e-10).x
    fit = AlongScore(columns, s, e).fit()
    np.testing.assert_allclose(fit.coefficients, best, atol=1e-4)
    found = KnownChances().missed(known_of(X, e, score, s))
    np.testing.assert_allclose(found.new_rows.line, best, atol=1e-4)
    assert found.density.said[TIMES][1] == pytest.approx(s.mean() / 0.4)


def test_chances_of_one_are_plain_labels():
    X, _, posterior, _, s = labeled(2, constant)
    found = KnownChances().missed(known_of(X, np.ones(len(s)), logit(0.4 * posterior), s))
    assert found.density.interval().lower == pytest.approx(s.mean())
    assert found.density.interval().upper == pytest.approx(s.mean(), abs=1e-6)
    np.testing.assert_allclose(found.of_rows.missed, 0, atol=1e-9)


def test_derivatives_of_the_fit_are_those_of_its_value():
    _, e, posterior, _, s = labeled(3, free, n=300)
    problem = AlongScore(np.column_stack([np.ones(300), logit(posterior)]), s, e)
    point, step = np.array([0.3, 0.7]), 1e-5
    _, gradient, hessian = problem.value_gradient_hessian(point)
    for k in range(2):
        up, down = (problem.value_gradient(point + sign * step * np.eye(2)[k]) for sign in (1, -1))
        assert (up[0] - down[0]) / (2 * step) == pytest.approx(gradient[k], rel=1e-6)
        np.testing.assert_allclose((up[1] - down[1]) / (2 * step), hessian[k], rtol=1e-5)


def test_the_error_of_the_count_is_its_spread():
    counts, variances = [], []
    for seed in range(60):
        _, e, posterior, y_true, s = labeled(seed, free, n=1000)
        problem = AlongScore(np.column_stack([np.ones(1000), logit(posterior)]), s, e)
        count, variance = problem.count(problem.fit())
        counts.append(count - y_true.sum())
        variances.append(variance)
    spread = np.sqrt(np.mean(np.square(counts)))
    assert abs(np.mean(counts)) < 3 * spread / 60**0.5
    assert 0.75 < spread / np.sqrt(np.mean(variances)) < 1.33


def test_labels_divided_by_chances_have_their_mean_and_variance():
    rng = np.random.default_rng(0)
    e = rng.uniform(0.2, 1, 400)
    drawn = [labels_by_chance((rng.random(400) < e).astype(float), e) for _ in range(400)]
    counts, variances = np.array(drawn).T
    assert counts.mean() == pytest.approx(400, abs=4 * counts.std() / 20)
    assert variances.mean() == pytest.approx(counts.var(), rel=0.25)
    assert labels_by_chance(np.ones(1), np.array([0.01])) == (20.0, 380.0)


def test_a_rising_posterior_is_that_of_its_cells():
    # Two cells in the right order: in each, the weighted share of labels by the chances.
    rng = np.random.default_rng(0)
    place = np.repeat([0.0, 1.0], 2000)
    e = rng.uniform(0.2, 0.8, 4000)
    y = np.repeat([0.2, 0.7], 2000)
    s = (rng.random(4000) < e * y).astype(float)
    found = rising_posterior(place, s, e, np.full(4000, 0.5))
    for cell, share in ((place == 0, 0.2), (place == 1, 0.7)):
        weight = e[cell] / (1 - e[cell] * found[cell])
        assert len(set(found[cell])) == 1
        assert found[cell][0] == pytest.approx(
            np.average(s[cell] / e[cell], weights=weight), rel=1e-3
        )
        assert found[cell][0] == pytest.approx(share, abs=0.04)
    falling = rising_posterior(-place, s, e, np.full(4000, 0.5))
    assert np.ptp(falling) < 1e-9


def test_expected_chances_are_left_out_and_shrink_to_the_mean_without_features():
    rng = np.random.default_rng(0)
    design, noise = rng.normal(size=(300, 20)), rng.uniform(0.2, 0.8, 300)
    line, left_out = ExpectedChance.fit(design, noise)
    assert np.std(left_out) < 0.3 * np.std(noise)
    assert np.std(line.at(design)) < 0.3 * np.std(noise)
    told = expit(0.4 * design[:, 0])
    line, left_out = ExpectedChance.fit(design, told)
    np.testing.assert_allclose(left_out, told, atol=0.03)
    without = np.delete(np.arange(300), 7)
    # The ridge stays the same; what is expected of a row is said by a fit without it.
    again, _ = ExpectedChance.fit(design[without], told[without])
    assert again.at(design[7:8])[0] == pytest.approx(left_out[7], abs=1e-4)


def test_new_rows_get_the_posterior_of_the_same_line():
    X, e, posterior, _, s = labeled(4, by_feature)
    score = logit(posterior * e)
    found = KnownChances().missed(known_of(X, e, score, s))
    again = found.new_rows.at(score, lambda columns: X)
    # Chances of known rows are left out; of new rows they are not.
    assert np.abs(again.posterior - found.of_rows.posterior).max() < 0.05
    assert np.all(again.missed <= again.posterior)


def test_rows_without_a_chance_are_not_counted():
    X, e, posterior, y_true, s = labeled(5, free)
    e = np.where(X[:, 1] > 1, 0.0, e)
    s = np.where(e == 0, 0.0, s)
    found = KnownChances().missed(known_of(X, e, logit(posterior * 0.43), s))
    lower, upper = found.density.interval()
    assert lower < (y_true & (e > 0)).mean() < upper < y_true.mean()
    assert np.all(found.of_rows.missed[e == 0] == 0)
    assert found.found.n_without_chance == (e == 0).sum()
    assert str((e == 0).sum()) in " ".join(found.said)


def test_chances_that_are_too_high_would_hide_positives():
    X, e, posterior, _, s = labeled(6, free)
    found = KnownChances().missed(known_of(X, e, logit(posterior * 0.5), s))
    assert 1.1 < found.found.if_too_high / (found.density.mean * len(s)) < 1.35


def test_scores_above_the_chances_are_said():
    X, e, posterior, _, s = labeled(10, constant)
    score = logit(0.4 * posterior)
    assert KnownChances().missed(known_of(X, e, score, s)).found.n_above == 0
    found = KnownChances().missed(known_of(X, e, np.where(posterior > 0.9, 0.0, score), s))
    assert found.found.n_above == np.sum(posterior > 0.9)
    assert f"Rows like {found.found.n_above} of them" in " ".join(found.said)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda e, s: None, ["history", "None"]),
        (lambda e, s: 100 * e, ["between 0 and 1", "by 100"]),
        (lambda e, s: -e, ["between 0 and 1"]),
        (lambda e, s: np.where(np.arange(len(e)) == 5, np.nan, e), ["1 row", "row 5"]),
        (lambda e, s: np.where(s == 1, 0.0, e), ["above 0", "labeled"]),
        (lambda e, s: e[:-1], ["one row", "299"]),
        (lambda e, s: np.column_stack([e, e]), ["(300, 2)"]),
        (lambda e, s: np.full(len(e), "a"), ["numbers"]),
        (lambda e, s: pd.DataFrame({"a": e, "b": e}), ["'chance'", "'a'"]),
    ],
)
def test_chances_that_are_none_are_rejected(spoil, words):
    X, e, posterior, _, s = labeled(7, free, n=300)
    with pytest.raises(ValueError, match="`history` must") as error:
        KnownChances().missed(known_of(X, spoil(e, s), logit(posterior), s))
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize(
    ("argument", "name"),
    [("weight", "sample_weight"), ("groups", "groups"), ("checked", "checked")],
)
def test_what_chances_do_not_go_with_is_rejected(argument, name):
    X, e, posterior, _, s = labeled(8, free, n=300)
    known = known_of(X, e, logit(posterior), s, **{argument: np.ones(300)})
    with pytest.raises(ValueError, match=f"`{name}` must be None with labeling=KnownChances"):
        KnownChances().missed(known)


def test_a_frame_of_one_column_needs_no_name():
    X, e, posterior, _, s = labeled(9, free, n=300)
    score = logit(posterior)
    one = KnownChances().missed(known_of(X, pd.DataFrame({"p": e}), score, s)).density.mean
    assert one == KnownChances().missed(known_of(X, e, score, s)).density.mean
