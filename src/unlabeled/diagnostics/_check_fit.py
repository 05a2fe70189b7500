"""Checks of the fit: its warnings, separation, and the class prior against its bound."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ..codes import PUWarning
from ..label_frequency import binomial_bound
from ._case import Case, Check, CheckResult, NotApplicable, listed
from ._finding import STATES

# What the fit itself warned of.

_STATE_OF = {"PU101": "note", "PU104": "note", "PU106": "note", "PU109": "note", "PU111": "serious"}
_OTHERWISE = "warning"


def look_at_fit(case: Case) -> CheckResult:
    """Relay the warnings of the fit, the worst first; notes are those that leave scores right.

    A classifier that came fitted gave its warnings then; of it only
    `converged_` is left to look at.
    """
    if case.caught is None:
        return _came_fitted(case)
    if not case.caught:
        return CheckResult("fine", "The fit gave no warning.", {"warnings": []})
    told = [(_state(one), _code(one), _text(one)) for one in case.caught]
    told = list(dict.fromkeys(told))
    told.sort(key=lambda one: -STATES.index(one[0]))
    state, code, text = told[0]
    more = f" Further warnings: {'; '.join(text for _, _, text in told[1:])}" if told[1:] else ""
    facts = {"warnings": [{"code": code, "message": text} for _, code, text in told]}
    return CheckResult(state, f"The fit warned: {text}{more}", facts, code or None)


def _came_fitted(case: Case) -> CheckResult:
    converged = getattr(case.seen.model, "converged_", None)
    if converged is None:
        raise NotApplicable("the classifier came fitted: what its fit warned of was said then")
    if converged:
        return CheckResult("fine", "The classifier came fitted, and its fit converged.")
    return CheckResult(
        "warning",
        "The classifier came fitted, and its fit did not converge (`converged_` is false): its "
        "numbers are not those of an optimum. Fit again and read the warnings.",
    )


def _code(one: Warning) -> str:
    return one.code if isinstance(one, PUWarning) else ""


def _state(one: Warning) -> str:
    return _STATE_OF.get(_code(one), _OTHERWISE)


def _text(one: Warning) -> str:
    return str(one) if isinstance(one, PUWarning) else f"{type(one).__name__}: {one}"


fit = Check("fit", "PU105", look_at_fit)


# Labelled rows told from the others without a doubt.

_SURE = 0.99
_MANY = 0.5


def look_at_separation(case: Case) -> CheckResult:
    """Look for columns and scores that separate, or nearly.

    Separated: a column has all labelled rows on one side, or the unpenalised
    logistic fit has no finite optimum. Nearly: that fit gives more than half of
    the labelled rows P(S=1|x) > 0.99, which under SCAR is at most c. With a
    ridge every optimum is finite, and the check does not apply.
    """
    if case.is_penalised:
        raise NotApplicable("a penalty keeps the optimum finite; see the check `leakage`")
    columns = [case.names[j] for j in case.separating]
    if columns:
        return _separated(f"by column{'s' if len(columns) > 1 else ''} {listed(columns)}", columns)
    if case.is_separated:
        return _separated("by the fitted score, wholly or in part", [])
    share = float(np.mean(expit(case.naive.predictor()[case.s == 1]) > _SURE))
    facts = {"share_of_labelled_rows_surely_labelled": share}
    if share > _MANY:
        return CheckResult(
            "warning",
            f"The logistic fit gives {share:.0%} of the labelled rows a probability of being "
            f"labelled above {_SURE}: labelled and unlabelled rows are nearly separated, and "
            "coefficients hang on a few rows. Use a finite `C`, and see the check `leakage`.",
            facts,
        )
    return CheckResult("fine", "Labelled and unlabelled rows overlap.", facts)


def _separated(where: str, columns: list[str]) -> CheckResult:
    return CheckResult(
        "serious",
        f"Labelled and unlabelled rows are separated {where}: no finite unpenalised optimum "
        "exists, and some coefficients depend on `tol`. Use a finite `C`, or PULogistic; merge or "
        "drop columns that few rows have.",
        {"columns": columns},
    )


separation = Check("separation", "PU103", look_at_separation)


# The class prior against the bound that the labels set.

_ERROR = 0.05


def look_at_class_prior(case: Case) -> CheckResult:
    """Hold the class prior, given or estimated, against the bound of `PriorBound`.

    The bound is that of 95 % confidence on scores of rows left out of the fit
    of a ridge, so one honest prior in twenty, at the most, is flagged.
    """
    prior = getattr(case.seen.classifier, "class_prior_", None)
    if prior is None:
        raise NotApplicable("the classifier has no class prior")
    share = case.rows.labelled_share
    bound = share + (1 - share) * binomial_bound(case.cuts, _ERROR)
    facts = {"class_prior": float(prior), "bound": bound}
    if prior <= bound:
        return CheckResult(
            "fine",
            f"The class prior, {prior:.3f}, is below {bound:.3f}, the largest that the labels "
            "allow (95 % confidence).",
            facts,
        )
    return CheckResult(
        "warning",
        f"The class prior, {prior:.3f}, is above {bound:.3f}, the largest that recall and share of "
        "the labelled rows allow (95 % confidence). It is too large, or labelling depends on the "
        "features. Give a smaller one, or let it be estimated.",
        facts,
    )


class_prior = Check("class prior", "PU113", look_at_class_prior)
