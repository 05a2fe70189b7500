"""What a classifier uses: the importance of columns, and what moved the score of each row."""

from ._contributions import Contributions, contributions
from ._importance import LabelImportance, label_importance

__all__ = ["Contributions", "LabelImportance", "contributions", "label_importance"]
__dir__ = __all__.copy  # dir() shows what users may use
