"""Between which numbers the columns of a fit lie, and which new ones are far from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._words import listed, rows_in_words

# In widths of the range, beyond its ends.
_FAR = 0.5
_MOST_REMARKS = 3


def coarse_range(column: Any) -> tuple[float, float] | None:
    """Ends of the numbers of a column, rounded outwards to a power of ten: they are no row's own.

    None where all numbers are the same.

    Examples
    --------
    >>> import pandas as pd
    >>> coarse_range(pd.Series([18, 97, None])), coarse_range(pd.Series(["1200", "98000"]))
    ((10.0, 100.0), (0.0, 100000.0))
    """
    numbers = _numbers(column)
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    if not low < high:
        return None
    step = 10.0 ** np.floor(np.log10(high - low))
    return float(np.floor(low / step) * step), float(np.ceil(high / step) * step)


def far_outside(X: Any, ranges: dict[str, tuple[float, float]]) -> list[str]:
    """A remark for the columns with numbers far outside the ranges of the fit, but a few of them.

    Far is further than half the width of the range.
    """
    found = {name: _beyond(_numbers(X[name]), *ends) for name, ends in ranges.items()}
    far = sorted((name for name in found if len(found[name])), key=lambda name: -len(found[name]))
    remarks = [_remark(name, found[name], *ranges[name]) for name in far[:_MOST_REMARKS]]
    rest = far[_MOST_REMARKS:]
    return remarks + [f"Numbers as far outside are also in {listed(rest)}."] * bool(rest)


def _numbers(column: Any) -> np.ndarray:
    import pandas as pd

    return np.asarray(pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan))


def _beyond(numbers: np.ndarray, low: float, high: float) -> np.ndarray:
    room = _FAR * (high - low)
    return numbers[(numbers < low - room) | (numbers > high + room)]


def _remark(name: str, far: np.ndarray, low: float, high: float) -> str:
    ends = f"{far.min():g}" if len(far) == 1 else f"from {far.min():g} to {far.max():g}"
    return (
        f"{name!r} has numbers far outside those of the fit, which are between {low:g} and "
        f"{high:g}, in {rows_in_words(len(far))}: {ends}. Do not rely on the scores there."
    )
