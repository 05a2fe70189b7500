"""How count, recall and precision move if labeling followed a feature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from .. import rates
from ..engine.arrays import is_sparse
from ..engine.estimators import (
    agreed_pos_label,
    fitted_model,
    reject_other_labels,
    rows_of_last_step,
)
from ..engine.intervals import Intervals
from ..engine.parameters import check_level, listed
from ..engine.result_table import ResultTable, TextTable
from ..engine.rows import (
    SAMPLING,
    RowWeights,
    encode_labels,
    fingerprint_rows,
    is_missing,
    names_or_numbers,
    reject_chunks,
    reject_device,
    validate_weight,
    weighted_quantile,
)
from ..engine.sampling import Sampling
from ..scores import PropensityPrior, propensity_prior
from ..thresholds import Cuts, count_above

Array = np.ndarray[Any, np.dtype[Any]]

TIMES = (1 / 3, 1 / 2, 1, 2, 3)
"""How many times as often positives of the group are labeled, unless it is given."""

# Fractions stay this far from 0 and 1 on the logit scale.
_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class LabelingSensitivity(ResultTable):
    """Count, recall and precision if labeling followed a feature; prints as a table.

    `to_frame` has one row per value of `times`: times, class_prior, lower, upper, positives,
    recall and precision.

    Attributes
    ----------
    feature : str
        Name of the feature.
    group : str
        Which rows are the group, such as "dose above 2.5".
    n_rows, n_group : float
        Number of rows, and of rows of the group; sums of weights if there are weights.
    times : ndarray of shape (n_times,)
        How many times as often positives of the group were labeled as other positives, in odds.
    class_prior : Intervals
        The share of positive rows, one interval per value of `times`.
    positives : ndarray of shape (n_times,)
        The number of positive rows.
    recall, precision : ndarray of shape (n_times,)
        Of the rows above the classifier's threshold.
    """

    feature: str
    group: str
    n_rows: float
    n_group: float
    times: Array
    class_prior: Intervals
    positives: Array
    recall: Array
    precision: Array

    def _columns(self) -> dict[str, Array]:
        return {
            "times": self.times,
            "class_prior": self.class_prior.estimate,
            "lower": self.class_prior.lower,
            "upper": self.class_prior.upper,
            "positives": self.positives,
            "recall": self.recall,
            "precision": self.precision,
        }

    def _tables(self) -> list[TextTable]:
        title = (
            f"If positives with {self.group} were labeled k times as often as others, in odds\n"
            f"({self.n_group:,.0f} of {self.n_rows:,.0f} rows; labels hardly tell which k holds):"
        )
        positives = f"positives ({100 * self.class_prior.confidence_level:g} % interval)"
        rows = [
            [
                in_words(k),
                f"{n:,.0f} ({prior.lower * self.n_rows:,.0f} to {prior.upper * self.n_rows:,.0f})",
                f"{100 * prior.estimate:.1f} %",
                f"{recall:.3f}",
                f"{precision:.3f}",
            ]
            for k, n, prior, recall, precision in zip(
                self.times,
                self.positives,
                self.class_prior,
                self.recall,
                self.precision,
                strict=True,
            )
        ]
        heading = ["k", positives, "share", "recall", "precision"]
        return [TextTable(title, [heading, *rows], left=())]


def in_words(times: float) -> str:
    """Write how many times as often: 2, 1.5 or 1/3.

    Examples
    --------
    >>> in_words(2.0), in_words(1 / 3), in_words(0.7)
    ('2', '1/3', '0.7')
    """
    whole = round(1 / times)
    if whole > 1 and abs(1 / times - whole) < 1e-9 * whole:
        return f"1/{whole}"
    return f"{times:.3g}"


def labeling_sensitivity(
    estimator: Any,
    X: Any,
    y: Any,
    feature: str | int,
    *,
    times: Iterable[float] = TIMES,
    sample_weight: Any = None,
    confidence_level: float = 0.95,
) -> LabelingSensitivity:
    r"""Compute how count, recall and precision move if labeling followed a feature.

    A classifier takes labels as given at random. Suppose instead that positives with a feature
    were labeled k times as often as other positives. This computes what the labels would then
    say. It is a what-if: labels hardly tell which k holds.

    Parameters
    ----------
    estimator : fitted PULogistic, PUEnsemble or PUThresholdClassifier
        A classifier that keeps held-out scores of its training rows, or a pipeline or search that
        ends with one. It took labels as given at random, in one sample, and estimated the class
        prior.
    X : array-like, sparse matrix or frame of shape (n_rows, n_features)
        The rows that `estimator` was fitted to.
    y : array-like of shape (n_rows,)
        Their labels.
    feature : str or int
        Name or position of a column of `X`. A column with two values is split into the rows with
        the larger one, which are the group, and the others. Any other column is split at its
        median: rows above it are the group, or rows at the median if none are above. Rows without a
        value are not in the group.
    times : iterable of float, default=(1/3, 1/2, 1, 2, 3)
        k: how many times as often a positive row of the group was labeled, in odds.
    sample_weight : array-like of shape (n_rows,), optional
        The weights of the fit.
    confidence_level : float, default=0.95
        Level of the interval of the class prior.

    Returns
    -------
    sensitivity : LabelingSensitivity

    See Also
    --------
    unlabeled.PropensityLogistic : Estimates the propensity, from labels and checked rows.
    unlabeled.audit.draw_audit : Rows to check, for numbers that hold whatever the labeling.
    unlabeled.diagnostics.scar_test : Whether labels contradict labeling at random.
    unlabeled.plots.LabelingSensitivityDisplay : A picture of it.

    Notes
    -----
    With the indicator v of the group and a held-out score t, the model is

    .. math:: P(S=1|x) = \sigma(g + v \log k)\,h(a + bt + mv)

    so positives of the group have k times the odds of a label, and no propensity exceeds 1. The
    share of positives is averaged over a, b, g, m and the curve h; m is normal around 0 with
    standard deviation 1. Groups of the fit divide the number of rows by its design effect.

    Recall is that of the labeled rows above the classifier's threshold, each counted 1/e times
    with :math:`e = \sigma(\hat g + v\log k)`. Precision is :math:`\alpha r/q`, and at most 1.

    At k = 1 the numbers are those of the classifier. Its class prior and its recall follow from
    other averages than these, so what is computed for k is moved on the logit scale by the
    classifier's number minus the one computed here for k = 1. The ends of the interval are moved
    in the same way. No share of positives is below the share of labeled rows.

    If labels contradict k, they are explained best by propensities near 1, where odds matter least.
    The share of positives can therefore fall on both sides of k = 1.

    **What breaks it:** labeling that also follows something else. The classifier, its ranking and
    its threshold stay as they are: only what is said about them moves.

    Examples
    --------
    >>> from unlabeled import PULogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import labeling_sensitivity
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.4, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> found = labeling_sensitivity(model, data.X, data.s, 0, times=[0.5, 1, 2])
    >>> found.group
    'x0 above 1.01'
    >>> bool(found.class_prior[1].estimate == model.class_prior_)
    True
    """
    check_level(confidence_level)
    k = _checked_times(times)
    rows = _Rows.of(estimator, X, y, sample_weight)
    split = _split(estimator, X, feature, rows)
    return rows.sensitivity(split, k, confidence_level)


class UnlabeledPartError(ValueError):
    """A feature splits the rows so that one part has no labeled row."""


class _Split(NamedTuple):
    """A feature, which rows are the group in words, and whether each row is in it."""

    feature: str
    words: str
    group: Array


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of a fit that have a held-out score.

    Attributes
    ----------
    model : DecidedClassifier
        The classifier.
    score, s, weight : ndarray of shape (n_scored,)
        Held-out scores, labels and weights.
    used : ndarray of int of shape (n_scored,)
        Positions of the rows in X.
    """

    model: Any
    score: Array
    s: Array
    weight: Array
    used: Array

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, sample_weight: Any) -> _Rows:
        check_is_fitted(model)
        reject_chunks(X, "labeling_sensitivity")
        reject_device(X, "labeling_sensitivity")
        inner = fitted_model(model)
        _reject_other_models(inner)
        reject_other_labels(model, y)
        s, _ = encode_labels(y, agreed_pos_label(model, None))
        weight = validate_weight(sample_weight, len(s))
        used = np.arange(len(s)) if weight is None else np.flatnonzero(weight > 0)
        word = getattr(inner, "weights", SAMPLING)
        weight = RowWeights.of(weight, s, word, Sampling.of_model(inner), warns=False).weight
        weight = np.ones(len(s)) if weight is None else weight
        cells = rows_of_last_step(model, X)
        n_rows = cells.shape[0] if hasattr(cells, "shape") else len(cells)
        if n_rows != len(s) or n_rows != len(inner.held_out_score_):
            raise _other_rows(f"{n_rows} rows with {len(s)} labels, {len(used)} of weight above 0")
        if fingerprint_rows(cells) != inner._fingerprint_:
            raise _other_rows("other features")
        score = inner.held_out_score_[used]
        if np.isnan(score).any() and not _is_out_of_bag(inner):
            raise _other_rows("weights above 0 of rows that had weight 0")
        used, score = used[np.isfinite(score)], score[np.isfinite(score)]
        found = cls(inner, score, s[used].astype(np.float64), weight[used], used)
        if not found.is_counted_in(inner.observed_cuts_):
            raise _other_rows("other labels or other weights")
        return found

    def is_counted_in(self, kept: Cuts) -> bool:
        """Whether the cuts of a fit are those of these rows; of many rows it has bins."""
        cuts = count_above(self.score, self.s, self.weight)
        pairs = ((cuts.labeled, kept.labeled), (cuts.total, kept.total))
        if len(cuts.score) != len(kept.score):
            return all(np.isclose(one[-1], other[-1]) for one, other in pairs)
        return all(len(one) == len(other) and np.allclose(one, other) for one, other in pairs)

    def sensitivity(
        self, split: _Split, times: Array, confidence_level: float
    ) -> LabelingSensitivity:
        """Return the numbers of the classifier for each k, moved by what is known at k = 1."""
        group, labeled = split.group, self.s == 1
        # Whatever part is called the group, the same part stands beside the score.
        means = [
            np.average(self.score[part], weights=self.weight[part]) for part in (group, ~group)
        ]
        beside = group if means[0] >= means[1] else ~group
        at_random = self._at(group, beside, 1.0)
        found = [at_random if k == 1 else self._at(group, beside, float(k)) for k in times]
        total = float(self.weight.sum())
        share = float(self.weight[labeled].sum()) / total
        interval = self.model.class_prior_interval(confidence_level=confidence_level)
        known = np.array([interval.estimate, *interval])
        zero = at_random.prior_and_ends(confidence_level)
        ends = [_moved(one.prior_and_ends(confidence_level), zero, known) for one in found]
        prior, lower, upper = np.maximum(ends, share).T
        cut = self.model.cut_
        recall = np.array([_moved(one.recall, at_random.recall, cut.recall) for one in found])
        return LabelingSensitivity(
            feature=split.feature,
            group=split.words,
            n_rows=total,
            n_group=float(self.weight[group].sum()),
            times=times,
            class_prior=Intervals.around(prior, (lower, upper), confidence_level, interval.method),
            positives=total * prior,
            recall=recall,
            precision=np.minimum(1.0, rates.precision(recall, cut.share, prior)),
        )

    def _at(self, group: Array, beside: Array, times: float) -> _AtTimes:
        """Return the share of positives, and the recall, if the group is labeled `times` as often.

        The recall of the labeled rows has half a row added on both sides, so that it has a logit.
        """
        tilt = np.log(times) * group
        found = propensity_prior(
            self.model.posterior_scale.position(self.score, self.model.label_frequency_),
            tilt,
            np.column_stack([self.s, np.zeros_like(self.s), 1 - self.s]),
            self.weight / self.model._design_effect_,
            stretch=1.0,
            beside=beside.astype(np.float64),
        )
        positives = self.s * self.weight * (1 + np.exp(-found.level - tilt))  # 1/e
        above = self.score > self.model.threshold_
        nobody = 0.5 / (float(self.s @ self.weight) + 1)
        recall = float(positives[above].sum() / positives.sum())
        return _AtTimes(found, min(max(recall, nobody), 1 - nobody))


