r"""Labels that look inverted: the labeled rows may be the negatives.

*Meaning.* The labeled rows may be the negatives: 0 and 1 mean the opposite, or the value that
sorts last marks the rows that were not chosen. Right labels follow :math:`P(S=1\mid
t)=c\,\sigma(a+bt)` along held-out scores; if they are inverted, :math:`P(S=0\mid t)` does along
:math:`-t`. The check asks in two cases:

- the inverted labels are more than twenty times as likely, and :math:`1-c` is at least .1;
- more than half of the rows are labeled, unless the labels as they are are more than twenty
  times as likely.

It does not see inverted labels that are a minority and that features hardly predict, and does not
apply to two samples (:doc:`check_rates/index`).

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.diagnostics import diagnose

   large = make_paper_gaussian(4000, label_frequency=0.6, random_state=1)
   finding = diagnose(PULogistic(), large.X, 1 - large.s, checks=["fit", "inverted"])["inverted"]

*Remedy.* If another value of the label column marks the known positives, name it: ``--positive
VALUE``, or ``pos_label`` in Python. If the labels are right, do nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import expit

from ..codes import Message
from ..scores import ScoreProfile
from ._case import Case, CheckResult, NotApplicable
from ._check_label_quality import fit_without_negatives

_MAJORITY = 0.5
# Twice the difference of two log-likelihoods: one is twenty times as large as the other.
_CLEAR = 6.0
# The least rate at which the labeled value would have to occur among the other class.
_LEAST_RATE = 0.1


def check_inverted(case: Case) -> CheckResult:
    """Compare the labels with the inverted labels along held-out scores of a ridge fit."""
    if case.sampling.is_two:
        raise NotApplicable("the cases come from a file of their own")
    share = float(case.s.mean())
    fits = _fits(case, share)
    facts = {
        "labeled_share": share,
        "better_inverted_by": fits.better_inverted_by,
        "rate_at_low_scores": fits.rate,
    }
    majority = share > _MAJORITY and fits.better_inverted_by > -_CLEAR
    inverted = fits.better_inverted_by > _CLEAR and fits.rate >= _LEAST_RATE
    if not (majority or inverted):
        return CheckResult("fine", f"{share:.1%} of the rows are labeled.", facts)
    why = (
        "The other rows look more like a random sample of some class than these do. "
        if inverted
        else ""
    )
    return CheckResult(
        "warning",
        Message(
            f"Does the labeled value really mark the positives? {share:.1%} of the rows have it. "
            f"{why}If the labels are inverted, every number is about the wrong class.",
            python="Then set `pos_label` to the other value.",
        ),
        facts,
    )


@dataclass(frozen=True)
class _Fits:
    """Twice the gain in log-likelihood of inverted labels, and how often they are wrong."""

    better_inverted_by: float
    rate: float


def _fits(case: Case, share: float) -> _Fits:
    try:
        case.need_labels_at_random()
        score = case.held_out.point.score
    except NotApplicable:
        if share > _MAJORITY:  # that alone is a reason to ask
            return _Fits(0.0, 0.0)
        raise
    weight = case.weights.weight
    right = fit_without_negatives(ScoreProfile.of(score, case.s, weight))
    inverted = fit_without_negatives(ScoreProfile.of(-score, 1 - case.s, weight))
    gain = 2 * float(right.fun - inverted.fun) / case.effects.label
    return _Fits(gain, 1 - float(expit(inverted.x[2])))
