"""What the border makes of the arguments of `fit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..blocks import is_chunked, namespace_of, weighted_mean
from ._encoding import LabelEncoding


@dataclass(frozen=True)
class LabelledRows:
    """Checked training rows.

    Attributes
    ----------
    X : matrix of shape (n_rows, n_features)
        Dense or CSR; on a device, or in chunks, where the estimator takes such.
    s : column of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others; it lives where X lives.
    weight : column of shape (n_rows,) or None
        Positive weights; rows of weight zero have left.
    encoding : LabelEncoding
    kept : ndarray of bool or None
        Which of the rows passed to `fit` are here; None if all.
    are_copies : bool
        Whether a row of weight 2 is one row that was drawn twice, so that both are left out
        where it is; otherwise it stands for two rows.
    """

    X: Any
    s: Any
    weight: Any
    encoding: LabelEncoding
    kept: np.ndarray | None = None
    are_copies: bool = False

    @property
    def total_weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return self.s.shape[0] * (1.0 if self.weight is None else weighted_mean(self.weight))

    @property
    def labelled_share(self) -> float:
        """Weighted share of labelled rows, the estimate of P(S=1)."""
        return weighted_mean(self.s, self.weight)

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        if is_chunked(self.s):
            return self.s.table.n_labelled
        xp = namespace_of(self.s)
        return int(xp.sum(self.s, dtype=xp.float64))

    def position(self, numbers: Any) -> np.ndarray:
        """Where the rows with these numbers in the user's data are now; those that left are not."""
        numbers = np.asarray(numbers)
        if self.kept is None:
            return np.asarray(np.arange(len(self.s))[numbers])
        place = np.where(self.kept, np.cumsum(self.kept) - 1, -1)[numbers]
        return np.asarray(place[place >= 0])
