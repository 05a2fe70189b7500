"""Which method, if no negatives are known: methods side by side on repeated splits of a table."""

from ._compare import compare_methods
from ._comparison import Comparison

__all__ = ["Comparison", "compare_methods"]
