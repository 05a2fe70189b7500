"""Labelled rows that look like negatives."""

from __future__ import annotations

import numpy as np

from ._case import Case, NotApplicable
from ._check import Check, Look
from ._labelled_negatives import fit_labelled_negatives

_NOTE, _WARNING = 0.025, 0.005
_LIKELY = 0.5
_MOST_SHOWN = 20
_LOW = 0.05
_FEWEST = 100
_TOO_MANY = 0.2
_BETTER = 2.0


def look(case: Case) -> Look:
    r"""Test whether negatives are labelled, and name the labelled rows likely to be negative.

    Along scores of rows left out of a ridge fit, :math:`P(S=1|t) = c\,\sigma(a+bt)`
    is held against the model in which negatives are labelled too, at a rate
    :math:`\delta`, by a likelihood-ratio test: a note at p < 0.025, a warning at
    p < 0.005, both only where some labelled row is more likely negative than
    positive. It is a note also where more than 20 % of the labels seem wrong, or where a
    posterior that falls off slowly does about as well (twice the log-likelihood within
    2): the posterior is then more likely not logistic. Counting low posteriors under the first
    model would miss wrong labels: they flatten the slope until they no longer stand
    out.

    Measured at n = 5000, at least 200 samples: it fires on 2 to 3 % of samples of the
    paper's design, a warning on none. With 5 % of the labels moved to rows drawn from the
    unlabelled ones it fires on 24 to 35 % there, where classes overlap much, and on 98 to
    100 % (a warning on 69 to 88 %) for normal classes 3.4 standard deviations apart. With 60
    labelled rows it fired on 8 % of honest samples; below 100 it does not apply.
    """
    if case.n_labelled < _FEWEST:
        raise NotApplicable(f"fewer than {_FEWEST} rows are labelled")
    found = fit_labelled_negatives(case.honest.point.score, case.s)
    suspicion = np.where(case.s == 1, found.suspicion, 0.0)
    order = np.argsort(-suspicion, kind="stable")
    likely = order[: int(np.sum(suspicion > _LIKELY))]
    share = float(suspicion.sum() / case.n_labelled)
    facts = {
        "p_value": found.p_value,
        "estimated_share_of_negatives_among_labelled": share,
        "rows": likely[:_MOST_SHOWN].tolist(),
        "better_than_slow_tail_by": found.over_slow_tail,
        "likely_negative": len(likely),
        "labelled_rows_with_low_posterior": int(np.sum(found.posterior[case.s == 1] < _LOW)),
        "expected_of_them": _expected_low(found.posterior, case.n_labelled),
    }
    p_value = f"p = {found.p_value:.2g}"
    if found.p_value >= _NOTE:
        seen = f"No wrong labels are found: {p_value}, not below {_NOTE}."
        return Look("fine", seen, facts)
    if len(likely) == 0:
        seen = f"No labelled row is more likely negative than positive ({p_value})."
        return Look("fine", seen, facts)
    words = "row looks like a negative" if len(likely) == 1 else "rows look like negatives"
    sure = found.p_value < _WARNING and share <= _TOO_MANY and found.over_slow_tail > _BETTER
    return Look(
        "warning" if sure else "note",
        f"{len(likely)} labelled {words}; about {share:.1%} of the labels may be wrong "
        f"({p_value}), or the posterior falls off more slowly than a logistic one. "
        "Look at the rows in `facts['rows']`, and take wrong labels off.",
        facts,
    )


def _expected_low(posterior: np.ndarray, n_labelled: int) -> float:
    """How many labelled rows a model without labelled negatives has at low posteriors."""
    return float(n_labelled * posterior[posterior < _LOW].sum() / posterior.sum())


label_quality = Check("label quality", "PU205", look)
