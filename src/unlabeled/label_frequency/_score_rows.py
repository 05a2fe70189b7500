"""A loss of one score, minimised over a line and the label frequency by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..blocks import consecutive_slices
from ..losses import RowLoss, softplus_and_sigmoid
from ..solvers import downhill_step, newton
from ._profile import Line

BOUNDARY_LOGIT = 12.0
"""A logit of the label frequency above this is the boundary, c = 1."""

WIDEST_LOGITS = 10.0
"""Standard deviation that the logits of a start have at most."""

# Rows taken at a time, so that what is computed of them stays in the processor's cache.
_BLOCK = 16384
_TOL = 1e-8
# Bins alone may reach a small gradient on rows; the step from there squares it.
_TOL_ON_BINS = 1e-10
# A last Newton step shorter than this, in standard deviations of the score, needs no next one.
_SHORT_STEP = 5e-4
_MOST_STEPS = 100
# A spread under this fraction of the largest score is taken for none.
_CONSTANT = 1e-12


@dataclass(frozen=True)
class ScoreFit:
    """A line in the score, the logit of c where the loss has one, and the mean loss."""

    intercept: float
    slope: float
    logit_c: float
    value: float


@dataclass(frozen=True)
class ScoreRows:
    """Rows of a score, standardised, ready for a loss: an objective of two or three parameters.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
    place : ndarray of shape (n_rows,)
        The standardised score.
    s : ndarray of shape (n_rows,)
    part : ndarray of shape (n_rows,)
        Each row's part of the total weight.
    mean, deviation : float
        Of the score.
    total_weight : float
    fine : ScoreRows or None
        Bins in place of rows, their labels being the labelled share; None where rows are few.
    """

    score: np.ndarray
    place: np.ndarray
    s: np.ndarray
    part: np.ndarray
    mean: float
    deviation: float
    total_weight: float
    fine: ScoreRows | None = None

    @classmethod
    def of(cls, score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> ScoreRows:
        """Standardise; a spread within rounding is none."""
        total = float(len(s) if weight is None else weight.sum())
        part = np.full(len(s), 1 / total) if weight is None else weight / total
        mean = float(part @ score)
        deviation = float(np.sqrt(part @ (score - mean) ** 2))
        if deviation <= _CONSTANT * float(np.max(np.abs(score))):
            deviation = 0.0
        place = (score - mean) / (deviation or 1.0)
        return cls(score, place, s, part, mean, deviation, total)

    @property
    def labelled_share(self) -> float:
        """Weighted share of labelled rows."""
        return float(self.part @ self.s)

    def fit(self, loss: RowLoss, start: Line, logit_c: float = np.nan) -> ScoreFit:
        """Minimise the mean loss by Newton steps."""
        slope = start.slope * self.deviation
        z = np.array([slope, start.intercept + start.slope * self.mean, logit_c])
        z, value = self._minimum(loss, z[: 1 + loss.n_predictors])
        slope = float(z[0]) / self.deviation
        logit_c = float(z[2]) if len(z) == 3 else np.nan
        return ScoreFit(float(z[1]) - slope * self.mean, slope, logit_c, value)

    def _minimum(self, loss: RowLoss, z: np.ndarray) -> tuple[np.ndarray, float]:
        """Newton steps on bins where rows are many, and from there one on the rows."""
        on_rows = _OnScore(self, loss)
        if self.fine is not None:
            near = newton(_OnScore(self.fine, loss), z, _TOL_ON_BINS, _MOST_STEPS)
            # Bins may say that there is no finite optimum where rows say that there is one.
            inside = 0 < near.z[0] <= WIDEST_LOGITS and all(near.z[2:] < BOUNDARY_LOGIT)
            if near.converged and inside:
                value, gradient, hessian = on_rows.value_gradient_hessian(near.z)
                step = downhill_step(hessian, gradient)
                if np.linalg.norm(step) < _SHORT_STEP:  # what is left is its square
                    return near.z + step, value + 0.5 * float(gradient @ step)
                z = near.z
        result = newton(on_rows, z, _TOL, _MOST_STEPS)
        return result.z, result.value

    def mean_posterior(self, logits: np.ndarray) -> float:
        """Weighted mean of the posteriors with these logits, one a row."""
        return float(
            sum(
                self.part[block] @ softplus_and_sigmoid(logits[block])[1]
                for block in consecutive_slices(len(logits), _BLOCK)
            )
        )


class _OnScore:
    """Mean of a loss whose first predictor is a line in the score, and its second a constant."""

    def __init__(self, rows: ScoreRows, loss: RowLoss) -> None:
        self.rows, self.loss = rows, loss
        self.n_parameters = 1 + loss.n_predictors

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        value, gradient = 0.0, np.zeros(self.n_parameters)
        hessian = np.zeros((self.n_parameters, self.n_parameters))
        for block in consecutive_slices(len(self.rows.place), _BLOCK):
            of_block = self._of_block(z, block)
            value += of_block[0]
            gradient += of_block[1]
            hessian += of_block[2]
        return value, gradient, hessian

    def _of_block(self, z: np.ndarray, block: slice) -> tuple[float, np.ndarray, np.ndarray]:
        place, part = self.rows.place[block], self.rows.part[block]
        predictors = (z[0] * place + z[1], *(z[k : k + 1] for k in range(2, self.n_parameters)))
        of_rows = self.loss.derivatives(predictors, self.rows.s[block], second=True)
        slope, curvature = part * of_rows.gradient[0], part * of_rows.hessian[0]
        gradient = [slope @ place, slope.sum()]
        along = curvature * place
        hessian = np.empty((self.n_parameters, self.n_parameters))
        hessian[:2, :2] = [[along @ place, along.sum()], [along.sum(), curvature.sum()]]
        if self.n_parameters == 3:
            gradient.append(part @ of_rows.gradient[1])
            cross = part * of_rows.hessian[1]
            hessian[2, :2] = hessian[:2, 2] = [cross @ place, cross.sum()]
            hessian[2, 2] = part @ of_rows.hessian[2]
        return float(part @ of_rows.value), np.array(gradient), hessian
