"""Labels from several sources: what two of them share tells how much all of them miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, softmax

from ..codes import warn
from ..engine.history_losses import CaptureLoss
from ..engine.solvers import newton
from ..scores import LabeledScore, Missed, OfRows
from ._chances import AlongChances, Draws, columns_of, count_by_chances, density_of_counts
from ._labeling import Labeling, history_columns, reject_beside_history, rows_in_words

# Precision of the priors of levels and of slopes of named, standardized columns; and of slopes of
# all columns, weighted by their evidence.
_OF_LEVEL, _OF_NAMED, _OF_ALL = 0.1, (1.0,), (1.0, 4.0, 16.0, 64.0)
_PAIRS, _NEGLIGIBLE = 12, 0.02
_TOL, _MOST_STEPS = 1e-9, 200
# Rows that two sources share: fewer hardly tell anything, or nothing.
_FEW, _TOO_FEW = 10, 5
ODDS_RATIOS = (0.5, 1.0, 2.0, 4.0)
"""How many times as large the odds of a source are for a row that another source has."""
MISSED_LINKS = (0.05, 0.1)
"""Which shares of what two sources share were not recognized as the same."""


@dataclass(frozen=True)
class FoundBySources:
    """What several sources say beside the count.

    Attributes
    ----------
    sources : tuple of str
        Their names.
    n_by_source : tuple of int
        Rows of each.
    n_shared : int
        Rows that at least two have.
    by_odds_ratio : dict of float to float
        The number of positives if sources depended on each other, beside the named columns: if
        having one of them made the odds of another so many times as large.
    by_missed_links : dict of float to float
        The number of positives if that share of the links between sources had been missed.
    """

    sources: tuple[str, ...]
    n_by_source: tuple[int, ...]
    n_shared: int
    by_odds_ratio: dict[float, float]
    by_missed_links: dict[float, float]


@dataclass(frozen=True, eq=False)
class CaptureFit:
    """Minus the log-posterior of the sources' levels and slopes, per labeled row.

    Attributes
    ----------
    columns : ndarray of shape (n_labeled, n_columns)
        Ones, and the columns that sources follow.
    sources : ndarray of shape (n_labeled, n_sources)
        Which source has which row.
    of_slopes : float
        Precision of the slopes.
    """

    columns: np.ndarray
    sources: np.ndarray
    of_slopes: float

    @property
    def n_parameters(self) -> int:
        """A level and slopes for each source."""
        return self.sources.shape[1] * self.columns.shape[1]

    @property
    def precision(self) -> np.ndarray:
        """Of the prior of each parameter."""
        one = np.append(_OF_LEVEL, np.full(self.columns.shape[1] - 1, self.of_slopes))
        return np.tile(one, self.sources.shape[1])

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        n_sources, width, total = self.sources.shape[1], self.columns.shape[1], len(self.columns)
        at = tuple((self.columns @ z.reshape(n_sources, width).T).T)
        rows = CaptureLoss(n_sources).derivatives(at, self.sources, second=True)
        precision = self.precision
        value = float(rows.value.sum()) + 0.5 * float(precision @ z**2)
        gradient = np.concatenate([self.columns.T @ one for one in rows.gradient]) + precision * z
        hessian, pairs = np.diag(precision), iter(rows.hessian)
        for j in range(n_sources):
            for k in range(j, n_sources):
                block = (self.columns.T * next(pairs)) @ self.columns
                at_j, at_k = (slice(one * width, (one + 1) * width) for one in (j, k))
                hessian[at_j, at_k] += block
                if j != k:
                    hessian[at_k, at_j] += block.T
        return value / total, gradient / total, hessian / total

    def fit(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the mode, a root of the covariance there, and the log-evidence."""
        total, precision = len(self.columns), self.precision
        best = newton(self, np.zeros(self.n_parameters), _TOL, _MOST_STEPS).z
        value, _, hessian = self.value_gradient_hessian(best)
        values, vectors = np.linalg.eigh(hessian * total)
        evidence = -value * total + 0.5 * float(np.log(precision).sum() - np.log(values).sum())
        return best, vectors / np.sqrt(values), evidence


