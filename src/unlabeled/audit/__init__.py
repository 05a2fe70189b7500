"""Rows drawn to be checked by hand, and what the answers say whatever the labeling."""

from ..engine.rows import chosen_beforehand
from ._audit import Audit, draw_audit
from ._recut import AuditedClassifier
from ._refit import Refit
from ._result import AuditResult, pool_audits

__all__ = [
    "Audit",
    "AuditResult",
    "AuditedClassifier",
    "Refit",
    "chosen_beforehand",
    "draw_audit",
    "pool_audits",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package and studies, not for users.
from ._audit import design_of as design_of
from ._audit import draw_rows as draw_rows
from ._predictions import TablePredictions as TablePredictions
from ._predictions import judge as judge
from ._score_interval import Tally as Tally
from ._score_interval import measure_intervals as measure_intervals
from ._table import measure_of as measure_of
from ._words import on_ends as on_ends
