"""Labels that follow named columns, along any held-out score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from ..engine.losses import ProductLoss, shift_to_mean
from ..engine.parameters import listed
from ..engine.solvers import newton
from ..scores import (
    NAMED_STRETCH,
    LabeledScore,
    Missed,
    OfRows,
    PropensityPrior,
    propensity_prior,
    standardized_column,
)
from ._labeling import Labeling

# Values of the score and of the columns together at which r is kept; between them it is linear.
_SCORES, _TILTS = 121, 25
_INSIDE = 1e-9
_TOL, _MOST_STEPS = 1e-9, 200
# Where the search for the direction starts: signs of its slopes along the score.
_SIGNS = (1.0, -1.0)
_SMALLEST = 1e-6


@dataclass(frozen=True)
class FoundByColumns:
    """What labels say of the named columns.

    Attributes
    ----------
    slopes : dict of str to float
        What one standard deviation of a column adds to the logit of the propensity. A column of
        categories has one for each frequent level.
    """

    slopes: dict[str, float]


@dataclass(frozen=True, eq=False)
class AlongColumns:
    """r as a function of label logit and named columns: numbers on a grid, and no row.

    Attributes
    ----------
    columns : list
        Names or positions.
    tilt, shift : ndarray of shape (n_columns,)
        What the columns add to the logit of the propensity, up to a constant and a factor, and to
        the label logit.
    scores, tilts : ndarray
        The grid.
    logits : ndarray of shape (n_scores, n_tilts)
        The logit of r.
    """

    columns: list[Any]
    tilt: np.ndarray
    shift: np.ndarray
    scores: np.ndarray
    tilts: np.ndarray
    logits: np.ndarray

    def at(self, label_logit: np.ndarray, design: Callable[[Any], np.ndarray]) -> OfRows:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows."""
        named = _cut(design(self.columns))
        place = _between(self.scores, label_logit + named @ self.shift)
        other = _between(self.tilts, named @ self.tilt)
        found = np.zeros(len(label_logit))
        for row, along in zip(place.points, place.weights, strict=True):
            for column, across in zip(other.points, other.weights, strict=True):
                found += along * across * self.logits[row, column]
        missed = expit(found)
        return OfRows(missed + expit(label_logit) * (1 - missed), missed)


