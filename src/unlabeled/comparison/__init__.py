"""Which method is best, without known negatives: a comparison on repeated splits of a table."""

from ._compare import compare_methods
from ._comparison import Comparison

__all__ = ["Comparison", "compare_methods"]
