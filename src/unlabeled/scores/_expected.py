r"""The class of every row, given all that is known of it, and the posterior nearest to that.

A row's class is known if the row is labelled or was checked. For the others stands
:math:`r = P(Y=1|S=0)`: where it comes from is what kinds of knowledge differ in.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logit

from ..engine.arrays import Array
from ..engine.losses import shift_to_mean, softplus_and_sigmoid
from ..engine.rows import weighted_mean
from ._bins import standardised
from ._label_logit import penalised_line
from ._profile import WIDEST_LOGITS, Line
from ._scored_rows import ScoredRows

# Posteriors of unknown rows stay this far from 0 and 1, so that they have a logit.
_INSIDE = 1e-12


def expected_classes(scored: ScoredRows, missed: Array, class_prior: float) -> Array:
    """Return P(Y=1) of every row given all that is known of it.

    Parameters
    ----------
    scored : ScoredRows
    missed : ndarray of shape (n_rows,)
        P(Y=1|S=0) of every row. The logits of unknown rows are moved by one number, so that the
        mean over all rows is the class prior.
    class_prior : float
        P(Y=1) of all rows.

    Returns
    -------
    expected : ndarray of shape (n_rows,)
        1 for labelled rows, the answer for checked rows, and P(Y=1|S=0) for the others.
    """
    unknown = scored.unknown
    expected = np.where(unknown, 0.0, scored.known_positive)
    if np.any(unknown):
        weight = np.ones(len(expected)) if scored.weight is None else scored.weight
        wanted = class_prior * weight.sum() - weight @ expected
        logits = logit(np.clip(missed, _INSIDE, 1 - _INSIDE)[unknown])
        shift = shift_to_mean(logits, wanted / weight[unknown].sum(), weight[unknown])
        expected[unknown] = softplus_and_sigmoid(logits + shift)[1]
    return expected


def line_through(
    scored: ScoredRows, expected: Array, class_prior: float, widest: float = WIDEST_LOGITS
) -> Line:
    """Return the logistic posterior in the score whose fit to the expected classes is best.

    The standard deviation of its logits is at most `widest`. A slope that is not positive
    becomes 0. It is the population's, as `class_prior` is that of all rows.
    """
    weight = np.ones(len(scored.score)) if scored.weight is None else scored.weight
    z, mean, deviation = standardised(scored.score, weight)
    intercept, slope = penalised_line(z, expected, weight, (0.0, 0.0), (0.0, 0.0))
    if slope > 0:
        less = min(1.0, widest / slope)
        slope, intercept = less * slope / deviation, less * intercept
        intercept -= slope * mean
    else:
        intercept = float(logit(np.clip(class_prior, _INSIDE, 1 - _INSIDE)))
    frequency = min(1.0, weighted_mean(scored.s, weight) / class_prior)
    return Line(float(scored.sampling.population_logit(intercept, frequency)), slope)
