"""The double logistic model and JOINT inside it, for fixed rows and changing labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.special import logit

from ..engine.losses import KnownFrequencyLoss, LogisticLoss, ProductLoss, softplus_and_sigmoid
from ..engine.objective import CONSTANT, FEATURES, Objective
from ..engine.solvers import newton

# Ridge penalty on the whitened slopes, relative to the total log-likelihood. It hardly changes
# a finite optimum, and it makes an infinite one finite.
_RIDGE = 0.1
# Tolerances of the fits, in total log-likelihood.
_PRECISION_NULL, _PRECISION_FULL = 1e-6, 1e-3
_MOST_STEPS = 60
# A logit of c above this counts as the boundary, c = 1.
_BOUNDARY_LOGIT = 12.0
# Largest starting slope of the propensity, in absolute value, and largest starting logit of c.
_LONGEST_START, _HIGHEST_START_LOGIT = 2.0, 2.0
# Eigenvalues of the correlation matrix below this count as 0.
_FLAT = 1e-8


@dataclass(frozen=True)
class NullFit:
    """A fit of JOINT: slopes of the whitened features, intercept and logit of c; its total loss."""

    theta: np.ndarray
    loss: float

    @property
    def label_frequency(self) -> float:
        """The estimate of c."""
        return float(softplus_and_sigmoid(self.theta[-1:])[1][0])


@dataclass(frozen=True)
class Reading:
    """The fit with one feature alone in the propensity.

    Attributes
    ----------
    statistic : float
        Twice the gain in penalized log-likelihood over JOINT.
    slope : float
        Slope of the propensity's logit, per standard deviation of the feature.
    """

    statistic: float
    slope: float


class NestedModels:
    r"""The models :math:`P(S=1|x) = \sigma(x^Tb + b_0)\,\sigma(x^Tg + g_0)`, and JOINT, g = 0.

    Features are whitened, so that nothing depends on their scale or on how they are
    combined. Slopes have a ridge, too small to matter unless the likelihood has no finite
    optimum.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    """

    def __init__(self, X: np.ndarray) -> None:
        centered = X.astype(np.float64) - X.mean(axis=0)
        spread = centered.std(axis=0)
        spread[spread == 0] = 1.0
        standardized = centered / spread
        values, vectors = linalg.eigh(standardized.T @ standardized / len(X))
        kept = values > _FLAT * max(float(values[-1]), 1.0)
        self.Z = np.ascontiguousarray(standardized @ (vectors[:, kept] / np.sqrt(values[kept])))
        # Standardized features are Z @ loadings.T.
        self.loadings = vectors[:, kept] * np.sqrt(values[kept])

    def fit_null(self, s: np.ndarray, starts: list[np.ndarray]) -> NullFit:
        """Fit JOINT from every start, and return the best fit."""
        problem = self._problem(s, full=False)
        precision = _PRECISION_NULL / len(s)
        results = [newton(problem, start, 1e-12, _MOST_STEPS, precision) for start in starts]
        best = min(results, key=lambda result: result.value)
        theta = best.z
        theta[-1] = min(theta[-1], _BOUNDARY_LOGIT)
        return NullFit(theta, best.value * len(s))

    def fit_null_at(self, c: float, s: np.ndarray, start: NullFit) -> NullFit:
        """Fit JOINT with the label frequency c."""
        loss = KnownFrequencyLoss(c)
        problem = Objective(loss, (FEATURES,), self.Z, s, None, _RIDGE / len(s))
        best = newton(problem, start.theta[:-1], 1e-12, _MOST_STEPS, _PRECISION_NULL / len(s))
        gamma = logit(c) if c < 1 else _BOUNDARY_LOGIT
        return NullFit(np.append(best.z, min(gamma, _BOUNDARY_LOGIT)), best.value * len(s))

    def starts(self, s: np.ndarray, fractions: tuple[float, ...]) -> list[np.ndarray]:
        """Return starting values: the naive direction with c at `fractions` of its range."""
        share = float(s.mean())
        naive = Objective(LogisticLoss(), (FEATURES,), self.Z, s, None, _RIDGE / len(s))
        flat = np.append(np.zeros(self.Z.shape[1]), logit(share))
        theta = newton(naive, flat, 1e-8, _MOST_STEPS).z
        points = []
        for c in share + np.array(fractions) * (1 - share):
            start = np.append(theta, logit(c))
            start[-2] -= np.log(c)
            points.append(start)
        return points

    def probability(self, fit: NullFit) -> np.ndarray:
        """Return P(S=1|x) of every row under a fit of JOINT."""
        _, posterior = softplus_and_sigmoid(self.Z @ fit.theta[:-2] + fit.theta[-2])
        return fit.label_frequency * posterior

    def departure(self, s: np.ndarray, null: NullFit) -> float:
        """Return twice the gain of the double logistic model over JOINT (penalized log-likelihood).

        The likelihood has local maxima. So there are two fits from JOINT's optimum, one along
        the efficient score of the propensity's slopes and one with slopes opposite to the
        posterior's. The better fit counts.
        """
        score, variance = self._efficient_score(s, null)
        posterior = null.theta[:-2]
        length = float(np.linalg.norm(posterior)) or 1.0
        directions = [
            np.linalg.lstsq(variance, score, rcond=_FLAT)[0],
            -_LONGEST_START * posterior / length,
        ]
        problem, precision = self._problem(s, full=True), _PRECISION_FULL / len(s)
        values = [
            newton(problem, self._start(null, slopes), 1e-12, _MOST_STEPS, precision).value
            for slopes in directions
        ]
        return max(0.0, 2 * (null.loss - min(values) * len(s)))

    def standing_out(self, s: np.ndarray, null: NullFit, n_most: int) -> np.ndarray:
        """Return at most `n_most` features, those with the largest score statistics."""
        score, scale = self._feature_scores(s, null)
        order = np.argsort(-np.abs(score) / np.where(scale > 0, scale, np.inf), kind="stable")
        return np.asarray(order[: min(n_most, int(np.sum(scale > 0)))])

    def read(self, s: np.ndarray, null: NullFit, feature: int) -> Reading:
        """Fit with one feature alone in the propensity."""
        score, scale = self._feature_scores(s, null)
        along = self.loadings[feature]
        n_own, n_slopes = len(null.theta) - 1, len(along)
        # The slopes of the propensity are a multiple of the feature's loadings.
        expand = np.zeros((n_own + n_slopes + 1, n_own + 2))
        expand[:n_own, :n_own] = np.eye(n_own)
        expand[n_own : n_own + n_slopes, n_own] = along
        expand[-1, -1] = 1.0
        start = self._start(null, along * (score[feature] / scale[feature] ** 2))
        problem = _Restricted(self._problem(s, full=True), expand)
        inside = np.linalg.lstsq(expand, start, rcond=None)[0]
        optimum = newton(problem, inside, 1e-12, _MOST_STEPS, _PRECISION_FULL / len(s))
        return Reading(max(0.0, 2 * (null.loss - optimum.value * len(s))), float(optimum.z[-2]))

    def _start(self, null: NullFit, slopes: np.ndarray) -> np.ndarray:
        longest = float(np.max(np.abs(slopes), initial=0.0))
        slopes = slopes * min(1.0, _LONGEST_START / max(longest, _LONGEST_START))
        return np.concatenate(
            [null.theta[:-1], slopes, [min(null.theta[-1], _HIGHEST_START_LOGIT)]]
        )

    def _feature_scores(self, s: np.ndarray, null: NullFit) -> tuple[np.ndarray, np.ndarray]:
        """Return the efficient score of each feature alone and its deviation, 0 if constant."""
        score, variance = self._efficient_score(s, null)
        squared = np.einsum("jk,kl,jl->j", self.loadings, variance, self.loadings)
        squared[np.sum(self.loadings**2, axis=1) < _FLAT] = 0.0
        return self.loadings @ score, np.sqrt(np.maximum(squared, 0.0))

    def _problem(self, s: np.ndarray, full: bool) -> Objective:
        designs = (FEATURES, FEATURES if full else CONSTANT)
        return Objective(ProductLoss(), designs, self.Z, s, None, _RIDGE / len(s))

    def _efficient_score(self, s: np.ndarray, null: NullFit) -> tuple[np.ndarray, np.ndarray]:
        r"""Return the efficient score of the propensity's slopes, and its variance.

        The efficient score is the gradient of the log-likelihood with JOINT's parameters
        projected out. It is computed for :math:`P(S=1|x) = c(1 + z^Td)\,\sigma(t)` at d = 0.
        This model has the same efficient score as the double logistic model up to the factor
        :math:`1-c`, and it also exists at c = 1.
        """
        _, posterior = softplus_and_sigmoid(self.Z @ null.theta[:-2] + null.theta[-2])
        c = null.label_frequency
        probability = c * posterior
        weight = 1 / np.maximum(probability * (1 - probability), 1e-12)
        own = (c * posterior * (1 - posterior))[:, None]
        nuisance = np.column_stack([own * self.Z, own, posterior])
        slopes = probability[:, None] * self.Z
        weighted = weight[:, None] * nuisance
        projection = np.linalg.lstsq(weighted.T @ nuisance, weighted.T @ slopes, rcond=1e-12)[0]
        cleared = slopes - nuisance @ projection
        score = cleared.T @ (weight * (s - probability))
        return score, cleared.T @ (weight[:, None] * cleared)


class _Restricted:
    """A problem in fewer parameters z; the original parameters are `expand` times z."""

    def __init__(self, problem: Objective, expand: np.ndarray) -> None:
        self.problem, self.expand = problem, expand
        self.n_parameters = expand.shape[1]

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        value, gradient, hessian = self.problem.value_gradient_hessian(self.expand @ z)
        return value, self.expand.T @ gradient, self.expand.T @ hessian @ self.expand
