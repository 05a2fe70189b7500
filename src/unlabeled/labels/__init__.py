"""What the label column means: any two values become s in {0, 1}."""

from ._encoding import LabelEncoding, encode_labels, encode_predictions, positive_class_of
from ._folds import label_folds
from ._rows import LabelledRows, validate_new_rows, validate_rows

__all__ = [
    "LabelEncoding",
    "LabelledRows",
    "encode_labels",
    "encode_predictions",
    "label_folds",
    "positive_class_of",
    "validate_new_rows",
    "validate_rows",
]
