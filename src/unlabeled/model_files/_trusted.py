"""Everything a model file may name: no other type is built, and no function looked up.

A name belongs here if a fitted `table_pipeline` holds it, and if it does nothing but
hold numbers, text and other names of this list when it is built and when it predicts.
Skops writes and reads several kinds of nodes; each may name only what is listed for it.
"""

from __future__ import annotations

_OURS = {
    "unlabeled.label_frequency._best_bin": "BestBin",
    "unlabeled.label_frequency._dedpul": "DEDPUL",
    "unlabeled.label_frequency._elkan_noto": "ElkanNoto",
    "unlabeled.label_frequency._kernel_mean": "KernelMean",
    "unlabeled.label_frequency._score_frequency": "OneDimensionalJoint",
    "unlabeled.label_frequency._bound": "PriorBound",
    "unlabeled.label_frequency._tice": "TIcE",
    "unlabeled.linear_model._enhanced": "EnhancedLogistic",
    "unlabeled.linear_model._joint": "JointLogistic",
    "unlabeled.linear_model._naive": "NaiveLogistic",
    "unlabeled.linear_model._pu_logistic": "PULogistic",
    "unlabeled.linear_model._weighted": "WeightedLogistic",
    "unlabeled.meta._threshold": "PUThresholdClassifier",
    "unlabeled.tables._features": "TableFeatures",
    "unlabeled.thresholds._choose": "ChosenCut",
}
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
    "ObjectNode": _OURS | _SKLEARN | _SKRUB,
    "TupleNode": {
        "builtins": "tuple",
        "unlabeled.linear_model._with_score_intervals": "RidgeFit",
        "unlabeled.tables._kinds": "Feature",
    },
    "TypeNode": {"builtins": "bool float int str", "numpy": "float32 float64 str_"},
    "NdArrayNode": {
        "numpy": "bool bool_ float32 float64 int8 int16 int32 int64 ndarray str_ uint8",
    },
    "DTypeNode": {"numpy": "dtype"},
    "DictNode": {"builtins": "dict"},
    "ListNode": {"builtins": "list"},
    "JsonNode": {"builtins": "str"},
}
"""For each kind of node: module to names, separated by blanks."""

TRUSTED = frozenset(
    (node, module, name)
    for node, names in NAMES_OF.items()
    for module, words in names.items()
    for name in words.split()
)
"""Kind of node, module and name, of everything that may occur."""

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
"""Settings that a model always has, and with which a trusted type does nothing else.

With others it reads files (a cache of pickles; text as file names), starts processes, or
looks for patterns of the file's choice, which may take for ever.
"""

_ZONE = r"(?!(?i:dateutil))[A-Za-z][\w+/-]*"
TYPE_OF_DATES = rf"datetime64\[(s|ms|us|ns), (?:({_ZONE})|([+-]\d{{1,5}}) s)\]"
"""Unit, name of the zone, and seconds from UTC."""

SETTINGS_LIKE: dict[str, dict[str, str]] = {
    "skrub._to_datetime.ToDatetime": {
        "output_time_zone_": rf"{_ZONE}|UTC[+-]\d\d:\d\d",
        "output_dtype_": TYPE_OF_DATES,
    },
}
"""What a text must look like, where there is one: pandas opens 'dateutil/PATH' as a file."""
