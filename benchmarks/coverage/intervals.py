"""One sample, and whether each interval contains the truth."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import hide_labels, load_uci
from unlabeled.inference import Bootstrap, Interval, Intervals, bootstrap

from .designs import DESIGNS, Draw, draw, naive_aim, population

RESAMPLES, FEW_RESAMPLES = 299, 39


def measure(seed: int, *, design: str, n: int, c: float) -> dict[str, float]:
    """Intervals from the likelihood: coefficients of both models, c and the class prior."""
    sample = draw(design, n, c, seed)
    X, s = sample.X, sample.s
    beta = DESIGNS[design].beta
    truth = np.array([*beta[1:], beta[0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        naive, joint = NaiveLogistic().fit(X, s), JointLogistic().fit(X, s)
        found = _covered("naive", naive.estimates(X, s).interval(), naive_aim(design, c))
        for kind in ("sandwich", "observed", "expected"):
            interval = joint.estimates(X, s, kind=kind).interval()[: len(truth)]
            found |= _covered(f"joint_{kind}", interval, truth)
        wald = joint.estimates(X, s, kind="expected")
        frequency = joint.label_frequency_interval(X, s)
        prior = joint.class_prior_interval(X, s)
    aim = population(design).class_prior
    found |= {
        "c_estimate": joint.label_frequency_,
        "at_boundary": float(joint.at_boundary_),
        **_ends("c_profile", frequency, c),
        "c_profile_contains_one": float(1.0 in frequency),
        "c_logit": _on_logit(wald, c),
        "class_prior": joint.class_prior_,
        **_ends("class_prior", prior, aim),
    }
    return found


def measure_bootstrap(seed: int, *, design: str, n: int, c: float) -> dict[str, float]:
    """Bootstrap intervals: c, the class prior, and the rule that EnhancedLogistic deploys."""
    sample, model = draw(design, n, c, seed), EnhancedLogistic()
    drawn = _bootstrapped(model, sample, seed, RESAMPLES)
    found = _rule_covered(drawn, model, design)
    for name, aim in {"label_frequency": c, "class_prior": population(design).class_prior}.items():
        found |= _ends(f"{name}_percentile", drawn.interval(name), aim)
    found["c_contains_one"] = float(drawn.interval("label_frequency").upper >= 1)
    return found


def measure_pu_logistic(seed: int, *, design: str, n: int, c: float) -> dict[str, float]:
    """Measure the same of PULogistic, whose class prior is averaged over curves."""
    sample, model = draw(design, n, c, seed), PULogistic()
    drawn = _bootstrapped(model, sample, seed, FEW_RESAMPLES)
    found = _rule_covered(drawn, model, design)
    prior = population(design).class_prior
    found |= _ends("label_frequency", drawn.interval("label_frequency"), c)
    return found | _ends("class_prior", drawn.interval("class_prior"), prior)


def measure_scores(seed: int, *, design: str, n: int, c: float) -> dict[str, float]:
    """Measure intervals of one logistic curve along held-out scores, and of coefficients."""
    sample, beta = draw(design, n, c, seed), DESIGNS[design].beta
    truth = np.array([*beta[1:], beta[0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(sample.X, sample.s)
        interval = model.estimates(sample.X, sample.s).interval()
        frequency, prior = one_curve(model.held_out_score_, sample.s)
    return _covered("coefficient", interval, truth) | {
        "class_prior": model.class_prior_,
        **_ends("class_prior", prior, population(design).class_prior),
        **_ends("c", frequency, c),
    }


def measure_real_prior(seed: int, *, dataset: str, c: float) -> dict[str, float]:
    """Label positives of a real set at random; count them by one logistic curve along a line."""
    data = load_uci(dataset)
    s = hide_labels(data.y_true, c, random_state=seed % 2**31)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(data.X, s)
        _, interval = one_curve(model.held_out_score_, s)
    truth = float(data.y_true.mean())
    return {
        "class_prior": interval.estimate,
        "truth": truth,
        **_ends("class_prior", interval, truth),
    }


def one_curve(score: np.ndarray, s: np.ndarray) -> tuple[Any, Any]:
    """Return the intervals of c and of the class prior by one logistic curve along a score."""
    model = JointLogistic(tol=1e-8).fit(score[:, None], s)
    found = model.label_frequency_interval, model.class_prior_interval
    return found[0](score[:, None], s), found[1](score[:, None], s)


def _bootstrapped(model: Any, sample: Draw, seed: int, n_resamples: int) -> Bootstrap:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(sample.X, sample.s)
        return bootstrap(
            model,
            sample.X,
            sample.s,
            n_resamples=n_resamples,
            random_state=seed % 2**31,
        )


def _rule_covered(drawn: Bootstrap, model: Any, design: str) -> dict[str, float]:
    """Whether intervals contain the rates of the fitted rule in the population."""
    points = population(design)
    positive = model.decision_function(points.X) > 0
    recall, share, prior = points.recall(positive), float(positive.mean()), points.class_prior
    aims = {
        "recall": recall,
        "share": share,
        "f1_pu": recall**2 / share,
        "precision": prior * recall / share,
        "f1": 2 * prior * recall / (prior + share),
    }
    found: dict[str, float] = {"n_failed": drawn.n_failed}
    for name, aim in aims.items():
        found |= _ends(name, drawn.interval(name), aim)
    return found


def _covered(name: str, intervals: Intervals, truth: np.ndarray) -> dict[str, float]:
    inside = [aim in interval for interval, aim in zip(intervals, truth, strict=True)]
    words = [*(f"x{j + 1}" for j in range(len(truth) - 1)), "intercept"]
    return {f"{name}.{word}": float(one) for word, one in zip(words, inside, strict=True)}


def _ends(name: str, interval: Interval, aim: float) -> dict[str, float]:
    return {
        name + "_covers": float(interval.lower <= aim <= interval.upper),
        name + "_lower": interval.lower,
        name + "_upper": interval.upper,
    }


def _on_logit(estimates: Any, c: float) -> float:
    """Whether the normal interval on the logit scale contains c; NaN at the boundary."""
    if c == 1 or "logit c" not in estimates.names:
        return np.nan
    lower, upper = estimates.interval()[-1]
    return float(lower <= np.log(c / (1 - c)) <= upper)
