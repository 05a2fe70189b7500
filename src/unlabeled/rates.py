r"""Every measure as a function of recall r, predicted share q and class prior α.

Under SCAR, PU data give the recall :math:`r = P(\hat Y=1|Y=1) = P(\hat Y=1|S=1)` and the
share :math:`q = P(\hat Y=1)`. They do not give the class prior :math:`\alpha = P(Y=1)`. Share and
class prior refer to the population: to the whole sample, labeled and unlabeled rows together, or
to the unlabeled rows if the labeled ones come from elsewhere (two samples). Then
:math:`TP = \alpha r`, :math:`FP = q - \alpha r`, :math:`FN = \alpha(1-r)` and
:math:`TN = 1 - \alpha - q + \alpha r`.

All functions broadcast over arrays. Nothing is checked or clipped: if the class prior is too
large for the rates, a value can fall outside its range (see :func:`largest_class_prior`). A
ratio with denominator 0, because nothing (or, for MCC, everything) is predicted positive, is 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Rate: TypeAlias = float | NDArray[np.float64]


def precision(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """αr/q, an estimate of P(Y=1|Ŷ=1); 0 when nothing is predicted positive."""
    return _ratio(np.multiply(class_prior, recall), share)


def accuracy(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """1 − α − q + 2αr."""
    return 1 - class_prior - share + 2 * np.multiply(class_prior, recall)


def proxy_accuracy(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """2αr − q, the accuracy less 1 − α."""
    return 2 * np.multiply(class_prior, recall) - share


def balanced_accuracy(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """½(1 + (r − q)/(1 − α)); the best cut maximizes r − q, whatever α."""
    return (1 + np.subtract(recall, share) / np.subtract(1, class_prior)) / 2


def mcc(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """Matthews correlation, √(α/(1−α)) (r − q)/√(q(1−q)); 0 when q is 0 or 1."""
    spread = np.sqrt(np.multiply(share, np.subtract(1, share)))
    odds = np.divide(class_prior, np.subtract(1, class_prior))
    return np.sqrt(odds) * _ratio(np.subtract(recall, share), spread)


def f1(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """2αr/(α + q), the harmonic mean of precision and recall."""
    return fbeta(recall, share, class_prior, beta=1.0)


def fbeta(recall: Rate, share: Rate, class_prior: Rate, *, beta: float) -> Any:
    """(1 + β²)αr/(β²α + q); recall weighs β times as much as precision."""
    weight = beta**2
    true_positives = np.multiply(class_prior, recall)
    return _ratio((1 + weight) * true_positives, weight * np.asarray(class_prior) + share)


def fowlkes_mallows(recall: Rate, share: Rate, class_prior: Rate) -> Any:
    """√(precision · recall) = r√(α/q); 0 when nothing is predicted positive."""
    return np.multiply(recall, np.sqrt(_ratio(class_prior, share)))


def cost(
    recall: Rate, share: Rate, class_prior: Rate, *, miss: float = 1.0, false_alarm: float = 1.0
) -> Any:
    """Mean cost of a row: miss · α(1 − r) + false_alarm · (q − αr)."""
    true_positives = np.multiply(class_prior, recall)
    return miss * (class_prior - true_positives) + false_alarm * (share - true_positives)


def f1_pu(recall: Rate, share: Rate) -> Any:
    """r²/q = (Fowlkes-Mallows)²/α, free of α; 0 when nothing is predicted positive."""
    return _ratio(np.square(recall), share)


def lift(recall: Rate, share: Rate) -> Any:
    """r/q = precision/α, free of α; 0 when nothing is predicted positive."""
    return _ratio(recall, share)


def largest_class_prior(recall: Rate, share: Rate) -> Any:
    """min(q/r, (1−q)/(1−r)): above it a cell of the confusion table would be negative.

    The first bound is αr ≤ q (no more true positives than positive predictions), the
    second its mirror image for negative predictions. A bound that is 0/0 is 1.
    """
    above = _ratio(share, recall, empty=1.0)
    below = _ratio(np.subtract(1, share), np.subtract(1, recall), empty=1.0)
    return np.minimum(np.minimum(above, below), 1.0)


def _ratio(numerator: Any, denominator: Any, empty: float = 0.0) -> Any:
    """Return numerator/denominator, or `empty` if the denominator is 0."""
    top, bottom = np.broadcast_arrays(
        np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    )
    value = np.full(top.shape, empty)
    np.divide(top, bottom, out=value, where=bottom != 0)
    return value[()]
