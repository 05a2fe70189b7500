"""KM1 and KM2: the label frequency from kernel mean embeddings."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np
from scipy import linalg, sparse
from sklearn.metrics.pairwise import euclidean_distances

from ..engine.parameters import check_choice, check_positive
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    weighted_quantile,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._base import (
    LabelFrequencyEstimator,
    estimator,
    frequency_of_share,
    scale_rows,
)

Variant = Literal["KM1", "KM2"]

_LARGEST_SCALE = 8.0
_SCALE_TOL = 0.02
# KM2's threshold is (1 - this) * first slope + this * distance between the two means.
_KM2_FRACTION = 0.2
_FIRST_SCALE = 1.05
# KM1's threshold is replaced by KM2's if it exceeds this fraction of the distance between the
# means.
_KM1_MOST = 0.9
# Kernel widths that are tried, as multiples of the median distance.
_WIDTHS = 10.0 ** np.linspace(-1, 1, 5)
# Added to the kernel's diagonal. The linear systems on the faces of the hull can then be
# solved, and distances change by less than 1e-4.
_JITTER = 1e-6
_FEASIBLE = 1e-9
_PATIENCE = 3


@estimator(
    looks_at="the means of the two samples in a kernel space",
    breaks="many features, many rows (it is slow)",
)
class KernelMean(LabelFrequencyEstimator):
    r"""Label frequency by kernel mean embedding (KM2, KM1).

    Assumes SCAR (labeled rows are a random sample of the positives), and that the distribution
    of the negatives is not itself a mixture of that of the positives and another one
    (irreducibility). It works on the features themselves, without a score: use it for few,
    informative features and at most a few thousand rows.

    Parameters
    ----------
    variant : {"KM2", "KM1"}, default="KM2"
        How the threshold on the slope of :math:`d(\lambda)` is set; see the notes.
    max_rows : int, default=1000
        With more rows than this, a random subset of this size is used. Labeled rows are drawn
        first, up to half of it, or more if there are too few unlabeled rows. The time grows
        with the cube of the size.
    n_components : int or None, default=50
        If there are more features, they are reduced to `n_components` principal components.
        None uses all features.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    random_state : int, RandomState instance or None, default=None
        Controls the random subset of rows; pass an int for reproducible output.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        P(Y=1) in the whole sample: the fraction of labeled rows divided by `label_frequency_`.
    unlabeled_share_ : float
        P(Y=1|S=0), the share of positives among the unlabeled rows; the method
        estimates this first; at most .875.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The classifiers' default.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    With :math:`\mu_F` and :math:`\mu_H` the embedded means of unlabeled and
    labeled rows, :math:`d(\lambda)` is the distance from
    :math:`\lambda\mu_F + (1-\lambda)\mu_H` to the convex hull of all embedded
    rows. It stays near zero up to :math:`\lambda^* = 1/(1-\alpha_u)` and rises
    beyond. The estimate is where its slope exceeds

    .. math:: \text{KM1: } 1/\sqrt{\min(m, n)}, \qquad
              \text{KM2: } 0.8\,\frac{d(1.05)}{0.05} + 0.2\,\|\mu_F-\mu_H\|,

    found by bisection of [1, 8]. KM2's threshold replaces KM1's if that exceeds
    :math:`.9\,\|\mu_F-\mu_H\|`. The kernel is Gaussian on features of unit
    variance. Five widths around the median distance are tried, and the one with
    the largest distance between the means is used. If a
    random subset is used (`max_rows`), rows are drawn without regard to their weights, and the
    drawn rows keep theirs. **What breaks it:** many uninformative features; few labeled rows;
    a large share of positives among the unlabeled rows: the estimate is too small and cannot
    exceed .875.

    References
    ----------
    H. Ramaswamy, C. Scott, A. Tewari (2016). Mixture proportion estimation via
    kernel embeddings of distributions. ICML, PMLR 48, 2052-2060.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.label_frequency import KernelMean
    >>> rng = np.random.default_rng(0)
    >>> y_true = np.repeat([1, 0], [300, 300])
    >>> X = rng.normal(size=(600, 2)) + 4 * y_true[:, None]
    >>> s = y_true * (rng.random(600) < 0.5)
    >>> abs(KernelMean().fit(X, s).label_frequency_ - 0.5) < 0.1
    True
    """

    def __init__(
        self,
        variant: Variant = "KM2",
        *,
        max_rows: int = 1000,
        n_components: int | None = 50,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.max_rows = max_rows
        self.n_components = n_components
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("variant", self.variant, get_args(Variant))
        check_positive("max_rows", self.max_rows, Integral, "a whole number of at least 1")
        if self.n_components is not None:
            allowed = "None or a whole number of at least 1"
            check_positive("n_components", self.n_components, Integral, allowed)

    def _estimate(self, rows: Rows) -> float:
        self._check_parameters()
        most = max(2, int(self.max_rows))  # one of each kind
        drawn = rows.sample(most, self.random_state, enough_labeled=most // 2)
        part = scale_rows(rows).take(drawn.row_index)
        hull = HullDistance(*best_kernel(points_of(part, self.n_components), part))
        limit = np.inf
        if self.variant == "KM1":
            labeled = part.labeled_share * part.total_weight
            limit = 1 / np.sqrt(min(labeled, part.total_weight - labeled))
        self.unlabeled_share_ = mixture_share(hull, float(limit))
        return frequency_of_share(self.unlabeled_share_, rows.labeled_share)


def mixture_share(hull: HullDistance, limit: float = np.inf) -> float:
    """Largest share of the component in the mixture: KM2, or KM1 with the slope `limit`."""
    if limit > _KM1_MOST * hull.mean_distance:
        first_slope = hull.at(_FIRST_SCALE)[0] / (_FIRST_SCALE - 1)
        limit = (1 - _KM2_FRACTION) * first_slope + _KM2_FRACTION * hull.mean_distance
    low, high = 1.0, _LARGEST_SCALE
    while high - low > _SCALE_TOL:
        middle = (low + high) / 2
        if hull.at(middle)[1] > limit + hull.resolution:
            high = middle
        else:
            low = middle
    return 1 - 2 / (low + high)


def points_of(rows: Rows, n_components: int | None) -> np.ndarray:
    """The features, or their first principal components if there are more than `n_components`.

    Sparse rows always become principal components, which keep the distances.
    """
    if sparse.issparse(rows.X):
        return _principal_components(rows, n_components)
    X = np.asarray(rows.X, dtype=np.float64)
    if n_components is None or X.shape[1] <= n_components:
        return X
    centered = X - np.average(X, axis=0, weights=rows.weight)
    root = 1.0 if rows.weight is None else np.sqrt(rows.weight)[:, None]
    _, _, axes = linalg.svd(centered * root, full_matrices=False)
    return np.asarray(centered @ axes[:n_components].T)


def _principal_components(rows: Rows, n_components: int | None) -> np.ndarray:
    """Principal components of sparse rows, by the inner products of the centered rows."""
    X = rows.X.astype(np.float64, copy=False)
    weight = np.ones(X.shape[0]) if rows.weight is None else rows.weight
    mean = X.T @ weight / weight.sum()
    by_mean = X @ mean
    products = (X @ X.T).toarray() - by_mean - by_mean[:, None] + mean @ mean
    root = np.sqrt(weight)
    values, vectors = linalg.eigh(products * np.outer(root, root))
    first = slice(None, None, -1) if n_components is None else slice(-1, -n_components - 1, -1)
    return np.asarray(vectors[:, first] * np.sqrt(np.maximum(values[first], 0)) / root[:, None])


def best_kernel(points: np.ndarray, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaussian kernel under which the means of U and P differ most, and the weights of U and P."""
    weight = np.ones_like(rows.s) if rows.weight is None else rows.weight
    mixture, component = weight * (1 - rows.s), weight * rows.s
    mixture, component = mixture / mixture.sum(), component / component.sum()
    squared = euclidean_distances(points, squared=True)
    unit = _median(squared, rows.weight) or squared.mean() or 1.0
    kernels = (np.exp(squared / (-2 * unit * width**2)) for width in _WIDTHS)
    gap = mixture - component
    kernel = max(kernels, key=lambda kernel: float(gap @ kernel @ gap))
    return kernel, mixture, component


