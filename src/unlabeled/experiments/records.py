"""One fit, one record: the fields, and their columns in the files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields

import pyarrow as pa


@dataclass(frozen=True)
class Record:
    """What one fit gave.

    Attributes
    ----------
    study, dataset, mechanism : str
        Where the rows come from and how their labels were hidden.
    n : int
        Number of training rows.
    c : float
        Label frequency that was aimed at; 0 where the mechanism decides it.
    method, setting : str
        Which method, "published" or "converged"; "-" where there is only one setting.
    repeat, seed : int
        Number of the draw, and the seed of the method's own randomness.
    f1, balanced_accuracy : float
        On the test rows, with the true classes.
    predicted_share : float
        Share of the test rows that are predicted positive; NaN in older files.
    angle : float
        Degrees to the true direction (synthetic) or the oracle's (real).
    label_frequency, class_prior : float
        Estimates; NaN where the method has none.
    fit_seconds : float
        Wall time of `fit`.
    n_iter : int
        Iterations of the solver.
    converged : bool
        Whether the fit is a finite optimum to its tolerance.
    warning_codes : str
        Codes of the warnings, joined by commas.
    error : str
        Empty, or "Type: message" of what the fit raised.
    """

    study: str
    dataset: str
    mechanism: str
    n: int
    c: float
    method: str
    setting: str
    repeat: int
    seed: int
    f1: float = math.nan
    balanced_accuracy: float = math.nan
    predicted_share: float = math.nan
    angle: float = math.nan
    label_frequency: float = math.nan
    class_prior: float = math.nan
    fit_seconds: float = math.nan
    n_iter: int = 0
    converged: bool = False
    warning_codes: str = ""
    error: str = ""


KEY = ("study", "dataset", "mechanism", "n", "c", "repeat", "method", "setting")
"""The columns that name a fit."""

_NARROW = {"n": pa.int32(), "repeat": pa.int16(), "seed": pa.uint32(), "n_iter": pa.int32()}
_TYPES = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}

SCHEMA = pa.schema(
    [
        pa.field(field.name, _NARROW.get(field.name, _TYPES[str(field.type)]), nullable=False)
        for field in fields(Record)
    ]
)
"""Columns of a record file."""

ADDED = ("predicted_share",)
"""Columns that files written before they were recorded do not have."""


def to_table(records: Sequence[Record]) -> pa.Table:
    """Put records into a table, one row each."""
    return pa.Table.from_pylist([asdict(record) for record in records], schema=SCHEMA)
