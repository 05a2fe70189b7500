"""What is known beside the labels: a class prior, and P(Y=1|S=0) of every row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.rows import Rows, weighted_mean
from ..scores import ResolvedPrior

_ROUNDING = 1e-9


class Knowledge(NamedTuple):
    """What is known beside the labels.

    Attributes
    ----------
    prior : ResolvedPrior or None
        The class prior, if it was given, or if it does not come from the held-out scores.
    posterior_if_unlabelled : ndarray of shape (n_rows,) or None
        P(Y=1|S=0) of every row; None if it follows from the held-out scores.
    """

    prior: ResolvedPrior | None = None
    posterior_if_unlabelled: np.ndarray | None = None


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
