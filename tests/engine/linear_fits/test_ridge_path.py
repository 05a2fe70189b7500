"""Ridge paths: held-out scores, and the walk to the best strength."""

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from unlabeled.engine.linear_fits import RidgePath
from unlabeled.engine.losses import KnownFrequencyLoss, LogisticLoss
from unlabeled.engine.rows import LabelEncoding, Rows

STEPS = np.arange(-6, 9)


def labeled(X, s, weight=None):
    return Rows(X, s, weight, LabelEncoding(np.array([0, 1])))


def rows_of(rng, n=250, p=12, signal=1.0):
    X = rng.normal(size=(n, p))
    posterior = 1 / (1 + np.exp(1 - signal * X[:, 0]))
    return labeled(X, (rng.random(n) < 0.5 * posterior).astype(float))


def path_of(rows, splits=None, tol=1e-6):
    """Return the logistic path; the features of `rows_of` have variance 1."""
    return RidgePath(rows, float(rows.X.shape[1]), splits, tol, 1000)


def test_folds_score_as_scikit_learn_does(rng):
    rows = rows_of(rng)
    splits = list(StratifiedKFold(5).split(rows.X, rows.s))
    point = path_of(rows, splits).at(0.1)
    model = LogisticRegression(C=0.1, tol=1e-8, max_iter=1000)
    scores = cross_val_predict(model, rows.X, rows.s, cv=splits, method="decision_function")
    np.testing.assert_allclose(point.score, scores, atol=1e-4)
    np.testing.assert_allclose(
        point.log_likelihood, rows.s * scores - np.logaddexp(0, scores), atol=1e-4
    )


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_leaving_one_out_in_closed_form_is_near_refits(rng, C):
    rows = rows_of(rng, n=120, p=8)
    refits = [(np.delete(np.arange(120), i), np.array([i])) for i in range(120)]
    exact = path_of(rows, refits, 1e-8).at(C).score
    point = path_of(rows, tol=1e-8).at(C)
    for label in (0.0, 1.0):
        # The refit's intercept moves as well, by nearly the same for rows of one label.
        own = rows.s == label
        optimism = np.std((point.fit.predictor() - exact)[own])
        assert np.std((point.score - exact)[own]) < 0.3 * optimism


def test_without_signal_labeled_rows_are_not_ranked_last(rng):
    """A left-out labeled row lowers the intercept; that must not be taken for a score."""
    rows = rows_of(rng, signal=0.0)
    score = path_of(rows, tol=1e-8).at(1e-5).score
    above = score[rows.s == 1][:, None] > score[rows.s == 0]
    assert 0.25 < above.mean() < 0.75


@pytest.mark.parametrize(
    ("loss", "signal"),
    [
        (LogisticLoss(), 0.3),
        (LogisticLoss(), 1.0),
        (LogisticLoss(), 3.0),
        (KnownFrequencyLoss(0.5), 1.0),
        (KnownFrequencyLoss(0.5), 3.0),
    ],
)
def test_the_walk_ends_at_the_strongest_ridge_that_is_as_good_as_the_best(rng, loss, signal):
    rows = rows_of(rng, signal=signal)
    theta = np.zeros(13)
    grid = path_of(rows).with_loss(loss, "", theta)
    points = [grid.at(10 ** (step / 2) / grid.spread) for step in STEPS]
    best = int(np.argmax([point.mean_log_likelihood for point in points]))
    strongest = best
    while strongest > 0:
        loss_of_step = points[best].log_likelihood - points[strongest - 1].log_likelihood
        if loss_of_step.mean() > 0.5 * loss_of_step.std() / np.sqrt(len(rows.s)):
            break
        strongest -= 1
    chosen = path_of(rows).with_loss(loss, "", theta).best()
    assert chosen.C == pytest.approx(points[strongest].C)


def path_with(rows, log_likelihoods):
    """Return a path on which given steps have given log-likelihoods of the rows; others are bad."""
    path = path_of(rows)

    def at(C):
        step = 2 * np.log10(C * path.spread)
        near = round(step)
        bad = np.full(len(rows.s), -9.0) - abs(near)
        point = SimpleNamespace(C=C, log_likelihood=log_likelihoods.get(near, bad), step=step)
        point.fit = SimpleNamespace(theta=None)
        path.mean_log_likelihoods[C] = float(np.mean(point.log_likelihood))
        path._points[C] = point
        return point

    path.at = at
    return path


