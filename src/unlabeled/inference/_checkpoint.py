"""Resamples that are done, in memory and, if asked for, in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from .._version import __version__
from ._resample import Rows


@dataclass
class Checkpoint:
    """Numbers and warning codes of every resample; a file keeps them over a stop."""

    path: Path | None
    key: str
    names: tuple[str, ...]
    numbers: list[list[float] | None]
    codes: list[list[str]] = field(default_factory=list)

    @classmethod
    def at(
        cls,
        path: str | Path | None,
        random_state: Any,
        estimator: Any,
        rows: Rows,
        plans: Sequence[Any],
        names: tuple[str, ...],
    ) -> Checkpoint:
        """Start empty, or with what a file holds of the same call."""
        size = len(plans)
        if path is None:
            return cls(None, "", names, [None] * size, [[] for _ in range(size)])
        path = Path(path)
        _refuse_no_way_back(path, random_state)
        # The whole of the estimator: what it prints leaves long parameters out.
        told = (clone(estimator), list(plans), names, rows.X, rows.y, rows.s, __version__)
        key = str(joblib.hash(told))
        if not path.exists():
            return cls(path, key, names, [None] * size, [[] for _ in range(size)])
        return cls(path, key, names, *_numbers_and_codes(path, key))

    def missing(self) -> list[int]:
        """Return which resamples are still to be done."""
        return [k for k, numbers in enumerate(self.numbers) if numbers is None]

    def add(self, k: int, numbers: list[float], codes: list[str]) -> None:
        """Keep a resample."""
        self.numbers[k], self.codes[k] = numbers, codes

    def save(self) -> None:
        """Write the file, whole or not at all."""
        if self.path is None:
            return
        text = json.dumps({"key": self.key, "numbers": self.numbers, "codes": self.codes})
        temporary = self.path.with_name(self.path.name + ".writing")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, self.path)

    def table(self) -> tuple[np.ndarray, list[list[str]]]:
        """Numbers, a row a resample, and the codes of the warnings each gave."""
        return np.array(self.numbers, dtype=np.float64).reshape(-1, len(self.names)), self.codes


def _refuse_no_way_back(path: Path, random_state: Any) -> None:
    """Refuse what would keep a second call from going on where the first one stopped."""
    if not isinstance(random_state, Integral):
        raise ValueError(
            "`random_state` must be a whole number with `checkpoint`, so that the same "
            f"resamples come again; got {random_state!r}."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"`checkpoint` must be in a folder that exists; {str(path.parent)!r} does not. "
            "Make it first."
        )


def _numbers_and_codes(path: Path, key: str) -> tuple[Any, Any]:
    """Read a file of the same call."""
    try:
        found = json.loads(path.read_text("utf-8"))
        found_key, numbers, codes = found["key"], found["numbers"], found["codes"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise ValueError(
            f"`checkpoint` must be a file of resamples; {str(path)!r} is not, or is damaged. "
            "Remove it, or name another."
        ) from None
    if found_key != key:
        raise ValueError(
            f"`checkpoint` must be of the same call; {str(path)!r} is of other rows, another "
            "estimator, seed or number of resamples. Remove it, or name another."
        )
    return numbers, codes