class FollowsColumns(Labeling):
    r"""Labels follow columns of X that you name, such as the ward, the year or the age.

    Assumes that positive rows with the same values of these columns are labeled equally often,
    and that the chance to be labeled is logistic in them:
    :math:`P(S=1|x) = \sigma(g + z^Tk)\,y(x)`. Any classifier can be used: y follows its held-out
    score. A list of names in place of this object means the same.

    Parameters
    ----------
    columns : str, int, or list of them
        Names or positions of columns of X. Of a column of categories every frequent level counts.

    Notes
    -----
    *One column.* Standardized and cut at 2.5 standard deviations it is z, and
    `scores.propensity_prior` gives r = P(Y=1|S=0,x) and the count, averaged over
    :math:`P(S=1|x)=\sigma(g+kz)\,h(a+bt+mz)`, where t is the held-out logit of P(S=1|x).
    m stands beside k because a column may matter for the class, too. Priors of k and m are
    normal with standard deviation 3. Several columns first get the direction that is likeliest
    for :math:`\sigma(g + z^Tk)\,\sigma(a+bt+z^Tm)`; they share the variance.

    *Answers* of checked rows enter the same likelihood.

    **What breaks it:** labeling that follows what you did not name. Labels and a name tell the
    count only roughly: nothing but the shape of the curve tells a column that makes rows positive
    from one that gets them labeled. With 100 checked rows the count is sure, with or without a
    name.

    Examples
    --------
    >>> from unlabeled.labeling import FollowsColumns
    >>> FollowsColumns(["age"])
    FollowsColumns(columns=['age'])
    """

    def __init__(self, columns: Any) -> None:
        self.columns = columns

    def missed(self, known: LabeledScore) -> Missed:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows, and the count.

        Parameters
        ----------
        known : LabeledScore
            Answers of checked rows, weights and groups may be among it.

        Returns
        -------
        missed : Missed
        """
        names = _names(self.columns)
        if known.history is not None:
            raise ValueError(
                "`history` must be None with labeling=FollowsColumns(), which names columns of X; "
                "got some. Leave it out."
            )
        named = _cut(known.design(names))
        if not np.ptp(named, axis=0).any():
            raise ValueError(
                f"`columns` must name columns that vary; got {listed(names)}, with one value. "
                "Name others."
            )
        outcomes = _outcomes(known)
        tilt, shift, deviation = np.ones(1), np.zeros(1), NAMED_STRETCH
        if named.shape[1] > 1:
            tilt, shift = _direction(known, named, outcomes)
            deviation = NAMED_STRETCH / np.sqrt(named.shape[1]) / float(np.linalg.norm(tilt))
        score, along = known.label_logit + named @ shift, named @ tilt
        prior = propensity_prior(
            score,
            along,
            outcomes,
            known.weight,
            stretch_deviation=deviation,
            groups=known.groups,
        )
        new_rows = _on_grid(names, tilt, shift, score, along, prior)
        new_rows = _with_count(new_rows, known, named, prior.density.mean)
        slopes = prior.stretch * tilt
        return Missed(
            new_rows.at(known.label_logit, known.design),
            prior.density,
            new_rows,
            _in_words(names, known),
            FoundByColumns(
                dict(zip(_parts(names, known, len(slopes)), slopes.tolist(), strict=True))
            ),
        )


def _names(columns: Any) -> list[Any]:
    """Return the names as a list; reject what is none."""
    given = [columns] if isinstance(columns, str | Integral) else columns
    is_list = isinstance(given, Sequence | np.ndarray) and not isinstance(given, str)
    if not is_list or not all(
        isinstance(one, str | Integral) and not isinstance(one, bool) for one in given
    ):
        raise ValueError(
            f"`columns` must be names or positions of columns of X; got {columns!r}. Pass a list."
        )
    if len(given) == 0:
        raise ValueError("`columns` must name at least one column of X; got none.")
    return list(dict.fromkeys(given))


def _cut(design: np.ndarray) -> np.ndarray:
    """Return standardized columns, cut as the check of unnamed columns cuts them."""
    columns = np.asarray(design, dtype=np.float64)
    return np.column_stack([standardized_column(one, 0.0, 1.0) for one in columns.T])


def _parts(names: list[Any], known: LabeledScore, n_columns: int) -> list[str]:
    """Name the columns of a design."""
    sizes = [1] * len(names)
    if n_columns > len(names):
        sizes = [known.design([name]).shape[1] for name in names]
    return [
        str(name) if size == 1 else f"{name}, level {k + 1}"
        for name, size in zip(names, sizes, strict=True)
        for k in range(size)
    ]


def _outcomes(known: LabeledScore) -> np.ndarray:
    """Return whether a row is labeled, was found positive, or is unknown."""
    s = known.s.astype(np.float64)
    if known.checked is None:
        return np.column_stack([s, np.zeros_like(s), 1 - s])
    found = (s == 0) & (known.checked == 1)
    return np.column_stack([s, found, (s == 0) & np.isnan(known.checked)]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Products:
    """Minus the mean log-posterior of two logistic factors: one has a score, both have columns.

    The parameters are a, b and m, then g and k.
    """

    first: np.ndarray
    second: np.ndarray
    outcomes: np.ndarray
    weight: np.ndarray
    precision: np.ndarray

    @property
    def n_parameters(self) -> int:
        """Of both factors."""
        return self.first.shape[1] + self.second.shape[1]

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        n, total = self.first.shape[1], float(self.weight.sum())
        loss = ProductLoss().derivatives(
            (self.first @ z[:n], self.second @ z[n:]), self.outcomes, second=True
        )
        gradient = np.concatenate(
            [
                (self.weight * one) @ matrix
                for one, matrix in zip(loss.gradient, (self.first, self.second), strict=True)
            ]
        )
        of_first, cross, of_second = (self.weight * one for one in loss.hessian)
        hessian = np.empty((len(z), len(z)))
        hessian[:n, :n] = (self.first.T * of_first) @ self.first
        hessian[n:, n:] = (self.second.T * of_second) @ self.second
        hessian[:n, n:] = (self.first.T * cross) @ self.second
        hessian[n:, :n] = hessian[:n, n:].T
        value = float(self.weight @ loss.value) + 0.5 * float(self.precision @ z**2)
        return (
            value / total,
            (gradient + self.precision * z) / total,
            (hessian + np.diag(self.precision)) / total,
        )


def _direction(
    known: LabeledScore, named: np.ndarray, outcomes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the likeliest slopes of the propensity, and what the columns add to the score."""
    t = known.label_logit
    scale = float(t.std()) or 1.0
    ones, n_columns = np.ones(len(t)), named.shape[1]
    named_precision = np.full(n_columns, n_columns / NAMED_STRETCH**2)
    problem = _Products(
        np.column_stack([ones, (t - t.mean()) / scale, named]),
        np.column_stack([ones, named]),
        outcomes,
        ones if known.weight is None else known.weight,
        np.concatenate([[1 / 25, 1 / 25], named_precision, [1 / 4], named_precision]),
    )
    center = np.zeros(n_columns)
    slopes = np.array([np.corrcoef(one, outcomes[:, 0])[0, 1] for one in named.T])
    slopes = np.nan_to_num(slopes) / max(float(np.abs(np.nan_to_num(slopes)).max()), _SMALLEST)
    starts = [np.concatenate([[0.0, 2.0], -sign * slopes, [0.0], sign * slopes]) for sign in _SIGNS]
    starts.append(np.concatenate([[0.0, 2.0], center, [0.0], center]))
    found = min(
        (newton(problem, start, _TOL, _MOST_STEPS) for start in starts), key=lambda one: one.value
    ).z
    b, m, k = found[1], found[2 : 2 + n_columns], found[3 + n_columns :]
    if float(np.linalg.norm(k)) < _SMALLEST:
        k = slopes
    return k, m * scale / max(float(b), 0.1)


