"""What single splits gave, sorted by method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._judge import Judged, SplitResult

HELD_OUT = ("f1_pu", "recall", "share", "gain", "precision", "f1")
"""Measures on held-out rows; the last two need a class prior."""

FITTED = ("label_frequency", "class_prior")
"""Numbers that a fit gives, where the method has them."""

_NEED_PRIOR = ("precision", "f1")


def gather(
    names: tuple[str, ...], results: list[SplitResult], class_prior: float | None
) -> dict[str, Any]:
    """Return the fields of a `Comparison`; refuse where no method could be fitted at all."""
    judged = {name: [result.methods[k] for result in results] for k, name in enumerate(names)}
    failures = {name: _failures(of_one) for name, of_one in judged.items()}
    if all(len(told) == len(results) for told in failures.values()):
        raise ValueError(
            f"`models` must fit to a part of the rows; all of them failed on all {len(results)} "
            f"splits. {names[0]!r} ended with: {failures[names[0]][0]}"
        )
    known = class_prior is not None
    held_out = [measure for measure in HELD_OUT if known or measure not in _NEED_PRIOR]
    measures = (*held_out, *FITTED, "seconds")
    return {
        "names": names,
        "measures": measures,
        "values": {measure: _table(judged, measure) for measure in measures},
        "codes": {
            name: _counted(code for one in of_one for code in one.codes)
            for name, of_one in judged.items()
        },
        "failures": failures,
        "decide_alike": np.array([result.decide_alike for result in results]),
        "rank_correlation": np.array([result.rank_correlation for result in results]),
        "known_class_prior": class_prior,
        "prepare_seconds": np.array([result.prepare_seconds for result in results]),
        "prepare_codes": _counted(code for result in results for code in result.prepare_codes),
    }


def _failures(judged: list[Judged]) -> list[str]:
    return [one.failure for one in judged if one.failure is not None]


def _table(judged: dict[str, list[Judged]], measure: str) -> np.ndarray:
    """A row a method, a column a split."""
    return np.array(
        [[one.numbers.get(measure, np.nan) for one in of_one] for of_one in judged.values()]
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
