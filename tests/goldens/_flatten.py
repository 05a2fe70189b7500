"""From any result of the library to named numbers and words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

# Long columns are kept by this many entries, their sum and a sum with weights that differ by entry.
_ENTRIES = 12


def flatten(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every number and word of a result, with the path to it."""
    if value is None or isinstance(value, (bool, np.bool_, str)):
        yield name, None if value is None else value if isinstance(value, str) else bool(value)
    elif isinstance(value, (int, float, np.integer, np.floating)):
        yield name, float(value)
    elif isinstance(value, Mapping):
        for key in value:
            yield from flatten(f"{name}.{key}", value[key])
    elif hasattr(value, "dtype") or (isinstance(value, list) and _are_numbers(value)):
        yield from _column(name, np.asarray(value))
    elif dataclasses.is_dataclass(value) or hasattr(value, "_fields"):
        for field in _fields(value):
            yield from flatten(f"{name}.{field}", getattr(value, field))
    elif isinstance(value, (list, tuple)):
        for i, entry in enumerate(value):
            yield from flatten(f"{name}.{i}", entry)


def _are_numbers(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(one, (int, float)) for one in value)


def _fields(value: Any) -> list[str]:
    names = (
        [field.name for field in dataclasses.fields(value)]
        if dataclasses.is_dataclass(value)
        else value._fields
    )
    return [name for name in names if not name.startswith("_")]


def _column(name: str, column: np.ndarray) -> Iterator[tuple[str, Any]]:
    if column.dtype.kind not in "biuf":
        yield name, "|".join(map(str, column.ravel().tolist()))
        return
    flat = column.astype(np.float64).ravel()
    yield f"{name}#shape", "x".join(map(str, column.shape))
    if flat.size <= _ENTRIES + 2:
        yield from ((f"{name}[{i}]", float(entry)) for i, entry in enumerate(flat))
        return
    at = np.unique(np.linspace(0, flat.size - 1, _ENTRIES).astype(int))
    yield from ((f"{name}[{i}]", float(flat[i])) for i in at)
    finite = flat[np.isfinite(flat)]
    yield f"{name}#finite", float(finite.size)
    yield f"{name}#sum", float(finite.sum())
    yield f"{name}#ramp", float(finite @ np.cos(np.arange(finite.size)))
