"""Ruud's projection: golden numbers, the identities of Theorem 2, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from reproduction.theory import RuudProjection, class_prior, ruud_projection

FREQUENCIES = (0.1, 0.3, 0.5, 0.6, 0.9)
# (beta0, var) -> (intercept, slope) for each frequency; X ~ N(0, Σ)
GOLDEN = {
    (-1, 1): [
        (-3.63923811, 0.61284214),
        (-2.47953199, 0.67176306),
        (-1.90151356, 0.74210374),
        (-1.68280220, 0.78274399),
        (-1.15325776, 0.93527398),
    ],
    (-1, 3): [
        (-3.64631162, 0.46960040),
        (-2.49033179, 0.53485358),
        (-1.91451080, 0.61780786),
        (-1.69604815, 0.66890175),
        (-1.16013039, 0.88866790),
    ],
    (0, 1): [
        (-3.03044570, 0.43924748),
        (-1.82014363, 0.50213195),
        (-1.17947815, 0.58548202),
        (-0.92295262, 0.63829830),
        (-0.23391562, 0.87523340),
    ],
    (0, 3): [
        (-3.10945344, 0.35290006),
        (-1.90284584, 0.41264961),
        (-1.26287375, 0.49515168),
        (-1.00423661, 0.54977782),
        (-0.27752238, 0.82561685),
    ],
}
GOLDEN_ROWS = [
    (beta0, var, c, *pair)
    for (beta0, var), pairs in GOLDEN.items()
    for c, pair in zip(FREQUENCIES, pairs, strict=True)
]
# The paper's synthetic design: T ~ N(-1, 3), beta0 = -1.
PAPER = [
    (0.3, -2.5822005239, 0.6519600104, 0.0619441063, 0.134036),
    (0.6, -1.7550474735, 0.7692221769, 0.1238882127, 0.267151),
    (0.1, -3.7556039931, 0.5880786327, 0.0206480354, 0.044707),
    (0.5, -1.9855005532, 0.7264488923, 0.1032401772, 0.222944),
    (0.9, -1.1763041727, 0.9305061520, 0.1858323190, 0.398365),
]


def normal_mean(function, mean, var, center=0.0):
    """Return E f(T) by adaptive quadrature, a rule the library does not use."""
    sd = np.sqrt(var)

    def integrand(t):
        return norm.pdf(t, mean, sd) * function(t)

    ends = mean - 12 * sd, mean + 12 * sd
    points = np.clip([center - 3, center, center + 3, mean], *ends)
    return quad(integrand, *ends, points=points, epsabs=1e-14, epsrel=1e-12, limit=400)[0]


def slope_of_sigma(t):
    return expit(t) * expit(-t)


@pytest.mark.parametrize(("beta0", "var", "c", "intercept", "slope"), GOLDEN_ROWS)
def test_projection_equals_the_printed_table(beta0, var, c, intercept, slope):
    assert ruud_projection(beta0, 0, var, c) == pytest.approx((intercept, slope), abs=6e-9)


@pytest.mark.parametrize(("c", "intercept", "slope", "label_share", "mean_score"), PAPER)
def test_projection_on_the_paper_design(c, intercept, slope, label_share, mean_score):
    fitted = ruud_projection(-1, -1, 3, c)
    assert fitted == pytest.approx((intercept, slope), abs=6e-11)
    assert c * class_prior(-1, -1, 3) == pytest.approx(label_share, abs=6e-11)

    def scored(t):  # naive score of positives: the limit of Elkan and Noto's e1
        return expit(-1 + t) * expit(fitted.intercept + fitted.slope * t)

    e1 = normal_mean(scored, -1, 3) / class_prior(-1, -1, 3)
    assert e1 == pytest.approx(mean_score, abs=6e-7)


@pytest.mark.parametrize(
    ("var", "c", "slope"),
    [(1, 0.3, 0.251816), (1, 0.6, 0.528452), (3, 0.3, 0.203137), (3, 0.6, 0.446972)],
)
def test_without_intercepts_slopes_shrink_below_the_label_frequency(var, c, slope):
    fitted = ruud_projection(0, 0, var, c, fit_intercept=False)
    assert fitted.slope == pytest.approx(slope, abs=6e-7)
    assert fitted.intercept == 0
    assert 0 < fitted.slope <= c


@pytest.mark.parametrize("var", [0.2, 3, 40])
@pytest.mark.parametrize("mean", [0.0, 2.0])
@pytest.mark.parametrize("c", [0.05, 0.4, 0.95])
def test_theorem_2_identity_holds_for_any_normal_index(mean, var, c):
    beta0 = -0.7
    intercept, slope = ruud_projection(beta0, mean, var, c)
    true = normal_mean(lambda t: slope_of_sigma(beta0 + t), mean, var, center=-beta0)
    center = -intercept / slope
    fitted = normal_mean(lambda t: slope_of_sigma(intercept + slope * t), mean, var, center)
    assert slope / c == pytest.approx(true / fitted, rel=1e-9)


def test_expected_slope_of_sigma_on_the_paper_design():
    assert normal_mean(lambda t: slope_of_sigma(t - 1), -1, 3) == pytest.approx(
        0.1153184062, abs=6e-11
    )


@pytest.mark.parametrize("var", [1e-3, 3.0, 1000.0])
@pytest.mark.parametrize(("beta0", "c"), [(-3, 0.2), (0, 0.5), (4, 0.5), (4, 0.97)])
def test_projection_solves_the_normal_equations(beta0, var, c):
    mean = 0.5
    intercept, slope = ruud_projection(beta0, mean, var, c)
    sd = np.sqrt(var)

    def residual(power):
        def integrand(z):
            t = mean + sd * z
            return norm.pdf(z) * z**power * (expit(intercept + slope * t) - c * expit(beta0 + t))

        points = [-5, -1, (-beta0 - mean) / sd, (-intercept / slope - mean) / sd, 1, 5]
        return quad(integrand, -12, 12, points=points, epsabs=1e-13, limit=400)[0]

    assert residual(0) == pytest.approx(0, abs=1e-11)
    assert residual(1) == pytest.approx(0, abs=1e-11)


@pytest.mark.parametrize("beta0", [-4.0, 0.0, 1.0, 30.0])
@pytest.mark.parametrize("var", [0.1, 3.0, 100.0])
def test_all_positives_labeled_recovers_the_true_model(beta0, var):
    assert ruud_projection(beta0, 0.5, var, 1.0) == pytest.approx((beta0, 1.0), abs=1e-10)


@pytest.mark.parametrize("beta0", [-3.0, 0.0, 3.0, 20.0])
@pytest.mark.parametrize("c", [0.1, 0.5])
def test_at_most_half_labeled_makes_the_intercept_negative(beta0, c):
    assert ruud_projection(beta0, 0, 2, c).intercept < 0


def test_more_than_half_labeled_may_make_the_intercept_positive():
    assert ruud_projection(4, 0, 2, 0.9).intercept > 0


def test_with_an_intercept_the_slope_may_exceed_the_label_frequency():
    assert ruud_projection(-1, 0, 1, 0.3).slope > 0.3


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_constant_propensity_is_the_label_frequency(fit_intercept):
    expected = ruud_projection(-1, -1, 3, 0.3, fit_intercept=fit_intercept)
    for constant in (lambda y: np.full_like(y, 0.3), lambda y: 0.3):
        fitted = ruud_projection(-1, -1, 3, propensity=constant, fit_intercept=fit_intercept)
        assert fitted == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    "propensity",
    [
        lambda y: 0.3 + 0.6 * y,
        lambda y: y**2,
        lambda y: np.minimum(1, 2 * y),
        lambda y: np.where(y > 0.5, 0.8, 0.2),
    ],
    ids=["line", "square", "kink", "jump"],
)
def test_propensity_of_the_posterior_solves_its_normal_equations(propensity):
    intercept, slope = ruud_projection(-1, -1, 3, propensity=propensity)

    def residual(power):
        def integrand(t):
            posterior = expit(-1 + t)
            gap = expit(intercept + slope * t) - float(propensity(posterior)) * posterior
            return norm.pdf(t, -1, np.sqrt(3)) * t**power * gap

        return quad(integrand, -20, 20, points=[-1, 0, 1, 4], epsabs=1e-13, limit=400)[0]

    assert residual(0) == pytest.approx(0, abs=1e-11)
    assert residual(1) == pytest.approx(0, abs=1e-11)


def test_increasing_propensity_keeps_the_direction_and_steepens_the_fit():
    scar = ruud_projection(-1, -1, 3, 0.5).slope
    assert ruud_projection(-1, -1, 3, propensity=lambda y: 0.2 + 0.6 * y).slope > scar > 0


def test_projection_unpacks_and_names_its_parts():
    fitted = ruud_projection(0, 0, 1, 0.5)
    intercept, slope = fitted
    assert isinstance(fitted, RuudProjection)
    assert (fitted.intercept, fitted.slope) == (intercept, slope)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"c": 0}, r"`c` must be .*got 0\."),
        ({"c": 1.2}, r"`c` must be .* got 1\.2\."),
        ({"c": "half"}, r"`c` must be .* got 'half'\."),
        ({"c": 0.5, "var": 0}, r"`var` must be .* got 0\."),
        ({"c": 0.5, "var": float("nan")}, r"`var` must be .* got nan\."),
        ({"c": 0.5, "beta0": float("inf")}, r"`beta0` must be .*got inf\."),
        ({"c": 0.5, "mean": None}, r"`mean` must be .*got None\."),
        ({}, r"`c` or `propensity` must .*got neither\."),
        ({"c": 0.5, "propensity": np.sqrt}, r"`c` or `propensity` must .*got both\."),
        ({"propensity": lambda y: 3 * y}, r"`propensity` must .*\[0, 1\]; got "),
        (
            {"propensity": lambda y: y / 0 * 0},
            r"`propensity` must .*got nan",
        ),
        ({"propensity": lambda y: y[:2]}, r"`propensity` must .*got shape \(2,\)"),
        ({"c": 0.5, "beta0": -2000}, r"`beta0` .*must .*got"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    arguments = {"beta0": 0, "mean": 0, "var": 1} | arguments
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=message):
        ruud_projection(**arguments)
