"""Why a row has its score: the columns that moved it most, or most against it, in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...inspection import contributions
from ..tables import as_numbers
from ._fit import TableFit

MOST_EXPLAINED = 2000
"""The largest number of rows that get reasons: the unlabeled ones with the highest scores."""

BETWEEN, AGAINST, FOR = "; ", "against: ", "for: "
"""What is between two reasons, before the first that lowered a score, and that raised one."""

_UP, _DOWN = 3, 2
# A reason must move the score by at least this share of the row's strongest one.
_LEAST = 0.1
_LONGEST_LEVEL = 30
_PRESENT = "present"
_WORDS = {"number": ("low", "high"), "date": ("early", "late"), "true/false": ("no", "yes")}


def because(fit: TableFit, most: int = MOST_EXPLAINED) -> list[str | None]:
    """Say why rows have their scores, by the columns of the table.

    Parameters
    ----------
    fit : TableFit
        A classifier fitted to a table.
    most : int, default=2000
        The largest number of rows to explain: the unlabeled rows with the highest scores.

    Returns
    -------
    because : list of str or None
        One per row of the table, None for rows that are not explained. A text such as "age 81
        (high); sex male; against: bmi 19.5 (low)" names the at most three columns that raised the
        score most, the strongest first, and after "against" the at most two that lowered it most.
        A column is named only if it moved the score by at least a tenth of what the strongest
        column of the row did.

    Notes
    -----
    The contributions of `inspection.contributions` to the score of the fitted model are added up
    by the column that the features come from. A line starts from the mean of the table, trees from
    the mean of their training rows. "high" and "low", "late" and "early" mean above and below the
    mean of the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.app.table_model import because, fit_table
    >>> from unlabeled.app.tables import Table, label_column, prepare
    >>> age, rng = np.tile(np.arange(40.0, 60.0), 20), np.random.default_rng(0)
    >>> ill = rng.random(400) < 1 / (1 + np.exp(-(age - 50)))
    >>> told = np.where(ill & (rng.random(400) < 0.5), "yes", None)
    >>> table = Table(pd.DataFrame({"age": age, "told": told}), Path("ward.csv"))
    >>> fit = fit_table(EnhancedLogistic(), prepare(table, "told"), label_column(table, "told"))
    >>> sorted({one for one in because(fit, most=50)} - {None})[:2]
    ['age 54 (high)', 'age 55 (high)']
    """
    unlabeled = np.flatnonzero(fit.labels.s == 0)
    rows = unlabeled[np.argsort(-fit.scored.score[unlabeled], kind="stable")[:most]]
    reasons: list[str | None] = [None] * len(fit.labels.s)
    X, X_numeric = fit.prepared.X.iloc[rows], fit.X_numeric[rows]
    for row, reason in zip(rows, reasons_for(fit, X, X_numeric), strict=True):
        reasons[row] = reason
    return reasons


def reasons_for(fit: TableFit, X: Any, X_numeric: np.ndarray) -> list[str | None]:
    """Say why some rows have their scores, as `because` does.

    Parameters
    ----------
    fit : TableFit
        A classifier fitted to a table.
    X : pandas.DataFrame
        The cells of the rows, as in the fit.
    X_numeric : ndarray of shape (n_rows, n_features)
        Their features.

    Returns
    -------
    because : list of str or None
        One per row.
    """
    return list(_reasons(fit, X, X_numeric, 1, AGAINST))


def against(fit: TableFit, rows: Sequence[int]) -> list[str | None]:
    """Say what speaks against a positive in some rows, by the columns of the table.

    Parameters
    ----------
    fit : TableFit
        A classifier fitted to a table.
    rows : sequence of int
        The rows, counted from 0.

    Returns
    -------
    against : list of str or None
        One per row asked for. A text such as "bmi 19.5 (low); sex female; for: age 81 (high)"
        names the at most three columns that lowered the score most, the strongest first, and
        after "for" the at most two that raised it most, otherwise as `because` does.
    """
    places = np.array(rows, int)
    X = fit.in_memory.prepared.X.iloc[fit.position_in_memory(places)]
    return list(_reasons(fit, X, fit.X_numeric[places], -1, FOR))


def _reasons(
    fit: TableFit, X: Any, X_numeric: np.ndarray, sign: int, other: str
) -> Iterator[str | None]:
    """Name for each row the columns that moved the score in one way, then the `other` ones."""
    if not len(X):
        return
    features = fit.pipeline[0].features_
    source = {f"x{j}": one.source for j, one in enumerate(features)}
    found = contributions(fit.classifier, X_numeric, background=fit.in_memory.X_numeric)
    by_column = found.summed_by(source)
    picked = _strongest(sign * by_column.values)
    words = _words_of(fit, by_column.feature_names, X, X_numeric, picked)
    for (up, down), of_column in zip(picked, words, strict=True):
        reasons = [of_column[j] for j in (*up, *down)]
        if down:
            reasons[len(up)] = f"{other}{reasons[len(up)]}"
        yield BETWEEN.join(reasons) or None


def _strongest(values: np.ndarray) -> list[tuple[list[int], list[int]]]:
    """Return for each row the columns with the largest values, and with the most negative ones."""
    size = np.abs(values)
    order = np.argsort(-size, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    strong = np.abs(ordered) >= _LEAST * size.max(axis=1, keepdims=True)
    return [
        (columns[up].tolist()[:_UP], columns[down].tolist()[:_DOWN])
        for columns, up, down in zip(
            order, strong & (ordered > 0), strong & (ordered < 0), strict=True
        )
    ]


def _words_of(
    fit: TableFit,
    names: Sequence[str],
    X: Any,
    X_numeric: np.ndarray,
    picked: list[tuple[list[int], list[int]]],
) -> list[dict[int, str]]:
    """Describe the picked cells of every row, by column: most cells of a wide table need none."""
    places: dict[int, list[int]] = {}
    for k, (up, down) in enumerate(picked):
        for j in (*up, *down):
            places.setdefault(j, []).append(k)
    first_of = _numbers_of(fit)
    words: list[dict[int, str]] = [{} for _ in picked]
    for j, of_rows in places.items():
        name, feature = names[j], first_of.get(names[j])
        column = None if feature is None else X_numeric[of_rows, feature]
        found = _words(fit, name, X[name].iloc[of_rows], feature, column)
        for k, word in zip(of_rows, found, strict=True):
            words[k][j] = word
    return words


def _numbers_of(fit: TableFit) -> dict[str, int]:
    """Return the first feature of each column that is more than whether its cells are missing."""
    found: dict[str, int] = {}
    for j, one in enumerate(fit.pipeline[0].features_):
        if not one.indicates_missing:
            found.setdefault(one.source, j)
    return found


def _words(
    fit: TableFit, name: str, cells: Any, feature: int | None, column: np.ndarray | None
) -> list[str]:
    """Describe cells of a column: its name, and its value or level.

    `column` holds the values of its first `feature` in the same rows.
    """
    missing = cells.isna().to_numpy()
    kind = fit.pipeline[0].kinds_[name]
    if kind == "category":
        of_cells = [_shortened(str(cell)) for cell in cells]
    elif kind in ("number", "date"):
        sides = _above_or_below(fit, feature, column, len(cells), _WORDS[kind])
        values = _numbers(cells) if kind == "number" else _dates(cells)
        of_cells = [
            side if side == _PRESENT else f"{value} ({side})"
            for value, side in zip(values, sides, strict=True)
        ]
    elif kind in _WORDS:
        of_cells = _above_or_below(fit, feature, column, len(cells), _WORDS[kind])
    else:
        of_cells = [f"({kind})"] * len(cells)
    return [
        f"{name} missing" if gap else f"{name} {word}"
        for gap, word in zip(missing, of_cells, strict=True)
    ]


def _above_or_below(
    fit: TableFit,
    feature: int | None,
    column: np.ndarray | None,
    n_cells: int,
    words: tuple[str, str],
) -> list[str]:
    if feature is None or column is None:  # only whether the cell is missing is a feature
        return [_PRESENT] * n_cells
    mean = fit.in_memory.X_numeric[:, feature].mean()
    return [words[above] for above in (column > mean).astype(int)]


def _shortened(level: str) -> str:
    return level if len(level) <= _LONGEST_LEVEL else f"{level[: _LONGEST_LEVEL - 1]}…"


def _numbers(cells: Any) -> list[str]:
    """Write numbers with about four digits, and whole numbers with all of them."""
    return [
        f"{value:.4g}" if not 1000 <= abs(value) < 1e15 else f"{value:.0f}"
        for value in as_numbers(cells)
    ]


def _dates(cells: Any) -> list[str]:
    """Write dates without a time; dates that are text stay as they are written."""
    return [
        f"{cell:%Y-%m-%d}" if hasattr(cell, "strftime") and cell == cell else str(cell)
        for cell in cells
    ]
