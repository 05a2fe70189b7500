"""The strength of a ridge that honest scores say is best."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy

import numpy as np

from ..blocks import Array
from ..losses import RowLoss
from ._ridge_fits import RidgeFits, RidgePoint, RowsToScore, Splits
from ._watch import NOBODY, Watch

# The ridge is walked in half decades of the variance it expects of the linear predictor,
# from a predictor that hardly varies to one that is nearly free.
_STEPS_A_DECADE = 2
_FIRST_STEP, _LAST_STEP = -6, 8
# A ridge whose left-out labels are less likely by fewer standard errors is as good as the best.
_AS_GOOD = 0.5


class RidgePath:
    r"""Ridge fits along the strengths, each computed once, and the walk to the best.

    A ridge of inverse strength C expects coefficients of variance C, so a
    linear predictor of variance :math:`v = C \sum_j \mathrm{var}(x_j)`. The
    path is a grid of v, half a decade apart: it does not depend on how many
    features there are. Of strengths that cannot be chosen any more only the
    mean log-likelihood is kept, and the parameters as a start for others.

    Parameters
    ----------
    rows, loss, splits, tol, max_iter
        As in `RidgeFits`.
    theta : ndarray or None
        Where the first fit starts; None starts at the best constant.
    watch, name
        As in `RidgeFits`.

    Attributes
    ----------
    mean_log_likelihoods : dict
        Of every strength that was tried, the mean honest log-likelihood.
    """

    def __init__(
        self,
        rows: RowsToScore,
        loss: RowLoss,
        splits: Splits | None,
        tol: float,
        max_iter: int,
        theta: Array | None = None,
        watch: Watch = NOBODY,
        name: str = "ridge",
    ) -> None:
        self.fits = RidgeFits(rows, loss, splits, tol, max_iter, watch, name)
        self._start_at(theta)

    def _start_at(self, theta: Array | None) -> None:
        self.theta = theta
        self.mean_log_likelihoods: dict[float, float] = {}
        self._points: dict[float, RidgePoint] = {}
        self._thetas: dict[float, Array] = {}

    @property
    def rows(self) -> RowsToScore:
        """What is fitted."""
        return self.fits.rows

    def with_loss(self, loss: RowLoss, name: str, theta: Array) -> RidgePath:
        """Return a path of another loss on the same rows."""
        other = copy(self)
        other.fits = self.fits.with_loss(loss, name)
        other._start_at(theta)
        return other

    def at(self, C: float) -> RidgePoint:
        """Fit and score with one strength, starting from the nearest one fitted before."""
        if C not in self._points:
            self._points[C] = point = self.fits.at(C, self._start(C))
            self.mean_log_likelihoods[C] = point.mean_log_likelihood
        return self._points[C]

    def best(self, C: float | None = None, fine: bool = True) -> RidgePoint:
        """Walk to where the honest log-likelihood is largest, and on to the strongest as good.

        The way starts at `C`, or in the middle of the grid, and goes in decades; half decades are
        looked at if `fine`. As good is what falls short of the largest by less than half the
        standard error of the difference.
        """
        first = 0 if C is None else self._step_of(C)
        best = _climb(self._value, first, _STEPS_A_DECADE)
        if not fine:
            return self._only(self._strongest_as_good(best, _STEPS_A_DECADE))
        # The optimum of a smooth curve lies on the side of the better neighbour.
        upwards = self._value(best + _STEPS_A_DECADE) >= self._value(best - _STEPS_A_DECADE)
        best = max((best, best + (1 if upwards else -1)), key=self._value)
        return self._only(self._strongest_as_good(best, 1))

    def _only(self, step: int) -> RidgePoint:
        """Choose a point, and forget all others."""
        chosen = self._at_step(step)
        self._points, self._thetas = {chosen.C: chosen}, {}
        return chosen

    @property
    def has_points(self) -> bool:
        """Whether some strength is complete."""
        return bool(self._points)

    def best_so_far(self) -> RidgePoint:
        """Return the strength of largest honest log-likelihood among those that are complete."""
        return max(self._points.values(), key=lambda point: _or_worst(point.mean_log_likelihood))

    def _strongest_as_good(self, best: int, stride: int) -> int:
        """Go to stronger ridges while left-out labels hardly tell that they are worse."""
        step = best
        while step - stride >= _FIRST_STEP:
            loss = self._at_step(best).log_likelihood - self._at_step(step - stride).log_likelihood
            mean, error = _mean_and_error(loss, self.rows.weight)
            if not mean <= _AS_GOOD * error:
                break
            step -= stride
        return step

    def _at_step(self, step: int) -> RidgePoint:
        return self.at(self._strength(step))

    def _strength(self, step: int) -> float:
        return float(10 ** (step / _STEPS_A_DECADE) / self.rows.spread)

    def _value(self, step: int) -> float:
        if not _FIRST_STEP <= step <= _LAST_STEP:
            return -np.inf
        C = self._strength(step)
        if C not in self.mean_log_likelihoods:
            self.at(C)
            self._forget_weaker_than_best()
        return _or_worst(self.mean_log_likelihoods[C])

    def _forget_weaker_than_best(self) -> None:
        """Keep scores of the best ridge and of stronger ones, which may be as good."""
        best = max(map(_or_worst, self.mean_log_likelihoods.values()))
        weakest = max(C for C, v in self.mean_log_likelihoods.items() if _or_worst(v) == best)
        for C in [C for C in self._points if C > weakest]:
            self._thetas[C] = self._points.pop(C).fit.theta

    def _step_of(self, C: float) -> int:
        step = round(_STEPS_A_DECADE * np.log10(C * self.rows.spread))
        return int(np.clip(step, _FIRST_STEP, _LAST_STEP))

    def _start(self, C: float) -> Array | None:
        """Parameters on the line through those of the two nearest strengths, in log C."""
        known = [C for C in self.mean_log_likelihoods if C in self._points or C in self._thetas]
        near = sorted(known, key=lambda other: abs(np.log(other / C)))[:2]
        if not near:
            return self.theta
        first = self._theta(near[0])
        if len(near) == 1 or near[0] == C:
            return first
        way = np.log(C / near[0]) / np.log(near[1] / near[0])
        return np.asarray(first + way * (self._theta(near[1]) - first))

    def _theta(self, C: float) -> Array:
        return self._points[C].fit.theta if C in self._points else self._thetas[C]


def _mean_and_error(values: Array, weight: Array | None) -> tuple[float, float]:
    """Mean over rows and its standard error; weights are numbers of rows."""
    count = float(len(values) if weight is None else weight.sum())
    mean = float(np.average(values, weights=weight))
    variance = float(np.average((values - mean) ** 2, weights=weight))
    return mean, float(np.sqrt(variance / count))


def _or_worst(value: float) -> float:
    return value if np.isfinite(value) else -np.inf


def _climb(value: Callable[[int], float], start: int, stride: int) -> int:
    """Go uphill in strides to a point better than both neighbours."""
    best = start
    for direction in (stride, -stride):
        while value(best + direction) > value(best):
            best += direction
        if best != start:
            break
    return best
