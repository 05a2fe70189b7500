"""Labels that take time: delays, horizon, count, drift, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from unlabeled.codes import caught_warnings
from unlabeled.labeling import LabelDates
from unlabeled.labeling._delays import Delays
from unlabeled.scores import LabeledScore


def cohort(seed, n=3000, *, longest=3.0, mean_delay=1.0, prevalence=None):
    """Rows that enter at random, positives with exponential delays, and their true score."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    exposure = rng.uniform(0, longest, n)
    posterior = expit(1.5 * x - 1 + (0 if prevalence is None else prevalence(exposure)))
    y_true = rng.random(n) < posterior
    time = rng.exponential(mean_delay, n)
    s = (y_true & (time <= exposure)).astype(float)
    delay = np.where(s == 1, time, np.nan)
    # The members see x alone, so they learn the posterior times the mean chance.
    score = logit(expit(1.5 * x - 1) * min(1.0, s.sum() / y_true.sum()))
    return x, exposure, delay, y_true, time, s, score


def known_of(x, exposure, delay, score, s, **others):
    frame = pd.DataFrame({"exposure": exposure, "delay": delay})
    return LabeledScore(score, s, lambda columns: x[:, None], frame, **others)


def silently(labeling, known):
    """Return what follows, and the codes that were warned of."""
    with caught_warnings() as told:
        found = labeling.missed(known)
    return found, {code for code, _ in told}


def test_the_count_is_that_of_rows_labeled_within_the_horizon():
    x, exposure, delay, y_true, time, s, score = cohort(0)
    found, codes = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    truth = (y_true & (time <= found.found.horizon)).sum() + found.found.n_late
    lower, upper = found.density.interval()
    assert lower * len(s) < truth < upper * len(s)
    assert upper - lower < 0.06
    assert s.sum() < 0.8 * truth
    assert codes == set()


def test_chances_are_those_of_the_delays():
    x, exposure, delay, _, _, s, score = cohort(1)
    found, _ = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    horizon = found.found.horizon
    truth = -np.expm1(-np.minimum(exposure, horizon)) / -np.expm1(-horizon)
    assert np.abs(found.found.chance - truth).max() < 0.06
    assert found.found.still_coming == pytest.approx(
        1 - np.expm1(-0.8 * horizon) / np.expm1(-horizon), abs=0.02
    )
    hidden = found.of_rows.missed[s == 0]
    assert np.all(found.of_rows.missed[exposure >= horizon] < 1e-9)
    assert hidden.sum() + s.sum() == pytest.approx(len(s) * found.density.mean, rel=0.03)


def test_the_default_horizon_is_what_a_tenth_of_labeled_rows_outlast():
    x, exposure, delay, _, _, s, score = cohort(2)
    found, _ = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    assert np.mean(exposure[s == 1] > found.found.horizon) == pytest.approx(0.1, abs=0.002)


def test_families_share_their_weight_and_the_right_one_wins_with_many_labels():
    rng = np.random.default_rng(0)
    time = np.exp(0.7 * rng.normal(size=3000))
    exposure = np.full(3000, 5.0)
    there = time < 5
    found = Delays.fit(time[there], exposure[there], 5.0)
    assert sum(found.weights.values()) == pytest.approx(1)
    assert found.weights["lognormal"] > 0.9
    assert sum(weight for _, weight, _ in found.parameters) == pytest.approx(1)
    few = Delays.fit(time[there][:10], exposure[:10], 5.0)
    assert sorted(few.weights.values())[-2] > 0.02
    spread = few.within(np.array([2.0])).chance.std()
    assert spread > 3 * found.within(np.array([2.0])).chance.std()


def test_all_rows_observed_for_the_horizon_are_plain_labels():
    x, _, _, y_true, time, _, _ = cohort(3)
    exposure = np.full(len(x), 3.0)
    s = (y_true & (time <= 3)).astype(float)
    delay = np.where(s == 1, time, np.nan)
    score = logit(np.clip(expit(1.5 * x - 1) * 0.95, 1e-6, 1 - 1e-6))
    found, _ = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    assert found.density.mean == pytest.approx(s.mean(), abs=1e-6)
    assert "that of the labels" in " ".join(found.said)
    np.testing.assert_allclose(found.of_rows.missed, 0, atol=1e-9)


def test_rows_labeled_before_entry_or_late_are_counted_apart():
    x, exposure, delay, y_true, time, s, score = cohort(4)
    plain, _ = silently(LabelDates(1.5), known_of(x, exposure, delay, score, s))
    assert plain.found.n_late == np.sum((s == 1) & (time > 1.5))
    truth = (y_true & (time <= 1.5)).sum() + plain.found.n_late
    lower, upper = (len(s) * end for end in plain.density.interval())
    assert lower < truth < upper
    # Fifty more rows that had their label when they entered.
    more = np.concatenate([x, np.ones(50)])
    more_s = np.concatenate([s, np.ones(50)])
    more_exposure = np.concatenate([exposure, np.ones(50)])
    more_delay = np.concatenate([delay, -np.linspace(0, 3, 50)])
    more_score = np.concatenate([score, np.zeros(50)])
    found, _ = silently(
        LabelDates(1.5), known_of(more, more_exposure, more_delay, more_score, more_s)
    )
    assert found.found.n_before == 50
    assert found.density.mean * len(more) == pytest.approx(50 + plain.density.mean * len(s), abs=3)
    assert "50 rows labeled at or before entry" in " ".join(found.said)


