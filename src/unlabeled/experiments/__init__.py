"""The paper's studies: plan, run, records, figures and tables."""

from ..extras import needs_extra

with needs_extra("`unlabeled.experiments`", "experiments"):
    from .errors import ResultsError
    from .plan import Batch, Cell, Plan, Study, Task
    from .records import Record
    from .results import read_records
    from .run import RunReport, run_plan
    from .studies import STUDY_NAMES, paper_plan, quick_plan

__all__ = [
    "STUDY_NAMES",
    "Batch",
    "Cell",
    "Plan",
    "Record",
    "ResultsError",
    "RunReport",
    "Study",
    "Task",
    "paper_plan",
    "quick_plan",
    "read_records",
    "run_plan",
]
