"""PU metrics: from labels alone, corrected by a class prior, as scorers."""

from ._boyce import boyce_index_score
from ._corrected import (
    corrected_accuracy_score,
    corrected_balanced_accuracy_score,
    corrected_f1_score,
    corrected_fowlkes_mallows_score,
    corrected_mcc_score,
    corrected_precision_score,
)
from ._corrected_of_scores import (
    corrected_auc_score,
    corrected_average_precision_score,
    corrected_precision_at_k_score,
)
from ._label_only import (
    f1_pu_score,
    label_auc_score,
    lift_score,
    pu_recall_score,
)
from ._scorers import f1_pu_scorer, label_auc_scorer, make_pu_scorer

__all__ = [
    "boyce_index_score",
    "corrected_accuracy_score",
    "corrected_auc_score",
    "corrected_average_precision_score",
    "corrected_balanced_accuracy_score",
    "corrected_f1_score",
    "corrected_fowlkes_mallows_score",
    "corrected_mcc_score",
    "corrected_precision_at_k_score",
    "corrected_precision_score",
    "f1_pu_score",
    "f1_pu_scorer",
    "label_auc_score",
    "label_auc_scorer",
    "lift_score",
    "make_pu_scorer",
    "pu_recall_score",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._metric import METRICS as METRICS
from ._metric import Metric as Metric
from ._metric import metric_of as metric_of
from ._sample_rates import counts as counts
from ._score_steps import OrderedRows as OrderedRows
from ._score_steps import ScoreSteps as ScoreSteps
