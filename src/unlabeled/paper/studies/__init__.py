"""The paper's studies: plan, run, records, figures and tables."""

from ...engine.extras import needs_extra

with needs_extra("`unlabeled.paper.studies`", "experiments"):
    from .paper_plans import STUDY_NAMES, paper_plan, quick_plan
    from .plan import Batch, Cell, Plan, Study, Task
    from .records import Record, ResultsError
    from .run import RunReport, run_plan
    from .store import read_records

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
