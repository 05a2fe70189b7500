"""What the label column means: any two values become s in {0, 1}."""

from ._draw import draw_rows
from ._encoding import (
    LabelEncoding,
    encode_labels,
    encode_predictions,
    fitted_model,
    positive_class_of,
)
from ._folds import label_folds
from ._rows import (
    LabelledRows,
    names_or_numbers,
    refuse_chunks,
    refuse_sparse,
    score_column,
    validate_new_rows,
    validate_rows,
)
from ._weight import refuse_one_class, validate_weight

__all__ = [
    "LabelEncoding",
    "LabelledRows",
    "draw_rows",
    "encode_labels",
    "encode_predictions",
    "fitted_model",
    "label_folds",
    "names_or_numbers",
    "positive_class_of",
    "refuse_chunks",
    "refuse_one_class",
    "refuse_sparse",
    "score_column",
    "validate_new_rows",
    "validate_rows",
    "validate_weight",
]
