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
        {"estimate": prior, "lower": of_prior[0], "upper": of_prior[1], **common},
        {"estimate": frequency, "lower": of_frequency[0], "upper": of_frequency[1], **common},
    )


def positives(
    prior: dict[str, Any], n_rows: int, n_labelled: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """How many rows are positive, and how many of them have no label."""
    ends = ("estimate", "lower", "upper")
    rows = {end: None if prior[end] is None else prior[end] * n_rows for end in ends}
    hidden = {end: None if n is None else max(0.0, n - n_labelled) for end, n in rows.items()}
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


def _known(value: float) -> dict[str, Any]:
    return {**_without(value), "given": True}


def _without(value: float) -> dict[str, Any]:
    ends = dict.fromkeys(("lower", "upper", "level", "method"))
    return {"estimate": value, **ends, "given": False}
