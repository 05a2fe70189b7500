"""The class prior against the bound that the labels set."""

from __future__ import annotations

from ..label_frequency import binomial_bound
from ._case import Case, NotApplicable
from ._check import Check, Look

_ERROR = 0.05


def look(case: Case) -> Look:
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
        return Look(
            "fine",
            f"The class prior, {prior:.3f}, is below {bound:.3f}, the largest that the labels "
            "allow (95 % confidence).",
            facts,
        )
    return Look(
        "warning",
        f"The class prior, {prior:.3f}, is above {bound:.3f}, the largest that recall and share of "
        "the labelled rows allow (95 % confidence). It is too large, or labelling depends on the "
        "features. Give a smaller one, or let it be estimated.",
        facts,
    )


class_prior = Check("class prior", "PU113", look)
