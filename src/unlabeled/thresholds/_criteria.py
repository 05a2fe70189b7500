"""What rules maximise: functions of recall r, share q and class prior at every cut."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import rates
from ..engine.rows import Array

Prior = float | None


def f1_pu(r: Array, q: Array, prior: Prior) -> Array:
    """Recall squared over share."""
    return rates.f1_pu(r, q)


def exact_f1_pu(labelled: int, total: int) -> Fraction:
    """A number in the order of F1_PU, without rounding."""
    return Fraction(labelled**2, total)


def recall_above_share(r: Array, q: Array, prior: Prior) -> Array:
    """Balanced accuracy up to constants."""
    return r - q


def mcc(r: Array, q: Array, prior: Prior) -> Array:
    """Matthews correlation up to a factor, which is what another prior would change."""
    return rates.mcc(r, q, 0.5)


def fbeta(r: Array, q: Array, prior: Prior, *, beta: float) -> Array:
    """Harmonic mean of precision and recall, recall weighing `beta` times as much."""
    return rates.fbeta(r, q, given(prior), beta=beta)


def accuracy(r: Array, q: Array, prior: Prior) -> Array:
    """Share of right predictions."""
    return rates.accuracy(r, q, given(prior))


def minus_cost(r: Array, q: Array, prior: Prior, *, miss: float, false_alarm: float) -> Array:
    """Minus the mean cost of a row."""
    return -rates.cost(r, q, given(prior), miss=miss, false_alarm=false_alarm)


def fewest_with_recall(r: Array, q: Array, prior: Prior, *, recall: float) -> Array:
    """Minus the share, where the recall is reached."""
    return np.where(r >= recall, -q, -np.inf)


def most_with_precision(r: Array, q: Array, prior: Prior, *, precision: float) -> Array:
    """The share, where the precision is reached."""
    return np.where(rates.precision(r, q, given(prior)) >= precision, q, -np.inf)


def near_share(r: Array, q: Array, prior: Prior, *, share: float) -> Array:
    """Minus the distance to a share."""
    return -np.abs(q - share)


def given(class_prior: Prior) -> float:
    """Return a class prior that must not be missing."""
    if class_prior is None:
        raise ValueError("`class_prior` must be given for this rule; got None.")
    return class_prior
