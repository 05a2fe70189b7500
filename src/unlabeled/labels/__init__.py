"""What the label column means: any two values become s in {0, 1}."""

from ._chunked_rows import encoding_of, float_type, labels_in
from ._device_rows import is_on_device
from ._draw import draw_rows
from ._encoding import LabelEncoding, encode_labels, encode_predictions
from ._fit_state import fit_or_leave
from ._fitted import fitted_model, positive_class_of
from ._folds import (
    check_number_of_folds,
    is_number_of_folds,
    join_folds,
    label_folds,
    possible_folds,
    refuse_one_kind,
)
from ._labelled_rows import LabelledRows
from ._names import names_or_numbers, quoted_column
from ._refuse import refuse_chunks, refuse_sparse
from ._rows import validate_new_rows, validate_rows
from ._score_column import score_column
from ._weight import refuse_bad_weight, refuse_one_class, validate_weight, weights_are_copies

__all__ = [
    "LabelEncoding",
    "LabelledRows",
    "check_number_of_folds",
    "draw_rows",
    "encode_labels",
    "encode_predictions",
    "encoding_of",
    "fit_or_leave",
    "fitted_model",
    "float_type",
    "is_number_of_folds",
    "is_on_device",
    "join_folds",
    "label_folds",
    "labels_in",
    "names_or_numbers",
    "positive_class_of",
    "possible_folds",
    "quoted_column",
    "refuse_bad_weight",
    "refuse_chunks",
    "refuse_one_class",
    "refuse_one_kind",
    "refuse_sparse",
    "score_column",
    "validate_new_rows",
    "validate_rows",
    "validate_weight",
    "weights_are_copies",
]
