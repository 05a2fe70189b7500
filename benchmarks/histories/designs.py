"""Tables with a class, and the ways in which their labels come about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from unlabeled.labeling import KnownChances, LabelDates, LabelSources

N_ROWS = 1500
COLUMNS = ("age", "dose", "smokes", "ward", "visits")
LONGEST = 3.0
"""The longest exposure."""


@dataclass(frozen=True)
class Table:
    """Rows with a class, their labels, and the history of these.

    Attributes
    ----------
    X : DataFrame
    y_true, s : ndarray of shape (n_rows,)
    history : DataFrame
    labeling : object
        What a user would say.
    counted : float
        The share of rows that the history can count.
    followed : ndarray of shape (n_rows,)
        The column that `PropensityLogistic` is told.
    """

    X: pd.DataFrame
    y_true: np.ndarray
    s: np.ndarray
    history: pd.DataFrame
    labeling: Any
    counted: float
    followed: np.ndarray


@dataclass(frozen=True)
class Rows:
    """Rows with a class, before anything was labeled.

    Attributes
    ----------
    X : DataFrame
    y_true : ndarray of shape (n_rows,)
    driver, other : str
        A column that drives the class, and one that hardly does. Labels may follow them.
    log_odds : ndarray of shape (n_rows,) or None
        The logit of the class, if it is known.
    """

    X: pd.DataFrame
    y_true: np.ndarray
    driver: str = "age"
    other: str = "ward"
    log_odds: np.ndarray | None = None

    def column(self, name: str) -> np.ndarray:
        """Return a column; its mean is 0, and its deviation 1."""
        return self.X[name].to_numpy(np.float64)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.X)


Draw = Callable[[Rows, np.random.Generator], Table]


@dataclass(frozen=True)
class Design:
    """A way in which labels come about.

    Attributes
    ----------
    kind : str
    about : str
        One sentence for the page.
    holds : bool
        Whether the assumptions of its kind hold.
    draw : callable
        Maps rows and a generator to a `Table`.
    """

    kind: str
    about: str
    holds: bool
    draw: Draw


def features(rng: np.random.Generator) -> pd.DataFrame:
    """Draw columns that go with each other: two normal, one of two values, one skewed."""
    shared = rng.normal(size=N_ROWS)
    return pd.DataFrame(
        {
            "age": 0.6 * shared + 0.8 * rng.normal(size=N_ROWS),
            "dose": rng.normal(size=N_ROWS),
            "smokes": (rng.random(N_ROWS) < expit(0.8 * shared)).astype(float),
            "ward": rng.normal(size=N_ROWS),
            "visits": np.log1p(rng.gamma(1.5, 2.0, N_ROWS)),
        },
        columns=list(COLUMNS),
    )


def log_odds(X: pd.DataFrame) -> np.ndarray:
    """Return the logit of the class: a line that `ward` has no part in."""
    found = 1.2 * X["age"] - 0.9 * X["dose"] + 1.0 * X["smokes"] + 0.6 * X["visits"] - 2.3
    return np.asarray(found)


def draw(design: str, rng: np.random.Generator) -> Table:
    """Draw a table of a design."""
    X = features(rng)
    odds = log_odds(X)
    rows = Rows(X, rng.random(N_ROWS) < expit(odds), log_odds=odds)
    return DESIGNS[design].draw(rows, rng)


def _dated(
    delay: Callable[[Rows, np.ndarray, np.random.Generator], np.ndarray],
    exposure: Callable[[Rows, np.random.Generator], np.ndarray] | None = None,
    more: Callable[[np.ndarray], np.ndarray] | None = None,
    leave: bool = False,
) -> Draw:
    """Return what draws dates; `more` adds positives by exposure, and rows may leave unseen."""

    def table(rows: Rows, rng: np.random.Generator) -> Table:
        y_true, n = rows.y_true, rows.n_rows
        u = rng.uniform(0, LONGEST, n) if exposure is None else exposure(rows, rng)
        if more is not None:
            y_true = rng.random(n) < expit(rows.log_odds + more(u))
        time = delay(rows, u, rng)
        seen = u * np.where(rng.random(n) < 0.5, rng.random(n), 1.0) if leave else u
        s = y_true & (time <= seen)
        horizon = float(np.quantile(u[s], 0.9, method="lower"))
        counted = float(np.mean((y_true & (time <= horizon)) | s))
        history = pd.DataFrame({"exposure": u, "delay": np.where(s, time, np.nan)})
        followed = np.log(u + 0.05)
        return Table(rows.X, y_true, s.astype(int), history, LabelDates(), counted, followed)

    return table


def _from_sources(slopes: tuple[float, ...], *, named: bool = True, shared: float = 0.0) -> Draw:
    """Return what draws sources that follow a column, and a driver that nobody saw."""

    def table(rows: Rows, rng: np.random.Generator) -> Table:
        n, column = rows.n_rows, rows.column(rows.other)
        unseen = shared * rng.normal(size=n)
        chance = [expit(-0.9 + slope * column + unseen) for slope in slopes]
        has = {
            f"source {k + 1}": (rows.y_true & (rng.random(n) < one)).astype(int)
            for k, one in enumerate(chance)
        }
        history = pd.DataFrame(has)
        needless = [one for one in rows.X.columns if one not in (rows.other, rows.driver)][-1]
        labeling = LabelSources([rows.other, rows.driver, needless] if named else None)
        s, counted = np.asarray(history.max(axis=1)), float(rows.y_true.mean())
        return Table(rows.X, rows.y_true, s, history, labeling, counted, column)

    return table


def _with_chances(
    chance: Callable[[Rows, np.random.Generator], np.ndarray], said: float = 1.0
) -> Draw:
    """Return what draws labels with chances that are said to be so many times as large."""

    def table(rows: Rows, rng: np.random.Generator) -> Table:
        e, y_true = chance(rows, rng), rows.y_true
        s = (y_true & (rng.random(rows.n_rows) < e)).astype(int)
        history = pd.DataFrame({"chance": np.minimum(said * e, 1.0)})
        counted, followed = float(y_true.mean()), np.log(e / (1 - e))
        return Table(rows.X, y_true, s, history, KnownChances(), counted, followed)

    return table


def _exponential(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.exponential(1.0, rows.n_rows)


def _weibull(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 3.0 * rng.weibull(1.5, rows.n_rows)


def _lognormal_or_never(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(
        rng.random(rows.n_rows) < 0.2, np.inf, np.exp(0.9 * rng.normal(size=rows.n_rows) + 0.3)
    )


def _log_logistic(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.exp(0.5 * rng.logistic(size=rows.n_rows))


def _by_age(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(rng.exponential(1.0, rows.n_rows) * np.exp(0.5 * rows.column(rows.driver)))


def _slower(rows: Rows, u: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(rng.exponential(1.0, rows.n_rows) * np.exp(0.4 * (LONGEST / 2 - u)))


def _later_where_older(rows: Rows, rng: np.random.Generator) -> np.ndarray:
    return np.asarray(LONGEST * expit(rows.column(rows.driver) + rng.normal(size=rows.n_rows)))


DESIGNS = {
    "exponential delays": Design(
        "dates", "Delays are exponential; three in four come within the window.", True,
        _dated(_exponential),
    ),
    "Weibull delays, short window": Design(
        "dates", "Delays are long: under half of the labels have come.", True, _dated(_weibull)
    ),
    "lognormal delays, some never": Design(
        "dates", "A fifth of the positives is never labeled.", True, _dated(_lognormal_or_never)
    ),
    "log-logistic delays": Design(
        "dates", "Delays have a long tail.", True, _dated(_log_logistic)
    ),
    "exposure follows age": Design(
        "dates", "Older rows were observed for longer.", True,
        _dated(_exponential, _later_where_older),
    ),
    "delays follow age": Design(
        "dates", "Labels of older rows take longer.", False, _dated(_by_age)
    ),
    "cohorts differ": Design(
        "dates", "Rows that entered early are positive more often.", False,
        _dated(_exponential, more=lambda u: 0.6 * (u - LONGEST / 2)),
    ),
    "labeling slows down": Design(
        "dates", "Labels of rows that entered lately take longer.", False, _dated(_slower)
    ),
    "leavers unseen": Design(
        "dates", "Half of the rows left, and their exposure does not say so.", False,
        _dated(_exponential, leave=True),
    ),
    "two sources alike": Design(
        "sources", "Both prefer the same wards.", True, _from_sources((1.0, 1.0))
    ),
    "two sources apart": Design(
        "sources", "They prefer different wards.", True, _from_sources((1.0, -1.0))
    ),
    "three sources": Design(
        "sources", "Two prefer the same wards, the third others.", True,
        _from_sources((1.0, 0.5, -0.5)),
    ),
    "sources at random": Design(
        "sources", "They follow no column; three are named.", True, _from_sources((0.0, 0.0))
    ),
    "two sources alike, not named": Design(
        "sources", "Both prefer the same wards, and nobody says so.", False,
        _from_sources((1.0, 1.0), named=False),
    ),
    "two sources that depend": Design(
        "sources", "Both prefer rows for a reason that is in no column.", False,
        _from_sources((0.0, 0.0), shared=1.0),
    ),
    "chances by draw": Design(
        "chances", "Chances are known, and no column tells them.", True,
        _with_chances(lambda rows, rng: rng.uniform(0.1, 0.9, rows.n_rows)),
    ),
    "chances by age": Design(
        "chances", "Chances follow a column that also drives the class.", True,
        _with_chances(lambda rows, rng: np.asarray(expit(-0.4 + 1.2 * rows.column(rows.driver)))),
    ),
    "chances by ward": Design(
        "chances", "Chances follow a column that does not drive the class.", True,
        _with_chances(lambda rows, rng: np.asarray(expit(-0.4 - 1.2 * rows.column(rows.other)))),
    ),
    "chances too high": Design(
        "chances", "Chances follow the draw, and are a quarter lower than they are said to be.",
        False, _with_chances(lambda rows, rng: rng.uniform(0.1, 0.75, rows.n_rows), said=1.25),
    ),
}  # fmt: skip
"""Ways in which labels come about, by name."""
