"""Distance, in a kernel's space, from a signed mixture of points to their convex hull."""

from __future__ import annotations

import numpy as np
from scipy import linalg

# Added to the kernel's diagonal: keeps faces of the hull solvable, moves distances by < 1e-4.
_JITTER = 1e-6
_FEASIBLE = 1e-9
_PATIENCE = 3


class HullDistance:
    r"""Distance d from :math:`u(\lambda) = \lambda F + (1-\lambda) H` to the hull of all points.

    F and H are weights, each summing to one, of points with kernel matrix K;
    the distance is :math:`\min_v \sqrt{(u-v)^T K (u-v)}` over
    :math:`v \ge 0, \sum v = 1`. Found by block pivoting (guess which v are
    zero, solve for the others, exchange those that came out wrong), which is
    fast for kernels of high rank, or else by walking over the faces of the
    hull, fast where few v are not zero. Both start from their last solution.
    """

    def __init__(self, kernel: np.ndarray, mixture: np.ndarray, component: np.ndarray) -> None:
        self.kernel = kernel + _JITTER * np.eye(len(kernel))
        self.mixture, self.component = mixture, component
        self._last = mixture
        self._corner: np.ndarray | None = None

    @property
    def resolution(self) -> float:
        """What the jitter alone adds to the distance between the means."""
        return float(np.sqrt(_JITTER * np.sum((self.mixture - self.component) ** 2)))

    @property
    def mean_distance(self) -> float:
        """Distance between the means, F - H."""
        gap = self.mixture - self.component
        return float(np.sqrt(gap @ self.kernel @ gap))

    def at(self, scale: float) -> tuple[float, float]:
        r"""Distance d and its derivative :math:`(u-v)^T K (F-H)/d` (envelope theorem)."""
        mixed = scale * self.mixture + (1 - scale) * self.component
        gap = mixed - self._nearest(self.kernel @ mixed)
        image = self.kernel @ gap
        distance = float(np.sqrt(max(gap @ image, 0.0)))
        slope = float(image @ (self.mixture - self.component)) / distance if distance > 0 else 0.0
        return distance, slope

    def _nearest(self, target: np.ndarray) -> np.ndarray:
        """Minimise v'Kv/2 - v'target over the simplex."""
        v = self._by_blocks(target)
        if v is None:
            v = self._corner = self._by_steps(target)
        self._last = v
        return v

    def _by_blocks(self, target: np.ndarray) -> np.ndarray | None:
        """Exchange all entries on the wrong side at once; None when that leads nowhere."""
        free, best, patience = self._last > 0, len(target) + 1, _PATIENCE
        while patience > 0:
            v, gradient = self._on_face(free, target)
            wrong = np.where(free, v < -_FEASIBLE, gradient < -_FEASIBLE)
            n_wrong = int(wrong.sum())
            if n_wrong == 0:
                return np.maximum(v, 0)
            patience = _PATIENCE if n_wrong < best else patience - 1
            best = min(best, n_wrong)
            free = free ^ wrong
        return None

    def _by_steps(self, target: np.ndarray) -> np.ndarray:
        """Walk from face to face, always inside the hull, from a point or the last walk's end."""
        v = self._corner
        if v is None:
            v = np.zeros(len(target))
            v[np.argmin(np.diag(self.kernel) / 2 - target)] = 1.0
        free = v > 0
        for _ in range(10 * len(target)):
            goal, gradient = self._on_face(free, target)
            ahead = free & (goal < -_FEASIBLE)
            if ahead.any():
                steps = v[ahead] / (v[ahead] - goal[ahead])
                v = v + steps.min() * (goal - v)
                free = free & (v > _FEASIBLE * steps.min())
                free[np.flatnonzero(ahead)[np.argmin(steps)]] = False
                v = np.where(free, v, 0)
                continue
            v = np.maximum(goal, 0)
            enters = int(np.argmin(np.where(free, 0, gradient)))
            if free[enters] or gradient[enters] >= -_FEASIBLE:
                break
            free[enters] = True
        return v

    def _on_face(self, free: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Best v with only `free` entries, and the gradient less the multiplier of sum v = 1."""
        face = np.flatnonzero(free)
        factor = linalg.cho_factor(self.kernel[np.ix_(face, face)], lower=True)
        sides = np.column_stack([target[face], np.ones(len(face))])
        plain, ones = linalg.cho_solve(factor, sides).T
        multiplier = (1 - plain.sum()) / ones.sum()
        v = np.zeros(len(target))
        v[face] = plain + multiplier * ones
        return v, self.kernel[:, face] @ v[face] - target - multiplier
