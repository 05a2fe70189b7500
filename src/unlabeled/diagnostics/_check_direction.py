"""Whether the naive direction can be trusted."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from ._case import Case, NotApplicable
from ._check import Check, Look, listed
from ._directions import DirectionTest, compare_directions

_LEVEL = 0.025
_LARGE_ANGLE = 5.0
_LARGE_BEND = 0.02


def look(case: Case) -> Look:
    """Look for features that bend along the naive score, and for another direction by JOINT.

    Ruud's condition: every feature's mean is linear in the true index. (a) Each
    feature is regressed on the naive score t and t²; the t² terms are tested with
    White's errors and Holm's correction. For normal features the estimated
    score changes nothing in the limit. (b) `compare_directions`. Each has half of
    an error of 5 %. A bend counts if t² also explains 2 % of a feature's variance:
    in large samples every bend is significant. Naive and JOINT apart, by 5 degrees
    at least (a correlation of the scores of 0.996), are a warning for classifiers
    that use the naive direction; all else is a note.
    """
    if not case.is_linear:
        raise NotApplicable("the model's score is not linear in the features")
    facts = _bends(case)
    bent = [name for name, gain in facts["bent"].items() if gain >= _LARGE_BEND]
    words = f"Features bend along the naive score ({listed(bent)})" if bent else ""
    try:
        test = compare_directions(case)
    except NotApplicable as reason:
        if bent:
            return Look("note", f"{words}; JOINT's direction was not compared: {reason}.", facts)
        raise
    facts |= {name: getattr(test, name) for name in ("angle", "statistic", "degrees", "p_value")}
    return _judged(case, test, words, facts)


def _judged(case: Case, test: DirectionTest, bends: str, facts: dict[str, Any]) -> Look:
    apart = (
        f"naive and JOINT directions are {test.angle:.1f} degrees apart (p = {test.p_value:.2g})"
    )
    if test.p_value >= _LEVEL:
        if not bends:
            return Look("fine", _sentence(f"{apart}, which may be chance."), facts)
        return Look("note", f"{bends}, but {apart}, which may be chance.", facts)
    seen = f"{bends}, and {apart}" if bends else _sentence(apart)
    if not case.uses_naive_direction:
        advice = "This classifier does not use the naive direction; do not put it in its place."
        return Look("note", f"{seen}. {advice}", facts)
    if test.angle < _LARGE_ANGLE:
        return Look("note", f"{seen}: more than chance, but little.", facts)
    return Look(
        "warning",
        f"{seen}: Ruud's condition does not hold, and the naive direction is off, or SCAR or the "
        "logistic model is wrong. Use PULogistic() or JointLogistic, whose direction does not "
        "need the condition.",
        facts,
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _bends(case: Case) -> dict[str, Any]:
    """Features whose t² term is significant, with what it adds to R²."""
    score = case.finite_naive.predictor()
    if np.ptp(score) == 0:
        raise NotApplicable("the naive score is constant")
    X = np.delete(case.dense, case.separating, axis=1)
    names = np.delete(np.array(case.names, dtype=object), case.separating)
    p_value, gain = curvature(X, score)
    bent = holm(p_value) < _LEVEL
    found = {str(name): float(g) for name, g in zip(names[bent], gain[bent], strict=True)}
    return {
        "bent": dict(sorted(found.items(), key=lambda one: -one[1])),
        "largest_gain_in_r2": float(gain.max(initial=0.0)),
    }


def curvature(X: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p-value of t² in the regression of each column on (1, t, t²), and its gain in R²."""
    t = (t - t.mean()) / t.std()
    square = t**2 - 1 - np.mean(t**3) * t
    centred = X - X.mean(axis=0)
    linear = centred - np.outer(t, t @ centred / len(t))
    length = float(square @ square)
    slope = square @ centred / length
    residual = linear - np.outer(square, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = slope * length / np.sqrt(square**2 @ residual**2)
        gain = slope**2 * length / np.sum(centred**2, axis=0)
    p_value = 2 * stats.norm.sf(np.abs(np.nan_to_num(z)))
    return np.asarray(p_value), np.nan_to_num(gain)


def holm(p_value: np.ndarray) -> np.ndarray:
    """p-values corrected for their number by Holm's method.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_value)
    corrected = np.empty_like(p_value)
    factors = len(p_value) - np.arange(len(p_value))
    corrected[order] = np.minimum(np.maximum.accumulate(p_value[order] * factors), 1.0)
    return corrected


direction = Check("direction", "PU203", look)
