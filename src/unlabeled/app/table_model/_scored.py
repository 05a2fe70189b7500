"""Score the rows of a table: score, posterior, decision and rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from ...classifier import follows_answers
from ...engine.losses import shift_to_mean
from ...engine.rows import RowsFingerprint
from ...scores import given_unlabeled

if TYPE_CHECKING:
    from ._fit import TableFit

_BLOCK = 100_000
# Class priors that an average is taken over.
_PRIORS = 9
# The end of an interval may be 0, which no class prior is.
_RAREST = 1e-12


class Scored(NamedTuple):
    """What a model predicts for rows.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
        A larger score means more probably positive; above the threshold, predicted positive.
    posterior : ndarray of shape (n_rows,)
        Estimated P(Y=1|x).
    decision : ndarray of shape (n_rows,)
        1 for rows predicted positive, else 0.
    rank : ndarray of shape (n_rows,)
        1 for the largest score; equal scores share the smallest rank.
    """

    score: np.ndarray
    posterior: np.ndarray
    decision: np.ndarray
    rank: np.ndarray

    @classmethod
    def of(
        cls, classifier: Any, X_numeric: np.ndarray, held_out: np.ndarray | None = None
    ) -> Scored:
        """Score rows of numbers.

        Parameters
        ----------
        classifier : classifier
            A classifier of this library, fitted to labels 0 and 1.
        X_numeric : ndarray of shape (n_rows, n_features)
            The features of the rows.
        held_out : ndarray of shape (n_rows,), optional
            The scores of the rows by fits without them, if they were fitted to. They are used
            instead of the classifier's own scores, except where they are NaN.

        Returns
        -------
        scored : Scored
        """
        return cls.of_blocks(classifier, [(X_numeric, held_out)])

    @classmethod
    def of_blocks(
        cls, classifier: Any, blocks: Iterable[tuple[np.ndarray, np.ndarray | None]]
    ) -> Scored:
        """Score blocks of rows, each with its held-out scores, as `of` does."""
        scores, posteriors = [], []
        for X_numeric, score in blocks:
            if score is None or (unknown := np.isnan(score)).all():
                score = classifier.positive_score(X_numeric)
            elif unknown.any():
                score = np.where(unknown, classifier.positive_score(X_numeric), score)
            scores.append(score)
            posteriors.append(classifier.posterior_at(score))
        score = np.concatenate(scores)
        decision = (score > classifier.threshold_).astype(np.uint8)
        return cls(score, np.concatenate(posteriors), decision, rank_of(score))

    def with_cut(self, threshold: float, line: tuple[float, float] | None = None) -> Scored:
        """Decide the same rows by another cut.

        Parameters
        ----------
        threshold : float
            Rows with a larger score are predicted positive.
        line : (float, float), optional
            Intercept and slope of another posterior: its logit along the score.

        Returns
        -------
        scored : Scored
        """
        decision = (self.score > threshold).astype(np.int64)
        if line is None:
            return self._replace(decision=decision)
        return self._replace(decision=decision, posterior=expit(line[0] + line[1] * self.score))


def score_rows(pipeline: Any, X: Any) -> tuple[Scored, bool]:
    """Score the rows of a frame.

    Parameters
    ----------
    pipeline : Pipeline
        A `tables.table_pipeline`, fitted to labels 0 and 1.
    X : pandas.DataFrame
        The columns of the fit.

    Returns
    -------
    scored : Scored
        By the model, even if it has seen the rows.
    is_fitted : bool
        Whether the model was fitted to these very rows: they have its fingerprint. False if it
        has none.

    Notes
    -----
    Rows are scored in blocks, so that memory never holds the features of all rows.
    """
    return score_parts(pipeline, blocks_of(X))


def blocks_of(X: Any) -> Iterator[Any]:
    """Yield the rows of a frame in blocks, of which features take little memory."""
    return (X.iloc[k : k + _BLOCK] for k in range(0, len(X), _BLOCK))


def score_parts(pipeline: Any, frames: Iterable[Any]) -> tuple[Scored, bool]:
    """Score the rows of several frames, one after the other, as `score_rows` scores one."""
    classifier, seen = pipeline[-1], RowsFingerprint()
    fitted_to = getattr(classifier, "_fingerprint_", None)

    def blocks() -> Iterator[tuple[np.ndarray, None]]:
        for frame in frames:
            X_numeric = pipeline[:-1].transform(frame)
            if fitted_to is not None:
                seen.add(X_numeric)
            yield X_numeric, None

    return Scored.of_blocks(classifier, blocks()), seen.hexdigest() == fitted_to


class IfUnlabeled(NamedTuple):
    """Posterior, decision and rank of unlabeled rows; masked at labeled rows.

    Attributes
    ----------
    posterior : masked array of shape (n_rows,)
        Estimated P(Y=1|x, S=0), the probability that an unlabeled row is positive.
    lower, upper : masked array of shape (n_rows,)
        The same for both ends of the interval of the class prior; all masked if the classifier
        has no such interval.
    decision : masked array of shape (n_rows,)
        1 for rows that are more probably positive than not, given that they are unlabeled.
    rank : masked array of shape (n_rows,)
        Among the unlabeled rows, 1 for the largest score.
    """

    posterior: np.ma.MaskedArray[Any, Any]
    lower: np.ma.MaskedArray[Any, Any]
    upper: np.ma.MaskedArray[Any, Any]
    decision: np.ma.MaskedArray[Any, Any]
    rank: np.ma.MaskedArray[Any, Any]


def if_unlabeled(
    fit: TableFit, label_frequency: float | np.ndarray, rows: slice = slice(None)
) -> IfUnlabeled:
    r"""Compute posterior, decision and rank of unlabeled rows, given that they are unlabeled.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    label_frequency : float or ndarray of shape (n_rows,)
        c, at most 1; 0 in two samples, where the posterior is that of unlabeled rows. The
        propensity of every row, if labeling follows features.
    rows : slice
        The rows to compute it for, unless labeling follows features; all by default.

    Returns
    -------
    if_unlabeled : IfUnlabeled

    Notes
    -----
    Under SCAR :math:`P(Y=1|x,S=0) = (1-c)\,y(x)/(1-c\,y(x))`, which is at most the
    posterior :math:`y(x)`: that the row is unlabeled is evidence against a positive. If labeling
    follows features, the propensity e(x) stands in for c.

    If the classifier says how probable each class prior is, this is averaged over
    them. A row at the top of the list is nearly certain with most class priors, and doubtful
    with the small ones. The posterior with the mean class prior would hide that doubt.
    """
    scored, labeled, model = fit.scored, fit.labels.s[rows] == 1, fit.classifier
    score = scored.score[rows]
    nothing = np.ma.array(np.zeros(len(labeled)), mask=True)
    if follows_answers(model):
        posterior, lower, upper = _by_knowledge(fit, rows)
    elif getattr(model, "class_prior_density_", None) is None:
        posterior = given_unlabeled(scored.posterior[rows], label_frequency)
        lower = upper = None
    else:
        points = model.class_prior_density_.points(_PRIORS)
        posterior = np.mean([_for_prior(fit, score, prior) for prior in points], axis=0)
        # A larger class prior can have a steeper line, and a smaller posterior at low scores.
        ends = [_for_prior(fit, score, end) for end in model.class_prior_interval()]
        lower, upper = (end([posterior, *ends], axis=0) for end in (np.min, np.max))
    rank = fit.rank_among_unlabeled[rows]
    columns = (posterior, lower, upper, (posterior > 0.5).astype(np.int64), rank)
    return IfUnlabeled(
        *(nothing if one is None else np.ma.array(one, mask=labeled) for one in columns)
    )


def _by_knowledge(
    fit: TableFit, rows: slice
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return the posterior of rows if they are unlabeled, by more than labels, and its ends.

    For an end of the interval of the class prior all logits move by one number.
    """
    model, unlabeled = fit.classifier, fit.labels.s == 0
    found = model.posterior_if_unlabeled_at(fit.scored.score)
    if hasattr(model, "held_out_score_"):
        held_out = model.held_out_posterior_if_unlabeled_
        found = np.where(np.isfinite(held_out), held_out, found)
    if model.class_prior_density_ is None:
        return found[rows], None, None
    logits = logit(np.clip(found, _RAREST, 1 - _RAREST))
    ends = []
    for end in model.class_prior_interval():
        population = unlabeled if fit.labels.cases else np.ones(len(unlabeled), dtype=bool)
        wanted = end * population.sum() - (population & ~unlabeled).sum()
        share = float(np.clip(wanted / unlabeled.sum(), _RAREST, 1 - _RAREST))
        ends.append(expit(logits[rows] + shift_to_mean(logits[unlabeled], share)))
    return found[rows], *(end([found[rows], *ends], axis=0) for end in (np.min, np.max))


