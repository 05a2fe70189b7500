r"""P(Y=1|S=0) by answers about checked rows, along any held-out score.

Labels tell :math:`p = P(S=1|x)`, answers tell :math:`r = P(Y=1|S=0,x)`, and
:math:`y = p + (1-p)\,r` holds however rows were labeled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp, softmax

from ..engine.losses import shift_to_mean, softplus_and_sigmoid
from ..engine.rows import consecutive_slices, design_effect
from ._class_prior import ResolvedPrior
from ._columns import RandomTrees
from ._decision import Scale, ScoredRows, calibrated_line, posterior_along
from ._if_unlabeled import given_unlabeled
from ._missed import Missed, OfRows
from ._prior_density import PriorDensity

# Standard deviations, before any answer, of the shift and of the slope of the logit of r.
_SHIFT, _SLOPE = 3.0, 0.5
# What may be added to them: how far it may move the logit, and the prior mass of all such models.
_NOTHING = 0.4
_ONE_COLUMN, _OF_ONE_COLUMN = (0.7, 2.0), 0.2
_ALL_COLUMNS, _OF_ALL_COLUMNS = (1.0, 3.0), 0.2
_TREES, _OF_TREES = (1.0, 2.5), 0.2
_BOTH, _OF_BOTH = (2.0, 1.5), 0.1
# The prior mass of labels given at random, and how many class priors are tried for them.
_BY_LABELS, _PRIORS = 0.8, 12
# A kernel of trees goes through at most this many checked rows.
_MOST_CENTERS = 500
_ROUNDING = 1e-10
_MOST_STEPS, _ARRIVED, _MOST_HALVES = 100, 1e-9, 40
_BLOCK_ROWS = 2**15
# Models of less weight are dropped.
_NEGLIGIBLE = 1e-5
FEWEST_OF_A_KIND = 3
"""The labels' count is left in full upward for so many positive answers, downward for so many
negative ones; and the order of rows for so many of both."""
# How far the counts must be apart, in variances, before the labels are taken as wrong.
_DOUBT = 3.0
_CELLS, _REACH, _AT_LEAST = 400, 6.0, 0.2
_INSIDE = 1e-12


class _Model(NamedTuple):
    """Which of the parts the logit of r has beside shift and slope, and how large they may be."""

    column: int | None = None
    columns: float = 0.0
    trees: float = 0.0


@dataclass(frozen=True, eq=False)
class Answered(Missed):
    """What labels and answers say of the rows of a table.

    Checked rows have r of unchecked ones like them. A class prior that was given stays.

    Attributes
    ----------
    of_rows, density, new_rows, said
        As in `Missed`.
    gain : float
        By how much the mean log-likelihood of an answer, by all other answers, exceeds that by
        labels alone.
    gain_error : float
        Its standard error.
    n_positive, n_negative : int
        Numbers of answers.
    by_labels : float
        The probability that labels alone say what the answers say, labels being given at random.
    """

    gain: float = 0.0
    gain_error: float = 0.0
    n_positive: int = 0
    n_negative: int = 0
    by_labels: float = 0.0


@dataclass(frozen=True, eq=False)
class AnswerCurves:
    """The logit of r as a function of label logit and columns: numbers, and no row.

    Attributes
    ----------
    trees : RandomTrees or None
    by_labels : ndarray of shape (2, n_points)
        Weights of class priors under which labels are given at random, and what each adds to the
        label logit to give log r.
    is_two : bool
        Whether y is r, as in two samples.
    to_offset : float
        Is added to the label logit.
    middle : float
        Where the slope turns.
    shift : float
        Is added to the logit of the averaged r.
    weight : ndarray of shape (n_models,)
    line : ndarray of shape (n_models, 2)
        Shift and slope of each model.
    slopes : ndarray of shape (n_models, n_columns)
    values : dict of int to ndarray of shape (n_nodes,)
        What a leaf adds, of each model with trees.
    """

    trees: RandomTrees | None
    by_labels: np.ndarray
    is_two: bool
    to_offset: float
    middle: float
    shift: float
    weight: np.ndarray
    line: np.ndarray
    slopes: np.ndarray
    values: dict[int, np.ndarray]

    def at(self, label_logit: np.ndarray, design: Callable[[Any], np.ndarray]) -> OfRows:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of new rows."""
        missed = np.empty(len(label_logit))
        for there, t, columns, leaves in self.blocks(label_logit, design(None)):
            missed[there] = self.averaged(t, columns, leaves)
        return self.of_rows(label_logit, missed)

    def of_rows(self, label_logit: np.ndarray, missed: np.ndarray) -> OfRows:
        """Put y beside r."""
        if self.is_two:
            return OfRows(missed, missed)
        return OfRows(missed + expit(label_logit) * (1 - missed), missed)

    def averaged(self, t: np.ndarray, columns: np.ndarray, leaves: np.ndarray | None) -> np.ndarray:
        """Return r, averaged over the models, with the shift."""
        mean = np.zeros(len(t))
        for weight, to_log in self.by_labels.T:
            mean += weight * missed_at_random(t + to_log)
        for k, weight in enumerate(self.weight):
            mean += weight * expit(self.logit(k, t + self.to_offset, columns, leaves))
        return moved(mean, self.shift)

    def logit(
        self, k: int, offset: np.ndarray, design: np.ndarray, leaves: np.ndarray | None
    ) -> np.ndarray:
        """Return the logit of r by one model."""
        shift, slope = self.line[k]
        found = offset + shift + slope * (offset - self.middle)
        used = np.flatnonzero(self.slopes[k])
        if len(used):
            found = found + design[:, used] @ self.slopes[k, used]
        if leaves is not None and k in self.values:
            found = found + self.values[k][leaves].sum(axis=1)
        return np.asarray(found)

    def blocks(
        self, label_logit: np.ndarray, design: np.ndarray
    ) -> Iterator[tuple[slice, np.ndarray, np.ndarray, np.ndarray | None]]:
        """Yield where rows are, their logits, their columns and their leaves, block by block."""
        for there in consecutive_slices(len(label_logit), _BLOCK_ROWS):
            leaves = None if self.trees is None else self.trees.leaves(design[there])
            yield there, label_logit[there], design[there], leaves


