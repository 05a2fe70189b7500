"""KM1 and KM2: the class prior from kernel mean embeddings."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..labels import LabelledRows
from ..parameters import check_choice, check_positive
from ._base import LabelFrequencyEstimator
from ._derived_rows import scaled_rows
from ._hull_distance import HullDistance
from ._kernel_points import best_kernel, points_of, random_part
from ._unlabelled_share import frequency_of_share

_LARGEST_SCALE = 8.0
_SCALE_TOL = 0.02
# KM2: the threshold lies this far from the first slope to the distance of the two means.
_KM2_FRACTION = 0.2
_FIRST_SCALE = 1.05
# KM1: a slope above this fraction of the distance of the two means is none to wait for.
_KM1_MOST = 0.9


class KernelMean(LabelFrequencyEstimator):
    r"""Label frequency by kernel mean embedding (KM2, KM1).

    Assumes SCAR and that the negatives are no mixture that contains the
    positives' distribution. Works on the features themselves, no score: use
    it for few, informative features and at most a few thousand rows.

    Parameters
    ----------
    variant : {"KM2", "KM1"}, default="KM2"
        How the threshold for the slope is set.
    max_rows : int, default=1000
        With more rows a random part is used, labelled rows first up to half
        of it. Time grows with its cube.
    n_components : int or None, default=50
        With more features than this their first principal components are
        used; None uses all features.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Draws the part of the rows.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        The share of labelled rows over `label_frequency_`: P(Y=1) in the
        whole sample.
    unlabelled_share_ : float
        P(Y=1|S=0), the share of positives among the unlabelled rows, which is
        what the method estimates; at most .875.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The default of the classifiers.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    With :math:`\mu_F` and :math:`\mu_H` the embedded means of unlabelled and
    labelled rows, :math:`d(\lambda)` is the distance from
    :math:`\lambda\mu_F + (1-\lambda)\mu_H` to the convex hull of all embedded
    rows. It stays near zero up to :math:`\lambda^* = 1/(1-\alpha_u)` and rises
    after it; the estimate is where its slope passes

    .. math:: \text{KM1: } 1/\sqrt{\min(m, n)}, \qquad
              \text{KM2: } 0.8\,\frac{d(1.05)}{0.05} + 0.2\,\|\mu_F-\mu_H\|,

    found by bisection of [1, 8]. KM1's threshold is replaced by KM2's above
    :math:`.9\,\|\mu_F-\mu_H\|`. The kernel is Gaussian on features of unit
    variance, its width the one of five around the median distance for which
    the means differ most. Weights count as numbers of rows where all rows are used.
    **What breaks it:** many uninformative features; few labelled rows; and a
    large share of positives among the unlabelled rows, which is underestimated
    and cannot exceed .875.

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
        variant: str = "KM2",
        *,
        max_rows: int = 1000,
        n_components: int | None = 50,
        positive_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.variant = variant
        self.max_rows = max_rows
        self.n_components = n_components
        self.positive_label = positive_label
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("variant", self.variant, ("KM1", "KM2"))
        check_positive("max_rows", self.max_rows, Integral, "a whole number of at least 1")
        if self.n_components is not None:
            allowed = "None or a whole number of at least 1"
            check_positive("n_components", self.n_components, Integral, allowed)

    def _estimate(self, rows: LabelledRows) -> float:
        self._check_parameters()
        part = random_part(scaled_rows(rows), self.max_rows, self.random_state)
        hull = HullDistance(*best_kernel(points_of(part, self.n_components), part))
        limit = np.inf
        if self.variant == "KM1":
            labelled = part.labelled_share * part.total_weight
            limit = 1 / np.sqrt(min(labelled, part.total_weight - labelled))
        self.unlabelled_share_ = mixture_share(hull, float(limit))
        return frequency_of_share(self.unlabelled_share_, rows.labelled_share)


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
