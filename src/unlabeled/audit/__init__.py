"""Rows drawn to be checked by hand, and what the answers say whatever the labelling."""

from ._audit import Audit, draw_audit
from ._direct_scar_test import (
    ColumnScarTests,
    DirectScarTest,
    direct_scar_test,
    direct_scar_test_by_column,
)
from ._recut import AuditedClassifier
from ._result import AuditResult, pool_audits

__all__ = [
    "Audit",
    "AuditResult",
    "AuditedClassifier",
    "ColumnScarTests",
    "DirectScarTest",
    "direct_scar_test",
    "direct_scar_test_by_column",
    "draw_audit",
    "pool_audits",
]
