"""A report of a fit: one self-contained HTML file.

Needs ``pip install 'unlabeled[tables]'``.
"""

from ...engine.extras import needs_extra

with needs_extra("`unlabeled.app.report`", "tables"):
    from ..table_model import FORMAT
    from ._of_model import write_report
    from ._page import make_report
    from ._rows import ShownRows, read_rows
    from ._summary import ReportError, read_summary

__all__ = [
    "FORMAT",
    "ReportError",
    "ShownRows",
    "make_report",
    "read_rows",
    "read_summary",
    "write_report",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._comparison import about_used_method as about_used_method
from ._page import write_page as write_page
from ._rows import shows_rows as shows_rows
