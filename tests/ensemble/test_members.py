"""How a member is scored on rows that it has not seen, and how its setting is chosen."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from unlabeled import PULogistic
from unlabeled.engine.linear_fits import Watch
from unlabeled.engine.rows import LabelEncoding, Rows
from unlabeled.ensemble._members import MemberFits, _bursts, default_members, raw_logit
from unlabeled.scores import fit_line, label_log_likelihood

N = 240
FOLD = np.arange(N) % 3
FOLDS = [(np.flatnonzero(FOLD != k), np.flatnonzero(FOLD == k)) for k in range(3)]


def labeled_rows(s: np.ndarray | None = None, weight: np.ndarray | None = None) -> Rows:
    """Two features; the first one tells the label."""
    rng = np.random.RandomState(0)
    X = rng.normal(size=(N, 2))
    drawn = (rng.random_sample(N) < expit(2 * X[:, 0] - 1)).astype(float)
    encoding = LabelEncoding(np.array([0, 1]))
    return Rows(X, drawn if s is None else s, weight, encoding)


def fits_to(rows: Rows) -> MemberFits:
    return MemberFits(rows, FOLDS, 7, None, Watch("test", 0))


@pytest.fixture(scope="module")
def fits() -> MemberFits:
    return fits_to(labeled_rows())


class Counting(ClassifierMixin, BaseEstimator):
    """Knows the right logit, adds a multiple of a useless feature, and counts its fits."""

    fitted: ClassVar[list[float]] = []

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise

    def fit(self, X: Any, y: Any) -> Counting:
        self.classes_ = np.unique(y)
        self.fitted.append(self.noise)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        p = expit(2 * X[:, 0] - 1 + self.noise * X[:, 1])
        return np.column_stack([1 - p, p])


@pytest.mark.parametrize(
    ("noises", "tried", "best"),
    [
        ((3.0, 0.0, 2.0, 0.0), (3.0, 0.0, 2.0), 0.0),  # it falls at the third
        ((0.0, 3.0, 0.0), (0.0, 3.0), 0.0),
        ((3.0, 2.0, 1.0, 0.0), (3.0, 2.0, 1.0, 0.0), 0.0),
        ((0.0, 1e-9, 3.0), (0.0, 1e-9), 0.0),  # a gain of nothing is not worth going on
    ],
)
def test_the_search_ends_when_the_likelihood_falls(fits, noises, tried, best) -> None:
    Counting.fitted.clear()
    found = fits.best("one", Counting(), [{"noise": noise} for noise in noises])
    assert Counting.fitted == [noise for noise in tried for _ in FOLDS]
    assert found.setting["noise"] == pytest.approx(best, abs=1e-8)
    assert found.estimator is None
    assert fits.finish(Counting(), found).noise == found.setting["noise"]


def test_a_row_s_own_label_does_not_reach_its_held_out_scores() -> None:
    rows, tree = labeled_rows(), DecisionTreeClassifier(random_state=0)
    flipped = rows.s.copy()
    flipped[0] = 1 - flipped[0]

    def out_of_fold(s: np.ndarray) -> np.ndarray:
        return fits_to(labeled_rows(s))._out_of_fold([clone(tree) for _ in FOLDS])

    same_fold = np.isin(np.arange(N), FOLDS[0][1])
    changed = out_of_fold(rows.s) != out_of_fold(flipped)
    assert same_fold[0]
    assert not changed[same_fold].any()
    assert changed[~same_fold].any()


def test_left_out_logits_are_on_a_line_of_those_of_the_folds(fits) -> None:
    rows, tree = fits.rows, DecisionTreeClassifier(max_depth=2, random_state=0)
    found = fits.candidate(tree, {"max_depth": 3})
    raw = np.empty(N)
    for train, test in FOLDS:
        fitted = clone(tree).set_params(max_depth=3).fit(rows.X[train], rows.s[train])
        p = fitted.predict_proba(rows.X[test])[:, 1]
        raw[test] = logit(0.99 * p + 0.01 * rows.s[train].mean())
    line = fit_line(raw, rows.s, np.ones(N))
    assert found.line == pytest.approx(line)
    np.testing.assert_allclose(found.label_logit, line(raw))
    assert found.log_likelihood == pytest.approx(
        label_log_likelihood(line(raw), rows.s).mean(), rel=1e-12
    )


def test_a_member_that_remembers_its_rows_is_found_out(fits) -> None:
    s = fits.rows.s
    found = fits.candidate(DecisionTreeClassifier(random_state=0), {})
    own = fits.finish(DecisionTreeClassifier(random_state=0), found).predict_proba(fits.rows.X)
    remembered = label_log_likelihood(raw_logit(own[:, 1], s.mean()), s).mean()
    assert remembered > -0.02
    assert found.log_likelihood < -0.4


def test_the_line_leaves_out_one_row_at_a_time(fits) -> None:
    found = fits.candidate(PULogistic(), {"C": 1.0})
    assert found.estimator.C == 1.0
    assert fits.finish(PULogistic(), found) is found.estimator
    c, posterior = found.estimator.label_frequency_, found.estimator.held_out_posterior_
    np.testing.assert_allclose(found.label_logit, logit(c * posterior), rtol=1e-9)


class CountedForest(ExtraTreesClassifier):
    """Counts its fits."""

    n_fits: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CountedForest:
        self.n_fits.append(len(y))
        return super().fit(X, y, sample_weight)


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
def test_a_bagged_forest_is_fitted_once_and_scores_rows_out_of_bag(fits) -> None:
    CountedForest.n_fits.clear()
    found = fits.candidate(CountedForest(2, bootstrap=True, oob_score=True), {})
    assert CountedForest.n_fits == [N]
    votes, s = found.estimator.oob_decision_function_, fits.rows.s
    drawn_by_all = votes.sum(axis=1) == 0
    assert 0 < drawn_by_all.sum() < N
    raw = raw_logit(votes[:, 1], s.mean())
    np.testing.assert_allclose(
        found.label_logit, found.line(np.where(drawn_by_all, logit(s.mean()), raw))
    )


@pytest.mark.parametrize(
    ("most", "bursts"),
    [
        (10, [[10]]),
        (20, [[20]]),
        (50, [[20, 40], [50]]),
        (70, [[20, 40, 60], [70]]),
        (120, [[20, 40, 60], [100, 120]]),
        (250, [[20, 40, 60], [100, 160], [250]]),
        (2000, [[20, 40, 60], [100, 160], [250, 400], [640, 1000], [2000]]),
    ],
)
def test_bursts_end_at_the_most_trees(most: int, bursts: list[list[int]]) -> None:
    assert _bursts(most) == bursts


BOOSTED = {
    "max_iter": HistGradientBoostingClassifier(
        max_leaf_nodes=4, min_samples_leaf=5, early_stopping=False
    ),
    "n_estimators": GradientBoostingClassifier(max_depth=2, subsample=0.7),
}


@pytest.mark.parametrize("parameter", BOOSTED)
def test_boosting_in_bursts_is_a_straight_fit_with_the_best_number_of_trees(
    fits: MemberFits, parameter: str
) -> None:
    learning_rate, most = 0.03, 70
    member = BOOSTED[parameter].set_params(learning_rate=learning_rate, **{parameter: most})
    found = fits.candidate(member, {})
    by_stage = {}
    for stage in (20, 40, 60, 70):
        members = [fits._fresh(member, {parameter: stage}) for _ in FOLDS]
        by_stage[stage] = fits._candidate({}, None, fits._out_of_fold(members))
    best = max(by_stage, key=lambda stage: by_stage[stage].log_likelihood)
    assert best > 20
    assert found.setting == {parameter: best}
    np.testing.assert_allclose(found.label_logit, by_stage[best].label_logit, rtol=1e-7)
    whole = fits.finish(member, found)
    straight = clone(member).set_params(random_state=fits.seed, **{parameter: best})
    straight.fit(fits.rows.X, fits.rows.s.astype(int))
    X = fits.rows.X
    np.testing.assert_allclose(whole.predict_proba(X), straight.predict_proba(X), rtol=1e-12)


class CountedBoosting(GradientBoostingClassifier):
    """Notes the number of trees of every fit."""

    grown: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any) -> CountedBoosting:
        self.grown.append(self.n_estimators)
        return super().fit(X, y)


def test_boosting_stops_after_a_burst_whose_last_stage_is_not_the_best(fits: MemberFits) -> None:
    CountedBoosting.grown.clear()
    found = fits.candidate(CountedBoosting(n_estimators=1000, learning_rate=0.5), {})
    assert found.setting["n_estimators"] < 60
    assert CountedBoosting.grown == [60] * len(FOLDS)


def test_boosting_that_stops_by_itself_is_left_to_itself(fits: MemberFits) -> None:
    member = HistGradientBoostingClassifier(max_iter=5, early_stopping=True)
    assert fits.candidate(member, {}).setting == {}


def test_a_score_that_is_no_probability_is_calibrated(fits: MemberFits) -> None:
    found = fits.candidate(LinearSVC(), {})
    assert found.line.slope > 1.5
    share = fits.rows.s.mean()
    nothing = label_log_likelihood(np.full(N, logit(share)), fits.rows.s).mean()
    assert found.log_likelihood > nothing + 0.05
    assert expit(found.label_logit).mean() == pytest.approx(share, abs=0.03)


def test_weights_reach_fits_folds_and_likelihoods() -> None:
    weight = np.random.RandomState(0).uniform(0.5, 3, N)
    rows = labeled_rows(weight=weight)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = fits_to(rows).candidate(tree, {})
    fold = clone(tree).fit(rows.X[FOLDS[0][0]], rows.s[FOLDS[0][0]], weight[FOLDS[0][0]])
    share = np.average(rows.s[FOLDS[0][0]], weights=weight[FOLDS[0][0]])
    raw = raw_logit(fold.predict_proba(rows.X[FOLDS[0][1]])[:, 1], share)
    np.testing.assert_allclose(found.label_logit[FOLDS[0][1]], found.line(raw))
    each = label_log_likelihood(found.label_logit, rows.s)
    assert found.log_likelihood == pytest.approx(np.average(each, weights=weight))


def test_trees_of_the_default_forest_draw_few_rows_of_a_large_table() -> None:
    small, large = dict(default_members(1000)), dict(default_members(10**6))
    assert list(small) == ["line", "trees", "boosting"]
    assert small["trees"].max_samples is None
    assert large["trees"].max_samples == 50_000


def test_seeds_and_jobs_are_set_where_there_are_none(fits: MemberFits) -> None:
    assert fits._fresh(ExtraTreesClassifier(), {}).random_state == fits.seed
    assert fits._fresh(ExtraTreesClassifier(random_state=3), {}).random_state == 3
    assert fits._fresh(ExtraTreesClassifier(), {"random_state": 4}).random_state == 4