def test_labels_without_a_date_count_but_do_not_tell_delays():
    x, exposure, delay, _, _, s, score = cohort(5)
    gone = (s == 1) & (np.arange(len(s)) % 3 == 0)
    found, _ = silently(
        LabelDates(2), known_of(x, exposure, np.where(gone, np.nan, delay), score, s)
    )
    assert found.found.n_undated == gone.sum()
    assert found.found.n_dated == np.sum(np.isfinite(delay) & ~gone & (delay <= 2))
    whole, _ = silently(LabelDates(2), known_of(x, exposure, delay, score, s))
    assert found.density.mean == pytest.approx(whole.density.mean, rel=0.08)


def test_one_exposure_for_rows_that_left_would_count_too_few():
    rng = np.random.default_rng(6)
    x, _, _, y_true, time, _, _ = cohort(6)
    exposure = rng.uniform(0, 3, len(x))
    s = (y_true & (time <= exposure)).astype(float)
    delay = np.where(s == 1, time, np.nan)
    score = logit(expit(1.5 * x - 1) * s.sum() / y_true.sum())
    right, _ = silently(LabelDates(2), known_of(x, exposure, delay, score, s))
    wrong, _ = silently(LabelDates(2), known_of(x, np.full(len(x), 3.0), delay, score, s))
    truth = (y_true & (time <= 2)).mean()
    assert wrong.density.interval().upper < truth < right.density.interval().upper


def test_labels_that_are_still_coming_are_said():
    x, exposure, delay, _, _, s, score = cohort(7, mean_delay=6.0)
    found, codes = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    assert "PU125" in codes
    assert 0.1 < found.found.still_coming < 0.25
    assert f"{found.found.still_coming:.0%}" in " ".join(found.said)


def test_cohorts_that_differ_are_said_with_both_counts():
    x, exposure, delay, y_true, time, s, score = cohort(8, prevalence=lambda u: 2 * (u - 1.5))
    found, codes = silently(LabelDates(2), known_of(x, exposure, delay, score, s))
    assert "PU126" in codes
    assert found.found.drift_weight > 0.9
    truth = (y_true & (time <= 2)).sum() + found.found.n_late
    assert abs(found.found.with_drift - truth) < 0.5 * abs(found.found.without_drift - truth)
    assert f"{found.found.without_drift:.0f}" in " ".join(found.said)
    x, exposure, delay, _, _, s, score = cohort(0)
    same, codes = silently(LabelDates(2), known_of(x, exposure, delay, score, s))
    assert "PU126" not in codes
    assert same.found.drift_weight < 0.5


def test_few_dated_labels_are_said():
    x, exposure, delay, _, _, s, score = cohort(9)
    many = np.cumsum(s) > 20
    delay = np.where(many, np.nan, delay)
    _, codes = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    assert "PU127" in codes
    with pytest.raises(ValueError, match="at least 5 labeled rows; got 4"):
        LabelDates().missed(
            known_of(x, exposure, np.where(np.cumsum(s) > 4, np.nan, delay), score, s)
        )


def test_new_rows_need_no_dates():
    x, exposure, delay, _, _, s, score = cohort(10)
    found, _ = silently(LabelDates(), known_of(x, exposure, delay, score, s))
    new = found.new_rows.at(score[:5], lambda columns: x[:5, None])
    without_drift = found.of_rows.posterior[:5]
    np.testing.assert_allclose(new.posterior, without_drift, atol=0.05)
    assert np.all(new.missed < new.posterior)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda h, s: None, ["'exposure'", "'delay'", "None"]),
        (lambda h, s: h[["delay"]], ["'exposure'", "'delay'"]),
        (lambda h, s: h.assign(exposure=np.nan), ["exposure for every row", "row 0"]),
        (lambda h, s: h.assign(exposure=-1.0), ["at least 0", "end of observation"]),
        (lambda h, s: h.assign(delay=1.0), ["labeled rows only"]),
        (lambda h, s: h.assign(delay=h["delay"] + 10), ["at most the exposure"]),
        (lambda h, s: h.assign(exposure=pd.Timestamp("2020-01-01")), ["days"]),
        (lambda h, s: h.assign(exposure=np.inf), ["finite"]),
        (lambda h, s: h.iloc[:-1], ["one row"]),
    ],
)
def test_impossible_histories_are_rejected(spoil, words):
    x, exposure, delay, _, _, s, score = cohort(11, n=300)
    known = known_of(x, exposure, delay, score, s)
    spoiled = LabeledScore(score, s, known.design, spoil(known.history, s))
    with pytest.raises(ValueError, match="`history` must") as error:
        LabelDates().missed(spoiled)
    assert all(word in str(error.value) for word in words)


@pytest.mark.parametrize(
    ("horizon", "words"), [(-1, "positive"), ("2", "positive"), (100, "longest"), (1e-4, "longer")]
)
def test_impossible_horizons_are_rejected(horizon, words):
    x, exposure, delay, _, _, s, score = cohort(12, n=300)
    with pytest.raises(ValueError, match=f"`horizon` must.*{words}"):
        LabelDates(horizon).missed(known_of(x, exposure, delay, score, s))


def test_answers_are_rejected_because_they_are_about_something_else():
    x, exposure, delay, _, _, s, score = cohort(13, n=300)
    known = known_of(x, exposure, delay, score, s, checked=np.full(300, np.nan))
    with pytest.raises(ValueError, match="`checked` must be None.*whether it would be labeled"):
        LabelDates().missed(known)