def tie(rng, kind, apart):
    """Return log-likelihoods in which one comparison is a tie, but for `apart`.

    Of "as good", the next smaller C is worse than the best by half a standard error. Of "best",
    two neighbors are best; one of them is as good as the next smaller C, and the other is not.
    """
    best, noise = rng.normal(size=250), rng.normal(size=250)
    of_one = noise - noise.mean()
    error = float(of_one.std() / np.sqrt(250))
    if kind == "as good":
        return {0: best, -1: best - of_one - (0.5 + apart) * error, 1: best - 1}
    # The step below them is worse than step 0 by 0.4 standard errors, than step 1 by 0.8.
    return {
        0: best,
        1: best - 0.5 * of_one + apart * error,
        -1: best - of_one - 0.4 * error,
        2: best - 1,
    }


@pytest.mark.parametrize("kind", ["as good", "best"])
def test_what_rounding_decides_hardly_moves_the_chosen_strength(rng, kind):
    rows, at_a_tie = rows_of(rng), rng.integers(1 << 30)

    def chosen(apart):
        lies = tie(np.random.default_rng(at_a_tie), kind, apart)
        return path_with(rows, lies).best().step

    for about in (0.0, -0.003, 0.003, -0.005, 0.005):
        assert chosen(about - 1e-9) == pytest.approx(chosen(about + 1e-9), abs=1e-5)
    # Away from the tie the two outcomes are points of the grid, a step or more apart.
    one, other = chosen(-0.02), chosen(0.02)
    assert (one, other) == (pytest.approx(round(one)), pytest.approx(round(other)))
    assert abs(one - other) >= 0.99


def test_the_walk_does_not_start_where_a_ridge_is_weak(rng):
    """There a likelihood that is not concave has optima that no smaller C leads to."""
    good = {step: np.full(250, -1.0 - 0.1 * abs(step + 1)) for step in range(-6, 5)}
    local = {7: np.full(250, -3.1), 8: np.full(250, -3.0)}
    chosen = path_with(rows_of(rng), good | local).best(1e4 / 12)
    assert chosen.step == pytest.approx(-1)


def test_the_walk_can_start_anywhere(rng):
    rows = rows_of(rng)
    found = [path_of(rows).best(C).C for C in (None, 1e-4, 0.1, 100)]
    assert len({round(np.log10(C), 6) for C in found}) == 1


def test_the_grid_counts_the_variance_of_the_predictor_not_features(rng):
    rows = rows_of(rng, p=6)
    doubled = labeled(np.hstack([rows.X, rows.X]), rows.s)
    one = path_of(rows, tol=1e-8).best()
    two = path_of(doubled, tol=1e-8).best()
    assert two.C == pytest.approx(one.C / 2)
    np.testing.assert_allclose(two.score, one.score, atol=1e-6)


def test_a_row_of_weight_two_leaves_out_one_of_two(rng):
    rows = rows_of(rng, n=80)
    weight = rng.integers(1, 4, 80).astype(float)
    again = np.repeat(np.arange(80), weight.astype(int))
    weighted = labeled(rows.X, rows.s, weight)
    repeated = labeled(rows.X[again], rows.s[again])
    one, other = (path_of(each, tol=1e-9).at(0.3) for each in (weighted, repeated))
    np.testing.assert_allclose(one.score[again], other.score, atol=1e-8)
    assert one.mean_log_likelihood == pytest.approx(other.mean_log_likelihood, abs=1e-10)


def test_a_path_keeps_one_score_however_many_strengths_it_looked_at(rng):
    rows = rows_of(rng, n=20_000, p=2)
    tracemalloc.start()
    path = path_of(rows)
    chosen = path.best()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(path.mean_log_likelihoods) >= 4
    assert kept < 2 * chosen.score.nbytes
    assert path.mean_log_likelihoods[chosen.C] == chosen.mean_log_likelihood


def test_one_copy_of_the_rows_at_a_time_is_made_for_folds(rng):
    rows = rows_of(rng, n=20_000, p=100)
    splits = list(StratifiedKFold(10).split(rows.X, rows.s))
    tracemalloc.start()
    path_of(rows, splits, 1e-4).at(1e-3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * rows.X.nbytes


def test_a_strength_that_was_forgotten_is_found_again(rng):
    rows = rows_of(rng)
    path = path_of(rows, tol=1e-9)
    path.best()
    for C, value in list(path.mean_log_likelihoods.items()):
        assert path.at(C).mean_log_likelihood == pytest.approx(value, abs=1e-9)
