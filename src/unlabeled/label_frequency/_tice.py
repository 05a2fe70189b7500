"""TIcE: the label frequency from the most labelled corner of a decision tree."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..labels import LabelledRows, check_number_of_folds, is_number_of_folds, label_folds
from ..parameters import check_choice, check_flag, check_fraction, check_positive
from ._base import LabelFrequencyEstimator
from ._tice_search import tice
from ._tice_table import scale_features


class TIcE(LabelFrequencyEstimator):
    r"""Label frequency by tree induction (TIcE).

    Assumes SCAR and some region of the features, found by a few axis-aligned
    cuts, where nearly all rows are positive. Use it when such a region is
    plausible; with overlapping classes it is too low.

    Parameters
    ----------
    cv : int, splitter or iterable, default=5
        Number of random folds, or how to make them; a tree is grown on each
        test part and evaluated on the other rows.
    honest : bool, default=True
        Evaluate regions on rows that did not grow the tree. False repeats the
        laboratory's variant, which evaluates on the rows that did.
    scale : {"minmax", "none"}, default="minmax"
        How features are brought to the cut points .25, .5, .75; "none" takes
        them as given, as the laboratory does after standardising.
    delta : float, default=None
        Error probability of the bound; ``max(0.025, 1 / (1 + 0.004 n))`` if None.
    max_splits : int, default=500
        Most splits of a tree.
    n_iterations : int, default=2
        How often the estimate is put back into its own bound.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        The share of labelled rows over `label_frequency_`: P(Y=1) in the
        whole sample.
    fold_estimates_ : ndarray of shape (n_iterations, cv)
        The estimate of each fold in each iteration.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The default of the classifiers.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    In a region with T rows, L of them labelled, chosen without their labels,
    :math:`E[L/T] = c\,P(Y=1|\text{region}) \le c`; the estimate is the largest
    lower bound :math:`L/T - \sqrt{c_0(1-c_0)(1-\delta)/(\delta T)}` over the
    regions of the tree, averaged over folds. Row weights count as numbers of
    rows, so they should not be normalised.

    **What breaks it:** classes that overlap everywhere (then every region has
    P(Y=1) < 1), and few rows.

    References
    ----------
    J. Bekker, J. Davis (2018). Estimating the class prior in positive and
    unlabeled data through decision tree induction. AAAI.
    https://doi.org/10.1609/aaai.v32i1.11715

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import TIcE
    >>> data = make_paper_gaussian(n=5000, c=0.6, random_state=0)
    >>> TIcE(random_state=0).fit(data.X, data.s).label_frequency_ < 0.6
    True
    """

    _instead_of_sparse = "Use ElkanNoto(), or a few columns made of it, as TruncatedSVD does."

    def __init__(
        self,
        *,
        cv: Any = 5,
        honest: bool = True,
        scale: str = "minmax",
        delta: float | None = None,
        max_splits: int = 500,
        n_iterations: int = 2,
        positive_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.honest = honest
        self.scale = scale
        self.delta = delta
        self.max_splits = max_splits
        self.n_iterations = n_iterations
        self.positive_label = positive_label
        self.random_state = random_state

    def _estimate(self, rows: LabelledRows) -> float:
        self._check_parameters()
        folds = self._folds(rows)
        result = tice(
            scale_features(np.asarray(rows.X), self.scale),
            rows.s,
            folds,
            delta=self.delta,
            max_splits=self.max_splits,
            n_iterations=self.n_iterations,
            honest=self.honest,
            sample_weight=rows.weight,
        )
        self.fold_estimates_ = result.estimates
        return result.label_frequency

    def _folds(self, rows: LabelledRows) -> np.ndarray:
        """Number of the fold of each row."""
        n_rows = len(rows.s)
        if not is_number_of_folds(self.cv):
            folds = np.full(n_rows, -1)
            for number, (_, test) in enumerate(label_folds(rows, self.cv)):
                folds[test] = number
            if np.any(folds < 0):
                raise ValueError("`cv` must put every row into the test part of one split.")
            return folds
        check_number_of_folds(self.cv, n_rows, f"rows ({n_rows})")
        folds = np.arange(n_rows) % self.cv
        check_random_state(self.random_state).shuffle(folds)
        return folds

    def _check_parameters(self) -> None:
        check_choice("scale", self.scale, ("minmax", "none"))
        check_flag("honest", self.honest)
        check_fraction("delta", self.delta, none_allowed=True)
        for name in ("max_splits", "n_iterations"):
            value = getattr(self, name)
            check_positive(name, value, Integral, "a whole number of at least 1")
