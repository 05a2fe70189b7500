"""What moved the score of each row away from a base score: one number per row and feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.utils.validation import check_is_fitted

from ..audit import AuditedClassifier
from ..classifier import mended_rows
from ..engine.arrays import is_sparse
from ..engine.estimators import (
    BOOSTERS,
    agreed_pos_label,
    fitted_model,
    names_of_fit,
    package_of,
    positive_inside,
    scores_of,
)
from ..engine.result_table import ResultTable
from ..engine.rows import names_or_numbers, reject_chunks, validate_new_rows
from ..ensemble import PUEnsemble, logit_of_posterior, raw_logit
from ..meta import PUThresholdClassifier
from ._boosters import booster_values
from ._paths import BOOSTING, FORESTS, boosting_values, forest_values

# Their score is that of `estimator_`, perhaps shifted.
_WRAPPERS = (
    PUThresholdClassifier,
    AuditedClassifier,
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
)
# The largest share of the score's size that rounding may change, and by how much a member's logit,
# which is steep where a probability is near 0 or 1. XGBoost computes in single precision.
_ROUNDING = {np.dtype(np.float64): 1e-8, np.dtype(np.float32): 1e-6}
_ROUNDING_OF_LOGIT = {np.dtype(np.float64): 1e-6, np.dtype(np.float32): 1e-4}
# A row this near to the base, as a share of its parts, has the slope at the base.
_NEAR = 1e-6
_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class Contributions(ResultTable):
    """What moved the score of each row.

    ``base + values.sum(axis=1)`` is the score of the rows, up to rounding.

    `to_frame` has one row per row and feature: row, counted from 0, feature and contribution.

    Attributes
    ----------
    base : float
        The score before any feature of the row is known.
    values : ndarray of shape (n_rows, n_features)
        How far each feature of a row moved its score: up if above 0, else down.
    score : ndarray of shape (n_rows,)
        The scores.
    feature_names : tuple of str
        Names of the columns of `values`.
    """

    base: float
    values: np.ndarray
    score: np.ndarray
    feature_names: tuple[str, ...]

    def summed_by(self, source: Mapping[str, str]) -> Contributions:
        """Add up the contributions of features that come from the same column.

        Parameters
        ----------
        source : mapping of str to str
            The column that each feature comes from. A feature that is not in it keeps its name.

        Returns
        -------
        contributions : Contributions
            One column per name, in the order in which they first appear.
        """
        names = [source.get(name, name) for name in self.feature_names]
        places = {name: column for column, name in enumerate(dict.fromkeys(names))}
        values = np.zeros((len(self.values), len(places)))
        for j, name in enumerate(names):
            values[:, places[name]] += self.values[:, j]
        return replace(self, values=values, feature_names=tuple(places))

    def _columns(self) -> dict[str, np.ndarray]:
        n_rows, n_features = self.values.shape
        return {
            "row": np.repeat(np.arange(n_rows), n_features),
            "feature": np.tile(np.array(self.feature_names), n_rows),
            "contribution": self.values.ravel(),
        }


def contributions(
    estimator: Any, X: Any, *, background: Any = None, pos_label: Any = None
) -> Contributions:
    r"""Compute what moved the score of each row, feature by feature.

    The contributions of a row add up exactly to its score less a base score. They say what the
    model used, not what causes the class.

    Parameters
    ----------
    estimator : fitted classifier, pipeline or search
        A linear classifier of this library or of scikit-learn; an `ExtraTreesClassifier`,
        `RandomForestClassifier` or `HistGradientBoostingClassifier` (without categorical
        features); a classifier of LightGBM, XGBoost or CatBoost; a `PUThresholdClassifier` over
        one of them; or a `PUEnsemble` of them.
    X : array-like, sparse matrix or frame of shape (n_rows, n_features)
        The rows to explain. The result is a dense array of the same shape.
    background : array-like, sparse matrix or frame, optional
        The rows whose mean is the base of a linear model, such as the training rows; `X` if
        None. With one or few rows in `X`, pass it. Trees do not use it: their base is the mean
        of their own training rows.
    pos_label : optional
        The label value of labeled rows, for classifiers of scikit-learn; by default the larger
        one.

    Returns
    -------
    contributions : Contributions
        With `base`, `values`, `score` and `feature_names`. Behind the transformers of a
        pipeline, features are those that the classifier sees.

    See Also
    --------
    unlabeled.inspection.label_importance : What matters over all rows.
    unlabeled.plots.CoefficientDisplay : Coefficients of a linear classifier with intervals.

    Notes
    -----
    The score is `positive_score` of our classifiers. For scikit-learn's it is
    `decision_function` toward the labeled class, or the probability of that class if they have
    none. Of LightGBM, XGBoost and CatBoost, also inside a `PUThresholdClassifier`, it is the
    log-odds of that probability.

    - *Linear models:* :math:`\beta_j (x_j - \bar x_j)`, with the mean :math:`\bar x` of
      `background`. The base is the score at the mean.
    - *Trees:* every node has a value, the mean of the training rows that reach it. A split
      changes the value from that of the node to that of the child, and this change is credited
      to the feature that is split (Saabas). Forests add up in probability, boosting in log-odds.
    - *LightGBM, XGBoost, CatBoost:* their own Shapley values, which add up to the log-odds.
      XGBoost computes in single precision, to about 1e-6 of the score.
    - *PUEnsemble:* the weighted sum over its members. A member's logit of P(S=1|x) is a curve of
      its own score. The contributions to the own score are multiplied by the slope of the chord
      from the base to the row, so that they add up to the difference of the logits.
    - *With answers or knowledge of the labeling* the score is the logit of P(Y=1|x), which follows
      the score of the labels and columns of X. What the former moves goes to its features, in
      proportion to their contributions to it.

    Rows that the model was fitted to have the score of that fit, and so have their contributions.
    Trees remember such rows.

    **What breaks it:** features that carry the same information share the credit as the fit
    happened to divide it. In a single deep tree, splits near the leaves get more credit than
    their share in an interaction (Lundberg and others); many random trees average over the order
    of splits. :doc:`/decisions/0018-contributions` says why we do not use Shapley values.

    References
    ----------
    A. Saabas (2014). Interpreting random forests.
    http://blog.datadive.net/interpreting-random-forests/

    S. M. Lundberg, G. Erion, H. Chen and others (2020). From local explanations to global
    understanding with explainable AI for trees. Nature Machine Intelligence 2, 56-67.
    https://doi.org/10.1038/s42256-019-0138-9

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled import PULogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inspection import contributions
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.5, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> found = contributions(model, data.X[:2], background=data.X)
    >>> found.values.shape
    (2, 3)
    >>> np.allclose(found.base + found.values.sum(axis=1), model.positive_score(data.X[:2]))
    True
    """
    check_is_fitted(estimator)
    reject_chunks(X, "contributions")
    positive = agreed_pos_label(estimator, pos_label)
    if positive is None:
        positive = estimator.classes_[1]
    rows = X if hasattr(X, "shape") else np.asarray(X)
    explained = _explained(estimator, rows, rows if background is None else background, positive)
    return Contributions(explained.base, explained.values, explained.score, explained.names)


@dataclass(frozen=True)
class _Explained:
    """Scores, the parts that they consist of, and the names of the parts."""

    score: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]
    is_of_booster: bool = False

    @property
    def base(self) -> float:
        """The score less its parts: the same for all rows."""
        rest = self.score - self.values.sum(axis=1)
        base = float(np.mean(rest))
        size = 1.0 + np.abs(self.values).sum(axis=1) + np.abs(self.score)
        if np.any(np.abs(rest - base) > _ROUNDING[self.values.dtype] * size):
            raise ValueError(
                "`estimator` must have a score that its coefficients or its trees add up to; got "
                "one that changes it afterwards. Pass the classifier inside it."
            )
        return base


def _explained(model: Any, X: Any, background: Any, positive: Any) -> _Explained:
    if getattr(model, "steps", None):
        return _behind_steps(model, X, background, positive)
    if hasattr(model, "best_estimator_"):
        return _explained(model.best_estimator_, X, background, positive)
    if getattr(model, "is_mended", False):
        return _of_mended(model, X, background, positive)
    if isinstance(model, _WRAPPERS):
        score = _score(model, X, positive)
        inner = _explained(model.estimator_, X, background, positive_inside(model, positive))
        return inner if inner.is_of_booster else replace(inner, score=score)
    is_of_booster = package_of(model) in BOOSTERS
    if is_of_booster:
        score, values = booster_values(model, X, positive)
    else:
        score, values = _score(model, X, positive), _values(model, X, background, positive)
    names = names_or_numbers(names_of_fit(model), values.shape[1])
    return _Explained(score, values, names, is_of_booster)


def _of_mended(model: Any, X: Any, background: Any, positive: Any) -> _Explained:
    """Explain the logit of the posterior by that of a label, and by the columns beside it.

    The score of the labels is known first, and then one column after the other; and the other way
    round. Each gets the mean of what it added. For a sum of effects of pairs these are Shapley
    values.
    """
    rows = mended_rows(model, X)
    if isinstance(model, PUEnsemble):
        values = _ensemble_values(model, X, background)
        labels = _Explained(
            rows.score, values, names_or_numbers(names_of_fit(model), values.shape[1])
        )
    else:
        inside = positive_inside(model, positive)
        labels = _explained(model.estimator_, X, background, inside)
        labels = labels if labels.is_of_booster else replace(labels, score=rows.score)
    if np.ndim(rows.X) != 2 or labels.values.shape[1] != np.shape(rows.X)[1]:
        raise ValueError(
            "`estimator` must see the columns of X as they are, if more than labels is known; got "
            "one that changes them. Put what changes them before it, in a pipeline."
        )
    columns = rows.positions

    def at(score: np.ndarray, positions: list[int]) -> np.ndarray:
        is_share = labels.is_of_booster and rows.is_probability
        return rows.known(expit(score) if is_share else score, positions)

    base, values = np.full(len(labels.score), labels.base), np.zeros(labels.values.shape)
    for start, way in ((labels.score, columns), (base, columns[::-1])):
        before = at(start, [])
        for k, column in enumerate(way):
            after = at(start, way[: k + 1])
            values[:, column] += (after - before) / 2
            before = after
    of_labels, ends = labels.values.sum(axis=1), (columns[:0], columns)
    near = np.abs(of_labels) <= _NEAR * np.abs(labels.values).sum(axis=1)
    slope = np.zeros(len(base))
    for end in ends:
        leg, step = at(labels.score, end) - at(base, end), _STEP * np.ones(len(base))
        there = (at(base + step, end) - at(base - step, end)) / (2 * _STEP)
        chord = np.divide(leg, of_labels, out=np.zeros(len(base)), where=~near)
        slope += np.where(near, there, chord) / 2
    values += slope[:, None] * labels.values
    return _Explained(at(labels.score, columns), values, labels.names)


def _behind_steps(model: Any, X: Any, background: Any, positive: Any) -> _Explained:
    if len(model.steps) == 1:
        return _explained(model[-1], X, background, positive)
    before = model[:-1]
    rows = before.transform(X)
    base = rows if background is X else before.transform(background)
    explained = _explained(model[-1], rows, base, positive)
    try:
        names = before.get_feature_names_out()
    except (AttributeError, ValueError):
        return explained
    if len(names) != len(explained.names):
        return explained
    return replace(explained, names=tuple(str(name) for name in names))


def _score(model: Any, X: Any, positive: Any) -> np.ndarray:
    if hasattr(model, "positive_score"):
        return np.asarray(model.positive_score(X), dtype=np.float64)
    return np.asarray(scores_of(model, X, positive), dtype=np.float64)


def _values(model: Any, X: Any, background: Any, positive: Any) -> np.ndarray:
    """Return the parts that the score of a classifier consists of, one column per feature."""
    if isinstance(model, PUEnsemble):
        return _ensemble_values(model, X, background)
    if isinstance(model, FORESTS):
        return forest_values(model, X, positive)
    if isinstance(model, BOOSTING):
        return boosting_values(model, X, positive)
    if np.shape(getattr(model, "coef_", ()))[:1] == (1,):
        return _linear_values(model, X, background, positive)
    raise ValueError(
        "`estimator` must be a linear classifier, ExtraTreesClassifier, RandomForestClassifier, "
        "HistGradientBoostingClassifier or one of LightGBM, XGBoost or CatBoost, a "
        "PUThresholdClassifier over one of them, or a PUEnsemble of them; got "
        f"{type(model).__name__}. `label_importance` takes any classifier."
    )


def _ensemble_values(model: Any, X: Any, background: Any) -> np.ndarray:
    """Add up the parts of the members, which see the rows as the ensemble validates them."""
    logits = model.member_logits(X)
    X, background = (validate_new_rows(model, rows) for rows in (X, background))
    values = np.zeros((X.shape[0], model.n_features_in_))
    for name, weight in model.member_weights_.items():
        explained = _explained(model.members_[name], X, background, 1)
        if explained.values.shape != values.shape:
            raise ValueError(
                "`estimator` must have members with the features of the table; got "
                f"{explained.values.shape[1]} features in {name!r} and {values.shape[1]} in the "
                "table."
            )
        values += weight * _rescaled(model, name, explained.values, explained.base, logits[name])
    return values


def _rescaled(ensemble: Any, name: str, values: np.ndarray, base: float, end: Any) -> np.ndarray:
    """Rescale the parts of a member's own score, so that they add up on the ensemble's scale.

    A member's logit of P(S=1|x) is a curve of its own score. All parts of a row are multiplied
    by the slope of the chord from the curve's point at the base to that at the row. Then they add
    up exactly to the difference of the two logits, `end` less that at the `base`.
    """
    rounding, values = _ROUNDING_OF_LOGIT[values.dtype], values.astype(np.float64, copy=False)
    way = values.sum(axis=1)
    start = _logit_at(ensemble, name, base)
    if not np.allclose(_logit_at(ensemble, name, base + way), end, rtol=rounding, atol=rounding):
        raise ValueError(
            "`estimator` must have members whose logits follow from their coefficients or trees; "
            f"got another one under the name {name!r}. Leave it out of `members`."
        )
    near = np.abs(way) <= _NEAR * np.abs(values).sum(axis=1)
    chord = np.divide(end - start, way, out=np.zeros(len(way)), where=~near)
    slope = np.where(near, _slope(ensemble, name, base), chord)
    return np.asarray(values * slope[:, None])


def _logit_at(ensemble: Any, name: str, score: Any) -> Any:
    """Return a member's logit of P(S=1|x) where its own score has a value."""
    member = ensemble.members_[name]
    intercept, slope = ensemble._member_lines_[name]
    return intercept + slope * _raw_logit(member, score, ensemble.share_of_members)


def _raw_logit(member: Any, score: Any, share: float) -> Any:
    if hasattr(member, "posterior_at"):
        return logit_of_posterior(member, member.posterior_at(score))
    if isinstance(fitted_model(member), FORESTS):
        return raw_logit(score, share)
    return raw_logit(expit(score), share) if hasattr(member, "predict_proba") else score


def _slope(ensemble: Any, name: str, base: float) -> float:
    is_share = isinstance(fitted_model(ensemble.members_[name]), FORESTS)
    step = _STEP * (base * (1 - base) if is_share else 1.0)
    above, below = (_logit_at(ensemble, name, base + way) for way in (step, -step))
    return float((above - below) / (2 * step))


def _linear_values(model: Any, X: Any, background: Any, positive: Any) -> np.ndarray:
    coef = np.asarray(model.coef_, dtype=np.float64)[0]
    coef = coef if positive == model.classes_[1] else -coef
    return np.asarray(coef * (_dense(X) - _mean(background)))


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


def _mean(X: Any) -> np.ndarray:
    return np.asarray(X.mean(axis=0) if is_sparse(X) else _dense(X).mean(axis=0)).ravel()
