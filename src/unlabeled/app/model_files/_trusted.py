"""Everything a model file may name: no other type is built, and no function is looked up.

A name belongs here if a fitted `table_pipeline` holds it, and if building it and predicting with
it use nothing but numbers, text and other names on this list. Skops has several kinds of nodes;
each kind may name only what is listed for it.
"""

from __future__ import annotations

from typing import Any

from ...audit import AuditedClassifier
from ...classifier import MendedScore
from ...ensemble import PUEnsemble
from ...label_frequency import ESTIMATORS
from ...labeling import (
    AlongChances,
    AlongColumns,
    ChanceBySources,
    ExpectedChance,
    FollowsColumns,
    KnownChances,
    LabelDates,
    LabelSources,
)
from ...linear_model import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    WeightedLogistic,
)
from ...meta import PUThresholdClassifier
from ...scores import (
    AnswerCurves,
    Columns,
    DoubtedDensity,
    PriorDensity,
    RandomTrees,
    ScoreJoint,
    StandardizedColumns,
)
from ...thresholds import ChosenCut
from ..tables import TableFeatures
from ._of_020 import CLASSES_OF_020, Attributes

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
    "AlongChances": AlongChances,
    "AuditedClassifier": AuditedClassifier,
    "AlongColumns": AlongColumns,
    "AnswerCurves": AnswerCurves,
    "ChanceBySources": ChanceBySources,
    "ChosenCut": ChosenCut,
    "DoubtedDensity": DoubtedDensity,
    "Columns": Columns,
    "EnhancedLogistic": EnhancedLogistic,
    "ExpectedChance": ExpectedChance,
    "FollowsColumns": FollowsColumns,
    "JointLogistic": JointLogistic,
    "KnownChances": KnownChances,
    "LabelDates": LabelDates,
    "LabelSources": LabelSources,
    "MendedScore": MendedScore,
    "NaiveLogistic": NaiveLogistic,
    "PriorDensity": PriorDensity,
    "PropensityLogistic": PropensityLogistic,
    "PUEnsemble": PUEnsemble,
    "PULogistic": PULogistic,
    "PUThresholdClassifier": PUThresholdClassifier,
    "RandomTrees": RandomTrees,
    "ScoreJoint": ScoreJoint,
    "StandardizedColumns": StandardizedColumns,
    "StoredTrees": StoredTrees,
    "TableFeatures": TableFeatures,
    "WeightedLogistic": WeightedLogistic,
    **{estimator.__name__: estimator for estimator in ESTIMATORS},
}
"""Our own classes that a model may hold, by their names in the file.

The file holds `PACKAGE` and this name, never the module of the class. If a class moves, an import
above changes; its name in the file stays.
"""

NAME_OF = {(kind.__module__, kind.__name__): (PACKAGE, name) for name, kind in CLASSES.items()}
"""Maps the Python module and class to the two names in the file."""

PLACE_OF = {name: place for place, name in NAME_OF.items()} | {
    (module, name): (Attributes.__module__, Attributes.__name__)
    for module, names in CLASSES_OF_020.items()
    for name in names.split()
}
"""Maps the two names in the file to the Python module and class."""

_SKLEARN = {
    "sklearn.linear_model._logistic": "LogisticRegression",
    "sklearn.pipeline": "Pipeline",
    "sklearn.preprocessing._data": "StandardScaler",
}

NAMES_OF: dict[str, dict[str, str]] = {
    "ObjectNode": {PACKAGE: " ".join(CLASSES)} | _SKLEARN | CLASSES_OF_020,
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
}
"""Required values of settings: with another `memory`, a pipeline would read a cache of pickles."""