class _AtTimes(NamedTuple):
    """What the labels say for one k."""

    prior: PropensityPrior
    recall: float

    def prior_and_ends(self, confidence_level: float) -> Array:
        """Return the share of positives and both ends of its interval."""
        interval = self.prior.density.interval(confidence_level)
        return np.array([interval.estimate, *interval])


def _moved(value: Any, zero: Any, known: Any) -> Any:
    """Move a number on the logit scale by `known` minus `zero`; `zero` itself becomes `known`."""
    away = logit(np.clip(value, _EDGE, 1 - _EDGE)) - logit(np.clip(zero, _EDGE, 1 - _EDGE))
    return np.where(away == 0, known, expit(away + logit(known)))


def _checked_times(times: Any) -> Array:
    try:
        given = [times] if isinstance(times, Real) else list(times)
    except TypeError:
        given = [times]
    for k in given:
        is_number = isinstance(k, Real) and not isinstance(k, bool | np.bool_)
        if not is_number or not 0 < float(k) < np.inf:
            raise ValueError(
                f"`times` must hold positive numbers; got {k!r}. 2 means twice as often, 1/2 half "
                "as often."
            )
    if not given:
        raise ValueError("`times` must hold at least one positive number; got none.")
    return np.array(given, dtype=np.float64)


