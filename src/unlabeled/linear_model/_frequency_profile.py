"""The largest likelihood of the labels at each label frequency."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..labels import LabelledRows
from ..losses import KnownFrequencyLoss
from ..solvers import LinearProblem

# A change of log c over which a fit is not near any more.
_FAR = 0.1
# Of fits whose mean losses differ by no more than this the first counts, lest rounding decide.
_TIED = 1e-10


class FrequencyProfile:
    """Profile log-likelihood of the label frequency; every value asked for helps the next ones.

    The likelihood has local maxima. So a fit starts from that of the nearest c
    known so far and, where that is far, from the one on the other side of c too, the naive fit
    being that of c = 1. Starts that are far are also tried with the intercept moved by the
    logarithm of the ratio of the two c, which leaves c sigmoid(t) as it is for small t.

    Parameters
    ----------
    linear : LinearProblem
        The rows, ready for fits.
    rows : LabelledRows
    tol, max_iter : float, int
        Of each fit.
    estimate : tuple of float and ndarray
        The label frequency where the likelihood is largest, and the coefficients there.
    """

    def __init__(
        self,
        linear: LinearProblem,
        rows: LabelledRows,
        tol: float,
        max_iter: int,
        estimate: tuple[float, np.ndarray],
    ) -> None:
        self._linear, self._rows = linear, rows
        self._tol, self._max_iter = tol, max_iter
        naive = linear.fit_logistic(rows.s, tol, max_iter)
        self._theta_at = {1.0: naive.theta, estimate[0]: estimate[1]}
        self._value_at: dict[float, float] = {}

    def __call__(self, c: float) -> float:
        """Largest log-likelihood at the label frequency c."""
        if c not in self._value_at:
            self._value_at[c] = self._maximised(c)
        return self._value_at[c]

    def _maximised(self, c: float) -> float:
        loss = KnownFrequencyLoss(c)
        fits = [
            self._linear.fit_near(loss, self._rows.s, self._tol, self._max_iter, start)
            for start in self._starts(c)
        ]
        enough = min(fit.result.value for fit in fits) + _TIED
        best = next(fit for fit in fits if fit.result.value <= enough)
        self._theta_at[c] = best.theta
        return -best.result.value * self._rows.total_weight

    def _starts(self, c: float) -> Iterator[np.ndarray]:
        for other in self._neighbours(c):
            theta, shift = self._theta_at[other], np.log(other / c)
            yield theta
            if self._linear.design.intercept and abs(shift) > _FAR:
                yield np.append(theta[:-1], theta[-1] + shift)

    def _neighbours(self, c: float) -> list[float]:
        """The nearest c that is known, and where that is far the nearest on its other side."""
        by_distance = sorted(self._theta_at, key=lambda other: abs(np.log(other / c)))
        nearest = by_distance[0]
        if abs(np.log(nearest / c)) <= _FAR:
            return [nearest]
        across = [other for other in by_distance if (other > c) != (nearest > c)]
        return [nearest, *across[:1]]
