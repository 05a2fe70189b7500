"""Everything a model file may name: no other type is built, and no function is looked up.

A name belongs here if a fitted `table_pipeline` holds it, and if building it and predicting with
it use nothing but numbers, text and other names on this list. Skops has several kinds of nodes;
each kind may name only what is listed for it.
"""

from __future__ import annotations

from typing import Any

from ...audit import AuditedClassifier
from ...ensemble import PUEnsemble
from ...label_frequency import ESTIMATORS
from ...linear_model import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    WeightedLogistic,
)
from ...meta import PUThresholdClassifier
from ...scores import PriorDensity, ScoreJoint
from ...thresholds import ChosenCut
from ..tables import TableFeatures

PACKAGE = "unlabeled"


class StoredTrees:
    """How a file holds trees of scikit-learn: plain values and arrays, which do nothing.

    Without `classes` the model is not fitted.
    """

    def __init__(self, kind: str, settings: dict[str, Any]) -> None:
        self.kind = kind
        self.settings = settings
        self.classes: Any = None
        self.n_features = 0
        self.feature_names: Any = None
        self.sizes: Any = None
        self.nodes: dict[str, Any] = {}
        self.baseline: float | None = None


CLASSES: dict[str, type] = {
    "AuditedClassifier": AuditedClassifier,
    "ChosenCut": ChosenCut,
    "EnhancedLogistic": EnhancedLogistic,
    "JointLogistic": JointLogistic,
    "NaiveLogistic": NaiveLogistic,
    "PriorDensity": PriorDensity,
    "PropensityLogistic": PropensityLogistic,
    "PUEnsemble": PUEnsemble,
    "PULogistic": PULogistic,
    "PUThresholdClassifier": PUThresholdClassifier,
    "ScoreJoint": ScoreJoint,
    "StoredTrees": StoredTrees,
    "TableFeatures": TableFeatures,
    "WeightedLogistic": WeightedLogistic,
    **{one.__name__: one for one in ESTIMATORS},
}
"""Our own classes that a model may hold, by their names in the file.

The file holds `PACKAGE` and this name, never the module of the class. If a class moves, an import
above changes; its name in the file stays.
"""

PLACE_OF = {(PACKAGE, name): (one.__module__, one.__name__) for name, one in CLASSES.items()}
"""Maps the two names in the file to the Python module and class."""

NAME_OF = {place: name for name, place in PLACE_OF.items()}
"""Maps the Python module and class to the two names in the file."""

_SKLEARN = {
    "sklearn.decomposition._truncated_svd": "TruncatedSVD",
    "sklearn.feature_extraction.text": "TfidfTransformer TfidfVectorizer",
    "sklearn.linear_model._logistic": "LogisticRegression",
    "sklearn.pipeline": "Pipeline",
    "sklearn.preprocessing._data": "StandardScaler",
    "sklearn.preprocessing._encoders": "OneHotEncoder",
}
_SKRUB = {
    "skrub._apply_to_each_col": "ApplyToEachCol",
    "skrub._check_input": "CheckInputDataFrame",
    "skrub._clean_categories": "CleanCategories",
    "skrub._clean_null_strings": "CleanNullStrings",
    "skrub._datetime_encoder": "DatetimeEncoder _CircularEncoder",
    "skrub._drop_uninformative": "DropUninformative",
    "skrub._duration_to_float": "DurationToFloat",
    "skrub._string_encoder": "StringEncoder",
    "skrub._table_vectorizer": "PassThrough TableVectorizer",
    "skrub._to_datetime": "ToDatetime",
    "skrub._to_float": "ToFloat",
    "skrub._to_str": "ToStr",
}

NAMES_OF: dict[str, dict[str, str]] = {
    "ObjectNode": {PACKAGE: " ".join(CLASSES)} | _SKLEARN | _SKRUB,
    "TupleNode": {"builtins": "tuple"},
    "TypeNode": {"builtins": "bool float int str", "numpy": "float32 float64 str_"},
    "NdArrayNode": {
        "numpy": "bool bool_ float32 float64 int8 int16 int32 int64 ndarray str_ uint8",
    },
    "DTypeNode": {"numpy": "dtype"},
    "DictNode": {"builtins": "dict"},
    "ListNode": {"builtins": "list"},
    "JsonNode": {"builtins": "str"},
}
"""For each kind of node, the names that it may hold by module, separated by blanks."""

TRUSTED = frozenset(
    (node, module, name)
    for node, names in NAMES_OF.items()
    for module, words in names.items()
    for name in words.split()
)
"""Kind of node, module and name of everything that may occur in a file."""

TRUSTED_PLACES = sorted(
    {".".join(PLACE_OF.get((module, name), (module, name))) for _, module, name in TRUSTED}
)
"""The same types as "module.name", for skops."""

FIXED_SETTINGS: dict[str, dict[str, object]] = {
    "sklearn.pipeline.Pipeline": {"memory": None},
    "sklearn.feature_extraction.text.TfidfVectorizer": {
        "input": "content",
        "analyzer": "char_wb",
        "preprocessor": None,
        "tokenizer": None,
        "token_pattern": r"(?u)\b\w\w+\b",
    },
    "skrub._apply_to_each_col.ApplyToEachCol": {"n_jobs": None, "rename_columns": "{}"},
    "skrub._table_vectorizer.TableVectorizer": {"n_jobs": None},
}
"""Required values of settings.

With other values a trusted type could read files (a cache of pickles; text as file names), start
processes, or search for patterns that the file chooses, which may take forever.
"""

_ZONE = r"(?!(?i:dateutil))[A-Za-z][\w+/-]*"
TYPE_OF_DATES = rf"datetime64\[(s|ms|us|ns), (?:({_ZONE})|([+-]\d{{1,5}}) s)\]"
"""Pattern with three groups: unit, name of the zone, and seconds from UTC."""

SETTINGS_LIKE: dict[str, dict[str, str]] = {
    "skrub._to_datetime.ToDatetime": {
        "output_time_zone_": rf"{_ZONE}|UTC[+-]\d\d:\d\d",
        "output_dtype_": TYPE_OF_DATES,
    },
}
"""Patterns of settings that are text: pandas would open 'dateutil/PATH' as a file."""