def missed_at_random(log_missed: np.ndarray) -> np.ndarray:
    """Return r for labels that were given at random, from log r, which may exceed 0."""
    return -np.expm1(-np.exp(np.minimum(log_missed, 30.0)))


def moved(probability: np.ndarray, shift: float) -> np.ndarray:
    """Return probabilities whose logits are moved."""
    return np.asarray(expit(logit(np.clip(probability, _INSIDE, 1 - _INSIDE)) + shift))


def fit_answers(scored: ScoredRows, design: np.ndarray, prior: ResolvedPrior) -> Answered:
    r"""Fit r = P(Y=1|S=0,x) to the answers about checked rows.

    Rows must have been chosen for checking by their score or by X, not by their class.

    With fewer than three answers of a kind, nothing but the shift and the slope is fitted.

    The logit of r is :math:`o + g`. The offset is :math:`o = t + \log((1-c)/c)`, where t is the
    logit of P(S=1|x) by fits without the row: under SCAR it is log r. g is Gaussian
    with mean 0, and several models of it are averaged by their evidence (Laplace). Each has a shift
    with standard deviation 3, and a slope along o with .5. Added is

    - nothing, with a prior mass of .4;
    - one standardized column, times a number with standard deviation .7 or 2 (.2);
    - all d columns, each times a number with standard deviation 1 or 3, over :math:`\sqrt d` (.2);
    - the mean of 100 random trees with values of standard deviation 1 or 2.5 in their leaves (.2);
    - columns with 2, and trees with 1.5 (.1).

    All that has a prior mass of .2. The other .8 are labels given at random, with the class priors
    of the labels' own density, and r = 1 - exp(-exp(o)), which is near exp(o) and below 1. So the
    order of the rows does not change before answers speak against it.

    *Count.* Labeled rows, positive answers and the sum of r over other rows. Its variance is that
    of g, that of the classes of these rows, and that between models. The labels' own density of the
    count is moved toward it: on the scale of the logit of the share of positives among unknown
    rows, the labels' count may be wrong by a bias with variance :math:`D^4/(D^2 + 3v)`, where D is
    how far the counts are apart, and v the sum of their variances. So the labels' count stays
    while it is the better one, and nothing jumps at the first answer: with one answer of the kind
    that speaks against it there is no bias, and with two it has half of that variance. An interval
    reaches down to the smallest share that labels and answers together do not reject, as that of
    labels alone. The logits of r are then moved by one number, so that they add up to the estimate.

    Parameters
    ----------
    scored : ScoredRows
        Its score is t, and its `checked` has at least one answer about an unlabeled row.
    design : ndarray of shape (n_rows, n_columns)
        Standardized columns of the rows, as `Columns` makes them.
    prior : ResolvedPrior
        What the labels say about the class prior, or what was given.

    Returns
    -------
    answered : Answered
    """
    assert scored.checked is not None
    t, s, checked = scored.score, scored.s, scored.checked
    weight = np.ones(len(t)) if scored.weight is None else scored.weight
    unit = np.ones(len(t)) if scored.unit is None else scored.unit
    looked = np.flatnonzero((s == 0) & ~np.isnan(checked))
    answer, share = checked[looked], float(weight @ s / weight.sum())
    frequency = min(1.0, share / prior.value)
    to_offset = _log_odds_of_missed(frequency)
    here = _Checked.of(
        t[looked] + to_offset,
        design[looked],
        RandomTrees.of(design),
        answer,
        weight[looked] / unit[looked],
        None if scored.groups is None else scored.groups[looked],
        float(np.average(t[s == 0], weights=weight[s == 0])) + to_offset,
    ).tempered()
    n_positive, n_negative = int((answer == 1).sum()), int((answer == 0).sum())
    fits = here.fits()
    curves = _curves(here, fits, to_offset, scored.sampling.is_two)
    counted = _count(here, fits, curves, scored, design)
    blend = _Blend.of(scored, prior, counted, (n_positive, n_negative))
    curves, by_labels = _with_labels(curves, here, fits, t[looked], scored, prior)
    missed, unknown = counted.missed * (1 - by_labels), counted.unknown
    for part, to_log in curves.by_labels.T:
        missed += part * missed_at_random(t + to_log)
    if np.any(unknown):
        logits = logit(np.clip(missed[unknown], _INSIDE, 1 - _INSIDE))
        shift = shift_to_mean(logits, blend.share, weight[unknown])
        curves = replace(curves, shift=float(np.clip(shift, -30, 30)))
    labels_alone = _missed_by_labels(scored, frequency)[looked]
    gain = here.left_out(fits, curves, t[looked]) - _log_likelihood(labels_alone, answer)
    gain_error = float(gain.std() / np.sqrt(max(len(gain) - 1, 1)))
    return Answered(
        curves.of_rows(t, moved(missed, curves.shift)),
        blend.density,
        curves,
        (
            *_in_words(n_positive, n_negative, prior, blend.density, scored),
            _gain_in_words(float(gain.mean()), gain_error),
        ),
        gain=float(gain.mean()),
        gain_error=gain_error,
        n_positive=n_positive,
        n_negative=n_negative,
        by_labels=by_labels,
    )