def _on_grid(
    names: list[Any],
    tilt: np.ndarray,
    shift: np.ndarray,
    score: np.ndarray,
    along: np.ndarray,
    prior: PropensityPrior,
) -> AlongColumns:
    """Keep the logit of r between the ends of the scores and tilts of a table."""
    scores = np.unique(np.quantile(score, np.linspace(0, 1, _SCORES)))
    tilts = np.unique(np.quantile(along, np.linspace(0, 1, _TILTS)))
    t, u = (one.ravel() for one in np.meshgrid(scores, tilts, indexing="ij"))
    r = np.clip(prior.at(t, u, u), _INSIDE, 1 - _INSIDE)
    return AlongColumns(
        names, tilt, shift, scores, tilts, logit(r).reshape(len(scores), len(tilts))
    )


def _with_count(
    curve: AlongColumns, known: LabeledScore, named: np.ndarray, class_prior: float
) -> AlongColumns:
    """Move the logits of r so that the expected count is that of the class prior."""
    weight = np.ones(len(known.s)) if known.weight is None else known.weight
    unknown, positives = known.s == 0, known.s.astype(np.float64)
    if known.checked is not None:
        unknown = unknown & np.isnan(known.checked)
        positives = np.where(known.checked == 1, 1.0, positives)
    wanted = class_prior * float(weight.sum()) - float(weight @ positives)
    if not unknown.any() or not 0 < wanted < float(weight[unknown].sum()):
        return curve
    missed = curve.at(known.label_logit, known.design).missed[unknown]
    logits = logit(np.clip(missed, _INSIDE, 1 - _INSIDE))
    shift = shift_to_mean(logits, wanted / float(weight[unknown].sum()), weight[unknown])
    return replace(curve, logits=curve.logits + shift)


class _Between(NamedTuple):
    """Where values lie between the points of a grid: the points next to them, and their weights."""

    points: tuple[np.ndarray, np.ndarray]
    weights: tuple[np.ndarray, np.ndarray]


def _between(grid: np.ndarray, values: np.ndarray) -> _Between:
    inside = np.clip(values, grid[0], grid[-1])
    below = np.clip(np.searchsorted(grid, inside, side="right") - 1, 0, max(len(grid) - 2, 0))
    above = np.minimum(below + 1, len(grid) - 1)
    share = (inside - grid[below]) / np.where(above > below, grid[above] - grid[below], 1.0)
    return _Between((below, above), (1 - share, share))


def _in_words(names: list[Any], known: LabeledScore) -> tuple[str, ...]:
    words = f"Labels are taken to follow {listed([str(name) for name in names])} and nothing else."
    if known.checked is not None and np.any((known.s == 0) & ~np.isnan(known.checked)):
        return (words,)
    return (
        words,
        "Labels and names tell the number of positives only roughly: about a hundred checked rows "
        "settle it.",
    )
