"""One row: value, first and second derivative in its linear predictors. No X, no coefficients."""

from ._frequency import KnownFrequencyLoss
from ._logistic import LogisticLoss
from ._product import ProductLoss
from ._row_loss import RowDerivatives, RowLoss
from ._sigmoid import softplus_and_sigmoid

__all__ = [
    "KnownFrequencyLoss",
    "LogisticLoss",
    "ProductLoss",
    "RowDerivatives",
    "RowLoss",
    "softplus_and_sigmoid",
]
