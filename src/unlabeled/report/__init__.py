"""A report of a fit: one HTML file that needs nothing but itself.

Needs ``pip install 'unlabeled[tables]'``.
"""

from ..extras import needs_extra

with needs_extra("`unlabeled.report`", "tables"):
    from ._page import make_report
    from ._read import FORMAT, ReportError, read_summary
    from ._rows import Rows, read_rows
    from ._write import write_report

__all__ = [
    "FORMAT",
    "ReportError",
    "Rows",
    "make_report",
    "read_rows",
    "read_summary",
    "write_report",
]
