"""Claims, figures, tables and the page, made from records alone."""

from ._claims import CLAIMS
from ._figures import RC, Drawing, add_legend, panels
from ._records import check_records, method_name, summarize
from ._tables import Table
from ._unstated_choices import UNSTATED_CHOICES
from ._words import number, with_error
from ._write import write_outcome, write_outcome_from

__all__ = [
    "CLAIMS",
    "RC",
    "UNSTATED_CHOICES",
    "Drawing",
    "Table",
    "add_legend",
    "check_records",
    "method_name",
    "number",
    "panels",
    "summarize",
    "with_error",
    "write_outcome",
    "write_outcome_from",
]