def _reject_other_models(model: Any) -> None:
    """Reject a classifier without what a sensitivity is computed from."""
    name = type(model).__name__
    needed = ("held_out_score_", "class_prior_density_", "_fingerprint_")
    if not all(hasattr(model, name) for name in needed):
        raise ValueError(
            "`estimator` must keep held-out scores of its training rows, as PULogistic, PUEnsemble "
            f"and PUThresholdClassifier do after a fit; got {name} without them. Fit one of these; "
            "a model file does not keep them, nor does PUThresholdClassifier with cv='train' or "
            "'prefit'."
        )
    if Sampling.of_model(model).is_two:
        raise ValueError(
            "`estimator` must be fitted to one sample; got one with sampling='two-sample', whose "
            "labeled rows are no part of the population. How they were labeled has no effect on "
            "the number of positives there."
        )
    if len(getattr(model, "propensity_features_", ())):
        raise ValueError(
            f"`estimator` must take labels as given at random; got {name}, whose labeling follows "
            "features already. Use PULogistic."
        )
    if getattr(model, "n_negatives_", 0):
        raise ValueError(
            f"`estimator` must be fitted without `negatives`; got {name} with "
            f"{model.n_negatives_}. Fit it to the other rows alone."
        )
    if getattr(model, "is_mended", False):
        raise ValueError(
            f"`estimator` must take labels as given at random; got {name} that was fitted with "
            "`checked` or `labeling`, which say how labels came about. Fit without them."
        )
    if model.class_prior_density_ is None:
        raise ValueError(
            "`estimator` must estimate the class prior from labels alone; got one fitted with "
            "`class_prior` or `checked` given, which does not depend on the labeling. Fit without "
            "it."
        )


