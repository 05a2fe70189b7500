"""What the label column means: any two values become s in {0, 1}."""

from ._chunked_rows import encoding_of, float_type, labels_in
from ._device_rows import is_on_device
from ._draw import draw_rows
from ._encoding import LabelEncoding, encode_labels, encode_predictions
from ._fitted import fitted_model, positive_class_of
from ._folds import label_folds
from ._labelled_rows import LabelledRows
from ._names import names_or_numbers, quoted_column
from ._refuse import refuse_chunks, refuse_sparse
from ._rows import validate_new_rows, validate_rows
from ._score_column import score_column
from ._weight import refuse_bad_weight, refuse_one_class, validate_weight

__all__ = [
    "LabelEncoding",
    "LabelledRows",
    "draw_rows",
    "encode_labels",
    "encode_predictions",
    "encoding_of",
    "fitted_model",
    "float_type",
    "is_on_device",
    "label_folds",
    "labels_in",
    "names_or_numbers",
    "positive_class_of",
    "quoted_column",
    "refuse_bad_weight",
    "refuse_chunks",
    "refuse_one_class",
    "refuse_sparse",
    "score_column",
    "validate_new_rows",
    "validate_rows",
    "validate_weight",
]
