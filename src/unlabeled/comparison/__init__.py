"""Which method is best, without known negatives: a comparison on repeated splits of a table."""

from ._compare import compare_methods
from ._comparison import Comparison
from ._verdict import Verdict

__all__ = ["Comparison", "Verdict", "compare_methods"]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._comparison import mean_and_standard_error as mean_and_standard_error
