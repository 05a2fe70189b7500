r"""Whether the labels determine the label frequency.

*Meaning.* The labels do not rule out, at 95 %, label frequencies that are a factor of two apart
(note), three (warning) or ten (serious): the number of positives is known only up to that factor.
Causes are rare positives, weak features and small samples. The range is the classifier's own if it
averages over curves, as ``PULogistic`` does; otherwise JOINT's. If the likelihood is largest at
:math:`c=1`, see :ref:`PU106`.

*Example.*

.. code-block:: python

   from unlabeled.diagnostics import diagnose

   small = make_paper_gaussian(1000, label_frequency=0.3, random_state=0)
   finding = diagnose(JointLogistic(), small.X, small.s)["identifiability"]

*Remedy.* Give the class prior or the label frequency if you know it, or check a hundred rows
(:doc:`start/audit`). More rows help, and features that predict the label better. The ranking does
not need :math:`c`; nor do the recall and the cut of :class:`~unlabeled.EnhancedLogistic`, if labels
are random.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import logit

from ..codes import Message
from ..engine.intervals import Interval
from ..engine.losses import ProductLoss
from ..engine.objective import CONSTANT
from ..linear_model import JointLogistic
from ._case import Case, CheckResult, NotApplicable, listed

_NOTE, _WARNING, _SERIOUS = 2.0, 3.0, 10.0
_LARGEST_CONDITION = 1e6
_LEVEL, _PRIORS = 0.95, 400
_NEARLY_ONE, _REACHES_ONE = 0.99, 1 - 1e-3
_HELD_OUT, _OWN = "held-out score", "own scores"


def check_identifiability(case: Case) -> CheckResult:
    """Find the label frequencies that the labels allow at 95 %.

    In one sample the factor between the numbers of positives is that between the ends of the
    interval, because c times the class prior is the fraction of labeled rows. The likelihood of
    `JointLogistic` is not used if it jumps between local optima, or if its information matrix (for
    whitened features) has a condition number above 1e6; the finding is then at least a note.
    """
    if _is_given(case):
        raise NotApplicable("the label frequency or the class prior was given")
    interval, facts = _interval(case)
    low, high = _priors(case, interval)
    factor = high / low if low > 0 else np.inf
    at_one = _is_at_one(interval)
    ill_conditioned = facts.get("condition", 1.0) > _LARGEST_CONDITION
    facts |= interval.to_dict()
    sentence = (
        f"With 95 % confidence, the label frequency is between {_share(interval.lower)} and "
        f"{_share(interval.upper)}, so the class prior is between {_share(low)} and "
        f"{_share(high)}. "
        f"{_source(case, facts)}"
    )
    state = _state(factor, at_one or ill_conditioned)
    if state == "fine":
        return CheckResult("fine", sentence, facts)
    means = []
    if factor > _NOTE:
        known = (
            f"known only up to a factor of {factor:.1f}" if low > 0 else "not known: it may be 0"
        )
        means.append(f"The number of positives is {known}.")
    if at_one:
        means.append("The label frequency is estimated as 1, as if every positive were labeled.")
    if ill_conditioned:
        means.append("These rows hardly determine the parameters of JointLogistic.")
    advice = (
        f"If you know the class prior, {_with_it(case)}. Otherwise use results that do not need "
        "it: the ranking and, if labels are random, the recall and the cut by `f1_pu`."
    )
    code = "PU106" if at_one and state == "note" else None
    said = Message(" ".join([*means, sentence]), python=advice)
    return CheckResult(state, said, facts, code)


def _with_it(case: Case) -> str:
    return "give it as `class_prior`" if case.labels_follow else "use `PULogistic` with it"


def _source(case: Case, facts: dict[str, Any]) -> str:
    """Say which model gives the range; it need not be the fitted one."""
    if facts["along"] == _OWN:
        return "These ranges are the model's own."
    if facts["along"] == _HELD_OUT:
        return "These ranges are from held-out scores of a ridge fit. Your model's own can differ."
    columns = "all features"
    if len(case.separating):
        dropped = listed([case.names[j] for j in case.separating])
        columns = f"all features except those that separate the rows ({dropped})"
    elif isinstance(case.inner.model, JointLogistic):
        return f"These ranges are from JointLogistic on {columns}."
    return f"These ranges are from JointLogistic on {columns}. Your model's own can differ."


def _priors(case: Case, interval: Interval) -> Interval:
    """Return the class priors of the population."""
    share = case.rows.labeled_share
    return interval.map(lambda end: max(0.0, float(case.rows.population_prior(share / end))))


def _share(value: float) -> str:
    """Write a share with two digits, also a small one.

    Examples
    --------
    >>> _share(0.314), _share(0.00421), _share(0.0)
    ('0.31', '0.0042', '0.00')
    """
    return f"{value:.2f}" if value >= 0.0995 or value == 0 else f"{value:.2g}"


def _state(factor: float, doubtful: bool) -> str:
    if factor > _SERIOUS:
        return "serious"
    if factor > _WARNING:
        return "warning"
    if factor > _NOTE or doubtful:
        return "note"
    return "fine"


def _is_at_one(interval: Interval) -> bool:
    """Whether c is estimated as 1; a mean over an interval that ends there is a little smaller."""
    reaches_one = interval.upper >= _REACHES_ONE and not interval.without_upper
    return reaches_one and interval.estimate > _NEARLY_ONE


def _is_given(case: Case) -> bool:
    classifier = case.inner.classifier
    given = (getattr(classifier, name, None) for name in ("label_frequency", "class_prior"))
    return any(isinstance(value, Real) for value in given)


def _interval(case: Case) -> tuple[Interval, dict[str, Any]]:
    """Return the classifier's own interval, JOINT's, or the one along held-out scores."""
    classifier = case.inner.classifier
    if getattr(classifier, "class_prior_density_", None) is not None:
        return classifier.label_frequency_interval(confidence_level=_LEVEL), {"along": _OWN}
    case.need_independent_rows()
    facts: dict[str, Any] = {"along": _HELD_OUT}
    try:
        joint = case.joint
    except NotApplicable:
        return _along_the_score(case), facts
    if joint.label_frequency_ < 1 - 1e-6:
        facts["condition"] = _condition(case, joint)
        if facts["condition"] > _LARGEST_CONDITION:
            return _along_the_score(case), facts
    try:
        interval = joint.label_frequency_interval(case.linear.X, case.s, confidence_level=_LEVEL)
    except ValueError:  # the profile jumped from one local optimum to another
        return _along_the_score(case), facts
    return interval, facts | {"along": "all coefficients"}


def _condition(case: Case, joint: JointLogistic) -> float:
    theta = np.concatenate([joint.coef_[0], joint.intercept_, [logit(joint.label_frequency_)]])
    whole = case.linear.objective(ProductLoss(), case.s, CONSTANT)
    return float(np.linalg.cond(whole.value_gradient_hessian(whole.coordinates(theta))[2]))


def _along_the_score(case: Case) -> Interval:
    """Profile the class prior on a grid, and turn it into label frequencies."""
    profile, share = case.held_out.profile, case.rows.labeled_share
    priors = np.linspace(share, 1, _PRIORS)
    likelihood = profile.lines(priors).log_likelihood
    allowed = priors[2 * (likelihood.max() - likelihood) <= stats.chi2.ppf(_LEVEL, 1)]
    best = float(share / priors[np.argmax(likelihood)])
    ends = share / allowed[-1], share / allowed[0]
    return Interval.around(best, ends, _LEVEL, "profile likelihood along the held-out score")