def _in_words(
    n_positive: int,
    n_negative: int,
    prior: ResolvedPrior,
    found: PriorDensity,
    scored: ScoredRows,
) -> tuple[str, ...]:
    """Say what the answers moved."""
    n_answers = n_positive + n_negative
    counted = f"Counted by labels and {n_answers} answers, {n_positive} of them positive."
    if prior.is_given:
        return (counted,)
    weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
    share = float(weight @ scored.s / weight.sum())
    alone = float(scored.sampling.population_prior(prior.value, share))
    return counted, f"Labels alone said a class prior of {alone:.3f}; now it is {found.mean:.3f}."


def _gain_in_words(gain: float, error: float) -> str:
    if abs(gain) <= 2 * error:
        return (
            "It is not clear that answers tell more than labels alone: given the others, the "
            f"log-likelihood of an answer changes by {gain:+.3f}, standard error {error:.3f}."
        )
    return (
        "Given the other answers, an answer is "
        f"{'more' if gain > 0 else 'less'} probable than by labels alone: log-likelihood "
        f"{abs(gain):.3f} {'higher' if gain > 0 else 'lower'} per answer, standard error "
        f"{error:.3f}."
    )


def _log_odds_of_missed(frequency: float) -> float:
    """Return log((1-c)/c), finite at c = 1."""
    return float(np.log(max(1 - frequency, 1e-3) / frequency))


