"""From the answers of checked rows to the class prior, the posterior and the recall of a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from ..engine.linear_fits import LinearProblem
from ..engine.losses import shift_to_mean, softplus_and_sigmoid
from ..engine.rows import Rows, weighted_mean
from ..scores import Line, fit_checked_score

_TOL, _MOST_ITERATIONS = 1e-9, 200
# Posteriors of unchecked rows stay this far from 0 and 1, so that they have a logit.
_INSIDE = 1e-12
_ROUNDING = 1e-9


@dataclass(frozen=True)
class AnsweredScore:
    """What labels and answers say about a held-out score.

    Attributes
    ----------
    class_prior : float
        P(Y=1) in the table: the mean of `expected`.
    expected : ndarray of shape (n_rows,)
        P(Y=1) of every row given all that is known of it: 1 for labelled rows, the answer for
        checked rows, and P(Y=1|S=0,t) for the others.
    """

    class_prior: float
    expected: np.ndarray
    _score: np.ndarray
    _weight: np.ndarray | None

    @classmethod
    def of(cls, score: np.ndarray, rows: Rows, class_prior: float) -> AnsweredScore:
        """Fit the curve of the posterior to labels and answers.

        The logits of the unchecked rows are then moved by one number, so that the mean is
        `class_prior`, P(Y=1).
        """
        assert rows.checked is not None
        curve = fit_checked_score(score, rows.s, rows.checked, rows.weight)
        return cls.with_missed(curve.posterior_if_unlabelled(score), score, rows, class_prior)

    @classmethod
    def with_missed(
        cls, missed: np.ndarray, score: np.ndarray, rows: Rows, class_prior: float
    ) -> AnsweredScore:
        """Take P(Y=1|S=0) of every row, and move it to `class_prior` in the same way."""
        missed = np.clip(missed, _INSIDE, 1 - _INSIDE)
        unknown = rows.s == 0
        if rows.checked is not None:
            unknown &= np.isnan(rows.checked)
        expected = np.where(unknown, 0.0, rows.known_positive)
        if np.any(unknown):
            weight = np.ones(len(score)) if rows.weight is None else rows.weight
            wanted = class_prior * weight.sum() - weight @ expected
            logits = logit(missed[unknown])
            shift = shift_to_mean(logits, wanted / weight[unknown].sum(), weight[unknown])
            expected[unknown] = softplus_and_sigmoid(logits + shift)[1]
        return cls(class_prior, expected, score, rows.weight)

    def line(self, widest: float) -> Line:
        """Return the logistic posterior in the score whose fit to `expected` is best.

        The standard deviation of its logits is at most `widest`. A slope that is not positive
        becomes 0.
        """
        mean = weighted_mean(self._score, self._weight)
        deviation = np.sqrt(weighted_mean((self._score - mean) ** 2, self._weight)) or 1.0
        place = ((self._score - mean) / deviation)[:, None]
        fit = LinearProblem.of(place, self._weight).fit_logistic(
            self.expected, _TOL, _MOST_ITERATIONS
        )
        slope = float(fit.coef[0])
        if not slope > 0:
            return Line(float(logit(np.clip(self.class_prior, _INSIDE, 1 - _INSIDE))), 0.0)
        less = min(1.0, widest / slope)
        slope, intercept = less * slope / deviation, less * fit.intercept
        return Line(intercept - slope * mean, slope)


def reject_impossible_prior(class_prior: float, rows: Rows) -> None:
    """Raise if a given class prior contradicts the answers of checked rows."""
    low = weighted_mean(rows.known_positive, rows.weight)
    high = 1 - weighted_mean((rows.checked == 0).astype(np.float64), rows.weight)
    if not low * (1 - _ROUNDING) <= class_prior <= high * (1 + _ROUNDING):
        low, high, class_prior = map(rows.population_prior, (low, high, class_prior))
        raise ValueError(
            "`class_prior` must be at least the share of rows known to be positive, "
            f"{low:.4g}, and at most the share of rows not found negative, {high:.4g}; got "
            f"{class_prior:.6g}. Leave it out: the answers estimate it."
        )