def _for_prior(fit: TableFit, score: np.ndarray, class_prior: float) -> np.ndarray:
    """Return the posterior of rows if they are unlabeled, for a class prior."""
    class_prior = max(class_prior, _RAREST)
    posterior = fit.classifier.posterior_given(score, class_prior)
    if fit.labels.cases:
        return given_unlabeled(posterior, 0.0)
    share = float(np.mean(fit.labels.s))
    if not fit.has_propensity:
        return given_unlabeled(posterior, min(1.0, share / class_prior))
    # The level of the propensity moves so that as many labels are expected as there are. With more
    # labels than positives the shift is infinite: every positive is labeled.
    logits = fit.propensity_logits
    shift = shift_to_mean(logits, share / posterior.mean(), posterior)
    return given_unlabeled(posterior, np.asarray(expit(logits + shift)))


def label_frequency_of(fit: TableFit, average: float) -> float | np.ndarray:
    """Return how often positive rows are labeled: the average, or the propensity of every row.

    0 in two samples, where no unlabeled row is a positive that could have had a label.
    """
    if fit.labels.cases:
        return 0.0
    return fit.classifier.propensity(fit.X_numeric) if fit.has_propensity else average


def rank_of(score: np.ndarray) -> np.ndarray:
    """Rank scores: 1 for the largest; equal scores share the smallest rank.

    Examples
    --------
    >>> rank_of(np.array([0.5, 2.0, 0.5, 1.0])).tolist()
    [3, 1, 3, 2]
    """
    order = np.argsort(-score, kind="stable")
    new = np.diff(score[order], prepend=np.inf) != 0
    rank = np.empty(len(score), dtype=np.int64)
    rank[order] = np.maximum.accumulate(np.where(new, np.arange(1, len(score) + 1), 1))
    return rank
