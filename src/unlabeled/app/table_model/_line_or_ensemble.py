"""Whether an ensemble says more about left-out labels than its line, which can be read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...classifier import held_out_label_logit
from ...engine.estimators import held_out_scores
from ...engine.rows import design_effect
from ...ensemble import logit_of_posterior
from ...scores import label_log_likelihood

LINE = "line"
"""The name of the linear member of an ensemble."""

ERRORS_APART = 2
"""The ensemble must be ahead by more than this many standard errors."""

WORTH_HAVING = 0.01
"""Smallest gain worth giving up coefficients: log-likelihood of the labels per labeled row.

With 100 labeled rows 0.01 is one log unit in total. The weights of the members are fitted to the
same left-out scores, which flatters the ensemble by .3 to 1 log unit. With fewer labeled rows
that is more than 0.01 per row, and the two standard errors protect the line.
"""


class Choice(NamedTuple):
    """Whether to use the ensemble.

    Attributes
    ----------
    ensemble : bool
        Whether left-out labels are clearly likelier under the ensemble than under its line.
    gain, error : float
        By how much, as log-likelihood per labeled row, and its standard error; NaN if the ensemble
        has no line.
    sentence : str
        The choice in words.
    """

    ensemble: bool
    gain: float
    error: float
    sentence: str


def line_or_ensemble(
    model: Any, X: np.ndarray, s: np.ndarray, groups: np.ndarray | None = None
) -> Choice:
    """Choose between a fitted ensemble and its linear member by the left-out labels.

    Parameters
    ----------
    model : PUEnsemble
        Fitted to the rows `X`, whose labels are `s`.
    X : ndarray of shape (n_rows, n_features)
        The rows.
    s : ndarray of shape (n_rows,)
        1 for labeled rows, else 0.
    groups : ndarray of shape (n_rows,), optional
        The groups of the fit, whose rows are not independent.

    Returns
    -------
    choice : Choice
        The ensemble, if the log-likelihood of the labels, paired over rows, is higher by more than
        two standard errors and by more than 0.01 per labeled row.
    """
    line = model.members_.get(LINE)
    if line is None:
        sentence = f"The ensemble is used, because it has no line: {model.left_out_[LINE]}"
        return Choice(True, np.nan, np.nan, sentence)
    line_score = held_out_scores(line, X, s)
    assert line_score is not None
    # Answers mend the score afterwards; labels are compared by what was fitted to them.
    score = held_out_label_logit(model)
    assert score is not None
    scored = ~np.isnan(score + line_score)  # left out of some model
    s = s[scored]
    of_line = logit_of_posterior(line, line.posterior_at(line_score[scored]))
    gains = label_log_likelihood(score[scored], s)
    gains -= label_log_likelihood(of_line, s)
    gain = float(gains.sum() / s.sum())
    together = None if groups is None else groups[scored]
    effect = design_effect(gains - gains.mean(), together)
    error = float(np.sqrt(effect * len(s) * np.var(gains, ddof=1)) / s.sum())
    is_clear = gain > max(ERRORS_APART * error, WORTH_HAVING)
    return Choice(is_clear, gain, error, _sentence(is_clear, gain, error))


def _sentence(is_clear: bool, gain: float, error: float) -> str:
    numbers = (
        f"log-likelihood per labeled row {abs(gain):.3f} {'higher' if gain > 0 else 'lower'}, "
        f"standard error {error:.3f}"
    )
    if is_clear:
        return f"The ensemble is used: it predicts left-out labels better than a line ({numbers})."
    return (
        "The line is used, because its coefficients can be read, and an ensemble does not predict "
        f"left-out labels clearly better ({numbers})."
    )
