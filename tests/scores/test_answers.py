"""r by answers: derivatives, evidence, left-out answers, known truth, and what must not matter."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.special import expit, logit

from unlabeled.engine.sampling import Sampling
from unlabeled.scores import PriorDensity, ResolvedPrior, Scale, ScoredRows, fit_answers
from unlabeled.scores._answers import (
    Counted,
    _Blend,
    _by_leaf,
    _Checked,
    _gain_in_words,
    _variance_of_sum,
    derivatives,
    laplace,
    log_posterior,
)
from unlabeled.scores._columns import Columns, RandomTrees


def draw(rng, n=1500, *, tilt=0.0, n_answers=100, d=4, frequency=0.4):
    """A table with P(Y=1|x), labels that follow the second column, and the exact label logit."""
    X = rng.normal(size=(n, d))
    y = expit(2 * X[:, 0] - 0.5)
    e = expit(np.log(frequency / (1 - frequency)) + tilt * X[:, 1])
    y_true = rng.random(n) < y
    s = (y_true & (rng.random(n) < e)).astype(float)
    looked = rng.permutation(np.flatnonzero(s == 0))[:n_answers]
    checked = np.full(n, np.nan)
    checked[looked] = y_true[looked]
    p = y * e
    return X, ScoredRows(np.log(p / (1 - p)), s, checked=checked), y_true, (1 - e) * y / (1 - p)


def by_labels(scored):
    density = scored.class_prior_density(Scale(label_line=(0.0, 1.0)))
    return ResolvedPrior(density.mean, density)


def fit(scored, X, prior):
    return fit_answers(scored, Columns().of_fit(X, scored.s)(None), prior)


def checked_rows(rng, n=60, d=3, groups=None):
    design = rng.normal(size=(n, d))
    offset = rng.normal(size=n)
    answer = (rng.random(n) < expit(offset + design[:, 0])).astype(float)
    trees = RandomTrees.of(rng.normal(size=(400, d)))
    return _Checked.of(offset, design, trees, answer, np.ones(n), groups, 0.3), trees


def test_derivatives_are_finite_differences(rng):
    phi, mode = rng.normal(size=(2, 30, 3)), rng.normal(size=(2, 3))
    rows = rng.normal(size=30), (rng.random(30) < 0.5).astype(float), rng.random(30)
    gradient, precision = derivatives(phi, *rows, mode)
    for k, step in enumerate(1e-5 * np.eye(3)):
        up, down = (log_posterior(phi, *rows, mode + sign * step) for sign in (1, -1))
        np.testing.assert_allclose(gradient[:, k], (up - down) / 2e-5, atol=1e-7)
        up, down = (derivatives(phi, *rows, mode + sign * step)[0] for sign in (1, -1))
        np.testing.assert_allclose(-precision[:, k], (up - down) / 2e-5, atol=1e-7)


def test_the_evidence_is_the_integral_over_the_coefficient(rng):
    phi = 3 * rng.normal(size=(1, 80, 1))
    offset, weight = rng.normal(size=80), np.ones(80)
    answer = (rng.random(80) < expit(offset + 0.5 * phi[0, :, 0])).astype(float)
    mode, _, evidence = laplace(phi, offset, answer, weight)
    best = log_posterior(phi, offset, answer, weight, mode)[0]

    def density(value):
        at = log_posterior(phi, offset, answer, weight, np.array([[value]]))[0]
        return np.exp(at - best) / np.sqrt(2 * np.pi)

    middle = float(mode[0, 0])
    exact = best + np.log(quad(density, middle - 4, middle + 4, points=[middle])[0])
    assert evidence[0] == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_newton_arrives_where_a_full_step_would_diverge(seed):
    rng = np.random.default_rng(seed)
    phi = 20 * rng.normal(size=(4, 15, 6))
    offset, answer = 6 * rng.normal(size=15), (rng.random(15) < 0.5).astype(float)
    mode, _, _ = laplace(phi, offset, answer, np.ones(15))
    gradient, _ = derivatives(phi, offset, answer, np.ones(15), mode)
    np.testing.assert_allclose(gradient, 0, atol=1e-3)


@pytest.mark.parametrize("size", [1, 3])
def test_left_out_logits_are_those_of_a_fit_without_them(rng, size):
    groups = None if size == 1 else np.arange(60) // size
    rows, _ = checked_rows(rng, groups=groups)
    phi = np.column_stack([np.full(60, 3.0), rows.design])[None]
    mode, precision, _ = laplace(phi, rows.offset, rows.answer, rows.weight)
    found = rows._left_out_logits(phi[0], mode[0], precision[0])
    for first in range(0, 30, size):
        out = np.arange(first, first + size)
        weight = rows.weight.copy()
        weight[out] = 0
        without, _, _ = laplace(phi, rows.offset, rows.answer, weight)
        exact = rows.offset[out] + phi[0][out] @ without[0]
        np.testing.assert_allclose(found[out], exact, atol=0.05 * size)


def test_the_variance_of_a_sum_is_that_of_the_gaussian_process(rng):
    """Computed by columns and sums over leaves, and with the covariance of all rows."""
    rows, trees = checked_rows(rng)
    fit = rows.fits()[-1]  # columns with trees
    new, offset, steep = rng.normal(size=(40, 3)), rng.normal(size=40), rng.random(40)
    leaves = trees.leaves(new)

    def kernel(one, other):
        of_trees = (one[2][:, None, :] == other[2][None, :, :]).mean(axis=2)
        of_slope = 0.25 * np.outer(one[0] - 0.3, other[0] - 0.3)
        return 9 + of_slope + 4 / 3 * one[1] @ other[1].T + 2.25 * of_trees

    of_new, of_old = (offset, new, leaves), (rows.offset, rows.design, rows.leaves)
    r = expit(rows.offset + fit.phi[0] @ fit.mode[0])
    inner = kernel(of_old, of_old) + np.diag(1 / (r * (1 - r)))
    across = kernel(of_new, of_old) @ np.linalg.solve(inner, kernel(of_old, of_new))
    exact = steep @ (kernel(of_new, of_new) - across) @ steep
    base = np.column_stack([np.full(40, 3.0), 0.5 * (offset - 0.3), new])
    of_leaf = _by_leaf(leaves, steep, trees.n_nodes)
    assert _variance_of_sum(rows, fit, 0, steep @ base, of_leaf) == pytest.approx(exact, rel=1e-6)


def test_with_many_answers_r_is_the_true_one_and_calibrated(rng):
    X, scored, y_true, r = draw(rng, 2400, tilt=1.5, n_answers=900, d=3)
    found = fit(scored, X, by_labels(scored))
    unknown = (scored.s == 0) & np.isnan(scored.checked)
    assert np.sqrt(np.mean((found.of_rows.missed - r)[unknown] ** 2)) < 0.06
    order = np.argsort(found.of_rows.missed[unknown])
    for part in np.array_split(order, 5):
        expected, true = found.of_rows.missed[unknown][part], y_true[unknown][part]
        error = np.sqrt(np.mean(expected * (1 - expected)) / len(part))
        assert abs(expected.mean() - true.mean()) < 4 * error + 0.02
    assert abs(found.density.mean - y_true.mean()) < 0.03
    assert found.gain > 4 * found.gain_error


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_one_answer_moves_the_count_less_than_its_error_and_not_the_order(rng, answer):
    X, scored, _, _ = draw(rng, n_answers=0)
    prior = by_labels(scored)
    scored.checked[np.flatnonzero(scored.s == 0)[0]] = answer
    found = fit(scored, X, prior)
    before, after = prior.density, found.density
    deviation = np.sqrt(before.probability @ (before.class_prior - before.mean) ** 2)
    assert after.mean == pytest.approx(before.mean, abs=0.7 * deviation)
    np.testing.assert_allclose([*after.interval()], [*before.interval()], atol=deviation)
    p = expit(scored.score)
    y = p + (1 - p) * found.of_rows.missed
    unlabeled = scored.s == 0
    ranks = [pd.Series(one[unlabeled]).rank() for one in (scored.score, y)]
    assert ranks[0].corr(ranks[1]) > 0.99


def blended(n_positive, profile=None):
    """The blend of labels that say 3 % of 1000 unknown rows, and answers that say 12 %."""
    s = np.r_[np.ones(20), np.zeros(1000)]
    scored = ScoredRows(np.zeros(1020), s, checked=np.full(1020, np.nan))
    shares = np.array([0.02, 0.03, 0.04])
    points = (20 + 1000 * shares) / 1020
    chance = np.array([0.25, 0.5, 0.25])
    of_labels = np.empty((2, 0))
    if profile is not None:
        of_labels = np.stack([(20 + 1000 * expit(profile[0])) / 1020, profile[1]])
    density = PriorDensity(points, chance, 1020.0, profile=of_labels)
    counted = Counted(np.full(1020, 0.12), s == 0, np.log(0.12 / 0.88), 0.2, 9.0)
    prior = ResolvedPrior(density.mean, density)
    return _Blend.of(scored, prior, counted, (n_positive, 20)), counted


def test_one_positive_answer_shows_no_error_of_the_labels_and_two_show_a_part():
    share = [blended(number)[0].share for number in range(6)]
    assert 0.03 < share[0] == share[1] < 0.04  # by labels, among the shares that they allow
    assert share[1] + 0.01 < share[2] < share[3] - 0.01
    np.testing.assert_array_equal(share[3:], share[3])


@pytest.mark.parametrize("n_positive", [2, 3])
def test_the_profile_of_labels_and_answers_is_that_of_two_normals(n_positive):
    """A normal profile whose middle may be wrong, and a normal likelihood: both are parabolas."""
    middle, variance = np.log(0.03 / 0.97), 0.3
    points = np.linspace(middle - 12, middle + 12, 4000)
    quadratic = 0.5 * (points - middle) ** 2 / variance
    found, counted = blended(n_positive, (points, quadratic))
    likely = 0.2 / (1 - 0.2 / 9.0)
    of_labels = np.log(np.array([0.02, 0.03, 0.04]) / np.array([0.98, 0.97, 0.96]))
    chance = np.array([0.25, 0.5, 0.25])
    center = chance @ of_labels
    spread = chance @ (of_labels - center) ** 2
    apart = counted.mean - center
    bias = apart**4 / (apart**2 + 3 * (spread + likely)) * (n_positive - 1) / 2
    share, below = found.density.profile
    x = logit((share * 1020 - 20) / 1000)
    expected = 0.5 * (x - middle) ** 2 / (variance + bias) + 0.5 * (x - counted.mean) ** 2 / likely
    np.testing.assert_allclose(below, expected - expected.min(), atol=0.01)
    precision = 1 / (variance + bias) + 1 / likely
    low = (middle / (variance + bias) + counted.mean / likely) / precision - 1.96 / precision**0.5
    assert found.density.interval().lower <= (20 + 1000 * expit(low)) / 1020 + 1e-4


def test_new_rows_get_what_the_same_rows_of_the_fit_got(rng):
    X, scored, _, _ = draw(rng, tilt=1.0)
    columns = Columns()
    found = fit_answers(scored, columns.of_fit(X, scored.s)(None), by_labels(scored))
    again = found.new_rows.at(scored.score[:99], columns.of_rows(X[:99]))
    np.testing.assert_allclose(again.missed, found.of_rows.missed[:99], rtol=1e-9)
    np.testing.assert_allclose(again.posterior, found.of_rows.posterior[:99], rtol=1e-9)


def test_the_order_of_rows_and_columns_changes_nothing(rng):
    X, scored, _, _ = draw(rng, tilt=1.0)
    prior = by_labels(scored)
    found = fit(scored, X, prior)
    rows, columns = rng.permutation(len(X)), rng.permutation(X.shape[1])
    moved = ScoredRows(scored.score[rows], scored.s[rows], checked=scored.checked[rows])
    again = fit(moved, X[rows][:, columns], prior)
    np.testing.assert_allclose(again.of_rows.missed, found.of_rows.missed[rows], rtol=1e-6)
    assert again.gain == pytest.approx(found.gain, rel=1e-6)


def test_copies_in_one_group_tell_no_more_than_one_row(rng):
    _, scored, _, _ = draw(rng, 600)
    twice = np.repeat(np.arange(600), 3)
    many = ScoredRows(
        scored.score[twice], scored.s[twice], checked=scored.checked[twice], groups=twice
    )
    nothing = np.empty((600, 0))
    prior = by_labels(scored)
    one = fit(scored, nothing, prior)
    found = fit(many, nothing[twice], prior)
    np.testing.assert_allclose(found.of_rows.missed, one.of_rows.missed[twice], atol=0.01)
    assert found.density.mean == pytest.approx(one.density.mean, abs=0.005)


def test_with_every_row_checked_the_count_is_known(rng):
    X, scored, y_true, _ = draw(rng, n_answers=10_000, n=300)
    found = fit(scored, X, by_labels(scored))
    assert found.density.mean == pytest.approx(y_true.mean(), abs=1e-12)


def test_a_class_prior_that_was_given_stays(rng):
    X, scored, _, _ = draw(rng)
    found = fit(scored, X, ResolvedPrior(0.6, is_given=True))
    unknown = (scored.s == 0) & np.isnan(scored.checked)
    known = scored.s.sum() + np.nansum(scored.checked)
    assert found.density.mean == 0.6
    assert (known + found.of_rows.missed[unknown].sum()) / len(X) == pytest.approx(0.6, abs=1e-9)


def test_of_two_samples_r_is_the_posterior_of_the_population(rng):
    n, m = 3000, 800
    x = np.concatenate([rng.normal(size=n), rng.normal(1.2, 0.6, size=m)])
    y = expit(2 * x[:n] - 1)
    y_true = rng.random(n) < y
    cases = rng.choice(np.flatnonzero(y_true), m)
    x[n:] = x[cases]
    s = np.repeat([0.0, 1.0], [n, m])
    t = np.log(m / n * expit(2 * x - 1) / y.mean())
    checked = np.full(n + m, np.nan)
    looked = rng.permutation(n)[:400]
    checked[looked] = y_true[looked]
    scored = ScoredRows(t, s, sampling=Sampling.TWO, checked=checked)
    density = scored.class_prior_density(Scale(label_line=(0.0, 1.0)))
    prior = ResolvedPrior(float(Sampling.TWO.rows_prior(density.mean, m / (n + m))), density)
    found = fit(scored, x[:, None], prior)
    assert found.density.mean == pytest.approx(y_true.mean(), abs=0.04)
    assert np.sqrt(np.mean((found.of_rows.missed[:n] - y) ** 2)) < 0.08


def test_an_interval_of_the_count_covers_it():
    """20 tables whose labels follow a column: at a coverage of .95, 17 have a chance of .98."""
    covered = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, scored, y_true, _ = draw(rng, 400, tilt=1.5, n_answers=60, d=2)
        lower, upper = fit(scored, X, by_labels(scored)).density.interval()
        covered += lower <= y_true.mean() <= upper
    assert covered >= 17


# Columns.


def test_columns_are_numbers_levels_and_dates_and_missing_cells_are_at_the_mean(rng):
    n = 100
    frame = pd.DataFrame(
        {
            "a": np.where(np.arange(n) % 10, rng.normal(5, 2, size=n), np.nan),
            "b": np.where(np.arange(n) % 2, "yes", "no"),
            "rare": [f"text {k}" for k in range(n)],
            "day": pd.date_range("2020-01-01", periods=n),
            "same": 1.0,
        }
    )
    columns = Columns()
    found = columns.of_fit(frame, np.arange(n) % 2.0)(None)
    taken = [(name, level) for name, _, level in columns.asked["[]"].taken]
    assert taken == [("a", None), ("b", "no"), ("b", "yes"), ("day", None)]
    assert (found[::10, 0] == 0).all()
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=0.1)
    assert columns.of_rows(frame[:3])(None).shape == (3, 4)


def test_named_columns_are_those_and_the_same_of_new_rows(rng):
    X = rng.normal(3, 2, size=(50, 3))
    for table, name in ((pd.DataFrame(X, columns=["a", "b", "c"]), "c"), (X, 2)):
        columns = Columns()
        found = columns.of_fit(table, np.arange(50) % 2.0)([name])
        np.testing.assert_allclose(found[:, 0], (X[:, 2] - X[:, 2].mean()) / X[:, 2].std(), 1e-5)
        np.testing.assert_array_equal(columns.of_rows(table[:7])([name]), found[:7])


def test_sparse_columns_are_those_of_the_dense_table(rng):
    X = rng.normal(size=(80, 5)) * (rng.random((80, 5)) < 0.3)
    s = (rng.random(80) < 0.5).astype(float)
    found = Columns().of_fit(sparse.csr_array(X), s)(None)
    np.testing.assert_allclose(found, Columns().of_fit(X, s)(None))


def test_of_many_columns_those_that_go_with_the_labels_are_taken(rng):
    X = rng.normal(size=(300, 500))
    columns = Columns()
    columns.of_fit(X, (X[:, 437] > 0.5).astype(float))(None)
    taken = [position for _, position, _ in columns.asked["[]"].taken]
    assert 437 in taken
    assert len(taken) == 200


def test_rows_that_are_no_table_have_no_columns():
    columns = Columns()
    columns.of_fit(["some text", "more text"], np.array([0.0, 1.0]))(None)
    assert columns.of_rows(["new"])(None).shape == (1, 0)


def test_leaves_hold_enough_rows(rng):
    design = rng.normal(size=(500, 3))
    trees = RandomTrees.of(design)
    leaves = trees.leaves(design)
    assert (trees.feature[leaves] == -1).all()
    assert min(np.unique(column, return_counts=True)[1].min() for column in leaves.T) >= 20
    assert np.mean([len(np.unique(column)) for column in leaves.T]) > 2


@pytest.mark.parametrize(
    ("gain", "word"), [(0.1, "more probable"), (-0.1, "less probable"), (0.05, "not clear")]
)
def test_a_gain_within_its_error_is_no_gain(gain, word):
    said = _gain_in_words(gain, 0.03)
    assert word in said
    assert "standard error 0.030" in said
