"""The posterior along the score by labels and answers, and a classifier that uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted

from ..classifier import PUClassifier
from ..engine.estimators import fitted_model, positive_class_of, scores_of
from ..engine.sampling import Sampling
from ..scores import (
    Scale,
    ScoreProfile,
    logit_given_unlabeled,
    penalized_line,
    standardized,
)
from ..thresholds import ChosenCut, Cuts, Rule, choose_cut, get_rule, with_enough_labeled
from ._predictions import scores_are_probabilities

if TYPE_CHECKING:
    from ._audit import Audit
    from ._result import AuditResult
    from ._table import TableScores

Array = np.ndarray[Any, np.dtype[Any]]

# Standard deviations of shift and slope of the logit before anything was checked: the posterior
# is trusted to be right within a factor of about e^3 in the odds.
_SHIFT, _SLOPE = 3.0, 0.5
# Without a posterior the slope along the standardized score is anybody's guess.
_SLOPE_WITHOUT_POSTERIOR = 1.5
# Keeps the slope of the posterior of all rows finite if a step fits as well.
_FLAT = 1e-3


@dataclass(frozen=True)
class Recalibration:
    r"""The posterior along the score, with labels and answers in it.

    Attributes
    ----------
    shift, slope : float
        a and b in :math:`\mathrm{logit}\,p = a + b\,\mathrm{logit} f`, where f is the model's
        P(Y=1|x, S=0).
    cuts : Cuts
        The cuts of the score. `labeled` holds the expected positives above each.
    known : ndarray
        Labeled rows above each cut that count as rows of the table.
    line : tuple of float
        Intercept and slope of the logit of P(Y=1|t) as a function of the score.
    right : float
        Share of the checked labels that are right; 1 if none was checked.
    missed : tuple of ndarray, or None
        Rising scores, and P(Y=1|S=0) at each.
    """

    shift: float
    slope: float
    cuts: Cuts
    known: Array
    line: tuple[float, float]
    right: float = 1.0
    missed: tuple[Array, Array] | None = None

    @property
    def class_prior(self) -> float:
        """Expected share of positives."""
        return float(self.cuts.labeled[-1] / self.cuts.total[-1])

    def keep(self, threshold: float) -> ChosenCut:
        """Return a cut that was chosen before, with what labels and answers say of it."""
        index = max(int(np.sum(self.cuts.score > threshold)) - 1, 0)
        below, above = float(self.cuts.next_score[index]), float(self.cuts.score[index])
        return ChosenCut(
            index=index,
            value=np.nan,
            threshold=threshold,
            lower=min(below, threshold),  # it may lie inside a cell
            upper=max(above, threshold),
            recall=float(self.cuts.recall[index]),
            share=float(self.cuts.share[index]),
        )

    def choose(self, rule: str | Rule) -> ChosenCut:
        """Choose a cut by a rule."""
        found = with_enough_labeled(get_rule(rule), float(self.cuts.labeled[-1]))
        if not found.if_unlabeled:
            return choose_cut(self.cuts, found, self.class_prior)
        positives, total = (
            self.cuts.labeled - self.right * self.known,
            self.cuts.total - self.known,
        )
        cuts = replace(self.cuts, labeled=np.maximum(positives, 0.0), total=total)
        prior = float(cuts.labeled[-1] / cuts.total[-1])
        chosen = choose_cut(cuts, replace(found, if_unlabeled=False), prior)
        recall, share = self.cuts.recall[chosen.index], self.cuts.share[chosen.index]
        return replace(chosen, recall=float(recall), share=float(share))


def recalibrate(audits: Sequence[Audit], answers: Sequence[Array]) -> Recalibration:
    r"""Move the posterior of unlabeled rows along the score, by the answers.

    The logit of the model's posterior is shifted and stretched by the likelihood of the answers,
    with normal priors :math:`a \sim N(0, 3^2)` and :math:`b \sim N(1, 0.5^2)`. Which rows were
    drawn depends on the score only, so that they need no weights.
    """
    table = audits[0].table
    middle = 0.5 * (table.low + table.high)
    base, spread = _base_logits(table, middle, audits[0].logistic)
    checked = _checked(audits, answers)
    score, answer, labeled = (np.array(column) for column in zip(*checked.values(), strict=True))
    known = ~labeled.astype(bool)
    at = np.interp(score, middle, base)
    shift, slope = 0.0, 1.0
    if known.any():
        # A falling posterior would turn the ranking around; the answers may only flatten it.
        precision = (_SHIFT**-2, spread**-2)
        weight = np.ones(int(known.sum()))
        shift, slope = penalized_line(at[known], answer[known], weight, (0.0, 1.0), precision)
    right = 1.0 if known.all() else float(answer[~known].mean())
    posterior = expit(shift + slope * base)
    positives = _positives(table, posterior, score[known], answer[known], right)
    total = table.rows.astype(np.float64)
    position = Scale(audits[0].logistic).logits(middle)
    there = total > 0  # a cell may hold cases of another sample only
    return Recalibration(
        shift,
        slope,
        _cuts(table, positives, total),
        np.cumsum(table.known_counts.sum(axis=0)[::-1]).astype(np.float64),
        _line(position[there], positives[there], total[there]),
        right,
        (middle, posterior),
    )


def _checked(
    audits: Sequence[Audit], answers: Sequence[Array]
) -> dict[int, tuple[float, float, bool]]:
    """Score, answer and label of each checked row; a row that was checked twice counts once."""
    found: dict[int, tuple[float, float, bool]] = {}
    for audit, of_audit in zip(audits, answers, strict=True):
        labeled = audit.strata["labeled"][audit.stratum]
        for k in np.flatnonzero(~np.isnan(of_audit)):
            found[int(audit.rows[k])] = (
                float(audit.score[k]),
                float(of_audit[k]),
                bool(labeled[k]),
            )
    return found


def _base_logits(table: TableScores, middle: Array, logistic: bool) -> tuple[Array, float]:
    """Logits of P(Y=1|x, S=0) before the answers, and the spread of their slope."""
    if table.logit is not None:
        return table.logit, _SLOPE
    place = Scale(logistic).logits(middle)
    labeled, unlabeled = table.counts[2:].sum(axis=0), table.counts[:2].sum(axis=0)
    if labeled.sum() >= 2 and len(place) > 1:
        twice, s = np.tile(place, 2), np.repeat([1.0, 0.0], len(place))
        profile = ScoreProfile.of(twice, s, np.concatenate([labeled, unlabeled]).astype(float))
        prior = profile.mean_class_prior()
        line = profile.line(prior)
        frequency = profile.labeled_share / prior
        return logit_given_unlabeled(line.logit(place), frequency), _SLOPE
    weight = table.counts.sum(axis=0)
    return standardized(place, weight)[0], _SLOPE_WITHOUT_POSTERIOR


def _positives(
    table: TableScores, posterior: Array, score: Array, answer: Array, right: float
) -> Array:
    """Expected positives in each cell: right labels, answers, and the posterior of other rows."""
    n_cells = len(table.high)
    cell = np.clip(np.searchsorted(table.high, score), 0, n_cells - 1)
    checked, found = np.bincount(cell, minlength=n_cells), np.bincount(cell, answer, n_cells)
    unlabeled = np.maximum(table.counts[:2].sum(axis=0) - checked, 0)
    return np.asarray(found + unlabeled * posterior + right * table.known_counts.sum(axis=0))


def _cuts(table: TableScores, positives: Array, total: Array) -> Cuts:
    falling = slice(None, None, -1)
    return Cuts(
        score=table.low[falling],
        next_score=np.append(table.high[falling][1:], -np.inf),
        labeled=np.cumsum(positives[falling]),
        total=np.cumsum(total[falling]),
    )


def _line(position: Array, positives: Array, total: Array) -> tuple[float, float]:
    """The logistic curve along the score that is nearest to the expected positives."""
    z, mean, deviation = standardized(position, total)
    intercept, slope = penalized_line(z, positives / total, total, (0.0, 0.0), (_FLAT, _FLAT))
    return intercept - slope / deviation * mean, slope / deviation


class AuditedClassifier(PUClassifier):
    """A classifier whose posterior and cut follow checked rows; its score is unchanged.

    `AuditResult.recut` makes it. It cannot be fitted.

    Parameters
    ----------
    estimator : classifier
        The fitted classifier that was audited.

    Attributes
    ----------
    estimator_ : classifier
        The same.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive.
    posterior_line_ : tuple of float
        Intercept and slope of the logit of `posterior_at`, as a function of the score (of its
        logit, if the score is a probability).
    class_prior_, label_frequency_ : float
        Share of positives by the checked rows, and the share of the positives that are labeled.
        If labels were checked too, wrong ones do not count.
    cut_ : ChosenCut
        The chosen cut. Its `recall` is the expected one.
    rule_ : str
        What the cut maximizes.
    n_checked_ : int
        How many checked rows it follows.
    classes_, positive_class_
        As in the audited classifier.
    n_features_in_ : int
        Number of features of the audited classifier.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names; only if it was fitted to a frame.

    See Also
    --------
    unlabeled.audit.draw_audit : The first step to one.

    Examples
    --------
    >>> from unlabeled import PULogistic
    >>> from unlabeled.audit import draw_audit
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.5, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> audit = draw_audit(model, data.X, data.s, random_state=0)
    >>> result = audit.estimate(data.y_true[audit.rows])
    >>> audited = result.recut(model, rule="balanced_accuracy")
    >>> audited.predict(data.X[:3]).shape
    (3,)
    """

    estimator_: Any
    class_prior_: float
    cut_: ChosenCut
    rule_: str
    n_checked_: int
    sampling: Sampling
    _missed_along_: tuple[Array, Array] | None = None

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @classmethod
    def _of(
        cls, model: Any, found: Recalibration, cut: ChosenCut, rule: str | Rule, result: AuditResult
    ) -> AuditedClassifier:
        """Make one from a recalibration and a cut."""
        made = cls(model)
        made.estimator_ = model
        made.classes_ = np.asarray(model.classes_)
        positive = positive_class_of(model)
        made.positive_class_ = made.classes_[-1] if positive is None else positive
        made.cut_, made.threshold_ = cut, cut.threshold
        made.posterior_line_, made._missed_along_ = found.line, found.missed
        made.rule_ = get_rule(rule).name
        made.n_checked_ = result.n_checked
        made.class_prior_ = result.class_prior.estimate
        table = result.audits[0].table
        made.sampling = table.sampling
        positives = result.count.estimate + (table.n_labeled if table.sampling.is_two else 0)
        made.label_frequency_ = min(1.0, found.right * table.n_labeled / max(positives, 1.0))
        return made

    def fit(self, X: Any, y: Any = None) -> Self:
        """Raise: the answers belong to one fitted classifier.

        Parameters
        ----------
        X : object
            Not used.
        y : object
            Not used.
        """
        raise TypeError(
            "AuditedClassifier cannot be fitted: the answers belong to the classifier that was "
            "audited. Fit that one, and audit it again."
        )

    @property
    def _follows_answers(self) -> bool:
        return True

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "threshold_")

    @property
    def n_features_in_(self) -> int:
        """Number of features of the audited classifier."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features of the audited classifier."""
        return np.asarray(self.estimator_.feature_names_in_)

    def positive_score(self, X: Any) -> Array:
        """Compute the audited classifier's score; rows above `threshold_` are predicted positive.

        Parameters
        ----------
        X : array-like, sparse matrix or frame
            Rows.

        Returns
        -------
        score : ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        inner = fitted_model(self.estimator_)
        score = np.asarray(scores_of(self.estimator_, X, self.positive_class_), dtype=np.float64)
        return score + float(inner.threshold_) if hasattr(inner, "positive_score") else score

    @property
    def posterior_scale(self) -> Scale:
        return Scale(scores_are_probabilities(fitted_model(self.estimator_)))
