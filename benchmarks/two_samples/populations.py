"""Two samples from populations with a logistic posterior and known prevalence."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

from reproduction.studies.draw import seed_of
from unlabeled import JointLogistic, PULogistic, rates
from unlabeled.thresholds import choose_cut, get_rule, with_enough_labeled

from ..coverage.designs import DESIGNS, population
from ..study import Records, repeated

PREVALENCES = (0.02, 0.1, 0.4)
SIZES = ((250, 5000), (1000, 4000), (3000, 3000), (5000, 1000))
CELLS = [(prevalence, *sizes) for prevalence, sizes in product(PREVALENCES, SIZES)]
REPEATS, ONE_SAMPLE_REPEATS = 100, 20
ONE_SAMPLE_FREQUENCY = 0.5
_DESIGN = "paper"
RULES = ("f1", "balanced_accuracy")


@cache
def intercept(prevalence: float) -> float:
    """Return the intercept with which the paper's design has this share of positives."""
    predictor = population(_DESIGN).X @ np.array(DESIGNS[_DESIGN].beta[1:])
    return float(brentq(lambda a: expit(a + predictor).mean() - prevalence, -20, 20))


def posterior(X: np.ndarray, prevalence: float) -> np.ndarray:
    """P(Y=1|x)."""
    return np.asarray(expit(intercept(prevalence) + X @ np.array(DESIGNS[_DESIGN].beta[1:])))


def draw(n: int, prevalence: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of the population with their classes."""
    design = DESIGNS[_DESIGN]
    X = design.features(rng.uniform(size=(n, design.n_features)))
    return X, rng.uniform(size=n) < posterior(X, prevalence)


def draw_cases(n: int, prevalence: float, rng: np.random.Generator) -> np.ndarray:
    """Draw positives."""
    parts, found = [], 0
    while found < n:
        X, y = draw(round(1.2 * n / prevalence) + 100, prevalence, rng)
        parts.append(X[y])
        found += int(y.sum())
    return np.concatenate(parts)[:n]


def measure(prevalence: float, n_cases: int, n_population: int, repeat: int) -> dict[str, float]:
    """Draw two samples, and one with as many labels; fit, and judge the rules on the population."""
    seed = seed_of("two samples", prevalence, n_cases, n_population, repeat)
    rng = np.random.default_rng(seed)
    cases = draw_cases(n_cases, prevalence, rng)
    X, y = draw(n_population, prevalence, rng)
    rows, s = np.vstack([cases, X]), np.repeat([1.0, 0.0], [n_cases, n_population])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = JointLogistic(sampling="two-sample").fit(rows, s)
        found = {
            "truth": float(y.mean()),
            "joint": joint.class_prior_,
            "joint_mean": float(joint.predict_proba(X)[:, 1].mean()),
            **_ends("joint", joint.class_prior_interval(rows, s)),
        }
        line = PULogistic(sampling="two-sample").fit(rows, s)
        found |= {
            "line": line.class_prior_,
            "line_mean": float(line.predict_proba(X)[:, 1].mean()),
            **_ends("line", line.class_prior_interval(of="population")),
            **_ends("table", line.class_prior_interval()),
        }
        fitted = {"two": line, "stacked": PULogistic().fit(rows, s)}
        if repeat < ONE_SAMPLE_REPEATS:
            fitted["one"] = PULogistic().fit(*_one_sample(prevalence, n_cases, rng))
    for rule in RULES:
        found[f"{rule}_one"], found[f"{rule}_best"] = np.nan, best_value(rule, prevalence)
        found |= {f"{rule}_{name}": value_of(rule, one, prevalence) for name, one in fitted.items()}
    return found


def _one_sample(
    prevalence: float, n_labeled: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows of the population and label half of the positives, until enough are labeled."""
    n = round(n_labeled / (ONE_SAMPLE_FREQUENCY * prevalence))
    X, y = draw(n, prevalence, rng)
    return X, (y & (rng.uniform(size=n) < ONE_SAMPLE_FREQUENCY)).astype(float)


def _ends(name: str, interval: Any) -> dict[str, float]:
    return {f"{name}_lower": interval.lower, f"{name}_upper": interval.upper}


def value_of(rule: str, model: PULogistic, prevalence: float) -> float:
    """F1 or balanced accuracy in the population, of the classifier with the cut of a rule."""
    wanted = with_enough_labeled(get_rule(rule), model.cuts_.labeled[-1])
    threshold = choose_cut(model.cuts_, wanted, model.class_prior_).threshold
    X = population(_DESIGN).X
    return _value(rule, model.positive_score(X) > threshold, posterior(X, prevalence))


def _value(rule: str, positive: np.ndarray, y: np.ndarray) -> float:
    recall = float(y[positive].sum() / y.sum())
    return float(getattr(rates, rule)(recall, float(positive.mean()), float(y.mean())))


@cache
def best_value(rule: str, prevalence: float) -> float:
    """Return the largest F1 or balanced accuracy of the population."""
    y = np.sort(posterior(population(_DESIGN).X, prevalence))[::-1]
    share = np.arange(1, len(y) + 1) / len(y)
    values = getattr(rates, rule)(np.cumsum(y) / y.sum(), share, float(y.mean()))
    return float(np.max(values))


RECORDS = Records(
    "populations.csv",
    ("prevalence", "n_cases", "n_population", "repeat"),
    measure,
    lambda: repeated(CELLS, REPEATS),
)
