"""Whether the labels determine the label frequency."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import logit

from ..engine.losses import ProductLoss
from ..engine.objective import CONSTANT
from ..inference import FrequencyInterval
from ..linear_model import JointLogistic
from ._case import Case, Check, CheckResult, NotApplicable

_NOTE, _WARNING, _SERIOUS = 2.0, 3.0, 10.0
_LARGEST_CONDITION = 1e6
_LEVEL, _PRIORS = 0.95, 400


def look(case: Case) -> CheckResult:
    """Ask which label frequencies the profile likelihood does not rule out at 95 %.

    c times the class prior is the labelled share, so a factor between the ends of
    the interval is the same factor between numbers of positives: a note from
    2 on, a warning from 3 on, and serious from 10 on, where not even the order of
    magnitude is known. c = 1 as the estimate (PU106) is a note at least. The
    likelihood is JOINT's, or, where that has no finite optimum, that of JOINT along
    scores of rows left out of a ridge fit.
    The condition number is that of the information about all parameters, features
    being whitened; above 1e6 it is a note, and the likelihood is that along the score.
    """
    if _is_given(case):
        raise NotApplicable("the label frequency or the class prior was given")
    interval, facts = _interval(case)
    share = case.rows.labelled_share
    factor = interval.upper / interval.lower
    at_one = interval.estimate > 1 - 1e-6
    facts |= {"lower": interval.lower, "upper": interval.upper, "estimate": interval.estimate}
    seen = (
        f"{_by(case, facts)}, label frequencies from {interval.lower:.2f} to "
        f"{interval.upper:.2f} are not ruled out (95 %), so class priors from "
        f"{share / interval.upper:.2f} to {share / interval.lower:.2f}"
    )
    state = _state(interval, facts.get("condition", 1.0) > _LARGEST_CONDITION)
    if state == "fine":
        return CheckResult("fine", f"{seen}.", facts)
    means = (
        ", and the likeliest label frequency is 1, as if all positives had a label."
        if at_one
        else f", a factor of {factor:.1f}."
    )
    if facts.get("condition", 1.0) > _LARGEST_CONDITION:
        means += " JOINT's parameters are all but unidentified."
    advice = " Give a known class prior, or use results that need none: ranks, and F1_PU's cut."
    return CheckResult(
        state, seen + means + advice, facts, code="PU106" if at_one and state == "note" else None
    )


def _by(case: Case, facts: dict[str, Any]) -> str:
    """Whose range it is, which need not be that of the fitted model."""
    if facts["along"] == "left-out score":
        return "Along scores left out of a ridge fit"
    if isinstance(case.seen.model, JointLogistic):
        return "By JOINT on all features"
    return "By JOINT on all features, not by the fitted model"


def _state(interval: FrequencyInterval, ill_conditioned: bool) -> str:
    factor = interval.upper / interval.lower
    if factor > _SERIOUS:
        return "serious"
    if factor > _WARNING:
        return "warning"
    if factor > _NOTE or interval.estimate > 1 - 1e-6 or ill_conditioned:
        return "note"
    return "fine"


def _is_given(case: Case) -> bool:
    classifier = case.seen.classifier
    given = (getattr(classifier, name, None) for name in ("label_frequency", "class_prior"))
    return any(isinstance(value, Real) for value in given)


def _interval(case: Case) -> tuple[FrequencyInterval, dict[str, Any]]:
    """JOINT's interval, or that along the score where JOINT is no help."""
    facts: dict[str, Any] = {"along": "left-out score"}
    try:
        joint = case.joint
    except NotApplicable:
        return _along_the_score(case), facts
    if joint.label_frequency_ < 1 - 1e-6:
        facts["condition"] = _condition(case, joint)
        if facts["condition"] > _LARGEST_CONDITION:
            return _along_the_score(case), facts
    try:
        interval = joint.label_frequency_interval(case.linear.X, case.s, level=_LEVEL)
    except ValueError:  # the profile jumped from one local optimum to another
        return _along_the_score(case), facts
    return interval, facts | {"along": "all coefficients"}


def _condition(case: Case, joint: JointLogistic) -> float:
    theta = np.concatenate([joint.coef_[0], joint.intercept_, [logit(joint.label_frequency_)]])
    whole = case.linear.objective(ProductLoss(), case.s, CONSTANT)
    return float(np.linalg.cond(whole.value_gradient_hessian(whole.coordinates(theta))[2]))


def _along_the_score(case: Case) -> FrequencyInterval:
    """Profile of the class prior on a grid, turned into label frequencies."""
    profile, share = case.honest.profile, case.rows.labelled_share
    priors = np.linspace(share, 1, _PRIORS)
    likelihood = profile.lines(priors).log_likelihood
    left = priors[2 * (likelihood.max() - likelihood) <= stats.chi2.ppf(_LEVEL, 1)]
    best = float(share / priors[np.argmax(likelihood)])
    return FrequencyInterval(share / left[-1], share / left[0], left[0] == share, best, _LEVEL)


identifiability = Check("identifiability", "PU202", look)
