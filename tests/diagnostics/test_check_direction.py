"""The direction check: its formulas against other ways to the same number, and its level."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit, logit

from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics._case import Case, InnerModel, NotApplicable
from unlabeled.diagnostics._check_direction import (
    _joint_along_naive,
    compare_directions,
    curvature,
    holm,
)
from unlabeled.diagnostics._check_label_quality import fit_labeled_negatives


def case_of(X, s):
    return Case(
        InnerModel(None, None, X, tuple(map(str, range(X.shape[1])))), X, s.astype(float), None
    )


def test_curvature_is_least_squares_with_white_s_errors(rng):
    t = rng.exponential(size=400)
    X = np.column_stack([t + rng.normal(size=400), t**2 + t * rng.normal(size=400)])
    p_value, gain = curvature(X, t)
    design = np.column_stack([np.ones(400), t, t**2])
    inverse = np.linalg.inv(design.T @ design)
    for j in range(2):
        coef = inverse @ design.T @ X[:, j]
        residual = X[:, j] - design @ coef
        white = inverse @ (design.T * residual**2) @ design @ inverse
        z = coef[2] / np.sqrt(white[2, 2])
        assert p_value[j] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)
        line = np.polyfit(t, X[:, j], 1)
        less = np.sum((X[:, j] - np.polyval(line, t)) ** 2) - np.sum(residual**2)
        assert gain[j] == pytest.approx(less / np.sum((X[:, j] - X[:, j].mean()) ** 2), rel=1e-6)


def test_holm_is_bonferroni_for_the_smallest_and_keeps_the_order(rng):
    p_value = rng.random(8) / 10
    corrected = holm(p_value)
    assert corrected.min() == pytest.approx(min(1, 8 * p_value.min()))
    assert np.all(np.diff(corrected[np.argsort(p_value)]) >= 0)


def test_the_turn_is_one_newton_step_of_joint_away_from_the_naive_direction(made):
    case = case_of(*made("skewed"))
    test = compare_directions(case)
    joint = case.joint.coef_[0]
    z = case.linear.whitening.inverse @ joint
    naive = case.naive.result.z[:-1]
    cosine = z @ naive / np.linalg.norm(z) / np.linalg.norm(naive)
    assert test.angle == pytest.approx(np.degrees(np.arccos(cosine)), rel=0.15)


def test_the_statistic_does_not_depend_on_units_or_mixing_of_features(made):
    X, s = made("skewed")
    mixed = X @ np.array([[1.0, 2, 0], [0, 10, 1], [0, 0, 0.1]]) + 5
    first, second = compare_directions(case_of(X, s)), compare_directions(case_of(mixed, s))
    assert first.statistic == pytest.approx(second.statistic, rel=1e-3)
    assert first.degrees == second.degrees == 2


def test_scores_along_the_direction_and_of_intercept_and_c_are_zero(made):
    joint = _joint_along_naive(case_of(*made("honest")))
    s = made("honest")[1]
    t = joint.intercept + joint.slope * joint.Z[:, -1]

    def value(x):
        chance = expit(x[2]) * expit(x[0] + x[1] * joint.Z[:, -1])
        return -np.mean(s * np.log(chance) + (1 - s) * np.log1p(-chance))

    at = np.array([joint.intercept, joint.slope, logit(joint.label_frequency)])
    assert np.abs(optimize.approx_fprime(at, value, 1e-7)).max() < 1e-5
    assert t.std() > 0


@pytest.mark.slow
@pytest.mark.parametrize(("n", "c"), [(1000, 0.3), (1000, 0.6), (5000, 0.3), (5000, 0.6)])
def test_levels_on_the_paper_s_design_are_about_five_percent(n, c):
    directions, labels = [], []
    for seed in range(200):
        sample = make_paper_gaussian(n, c, random_state=seed)
        case = case_of(sample.X, sample.s)
        labels.append(fit_labeled_negatives(case.held_out.point.score, case.s).p_value)
        with contextlib.suppress(NotApplicable):  # c = 1 along the score
            directions.append(compare_directions(case).p_value)
    assert len(directions) > 150
    assert np.mean(np.array(directions) < 0.05) < 0.11
    assert np.mean(np.array(labels) < 0.05) < 0.11