def _is_out_of_bag(model: Any) -> bool:
    cv = getattr(model, "cv", None)
    return isinstance(cv, str) and cv == "oob"


def _other_rows(got: str) -> ValueError:
    return ValueError(
        "`X`, `y` and `sample_weight` must be those of the fit, whose held-out scores the model "
        f"keeps; got {got}. Pass the same rows in the same order."
    )


# The feature and its two parts.


def _split(model: Any, X: Any, feature: Any, rows: _Rows) -> _Split:
    """Split the rows by a column."""
    position, name = _position(model, X, feature)
    column = _column(X, position)[rows.used]
    if column.dtype.kind == "f":
        missing = np.isnan(column)
    else:
        missing = np.array([is_missing(cell) for cell in column.tolist()], dtype=bool)
    values = np.unique(column[~missing])
    if len(values) < 2:
        raise ValueError(
            f"`feature` must have at least two values in the rows; got {name!r}, "
            f"which has {len(values)}. Choose another column."
        )
    group = np.zeros(len(column), dtype=bool)
    if len(values) == 2:
        words, taken = f"{name} = {_written(values[1])}", column[~missing] == values[1]
    else:
        words, taken = _upper_half(name, column[~missing], rows.weight[~missing])
    group[~missing] = taken
    _reject_unlabeled_part(name, words, group, rows)
    return _Split(name, words, group)


