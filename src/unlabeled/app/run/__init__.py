"""What the commands compute: functions without options or exit codes, with typed results.

A function takes a table, or a fit, and what to do with it, as a dataclass whose fields have the
names of the options; the command line adds options, words and exit codes.
"""

from ._audit_answers import AuditOutput, read_and_audit, write_audited
from ._audit_draw import (
    DrawnAudit,
    draw_rows_to_check,
    expected_lengths,
    reject_drawn_before,
    write_check,
)
from ._audit_files import (
    AUDITED,
    AUDITED_ROWS,
    CHECK_CSV,
    CHECK_FILES,
    CHECK_HTML,
    CHECK_JSON,
    DRAWN,
    FORMAT,
    MEASURES,
    AuditInput,
    fit_in,
    read_drawn,
    sealed,
)
from ._diagnose import diagnosis_of
from ._errors import InputError, OutputError, bad_input_of, in_terminal
from ._fit import (
    FILES,
    Clock,
    FitInput,
    add_comparison,
    fit_method,
    record_fit,
    why_not_compared,
    write_fit,
    write_record_again,
)
from ._from_folder import MOST_ROWS, export_model, report_of
from ._methods import (
    AUTO,
    COMPARED,
    ENSEMBLE,
    FITTED,
    FOREST,
    LINE,
    METHODS,
    NAIVE_CUT,
    PROPENSITY,
    check_rule,
    comparison_of,
)
from ._predict import PredictInput, PredictOutput, predict_table
from ._scored_table import REPORT, SCORED, kept_columns
from ._table import LoadedTable, TableInput, loaded_table, threads_for

__all__ = [
    "AUDITED",
    "AUDITED_ROWS",
    "AUTO",
    "CHECK_CSV",
    "CHECK_FILES",
    "CHECK_HTML",
    "CHECK_JSON",
    "COMPARED",
    "DRAWN",
    "ENSEMBLE",
    "FILES",
    "FITTED",
    "FOREST",
    "FORMAT",
    "LINE",
    "MEASURES",
    "METHODS",
    "MOST_ROWS",
    "NAIVE_CUT",
    "PROPENSITY",
    "REPORT",
    "SCORED",
    "AuditInput",
    "AuditOutput",
    "Clock",
    "DrawnAudit",
    "FitInput",
    "InputError",
    "LoadedTable",
    "OutputError",
    "PredictInput",
    "PredictOutput",
    "TableInput",
    "add_comparison",
    "bad_input_of",
    "check_rule",
    "comparison_of",
    "diagnosis_of",
    "draw_rows_to_check",
    "expected_lengths",
    "export_model",
    "fit_in",
    "fit_method",
    "in_terminal",
    "kept_columns",
    "loaded_table",
    "predict_table",
    "read_and_audit",
    "read_drawn",
    "record_fit",
    "reject_drawn_before",
    "report_of",
    "sealed",
    "threads_for",
    "why_not_compared",
    "write_audited",
    "write_check",
    "write_fit",
    "write_record_again",
]
__dir__ = __all__.copy  # dir() shows what users may use
