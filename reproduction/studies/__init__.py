"""The paper's studies: what is run, how, and the records it leaves.

To add a study, a data set or a method, start here:

- `paper_plans`: the studies, their cells and their repeats.
- `draw`: the data sets, the labeling mechanisms, and the rows of a task.
- `methods`: the methods and their settings.

The machinery: `plan` (what a study is), `fit` (one task), `run` (all of them), `records` and
`store` (what is kept), `agreement` (whether this code may continue an older run).
"""

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
__dir__ = __all__.copy  # dir() shows what users may use