def _upper_half(name: str, column: Array, weight: Array) -> tuple[str, Array]:
    """Return the rows above the median, or at it if none are above."""
    if column.dtype.kind not in "biuf":
        raise ValueError(
            f"`feature` must be a column of numbers, or one of two values; got "
            f"{name!r}, which has {len(np.unique(column))} values that are no "
            "numbers. Add a column that says which rows are the group."
        )
    median = weighted_quantile(column, weight, 0.5)
    above = column > median
    if above.any():
        return f"{name} above {_written(median)}", above
    return f"{name} of at least {_written(median)}", column >= median


def _reject_unlabeled_part(name: str, words: str, group: Array, rows: _Rows) -> None:
    for part, which in ((group, f"the rows with {words}"), (~group, "the other rows")):
        if not rows.s[part].any():
            raise UnlabeledPartError(
                "`feature` must split the rows into two parts that both have labeled rows; got "
                f"{name!r}: none of the {int(part.sum())} rows is labeled among "
                f"{which}. Nothing is known about the positives there; check some of these rows."
            )


def _position(model: Any, X: Any, feature: Any) -> tuple[int, str]:
    """Return the position of a feature, and its name."""
    columns = (
        list(X.columns) if hasattr(X, "columns") else getattr(model, "feature_names_in_", None)
    )
    n_columns = X.shape[1] if hasattr(X, "shape") else np.shape(X)[1]
    names = names_or_numbers(columns, n_columns)
    if isinstance(feature, str):
        if columns is not None and feature in names:
            return names.index(feature), feature
        near = get_close_matches(feature, names, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Columns are {listed(names, 5)}."
        if columns is None:
            hint = "X has no names of columns: pass the position of one."
        raise ValueError(f"`feature` must name a column of `X`; got {feature!r}. {hint}")
    is_whole = isinstance(feature, Integral) and not isinstance(feature, bool | np.bool_)
    if not is_whole or not 0 <= feature < n_columns:
        raise ValueError(
            f"`feature` must be the name of a column of `X`, or its position from 0 to "
            f"{n_columns - 1}; got {feature!r}."
        )
    return int(feature), names[int(feature)]


def _column(X: Any, position: int) -> Array:
    """Return a column: an array of numbers, or of anything."""
    if not hasattr(X, "shape"):
        X = np.asarray(X)
    column = _safe_indexing(X, position, axis=1) if not is_sparse(X) else X[:, [position]].toarray()
    cells = np.ravel(np.asarray(column))
    if cells.dtype.kind not in "OUS":  # numbers, or dates
        return cells
    try:
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        return cells


def _written(value: Any) -> str:
    return f"{float(value):.3g}" if np.asarray(value).dtype.kind in "biuf" else str(value)