@dataclass(frozen=True, eq=False)
class ChanceBySources:
    """The chance that one of several sources has a positive row.

    Attributes
    ----------
    coefficients : ndarray of shape (n_draws, n_sources, 1 + n_columns)
        Levels and slopes.
    weight : ndarray of shape (n_draws,)
    """

    coefficients: np.ndarray
    weight: np.ndarray

    @classmethod
    def fit(
        cls, design: np.ndarray, sources: np.ndarray, strengths: Sequence[float]
    ) -> ChanceBySources:
        """Fit to rows that some source has; average over strengths of the ridge."""
        columns = np.column_stack([np.ones(len(design)), design])
        fits = [CaptureFit(columns, sources, one).fit() for one in strengths]
        share = softmax([one[2] for one in fits])
        random, points, weights = np.random.default_rng(0), [], []
        for (best, root, _), part in zip(fits, share, strict=True):
            if part <= _NEGLIGIBLE:
                continue
            drawn = random.standard_normal((int(np.ceil(_PAIRS * part)), len(best))) @ root.T
            points += [best + sign * one for one in drawn for sign in (1, -1)]
            weights += [part / (2 * len(drawn))] * (2 * len(drawn))
        shape = len(points), sources.shape[1], columns.shape[1]
        return cls(np.array(points).reshape(shape), np.array(weights) / np.sum(weights))

    def each(self, design: np.ndarray) -> np.ndarray:
        """Return the chance of each row with each source, for each draw."""
        columns = np.column_stack([np.ones(len(design)), design])
        return expit(np.einsum("djk,nk->dnj", self.coefficients, columns, optimize=True))

    def draws(self, design: np.ndarray, links: float = 1.0) -> Draws:
        """Return the chance of each row to be in any source; divide by the share of links first."""
        return Draws(of_any(np.minimum(self.each(design) / links, 1.0)), self.weight)

    def at(self, design: np.ndarray) -> np.ndarray:
        """Return the mean chance of each row to be in any source."""
        return self.draws(design).mean


def of_any(each: np.ndarray) -> np.ndarray:
    """Return the chance of at least one source, of chances along the last axis."""
    return np.asarray(1 - np.prod(1 - each, axis=-1))