def _with_labels(
    curves: AnswerCurves,
    here: _Checked,
    fits: list[Fits],
    t: np.ndarray,
    scored: ScoredRows,
    prior: ResolvedPrior,
) -> tuple[AnswerCurves, float]:
    """Average with labels given at random, for which several class priors are tried."""
    weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
    share = float(weight @ scored.s / weight.sum())
    priors = np.array([prior.value])
    if prior.density is not None:
        priors = scored.sampling.rows_prior(prior.density.points(_PRIORS), share)
    to_log = np.array([_log_odds_of_missed(min(1.0, share / one)) for one in priors])
    logs = np.array(
        [here.weight @ _log_likelihood(missed_at_random(t + one), here.answer) for one in to_log]
    )
    of_models = logsumexp(np.concatenate([np.log(one.mass) + one.evidence for one in fits]))
    of_models -= np.log(sum(one.mass * len(one.models) for one in fits))
    logs += np.log(_BY_LABELS / len(logs))
    all_logs = np.append(logs, np.log(1 - _BY_LABELS) + of_models)
    parts = softmax(all_logs)
    found = np.stack([parts[:-1], to_log])
    curves = replace(curves, by_labels=found, weight=parts[-1] * curves.weight)
    return curves, float(parts[:-1].sum())


def _log_likelihood(probability: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Logarithm of the probability of each answer."""
    inside = np.clip(probability, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(np.where(answer == 1, inside, 1 - inside)))


def _missed_by_labels(scored: ScoredRows, frequency: float) -> np.ndarray:
    """P(Y=1|S=0) of every row by the labels alone."""
    scale = Scale(label_line=(0.0, 1.0))
    line = calibrated_line(scored, scale, frequency)
    posterior = posterior_along(line, scale, scored.score, frequency)
    if scored.sampling.is_two:
        return posterior
    return np.asarray(given_unlabeled(posterior, frequency))


class Fits(NamedTuple):
    """Models of one family that were fitted together.

    Attributes
    ----------
    models : list of _Model
    mass : float
        Prior mass of each.
    phi : ndarray of shape (n_models, n_answers, n_parameters)
        Features of the checked rows, whose coefficients are standard normal.
    mode : ndarray of shape (n_models, n_parameters)
    precision : ndarray of shape (n_models, n_parameters, n_parameters)
        Minus the Hessian at the mode.
    evidence : ndarray of shape (n_models,)
    """

    models: list[_Model]
    mass: float
    phi: np.ndarray
    mode: np.ndarray
    precision: np.ndarray
    evidence: np.ndarray


@dataclass(frozen=True, eq=False)
class _Checked:
    """The checked rows: offset, columns, leaves and answers; and the models fitted to them."""

    offset: np.ndarray
    design: np.ndarray
    leaves: np.ndarray | None
    trees: RandomTrees | None
    answer: np.ndarray
    weight: np.ndarray
    groups: np.ndarray | None
    middle: float
    centers: np.ndarray
    root: np.ndarray

    @classmethod
    def of(
        cls,
        offset: np.ndarray,
        design: np.ndarray,
        trees: RandomTrees | None,
        answer: np.ndarray,
        weight: np.ndarray,
        groups: np.ndarray | None,
        middle: float,
    ) -> _Checked:
        """Compute the leaves, and a root of their kernel."""
        leaves = None if trees is None else trees.leaves(design)
        centers, root = np.arange(0), np.empty((0, 0))
        if leaves is not None:
            # The draw depends on what is in the rows, not on their order.
            order = np.argsort(offset + 1e-3 * leaves.sum(axis=1), kind="stable")
            chosen = np.random.RandomState(0).permutation(len(order))[:_MOST_CENTERS]
            centers = order[np.sort(chosen)]
            values, vectors = np.linalg.eigh(_shared(leaves[centers], leaves[centers]))
            kept = values > _ROUNDING * values[-1]
            root = vectors[:, kept] / np.sqrt(values[kept])
        return cls(offset, design, leaves, trees, answer, weight, groups, middle, centers, root)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return 0 if self.trees is None else self.trees.n_nodes

    def tempered(self) -> _Checked:
        """Return these rows with answers worth as much as independent ones."""
        if self.groups is None:
            return self
        residual = self.answer - self.averaged(self.fits())
        return replace(self, weight=self.weight / design_effect(residual, self.groups))

    def averaged(self, fits: list[Fits]) -> np.ndarray:
        """Return r of the checked rows."""
        weights = model_weights(fits)
        found = np.zeros(len(self.answer))
        for fit, share in zip(fits, weights, strict=True):
            found += share @ expit(self.offset + np.einsum("mnp,mp->mn", fit.phi, fit.mode))
        return found

    def fits(self) -> list[Fits]:
        """Fit all models."""
        base = np.column_stack(
            [np.full(len(self.offset), _SHIFT), _SLOPE * (self.offset - self.middle)]
        )
        positive = float(self.answer.sum())
        few = min(positive, len(self.answer) - positive) < FEWEST_OF_A_KIND
        d = 0 if few else self.design.shape[1]
        families: list[tuple[list[_Model], float, np.ndarray]] = [
            ([_Model()], _NOTHING, base[None])
        ]
        if d:
            models = [_Model(j, size) for j in range(d) for size in _ONE_COLUMN]
            phi = np.empty((len(models), *base.shape[:1], 3))
            phi[:, :, :2] = base
            for k, one in enumerate(models):
                phi[k, :, 2] = one.columns * self.design[:, one.column]
            families.append((models, _OF_ONE_COLUMN / len(models), phi))
            models = [_Model(None, size / np.sqrt(d)) for size in _ALL_COLUMNS]
            phi = np.stack([self._phi(base, one) for one in models])
            families.append((models, _OF_ALL_COLUMNS / len(models), phi))
        if d and self.leaves is not None:
            models = [_Model(None, 0.0, size) for size in _TREES]
            phi = np.stack([self._phi(base, one) for one in models])
            families.append((models, _OF_TREES / len(models), phi))
            both = _Model(None, _BOTH[0] / np.sqrt(d), _BOTH[1])
            families.append(([both], _OF_BOTH, self._phi(base, both)[None]))
        fits = []
        for models, mass, phi in families:
            found = laplace(phi, self.offset, self.answer, self.weight)
            fits.append(Fits(models, mass, phi, *found))
        return fits

    def _phi(self, base: np.ndarray, model: _Model) -> np.ndarray:
        """Return features: base, all columns, and a root of the kernel of trees."""
        parts = [base]
        if model.columns:
            parts.append(model.columns * self.design)
        if model.trees and self.leaves is not None:
            kernel = _shared(self.leaves, self.leaves[self.centers])
            parts.append(model.trees * kernel @ self.root)
        return np.column_stack(parts)

    def left_out(self, fits: list[Fits], curves: AnswerCurves, t: np.ndarray) -> np.ndarray:
        """Log-likelihood of each answer by the others; of those of another group, with groups.

        Newton's step leaves the answers out, and the weight of a model is divided by what it said
        of them.
        """
        values = [missed_at_random(t + to_log) for to_log in curves.by_labels[1]]
        for fit, share in zip(fits, model_weights(fits), strict=True):
            for k in np.flatnonzero(share > 0):
                eta = self._left_out_logits(fit.phi[k], fit.mode[k], fit.precision[k])
                values.append(expit(eta))
        weights = np.concatenate([curves.by_labels[0], curves.weight])
        logs = [
            np.log(max(weight, 1e-300))
            - self._of_unit(self.weight * _log_likelihood(value, self.answer))
            for weight, value in zip(weights, values, strict=True)
        ]
        r = (softmax(np.array(logs), axis=0) * np.array(values)).sum(axis=0)
        return _log_likelihood(moved(r, curves.shift), self.answer)

    def _of_unit(self, log: np.ndarray) -> np.ndarray:
        """Sum over the rows that are left out together."""
        if self.groups is None:
            return log
        _, number = np.unique(self.groups, return_inverse=True)
        return np.bincount(number, log)[number]

    def _left_out_logits(
        self, phi: np.ndarray, mode: np.ndarray, precision: np.ndarray
    ) -> np.ndarray:
        eta = self.offset + phi @ mode
        r = expit(eta)
        push, curve = self.weight * (self.answer - r), self.weight * r * (1 - r)
        half = np.linalg.solve(np.linalg.cholesky(precision), phi.T)
        if self.groups is None:
            leverage = (half**2).sum(axis=0)
            return np.asarray(eta - leverage * push / np.maximum(1 - curve * leverage, 1e-6))
        for group in np.unique(self.groups):
            there = np.flatnonzero(self.groups == group)
            covariance = half[:, there].T @ half[:, there]
            rest = np.eye(len(there)) - curve[there][:, None] * covariance
            eta[there] -= covariance @ np.linalg.solve(rest, push[there])
        return eta


def laplace(
    phi: np.ndarray, offset: np.ndarray, answer: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fit logistic models with standard normal coefficients; return mode, precision and evidence.

    Newton's step is halved until the log-posterior rises: undamped it diverges.
    """
    n_models, _, n_parameters = phi.shape
    mode = np.zeros((n_models, n_parameters))
    here = log_posterior(phi, offset, answer, weight, mode)
    moving = np.arange(n_models)
    for _ in range(_MOST_STEPS):
        gradient, precision = derivatives(phi[moving], offset, answer, weight, mode[moving])
        step = np.linalg.solve(precision, gradient[..., None])[..., 0]
        promised = (gradient * step).sum(axis=1)
        size = np.ones(len(moving))
        better = np.zeros(len(moving), dtype=bool)
        for _ in range(_MOST_HALVES):
            left = np.flatnonzero(~better)
            trial = mode[moving[left]] + size[left, None] * step[left]
            there = log_posterior(phi[moving[left]], offset, answer, weight, trial)
            rises = there >= here[moving[left]]
            mode[moving[left[rises]]] = trial[rises]
            here[moving[left[rises]]] = there[rises]
            better[left[rises]] = True
            size[left[~rises]] *= 0.5
            if better.all():
                break
        moving = moving[better & (promised > _ARRIVED)]
        if not len(moving):
            break
    _, precision = derivatives(phi, offset, answer, weight, mode)
    return mode, precision, here - 0.5 * np.linalg.slogdet(precision)[1]


def log_posterior(
    phi: np.ndarray, offset: np.ndarray, answer: np.ndarray, weight: np.ndarray, mode: np.ndarray
) -> np.ndarray:
    """Log-likelihood of the answers, less half of the square of the coefficients, of each model."""
    eta = offset + np.einsum("mnp,mp->mn", phi, mode)
    value = (answer * eta - softplus_and_sigmoid(eta)[0]) @ weight
    return np.asarray(value - 0.5 * (mode**2).sum(axis=1))


def derivatives(
    phi: np.ndarray, offset: np.ndarray, answer: np.ndarray, weight: np.ndarray, mode: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient of `log_posterior`, and minus its Hessian."""
    r = expit(offset + np.einsum("mnp,mp->mn", phi, mode))
    gradient = np.einsum("mnp,mn->mp", phi, weight * (answer - r)) - mode
    precision = (phi * (weight * r * (1 - r))[..., None]).swapaxes(1, 2) @ phi
    precision += np.eye(phi.shape[2])
    return gradient, precision


def model_weights(fits: list[Fits]) -> list[np.ndarray]:
    """Return the posterior probability of every model of each family; negligible ones are 0."""
    logs = np.concatenate([np.log(fit.mass) + fit.evidence for fit in fits])
    weights = softmax(logs)
    weights[weights < _NEGLIGIBLE * weights.max()] = 0.0
    weights /= weights.sum()
    return np.split(weights, np.cumsum([len(fit.models) for fit in fits])[:-1])


def _shared(leaves: np.ndarray, others: np.ndarray) -> np.ndarray:
    """In which share of the trees two rows are in one leaf."""
    found = np.zeros((len(leaves), len(others)))
    for one, other in zip(leaves.T, others.T, strict=True):
        found += one[:, None] == other
    return found / leaves.shape[1]


def _curves(here: _Checked, fits: list[Fits], to_offset: float, is_two: bool) -> AnswerCurves:
    """Turn the modes into coefficients of columns and values of leaves."""
    d = here.design.shape[1]
    weights: list[float] = []
    line: list[tuple[float, float]] = []
    slopes: list[np.ndarray] = []
    values: dict[int, np.ndarray] = {}
    for fit, share in zip(fits, model_weights(fits), strict=True):
        for k in np.flatnonzero(share > 0):
            model, mode = fit.models[k], fit.mode[k]
            of_columns = np.zeros(d)
            rest = mode[2:]
            if model.column is not None:
                of_columns[model.column], rest = model.columns * rest[0], rest[1:]
            elif model.columns:
                of_columns, rest = model.columns * rest[:d], rest[d:]
            if model.trees and here.leaves is not None:
                of_center = model.trees * here.root @ rest / here.leaves.shape[1]
                values[len(weights)] = _by_leaf(here.leaves[here.centers], of_center, here.n_nodes)
            weights.append(share[k])
            line.append((_SHIFT * mode[0], _SLOPE * mode[1]))
            slopes.append(of_columns)
    return AnswerCurves(
        here.trees if values else None,
        np.empty((2, 0)),
        is_two,
        to_offset,
        here.middle,
        0.0,
        np.array(weights),
        np.array(line),
        np.array(slopes),
        values,
    )


def _by_leaf(leaves: np.ndarray, of_row: np.ndarray, n_nodes: int) -> np.ndarray:
    """Sum over the rows of each leaf."""
    return np.bincount(leaves.ravel(), np.repeat(of_row, leaves.shape[1]), n_nodes)


class Counted(NamedTuple):
    """r of every row before it is moved, and what that says of the unknown rows.

    Attributes
    ----------
    missed : ndarray of shape (n_rows,)
    unknown : ndarray of bool, shape (n_rows,)
        Neither labeled nor checked.
    mean : float
        Logit of the share of positives among the unknown rows.
    variance : float
        Its variance.
    prior_variance : float
        What it was before the answers.
    """

    missed: np.ndarray
    unknown: np.ndarray
    mean: float
    variance: float
    prior_variance: float


def _count(
    here: _Checked, fits: list[Fits], curves: AnswerCurves, scored: ScoredRows, design: np.ndarray
) -> Counted:
    """Add up r of the unknown rows, with the variances of each model."""
    assert scored.checked is not None
    weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
    unknown = (scored.s == 0) & np.isnan(scored.checked)
    missed = np.empty(len(weight))
    models = [
        (fit, int(k))
        for fit, share in zip(fits, model_weights(fits), strict=True)
        for k in np.flatnonzero(share > 0)
    ]
    d = here.design.shape[1]
    sums = np.zeros((len(models), 2))
    along = np.zeros((len(models), 2 + d))
    of_leaf: dict[int, Any] = {}
    for there, t, columns, leaves in curves.blocks(scored.score, design):
        offset = t + curves.to_offset
        averaged = np.zeros(len(offset))
        there_weight = np.where(unknown[there], weight[there], 0.0)
        base = np.column_stack(
            [np.full(len(offset), _SHIFT), _SLOPE * (offset - here.middle), columns]
        )
        for k, (fit, number) in enumerate(models):
            r = expit(curves.logit(k, offset, columns, leaves))
            averaged += curves.weight[k] * r
            steep = there_weight * r * (1 - r)
            sums[k] += there_weight @ r, steep.sum()
            along[k] += steep @ base
            if fit.models[number].trees and leaves is not None:
                of_leaf[k] = of_leaf.get(k, 0.0) + _by_leaf(leaves, steep, here.n_nodes)
        missed[there] = averaged
    if not np.any(unknown):
        return Counted(missed, unknown, 0.0, 1.0, 1.0)
    total = float(weight[unknown].sum())
    effect = scored.effects(Scale(label_line=(0.0, 1.0))).unlabeled
    center, variance = np.empty(len(models)), np.empty(len(models))
    for k, (fit, number) in enumerate(models):
        of_g = _variance_of_sum(here, fit, number, along[k], of_leaf.get(k))
        share = float(np.clip(sums[k, 0] / total, _INSIDE, 1 - _INSIDE))
        center[k] = logit(share)
        variance[k] = (of_g + effect * sums[k, 1]) / (total * share * (1 - share)) ** 2
    mean = float(curves.weight @ center)
    spread = float(curves.weight @ (variance + (center - mean) ** 2))
    share = float(expit(mean))
    before = float((along[0, :2] ** 2).sum()) / (total * share * (1 - share)) ** 2
    return Counted(missed, unknown, mean, spread, max(before, spread))


def _variance_of_sum(
    here: _Checked, fit: Fits, number: int, along: np.ndarray, of_leaf: Any
) -> float:
    """Variance of the sum of g, each row weighted, given the answers."""
    model = fit.models[number]
    parts = [along[:2]]
    beyond = 0.0
    if model.column is not None:
        parts.append(model.columns * along[2 + model.column :][:1])
    elif model.columns:
        parts.append(model.columns * along[2:])
    if of_leaf is not None and here.leaves is not None:
        n_trees = here.leaves.shape[1]
        kernel = of_leaf[here.leaves[here.centers]].sum(axis=1) / n_trees
        of_root = model.trees * here.root.T @ kernel
        parts.append(of_root)
        # What the kernel has beyond the rows that it goes through.
        whole = model.trees**2 * float((of_leaf**2).sum()) / n_trees
        beyond = max(whole - float(of_root @ of_root), 0.0)
    gradient = np.concatenate(parts)
    return float(gradient @ np.linalg.solve(fit.precision[number], gradient)) + beyond


class _Blend(NamedTuple):
    """The count by labels and answers.

    Attributes
    ----------
    share : float
        Share of positives among the unknown rows.
    density : PriorDensity
        Of the population.
    """

    share: float
    density: PriorDensity

    @classmethod
    def of(
        cls, scored: ScoredRows, prior: ResolvedPrior, counted: Counted, n_answers: tuple[int, int]
    ) -> _Blend:
        """Move what the labels say toward what the answers say."""
        assert scored.checked is not None
        weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
        total, labeled = float(weight.sum()), float(weight @ scored.s)
        known = labeled + float(weight @ (scored.checked == 1))
        unknown = float(weight[counted.unknown].sum())
        density = prior.density
        if unknown == 0:
            point = np.array([scored.sampling.population_prior(known / total, labeled / total)])
            rows = total if density is None else density.n_rows
            return cls(0.0, PriorDensity(point, np.ones(1), rows))
        least = min(0.5 / unknown, 0.25)

        def share_of(value: Any) -> Any:
            return np.clip((value * total - known) / unknown, least, 1 - least)

        if prior.is_given and density is None:
            point = np.array([scored.sampling.population_prior(prior.value, labeled / total)])
            share = float((prior.value * total - known) / unknown)
            return cls(share, PriorDensity(point, np.ones(1), total))
        points = np.array([prior.value]) if density is None else density.class_prior
        mass = np.ones(1) if density is None else density.probability
        in_rows = points
        if density is not None:
            in_rows = scored.sampling.rows_prior(points, labeled / total)
        at = logit(share_of(in_rows))
        center = float(mass @ at)
        spread = float(mass @ (at - center) ** 2)
        # The answers alone: without what was believed before them.
        kept = 1 - counted.variance / counted.prior_variance
        likely = counted.variance / max(kept, _ROUNDING)
        apart = counted.mean - center
        enough = n_answers[0] if apart > 0 else n_answers[1]
        bias = apart**4 / max(apart**2 + _DOUBT * (spread + likely), 1e-300)
        bias *= float(np.clip((enough - 1) / (FEWEST_OF_A_KIND - 1), 0, 1))
        reach = _REACH * np.sqrt(bias) + _AT_LEAST
        low, high = float(at.min()) - reach, float(at.max()) + reach
        if likely < 1:  # nothing far from the answers counts
            far = _REACH * np.sqrt(likely + spread + bias)
            low, high = (
                max(low, min(counted.mean, center) - far),
                min(high, max(counted.mean, center) + far),
            )
        grid = np.linspace(low, high, _CELLS)
        width = max(bias, (1.5 * (grid[1] - grid[0])) ** 2)
        log = np.log(np.exp(-0.5 * (grid[:, None] - at) ** 2 / width) @ mass + 1e-300)
        log -= 0.5 * (grid - counted.mean) ** 2 / likely
        probability = softmax(log)
        of_rows = (known + unknown * expit(grid)) / total
        population = scored.sampling.population_prior(of_rows, labeled / total)
        n_rows = total if density is None else density.n_rows
        profile = np.empty((2, 0))
        if density is not None and density.profile.shape[1]:
            in_rows = scored.sampling.rows_prior(density.profile[0], labeled / total)
            away = grid[:, None] - logit(share_of(in_rows))
            below = (density.profile[1] + 0.5 * away**2 / width).min(axis=1)
            below += 0.5 * (grid - counted.mean) ** 2 / likely
            profile = np.stack([population, below - below.min()])
        return cls(
            float(probability @ expit(grid)),
            PriorDensity(np.asarray(population), probability, n_rows, profile=profile),
        )
