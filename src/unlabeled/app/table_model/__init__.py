"""A model of a table: fit it, score its rows, and describe it in one record."""

from ._because import against, because
from ._curve import Curve, curve_of, threshold_by
from ._fit import (
    MappedFeatures,
    MappedFit,
    TableFit,
    fit_mapped,
    fit_table,
    map_features,
)
from ._given import GivenFit, given_fit, record_of_given
from ._headline import Headline, headline, not_checked
from ._line_or_ensemble import Choice, line_or_ensemble
from ._record import FitRecord, record_of
from ._relabeled import report_relabeled
from ._scored import (
    IfUnlabeled,
    Scored,
    if_unlabeled,
    score_rows,
)

__all__ = [
    "Choice",
    "Curve",
    "FitRecord",
    "GivenFit",
    "Headline",
    "IfUnlabeled",
    "MappedFeatures",
    "MappedFit",
    "Scored",
    "TableFit",
    "against",
    "because",
    "curve_of",
    "fit_mapped",
    "fit_table",
    "given_fit",
    "headline",
    "if_unlabeled",
    "line_or_ensemble",
    "map_features",
    "not_checked",
    "record_of",
    "record_of_given",
    "report_relabeled",
    "score_rows",
    "threshold_by",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._because import AGAINST as AGAINST
from ._because import BETWEEN as BETWEEN
from ._because import MOST_EXPLAINED as MOST_EXPLAINED
from ._because import reasons_for as reasons_for
from ._curve import rates_at as rates_at
from ._fit import precision_for as precision_for
from ._headline import FOLLOWED as FOLLOWED
from ._headline import LABELING as LABELING
from ._headline import NOT_COMPARED as NOT_COMPARED
from ._headline import PER_ERROR as PER_ERROR
from ._headline import SCAR as SCAR
from ._headline import about_groups as about_groups
from ._headline import audit_command as audit_command
from ._headline import count_is_told as count_is_told
from ._headline import counted_by_answers as counted_by_answers
from ._headline import if_labels as if_labels
from ._headline import independent_labeled as independent_labeled
from ._headline import labeled_by as labeled_by
from ._headline import recall_range as recall_range
from ._headline import scar_by_checked_rows as scar_by_checked_rows
from ._headline import voided_by as voided_by
from ._record import FORMAT as FORMAT
from ._record import warning_record as warning_record
from ._scored import blocks_of as blocks_of
from ._scored import label_frequency_of as label_frequency_of
from ._scored import rank_of as rank_of
from ._scored import score_parts as score_parts