def _median(squared: np.ndarray, weight: np.ndarray | None) -> float:
    """Lower median over all pairs; a row of weight 2 counts as two rows."""
    values = squared.ravel()
    if weight is None:
        middle = (len(values) - 1) // 2
        return float(np.partition(values, middle)[middle])
    return float(weighted_quantile(values, np.outer(weight, weight).ravel(), 0.5))


class HullDistance:
    r"""Distance d from :math:`u(\lambda) = \lambda F + (1-\lambda) H` to the hull of all points.

    F and H are weights, each summing to one, of points with kernel matrix K;
    the distance is :math:`\min_v \sqrt{(u-v)^T K (u-v)}` over
    :math:`v \ge 0, \sum v = 1`. Block pivoting finds it: guess which v are
    zero, solve for the others, exchange those that came out wrong. This is fast
    for kernels of high rank. If it fails, a walk over the faces of the hull
    finds it, which is fast if few v are positive. Both start from their last
    solution.
    """

    def __init__(self, kernel: np.ndarray, mixture: np.ndarray, component: np.ndarray) -> None:
        self.kernel = kernel + _JITTER * np.eye(len(kernel))
        self.mixture, self.component = mixture, component
        self._last = mixture
        self._corner: np.ndarray | None = None

    @property
    def resolution(self) -> float:
        """Distance between the means that the jitter alone would cause."""
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
        """Minimize v'Kv/2 - v'target over the simplex."""
        v = self._by_blocks(target)
        if v is None:
            v = self._corner = self._by_steps(target)
        self._last = v
        return v

    def _by_blocks(self, target: np.ndarray) -> np.ndarray | None:
        """Exchange all entries with the wrong sign at once (block pivoting); None if it stalls."""
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
        """Walk from face to face inside the hull, from a point or from the end of the last walk."""
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
