"""How many rows are positive, with an interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inference import intervals_of_scores
from ..linear_model import JointLogistic, PULogistic
from ..meta import PUThresholdClassifier
from ._fit import TableFit

_OF_JOINT = "profile likelihood"
_OF_SCORES = "profile likelihood along the left-out scores"


def prior_and_frequency(
    fit: TableFit, given: float | None, level: float
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The class prior and the label frequency, each with its interval where there is one."""
    model, share = fit.classifier, float(np.mean(fit.labels.s))
    if given is not None:
        return _known(given), _known(min(1.0, share / given))
    ends = _ends(fit, level)
    prior, frequency = float(model.class_prior_), float(model.label_frequency_)
    if ends is None:
        return _without(prior), _without(frequency)
    of_prior, of_frequency, method = ends
    common = {"level": level, "method": method, "given": False}
    return (
        {"estimate": prior, **_around(prior, of_prior), **common},
        {"estimate": frequency, **_around(frequency, of_frequency), **common},
    )


def positives(
    prior: dict[str, Any], n_rows: int, n_labelled: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How many rows are positive, and how many of them have no label."""
    ends = ("estimate", "lower", "upper")
    shares = {end: prior[end] for end in ends}
    # Labelled rows are positive for sure, whatever an interval for the population says.
    rows = {
        end: None if one is None else max(one * n_rows, float(n_labelled))
        for end, one in shares.items()
    }
    hidden = {end: None if n is None else n - n_labelled for end, n in rows.items()}
    return rows, hidden


def _ends(
    fit: TableFit, level: float
) -> tuple[tuple[float, float], tuple[float, float], str] | None:
    model = fit.classifier
    if isinstance(model, JointLogistic):
        frequency = model.label_frequency_interval(fit.numbers, fit.labels.s, level=level)
        prior = model.class_prior_interval(fit.numbers, fit.labels.s, level=level)
        return (prior.lower, prior.upper), (frequency.lower, frequency.upper), _OF_JOINT
    if isinstance(model, PULogistic | PUThresholdClassifier):
        cuts = getattr(model, "observed_cuts_", model.cuts_)
        frequency, prior = intervals_of_scores(cuts, level)
        return (prior.lower, prior.upper), (frequency.lower, frequency.upper), _OF_SCORES
    return None


def _around(estimate: float, ends: tuple[float, float]) -> dict[str, float]:
    """Ends that hold the estimate, which with two labelled rows may lie outside."""
    return {"lower": min(ends[0], estimate), "upper": max(ends[1], estimate)}


def _known(value: float) -> dict[str, Any]:
    return {**_without(value), "given": True}


def _without(value: float) -> dict[str, Any]:
    ends = dict.fromkeys(("lower", "upper", "level", "method"))
    return {"estimate": value, **ends, "given": False}
