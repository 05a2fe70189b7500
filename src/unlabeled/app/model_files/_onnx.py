"""Write a fitted pipeline as an ONNX graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from ..._version import __version__
from ...audit import AuditedClassifier
from ...engine.extras import needs_extra
from ...engine.files import write_whole
from ...linear_model import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    WeightedLogistic,
)
from ...meta import PUThresholdClassifier
from ..tables import MISSING, TableFeatures
from ._nodes import ModelFileError
from ._pipeline import fitted_steps

OUTPUTS = ("score", "posterior", "decision")
_OPSET, _ML_OPSET, _IR_VERSION = 17, 3, 8
_KINDS = ("number", "true/false", "category")
_LINEAR = (EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic)


class Number(NamedTuple):
    """Features of a numeric column: its values with missing cells filled, or an indicator."""

    fills: tuple[float | None, ...]
    """For each feature, the value that fills missing cells; None for an indicator."""
    single: bool
    """Whether they have single precision, as true/false and numbers stored as text do."""


class Levels(NamedTuple):
    """Features of a category: one row of values per known level, and one for unknown levels."""

    texts: tuple[str, ...]
    rows: np.ndarray
    otherwise: np.ndarray


class Linear(NamedTuple):
    """A linear classifier: positive if x @ coef + intercept > 0.

    The posterior is sigmoid(a + b x @ coef), with (a, b) in `line`.
    """

    coef: np.ndarray
    intercept: float
    line: tuple[float, float]


def export_onnx(pipeline: Pipeline, path: str | Path) -> tuple[str, ...]:
    """Write a fitted pipeline as an ONNX graph, in double precision.

    The graph takes numbers, true/false and categories, with missing cells. The classifier must
    be one of this library's linear ones. Dates and text cannot be exported.

    Parameters
    ----------
    pipeline : sklearn.pipeline.Pipeline
        A fitted `unlabeled.app.table_pipeline`.
    path : str or Path
        The file to write.

    Returns
    -------
    inputs : tuple of str
        Names of the inputs: the columns that the score uses.

    Raises
    ------
    ModelFileError
        If a column is a date or text, or the classifier is not linear.
    OSError
        If the file cannot be written.
    ImportError
        Without onnx: ``pip install 'unlabeled[onnx]'``.

    Notes
    -----
    Each input is a column of shape (n_rows, 1): double for numbers and true/false (1 and 0,
    NaN if missing), text for categories ("" if missing). The outputs have the same shape:
    ``score`` is ``positive_score`` minus ``threshold_``, above 0 if a row is predicted positive;
    ``posterior`` is P(Y=1|x); ``decision`` is 1 for positive, else 0.
    """
    table, classifier = fitted_steps(pipeline)
    linear = _linear_of(classifier)
    columns = _columns(table)
    with needs_extra("`export_onnx`", "onnx"):
        import onnx
    model = _Graph(onnx, columns, linear).model()
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    write_whole(Path(path), lambda file: file.write_bytes(data))
    return tuple(columns)


def _columns(table: TableFeatures) -> dict[str, Number | Levels]:
    """Return the encoding of each column that has features, in their order."""
    used = list(dict.fromkeys(feature.source for feature in table.features_))
    rejected = [repr(name) for name in used if table.kinds_[name] not in _KINDS]
    if rejected:
        raise ModelFileError(
            "`pipeline` must have only numbers, true/false and categories for ONNX; got dates or "
            f"text in {', '.join(rejected)}. Fit without these columns, or use model.skops."
        )
    taken = [repr(name) for name in used if name in OUTPUTS]
    if taken:
        raise ModelFileError(
            f"`pipeline` must have no column named {', '.join(OUTPUTS)} for ONNX, which are names "
            f"of outputs; got {', '.join(taken)}. Rename it and fit again."
        )
    return {name: _encoding_of(table, name) for name in used}


def _encoding_of(table: TableFeatures, column: str) -> Number | Levels:
    """Return how the features of a column follow from its cells."""
    features = [feature for feature in table.features_ if feature.source == column]
    if table.kinds_[column] != "category":
        fills = tuple(None if feature.indicates_missing else feature.fill for feature in features)
        return Number(fills, table.storage_in_[column] != "number")
    return _levels(table.encodings_[column], [feature.output for feature in features])


def _levels(encoding: Any, outputs: list[int | None]) -> Levels:
    """Let the encoding of a category encode every level, a missing cell, and an unknown text."""
    import pandas as pd

    known = [level for level in (*encoding.levels, *encoding.rare) if level is not None]
    other = "".join(known) + "?"  # longer than all of them
    cells = pd.Series([*known, None, other], dtype=object)
    *rows, if_missing, otherwise = encoding.values(cells)[:, outputs]
    row_of = dict.fromkeys(MISSING, if_missing) | dict(zip(known, rows, strict=True))
    return Levels(tuple(row_of), np.array(list(row_of.values())), otherwise)


def _linear_of(classifier: Any) -> Linear:
    """Return the numbers of a linear classifier, with larger scores for the positive class."""
    over_another = isinstance(classifier, PUThresholdClassifier)
    followed = classifier.estimator_ if isinstance(classifier, AuditedClassifier) else classifier
    if getattr(followed, "is_mended", False):
        raise ModelFileError(
            "`pipeline` must end in a classifier whose score is linear, for ONNX; got "
            f"{type(followed).__name__} fitted with `checked` or `labeling`, whose score is the "
            "logit of the posterior. Use model.skops, or PULogistic, which takes `checked`."
        )
    mended = isinstance(classifier, AuditedClassifier)
    inner = classifier.estimator_ if over_another or mended else classifier
    if not isinstance(inner, _LINEAR):
        names = ", ".join(kind.__name__ for kind in _LINEAR)
        raise ModelFileError(
            f"`pipeline` must end in one of {names}, or in PUThresholdClassifier or "
            f"AuditedClassifier over one, for ONNX; got {type(inner).__name__}. Fit one of these, "
            "or use model.skops."
        )
    sign = 1.0 if inner.classes_[1] == classifier.positive_class_ else -1.0
    coef, (a, b) = sign * inner.coef_[0], classifier.posterior_line_
    if not over_another:
        return Linear(coef, -classifier.threshold_, (a, b))
    # The score of a PUThresholdClassifier is the other's decision function, intercept included.
    intercept = sign * float(inner.intercept_[0])
    return Linear(coef, intercept - classifier.threshold_, (a + b * intercept, b))


class _Graph:
    """Nodes and constants of a graph, under names that no column has."""

    def __init__(self, onnx: Any, columns: dict[str, Number | Levels], linear: Linear) -> None:
        self.onnx, self.columns, self.linear = onnx, columns, linear
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.prefix = "_"
        while any(name.startswith(self.prefix) for name in (*columns, *OUTPUTS)):
            self.prefix += "_"

    def model(self) -> Any:
        """Return the graph with its inputs and outputs."""
        helper, types = self.onnx.helper, self.onnx.TensorProto
        blocks = [
            self._levels(name, encoding)
            if isinstance(encoding, Levels)
            else self._number(name, encoding)
            for name, encoding in self.columns.items()
        ]
        self._add_outputs(self._add("Concat", *blocks, axis=1))
        inputs = [
            helper.make_tensor_value_info(
                name, types.STRING if isinstance(encoding, Levels) else types.DOUBLE, ["n_rows", 1]
            )
            for name, encoding in self.columns.items()
        ]
        kinds = (types.DOUBLE, types.DOUBLE, types.INT64)
        outputs = [
            helper.make_tensor_value_info(name, kind, ["n_rows", 1])
            for name, kind in zip(OUTPUTS, kinds, strict=True)
        ]
        graph = helper.make_graph(
            self.nodes, "unlabeled", inputs, outputs, initializer=self.constants
        )
        opsets = [
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid("ai.onnx.ml", _ML_OPSET),
        ]
        return helper.make_model(
            graph,
            opset_imports=opsets,
            ir_version=_IR_VERSION,
            producer_name="unlabeled",
            producer_version=__version__,
        )

    def _number(self, column: str, number: Number) -> str:
        """Add nodes that cast to float32 if need be, and that fill or flag missing values."""
        types = self.onnx.TensorProto
        value = column
        if number.single:
            value = self._add("Cast", self._add("Cast", column, to=types.FLOAT), to=types.DOUBLE)
        missing = self._add("IsNaN", value)
        features = [
            self._add("Cast", missing, to=types.DOUBLE)
            if fill is None
            else self._add("Where", missing, self._constant(np.array([[fill]])), value)
            for fill in number.fills
        ]
        return self._add("Concat", *features, axis=1)

    def _levels(self, column: str, levels: Levels) -> str:
        """Add nodes that look up the index of the level and gather its row of features."""
        which = self._add(
            "LabelEncoder",
            column,
            domain="ai.onnx.ml",
            keys_strings=list(levels.texts),
            values_int64s=list(range(len(levels.texts))),
            default_int64=len(levels.texts),
        )
        flat = self._add("Reshape", which, self._constant(np.array([-1])))
        rows = self._constant(np.vstack([levels.rows, levels.otherwise]))
        return self._add("Gather", rows, flat, axis=0)

    def _add_outputs(self, features: str) -> None:
        coef, intercept, (a, b) = self.linear
        raw = self._add("MatMul", features, self._constant(coef[:, None]))
        self._add("Add", raw, self._constant(np.array([[intercept]])), to_name="score")
        logit = self._add(
            "Add",
            self._add("Mul", raw, self._constant(np.array([[b]]))),
            self._constant(np.array([[a]])),
        )
        self._add("Sigmoid", logit, to_name="posterior")
        above = self._add("Greater", "score", self._constant(np.array([[0.0]])))
        self._add("Cast", above, to=self.onnx.TensorProto.INT64, to_name="decision")

    def _add(self, operator: str, *inputs: str, to_name: str | None = None, **settings: Any) -> str:
        name = to_name or f"{self.prefix}{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **settings))
        return name

    def _constant(self, values: np.ndarray) -> str:
        name = f"{self.prefix}constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name
