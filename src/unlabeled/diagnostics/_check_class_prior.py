"""Whether the class prior is larger than the labels allow."""

from __future__ import annotations

from ..scores import largest_class_prior
from ._case import Case, CheckResult, NotApplicable

_ERROR = 0.05


def check_class_prior(case: Case) -> CheckResult:
    """Compare the class prior, given or estimated, with the bound of `PriorBound`.

    The bound has 95 % confidence and uses held-out scores of a ridge fit. So a correct prior is
    flagged with probability at most 5 %.
    """
    prior = getattr(case.inner.classifier, "class_prior_", None)
    if prior is None:
        raise NotApplicable("the classifier has no class prior")
    if getattr(case.inner.classifier, "n_checked_", 0):
        raise NotApplicable("the class prior follows checked rows, not the labels alone")
    case.need_labels_at_random()
    bound = largest_class_prior(case.cuts, _ERROR, case.effects)
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
        f"The class prior, {prior:.3f}, is above {bound:.3f}, the largest that the labels allow "
        "(95 % confidence). Either it is too large, or labeling depends on the features. Give a "
        "smaller class prior, or let it be estimated.",
        facts,
    )