class LabelSources(Labeling):
    r"""Labels come from two or more sources that found positives on their own, such as registers.

    Pass ``fit(X, s, history=sources)``, where each column of `sources` says which rows one source
    has (1 or 0), and s which rows any of them has. What two sources share tells how many positives
    all of them miss.

    Assumes that sources find positives independently of each other, among rows that are alike in
    the named columns, that no source has a negative row, and that all links between the sources
    were recognized.

    Parameters
    ----------
    columns : list of str or int, str, int or None, default=None
        Names or positions of the columns of X that decide which source finds a row, such as age
        or place. Name them: sources that prefer the same rows share many, and positives look
        rarer than they are. None: all columns, with a ridge that is chosen; the count then counts
        as not identified (PU128). An empty list says that sources follow no column.

    Notes
    -----
    *Sources.* Source j has a positive row with chance :math:`e_j(x) = \sigma(x_c^Tb_j + a_j)`.
    The histories of labeled rows are fitted given that some source has the row,
    :math:`\prod_j e_j^{s_j}(1-e_j)^{1-s_j}/e`, :math:`e = 1-\prod_j(1-e_j)` (Huggins 1989, Alho
    1990). There the class cancels. With two sources and no columns the count is that of Lincoln
    and Petersen, :math:`n_1n_2/n_{12}`, as the weak ridge goes to 0.

    *Count.* As with `KnownChances`, for draws of these chances.

    *Sensitivity.* ``found.by_odds_ratio`` has the count if sources depended on each other in other
    ways than through the named columns, ``found.by_missed_links`` the count if 5 or 10 % of the
    links were missed: such a row looks as if one source alone had it.

    **What breaks it:** sources that depend on each other: if one reports to the other, or both see
    the severe cases, positives look rarer than they are. Labels cannot tell.

    References
    ----------
    R. M. Huggins (1989). On the statistical analysis of capture experiments. Biometrika 76.

    J. M. Alho (1990). Logistic regression in capture-recapture models. Biometrics 46.

    Examples
    --------
    >>> from unlabeled.labeling import LabelSources
    >>> LabelSources(["age"])
    LabelSources(columns=['age'])
    """

    def __init__(self, columns: Any = None) -> None:
        self.columns = columns

    def missed(self, known: LabeledScore) -> Missed:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows, and the count.

        Parameters
        ----------
        known : LabeledScore
            `history` has a column for each source.

        Returns
        -------
        missed : Missed
        """
        reject_beside_history(known, type(self).__name__)
        s = known.s.astype(np.float64)
        names, sources = _checked_sources(known.history, s)
        shared = int((sources.sum(axis=1) > 1).sum())
        columns = [self.columns] if isinstance(self.columns, str | int) else self.columns
        columns = None if columns is None else list(columns)
        design = columns_of(known.design, columns, len(s))
        labeled = s == 1
        strengths = _OF_ALL if columns is None else _OF_NAMED
        chances = ChanceBySources.fit(design[labeled], sources[labeled], strengths)
        draws = chances.draws(design)
        average = draws.mean
        counted = count_by_chances(known.label_logit, s, draws, average)

        def count_if(chance: np.ndarray) -> float:
            found = count_by_chances(known.label_logit, s, Draws.of(chance), chance)
            return float(found.weight @ found.mean)

        as_found = float(counted.weight @ counted.mean) / count_if(average)
        found = FoundBySources(
            names,
            tuple(int(one) for one in sources.sum(axis=0)),
            shared,
            {one: as_found * count_if(less_likely(average, one)) for one in ODDS_RATIOS},
            {
                one: as_found * count_if(chances.draws(design, links=1 - one).mean)
                for one in MISSED_LINKS
            },
        )
        _warn(found, is_named=columns is not None)
        return Missed(
            OfRows(counted.posterior, counted.missed),
            density_of_counts(counted, s, len(s), is_doubted=columns is None or shared < _FEW),
            AlongChances(counted.line, chances, columns),
            _in_words(found),
            found,
        )


def less_likely(chance: np.ndarray, odds_ratio: float) -> np.ndarray:
    """Divide the odds of chances, which multiplies the number of rows that are missed."""
    inside = np.clip(chance, 1e-12, 1 - 1e-12)
    return np.asarray(expit(logit(inside) - np.log(odds_ratio)))


def _checked_sources(history: Any, s: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Return names and columns of the sources; reject what is impossible."""
    if hasattr(history, "columns"):
        names = [str(name) for name in history.columns]
        width = len(names)
    else:
        width = np.shape(history)[1] if np.ndim(history) == 2 else 0
        names = [f"source {k + 1}" for k in range(width)]
    if width < 2:
        raise ValueError(
            "`history` must have a column for each of at least two sources; got "
            f"{width if width else 'none'}. Pass a frame with a column of 1 and 0 for each."
        )
    wanted = list(history.columns) if hasattr(history, "columns") else names
    columns = history_columns(history, wanted, len(s), "LabelSources")
    table = np.column_stack([columns[name] for name in wanted])
    wrong = np.asarray(~np.isin(table, (0, 1)).all(axis=1))
    if wrong.any():
        raise ValueError(
            "`history` must hold 1 and 0, whether the source has the row; got something else in "
            f"{rows_in_words(wrong)}. Fill in 0 where a source does not have a row."
        )
    other = np.asarray(table.max(axis=1) != s)
    if other.any():
        raise ValueError(
            "`y` must mark the rows that at least one source has; got another label in "
            f"{rows_in_words(other)}. Pass sources.max(axis=1) as labels."
        )
    if not table.any(axis=0).all():
        empty = names[int(np.argmin(table.any(axis=0)))]
        raise ValueError(
            f"`history` must have rows of every source; {empty!r} has none. Leave it out."
        )
    shared = int((table.sum(axis=1) > 1).sum())
    if shared < _TOO_FEW:
        raise ValueError(
            f"`history` must have at least {_TOO_FEW} rows that two sources share; got {shared}. "
            "Fit without labeling=LabelSources()."
        )
    return tuple(names), table


def _warn(found: FoundBySources, is_named: bool) -> None:
    if not is_named:
        warn(
            "PU128",
            "nobody named the columns that the sources follow. If sources prefer the same rows, "
            "there are more positives than this count says.",
        )
    if found.n_shared < _FEW:
        warn(
            "PU127",
            f"{found.n_shared} rows are shared by two sources, fewer than {_FEW}. How many "
            "positives all sources miss is hardly known.",
        )


def _in_words(found: FoundBySources) -> tuple[str, ...]:
    by_ratio = ", ".join(
        f"{count:.0f} at {ratio:g}" for ratio, count in found.by_odds_ratio.items()
    )
    by_link = " or ".join(
        f"{count:.0f} (at {share:.0%})" for share, count in found.by_missed_links.items()
    )
    listed = ", ".join(
        f"{name} {number}" for name, number in zip(found.sources, found.n_by_source, strict=True)
    )
    return (
        "Counted are positives that at least two sources could have found; those that only one of "
        "them, or none, could ever find are not included.",
        f"Rows of each source: {listed}; at least two share {found.n_shared}.",
        "If having one source changes the odds of another, beside the named columns, the count "
        f"depends on that odds ratio: {by_ratio}.",
        f"If links between sources were missed, there are fewer positives: {by_link}.",
    )
