"""The class prior a classifier works with: given, by an estimator, or from its own scores."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

from ..codes import warn
from ..labels import LabelledRows
from ..solvers import NOBODY, Watch
from ..thresholds import Cuts
from ._bound import binomial_bound
from ._nested import fit_nested
from ._profile import Line, ScoreProfile

_BOUND_ERROR = 0.05


class SettledPrior(NamedTuple):
    """P(Y=1), and the fitted estimator that says so, if one was given."""

    value: float
    estimator: Any = None


def settle_class_prior(
    given: Any, rows: LabelledRows, profile: ScoreProfile, watch: Watch = NOBODY
) -> SettledPrior:
    """Return P(Y=1): a given number, what a given estimator says, or an estimate from scores.

    Parameters
    ----------
    given : float, label-frequency estimator or None
        None averages the likelihood of the one-dimensional JOINT model.
    rows : LabelledRows
        What an estimator is fitted to.
    profile : ScoreProfile
        Of honest scores on which a posterior may be logistic.
    watch : Watch
        Sees the fits of an estimator.
    """
    if given is None:
        return SettledPrior(profile.mean_class_prior())
    if hasattr(given, "fit"):
        estimator = fit_nested(given, rows, "class_prior", watch)
        return SettledPrior(float(estimator.class_prior_), estimator)
    share = profile.labelled_share
    if isinstance(given, Real) and not isinstance(given, bool) and share <= given < 1:
        return SettledPrior(float(given))
    raise ValueError(
        "`class_prior` must be None, a label-frequency estimator, or a number of at least the "
        f"share of labelled rows ({share:.4g}) and below 1; got {given!r}."
    )


def report_prior_above_bound(class_prior: float, cuts: Cuts) -> None:
    """Warn where a class prior is larger than the labels allow with 95 % confidence."""
    share = float(cuts.labelled[-1] / cuts.total[-1])
    bound = share + (1 - share) * binomial_bound(cuts, _BOUND_ERROR)
    if class_prior > bound:
        warn(
            "PU113",
            f"the class prior {class_prior:.4g} is above {bound:.4g}, the largest that recall and "
            "share of the labelled rows allow (95 % confidence). The prior is too large, or "
            "labelling depends on the features.",
        )


def report_flat(line: Line) -> None:
    """Warn where the score tells nothing about the label."""
    if line.slope == 0:
        warn(
            "PU111",
            "labelled rows do not score higher than the others on the scores that the cut is "
            "chosen on: the features tell nothing about the label, and `predict_proba` is the "
            "class prior for every row. Check the features.",
        )
