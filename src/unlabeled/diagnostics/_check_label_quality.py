"""Labeled rows that look like negatives.

*Meaning.* Along the held-out scores, a model in which a few negatives are labeled too fits the
labels better. ``facts["rows"]`` lists the labeled rows that are more likely negative under it.
Either labels are wrong, or, which is common, some positives look like negatives in every feature;
the check cannot tell which. On nine real sets with right labels it warned on 3.7 % of the draws,
and gave a note or a warning on 32.9 %; on credit-a at :math:`c=.5` it warned on 24 %
(:doc:`check_rates/index`). The same page counts the listed labels that are wrong: neither the
p-value nor ``expected_share_of_negatives_in_rows`` tells how many. If classes overlap much, the
check does not see a few wrong labels.

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.diagnostics import diagnose

   rng = np.random.default_rng(0)
   positive = rng.random(5000) < 0.3
   X = rng.normal(size=(5000, 3)) + 2 * positive[:, None]
   s = positive & (rng.random(5000) < 0.6)
   s[rng.choice(np.flatnonzero(~positive), 40, replace=False)] = True
   finding = diagnose(PULogistic(), X, s)["label quality"]

*Remedy.* Look at the rows: ``unlabeled fit`` writes them to :file:`labels_to_check.csv`, with the
columns that speak ``against`` a positive; ``unlabeled diagnose --json`` prints their positions,
from 0. Take a label off only if you know that the row is negative: otherwise labels would be no
random sample of the positives. Wrong labels distort direction, label frequency and cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from scipy.special import expit, logit

from ..codes import Message
from ..scores import ScoreProfile
from ._case import Case, CheckResult, NotApplicable

# A note below the first p-value, a warning below the second.
_NOTE, _WARNING = 0.025, 0.005
_LIKELY = 0.5
_LOW = 0.05
_FEWEST = 100
_TOO_MANY = 0.2
_BETTER = 2.0
NOTED_IF_RIGHT, WARNED_IF_RIGHT, MOST_WARNED_IF_RIGHT = 33, 4, 26
"""How often the check fires although every label is right, in percent of the draws on nine real
sets to which it applied: at least a note, a warning, and a warning on the set with most
warnings (docs/check_rates)."""
WRONG_OF_THE_LIST = 62, 23, 100
"""Of the listed labels so many are wrong, in percent, if 2 to 10 % of all labels are: the mean
over tables, and the ends of the middle 80 % of them (docs/check_rates)."""
# Starting values for the rate of labeled negatives, as a fraction of c, and for the slope, as
# a multiple of the slope without labeled negatives, which flatten it.
_RATES = (1e-3, 1e-2, 0.1)
_STRETCHES = (1.0, 3.0)
_BOUNDS = ((-60.0, 60.0), (-6.0, 4.0), (-12.0, 12.0), (-16.0, -0.1))
# Starting values and bounds for the tail of a posterior without labeled negatives.
_SLOWNESS = (0.05, 0.5, 2.0)
_SLOW_BOUNDS = (*_BOUNDS[:3], (-8.0, 3.0))


def check_label_quality(case: Case) -> CheckResult:
    r"""Test whether negatives are labeled, and name the labeled rows likely to be negative.

    A likelihood-ratio test along held-out scores of a ridge fit compares
    :math:`P(S=1|t) = c\,\sigma(a+bt)` with a model in which negatives are labeled too, at a rate
    :math:`\delta`. It is a note at p < 0.025 and a warning at p < 0.005, both only if some
    labeled row is more likely negative than positive. It is only a note if more than 20 % of
    the labels seem wrong, or if a posterior with a heavier tail fits about as well (twice the
    log-likelihoods differ by at most 2); the posterior is then probably not logistic. (Counting
    labeled rows with a low posterior does not work: wrong labels flatten the fitted slope.)

    In 0.1.0, at n = 5000 and with at least 200 samples, it fired on 2 to 3 % of samples of
    the paper's design, and never with a warning. If 5 % of the labels were moved to random
    unlabeled rows, it fired on 24 to 35 % of these samples, because the classes overlap
    strongly; for normal classes 3.4 standard deviations apart it fired on 98 to 100 % (a
    warning on 69 to 88 %). With 60 labeled rows it fired on 8 % of samples without wrong
    labels; below 100 it does not apply.
    """
    case.need_labels_at_random()
    case.need_independent_rows()
    if case.n_labeled < _FEWEST:
        raise NotApplicable(f"the check needs at least {_FEWEST} labeled rows")
    fitted = fit_labeled_negatives(case.held_out.point.score, case.s)
    suspicion = np.where(case.s == 1, fitted.suspicion, 0.0)
    order = np.argsort(-suspicion, kind="stable")
    likely = order[: int(np.sum(suspicion > _LIKELY))]
    share = float(suspicion.sum() / case.n_labeled)
    facts = {
        "p_value": fitted.p_value,
        "estimated_share_of_negatives_among_labeled": share,
        "rows": likely.tolist(),
        "expected_share_of_negatives_in_rows": float(suspicion[likely].mean())
        if len(likely)
        else 0.0,
        "better_than_slow_tail_by": fitted.over_slow_tail,
        "likely_negative": len(likely),
        "labeled_rows_with_low_posterior": int(np.sum(fitted.posterior[case.s == 1] < _LOW)),
        "expected_of_them": _expected_low(fitted.posterior, case.n_labeled),
    }
    p_value = f"p = {fitted.p_value:.2g}"
    if fitted.p_value >= _NOTE:
        found_none = f"No wrong labels were found ({p_value}, not below {_NOTE})."
        return CheckResult("fine", found_none, facts)
    if len(likely) == 0:
        found_none = f"No labeled row is more likely negative than positive ({p_value})."
        return CheckResult("fine", found_none, facts)
    words = "row looks like a negative" if len(likely) == 1 else "rows look like negatives"
    sure = fitted.p_value < _WARNING and share <= _TOO_MANY and fitted.over_slow_tail > _BETTER
    return CheckResult(
        "warning" if sure else "note",
        Message(
            f"{len(likely)} labeled {words} ({p_value}). {_how_sure(sure)} Some positives look "
            "like negatives in every column.",
            python="Look at all these rows, `facts['rows']`, before you change a label.",
        ),
        facts,
    )


def _how_sure(sure: bool) -> str:
    """Say how many of the listed labels were wrong where that is known."""
    mean, low, high = WRONG_OF_THE_LIST
    fired = f"{NOTED_IF_RIGHT} % of our test tables got this note or a warning."
    if sure:
        fired = (
            f"{WARNED_IF_RIGHT} % of our test tables got this warning, and {MOST_WARNED_IF_RIGHT} "
            "% of those of the worst data set."
        )
    return (
        "The table does not tell how many of these labels are wrong. In test tables with 2 to 10 % "
        f"wrong labels it was {mean} % of such a list on the mean, and {low} to {high} % in four "
        f"of five tables. With right labels it was none, and {fired}"
    )


def _expected_low(posterior: np.ndarray, n_labeled: int) -> float:
    """Return how many labeled rows have low posteriors if no negative is labeled."""
    return float(n_labeled * posterior[posterior < _LOW].sum() / posterior.sum())


@dataclass(frozen=True)
class LabeledNegatives:
    r"""The model :math:`P(S=1|t) = c\,\sigma(a+bt) + \delta\,(1-\sigma(a+bt))`.

    Attributes
    ----------
    rate : float
        :math:`\delta`, the probability that a negative row is labeled.
    label_frequency : float
        c.
    p_value : float
        p-value of the hypothesis that the rate is 0.
    over_slow_tail : float
        Twice the gain in log-likelihood over a model without labeled negatives whose
        posterior may fall off slowly: it replaces :math:`\eta < 0` by
        :math:`-\log(1 + \kappa|\eta|)/\kappa`.
    suspicion : ndarray of shape (n_rows,)
        Probability that a row is negative, given that it is labeled.
    posterior : ndarray of shape (n_rows,)
        P(Y=1|t).
    """

    rate: float
    label_frequency: float
    p_value: float
    over_slow_tail: float
    suspicion: np.ndarray
    posterior: np.ndarray


def fit_labeled_negatives(score: np.ndarray, s: np.ndarray) -> LabeledNegatives:
    r"""Fit the model with and without labeled negatives.

    A rate of 0 is on the boundary. So twice the difference of the log-likelihoods is
    compared with :math:`\tfrac12\chi^2_0+\tfrac12\chi^2_1`.
    """
    bins = ScoreProfile.of(score, s, None)
    null = fit_without_negatives(bins)
    best = _best(_fit, bins, null.x, _RATES)
    slow = _best(_fit_slow, bins, null.x, _SLOWNESS)
    ratio = max(2 * float(null.fun - best.fun), 0.0)
    intercept, slope, c, rate = _natural(best.x)
    posterior = expit(intercept + slope * (score - bins.mean) / bins.deviation)
    labeled = c * posterior + rate * (1 - posterior)
    p_value = 0.5 * float(stats.chi2.sf(ratio, 1)) if ratio > 0 else 1.0
    suspicion = rate * (1 - posterior) / labeled
    over_slow_tail = 2 * float(slow.fun - best.fun)
    return LabeledNegatives(rate, c, p_value, over_slow_tail, suspicion, posterior)


def fit_without_negatives(bins: ScoreProfile) -> optimize.OptimizeResult:
    r"""Fit :math:`P(S=1|t) = c\,\sigma(a+bt)`; ``x`` holds a, log b and the logit of c."""
    share = bins.labeled_share
    fits = [
        _fit(bins, np.array([logit(share) + 1, 0.0, logit(share + way * (1 - share))]))
        for way in (0.1, 0.5, 0.9)
    ]
    return min(fits, key=lambda fit: float(fit.fun))


def _best(
    fit: Callable[[ScoreProfile, np.ndarray], optimize.OptimizeResult],
    bins: ScoreProfile,
    null: np.ndarray,
    fourth: tuple[float, ...],
) -> optimize.OptimizeResult:
    """Fit from several values of the fourth parameter and of the slope."""
    starts = [
        np.append(null, np.log(value)) + np.array([0.0, np.log(stretch), 0.0, 0.0])
        for value in fourth
        for stretch in _STRETCHES
    ]
    return min((fit(bins, start) for start in starts), key=lambda fitted: float(fitted.fun))


def _natural(x: np.ndarray) -> tuple[float, float, float, float]:
    """Return intercept, slope, c and rate; the rate is 0 if it is not a parameter."""
    c = float(expit(x[2]))
    return float(x[0]), float(np.exp(x[1])), c, c * float(np.exp(x[3])) if len(x) == 4 else 0.0


def _fit(bins: ScoreProfile, start: np.ndarray) -> optimize.OptimizeResult:
    bounds = _BOUNDS[: len(start)]
    low, high = np.array(bounds).T
    return optimize.minimize(
        _value_and_gradient,
        np.clip(start, low, high),
        args=(bins,),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": 500, "ftol": 1e-12, "gtol": 1e-6},
    )


def _fit_slow(bins: ScoreProfile, start: np.ndarray) -> optimize.OptimizeResult:
    low, high = np.array(_SLOW_BOUNDS).T
    start = np.clip(start, low, high)
    return optimize.minimize(_slow, start, args=(bins,), bounds=_SLOW_BOUNDS, method="L-BFGS-B")


def _slow(x: np.ndarray, bins: ScoreProfile) -> float:
    """Return minus the log-likelihood of a posterior that falls off slowly."""
    intercept, slope, c, _ = _natural(x)
    slowness = float(np.exp(x[3]))
    eta = intercept + slope * bins.z
    eta = np.where(eta < 0, -np.log1p(slowness * np.maximum(-eta, 0)) / slowness, eta)
    labeled = np.clip(c * expit(eta), 1e-300, 1 - 1e-15)
    return float(-bins.labeled @ np.log(labeled) - bins.unlabeled @ np.log1p(-labeled))


def _value_and_gradient(x: np.ndarray, bins: ScoreProfile) -> tuple[float, np.ndarray]:
    """Return minus the log-likelihood of the bins, and its gradient."""
    intercept, slope, c, rate = _natural(x)
    posterior = expit(intercept + slope * bins.z)
    other = expit(-intercept - slope * bins.z)
    labeled = np.clip(c * posterior + rate * other, 1e-300, 1 - 1e-15)
    value = -bins.labeled @ np.log(labeled) - bins.unlabeled @ np.log1p(-labeled)
    pull = -bins.labeled / labeled + bins.unlabeled / (1 - labeled)
    along = pull * (c - rate) * posterior * other
    gradient = [along.sum(), slope * (along @ bins.z), (1 - c) * (pull @ labeled)]
    if len(x) == 4:
        gradient.append(rate * (pull @ other))
    return float(value), np.array(gradient)
