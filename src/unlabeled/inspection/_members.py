"""From the parts of a member's own score to parts of an ensemble's score."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from ..engine.rows import fitted_model
from ..ensemble import logit_of_posterior, raw_logit
from ._paths import FORESTS

# A row this near to the base, as a share of its parts, has the slope at the base.
_NEAR = 1e-6
_STEP = 1e-4


def rescaled(ensemble: Any, name: str, values: np.ndarray, base: float, end: Any) -> np.ndarray:
    """Rescale the parts of a member's own score, so that they add up on the ensemble's scale.

    A member's logit of P(S=1|x) is a curve of its own score. All parts of a row are multiplied
    by the slope of the chord from the curve's point at the base to that at the row. Then they add
    up exactly to the difference of the two logits.

    Parameters
    ----------
    ensemble : PUEnsemble
        The fitted ensemble.
    name : str
        The member.
    values : ndarray of shape (n_rows, n_features)
        Parts of the member's own score.
    base : float
        The own score that they start from.
    end : ndarray of shape (n_rows,)
        The member's logits.

    Returns
    -------
    values : ndarray of shape (n_rows, n_features)
    """
    way = values.sum(axis=1)
    start = _logit_at(ensemble, name, base)
    if not np.allclose(_logit_at(ensemble, name, base + way), end, rtol=1e-6, atol=1e-6):
        raise ValueError(
            "`model` must have members whose logits follow from their coefficients or trees; got "
            f"another one under the name {name!r}. Leave it out of `members`."
        )
    near = np.abs(way) <= _NEAR * np.abs(values).sum(axis=1)
    chord = np.divide(end - start, way, out=np.zeros(len(way)), where=~near)
    slope = np.where(near, _slope(ensemble, name, base), chord)
    return np.asarray(values * slope[:, None])


def _logit_at(ensemble: Any, name: str, score: Any) -> Any:
    """Return a member's logit of P(S=1|x) where its own score has a value."""
    member = ensemble.members_[name]
    intercept, slope = ensemble.member_lines_[name]
    return intercept + slope * _raw_logit(member, score, ensemble.labelled_share_)


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
