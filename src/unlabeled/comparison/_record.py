"""A comparison as plain numbers and texts, for JSON and for a report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import mean_and_error
from ._reading import reading

if TYPE_CHECKING:
    from ._comparison import Comparison


def record_of(comparison: Comparison) -> dict[str, Any]:
    """Write a comparison as numbers, texts, lists and dicts; None where there is no number."""
    to_best = comparison.differences()
    found = {
        "format": 1,
        "rows": {
            "total": comparison.rows.n_rows,
            "used": comparison.rows.n_used,
            "labelled": comparison.rows.n_labelled,
            "fitted_to": comparison.rows.n_train,
            "held_out": comparison.rows.n_test,
        },
        "repeats": comparison.n_repeats,
        "test_size": comparison.test_size,
        "class_prior": comparison.known_class_prior,
        "measures": list(comparison.measures),
        "best": comparison.best,
        "methods": [_method(comparison, k, to_best) for k in range(len(comparison.names))],
        "agreement": {
            "methods": list(comparison.names),
            **{
                name: {"mean": _plain(mean), "error": _plain(error)}
                for name, (mean, error) in comparison.agreement().items()
            },
        },
        "prepare": {
            "seconds": _plain(mean_and_error(comparison.prepare_seconds, 0.0)[0]),
            "warnings": dict(comparison.prepare_codes),
        },
        "note": comparison.note,
    }
    return found | {"reading": reading(found)}


def _method(comparison: Comparison, k: int, to_best: dict[str, np.ndarray]) -> dict[str, Any]:
    name = comparison.names[k]
    failures = comparison.failures[name]
    numbers = {
        measure: {
            "mean": _plain(comparison.mean(measure)[k]),
            "error": _plain(comparison.error(measure)[k]),
        }
        for measure in comparison.measures
    }
    return {
        "name": name,
        **numbers,
        "to_best": {
            "difference": _plain(to_best["difference"][k]),
            "error": _plain(to_best["error"][k]),
            "splits": int(to_best["splits"][k]),
        },
        "splits": comparison.n_repeats - len(failures),
        "failed": len(failures),
        "failures": dict(sorted(Counter(failures).items())),
        "warnings": dict(comparison.codes[name]),
    }


def _plain(number: Any) -> Any:
    """Numbers of Python, None for NaN, lists of them for arrays."""
    if np.ndim(number):
        return [_plain(one) for one in number]
    return None if np.isnan(number) else float(number)
