"""Score the rows of a table: score, posterior, decision and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata

from ...engine.rows import RowsFingerprint

if TYPE_CHECKING:
    from ._fit import TableFit

_BLOCK = 100_000


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
    def of(cls, classifier: Any, numbers: np.ndarray, held_out: np.ndarray | None = None) -> Scored:
        """Score rows of numbers.

        Parameters
        ----------
        classifier : classifier
            A classifier of this library, fitted to labels 0 and 1.
        numbers : ndarray of shape (n_rows, n_features)
            The features of the rows.
        held_out : ndarray of shape (n_rows,), optional
            The scores of the rows by fits without them, if they were fitted to. They are used
            instead of the classifier's own scores, except where they are NaN.

        Returns
        -------
        scored : Scored
        """
        score = classifier.positive_score(numbers)
        if held_out is not None:
            score = np.where(np.isnan(held_out), score, held_out)
        decision = (score > classifier.threshold_).astype(np.int64)
        return cls(score, classifier.posterior_at(score), decision, _rank(score))

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
        Whether the model was fitted to these very rows: they have its `fingerprint_`. False if it
        has none.

    Notes
    -----
    Rows are scored in blocks, so that memory never holds the features of all rows.
    """
    classifier, found, parts = pipeline[-1], RowsFingerprint(), []
    fitted_to = getattr(classifier, "fingerprint_", None)
    for start in range(0, len(X), _BLOCK):
        numbers = pipeline[:-1].transform(X.iloc[start : start + _BLOCK])
        parts.append(Scored.of(classifier, numbers))
        if fitted_to is not None:
            found.add(numbers)
    score, posterior, decision, _ = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Scored(score, posterior, decision, _rank(score)), found.hexdigest() == fitted_to


class IfUnlabelled(NamedTuple):
    """Posterior, decision and rank of unlabelled rows; masked at labelled rows.

    Attributes
    ----------
    posterior : masked array of shape (n_rows,)
        Estimated P(Y=1|x, S=0), the probability that an unlabelled row is positive.
    decision : masked array of shape (n_rows,)
        1 for rows that are more probably positive than not, given that they are unlabelled.
    rank : masked array of shape (n_rows,)
        Among the unlabelled rows, 1 for the largest score.
    """

    posterior: np.ma.MaskedArray[Any, Any]
    decision: np.ma.MaskedArray[Any, Any]
    rank: np.ma.MaskedArray[Any, Any]


def if_unlabelled(
    scored: Scored, s: np.ndarray, label_frequency: float | np.ndarray
) -> IfUnlabelled:
    r"""Compute posterior, decision and rank of unlabelled rows, given that they are unlabelled.

    Parameters
    ----------
    scored : Scored
        The predictions for the rows.
    s : ndarray of shape (n_rows,)
        1 for labelled rows, else 0.
    label_frequency : float or ndarray of shape (n_rows,)
        c, at most 1; 0 in two samples, where the posterior is that of unlabelled rows. The
        propensity of every row, if labelling follows features.

    Returns
    -------
    if_unlabelled : IfUnlabelled

    Notes
    -----
    Under SCAR :math:`P(Y=1|x,S=0) = (1-c)\,y(x)/(1-c\,y(x))`, which is at most the
    posterior :math:`y(x)`: that the row is unlabelled is evidence against a positive. If labelling
    follows features, the propensity e(x) stands in for c.

    Examples
    --------
    >>> columns = [[2.0, 1.0], [0.8, 0.5], [1, 0], [1, 2]]
    >>> found = if_unlabelled(Scored(*map(np.array, columns)), np.array([1, 0]), 0.6)
    >>> found.posterior.round(3).tolist(), found.decision.tolist(), found.rank.tolist()
    ([None, 0.286], [None, 0], [None, 1])
    """
    labelled = np.asarray(s) == 1
    posterior = _given_unlabelled(scored.posterior, label_frequency)
    rank = np.zeros(len(labelled), dtype=np.int64)
    rank[~labelled] = _rank(scored.score[~labelled])
    columns = (posterior, (posterior > 0.5).astype(np.int64), rank)
    return IfUnlabelled(*(np.ma.array(one, mask=labelled) for one in columns))


def posteriors_if_unlabelled(fit: TableFit) -> tuple[np.ndarray, np.ndarray] | None:
    """Compute the same posterior for both ends of the interval of the class prior.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.

    Returns
    -------
    ends : tuple of masked arrays of shape (n_rows,), or None
        Masked at labelled rows; None if the classifier has no such interval.
    """
    model, s = fit.classifier, fit.labels.s
    if getattr(model, "class_prior_density_", None) is None:
        return None
    from ._labelled_by import label_frequency_given

    interval = model.class_prior_interval()
    found = [
        _given_unlabelled(
            posterior, 0.0 if fit.labels.cases else label_frequency_given(fit, posterior, prior)
        )
        for posterior, prior in zip(
            model.posterior_range(fit.scored.score), (interval.lower, interval.upper), strict=True
        )
    ]
    lower, upper = (np.ma.array(one, mask=s == 1) for one in found)
    return lower, upper


def _given_unlabelled(posterior: np.ndarray, label_frequency: float | np.ndarray) -> np.ndarray:
    unlabelled, hidden = 1 - label_frequency * posterior, (1 - label_frequency) * posterior
    return np.divide(hidden, unlabelled, out=np.zeros_like(hidden), where=unlabelled > 0)


def _rank(score: np.ndarray) -> np.ndarray:
    return np.asarray(rankdata(-score, method="min").astype(np.int64))
