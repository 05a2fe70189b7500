"""Whether there are enough labelled rows."""

from __future__ import annotations

import numpy as np

from ..codes import Message
from ..linear_model import FEW_LABELLED
from ._case import Case, CheckResult

_ENOUGH_PER_PARAMETER = 10


def check_labels(case: Case) -> CheckResult:
    """Count labelled rows, and labelled rows per parameter if the fit has no penalty.

    Fewer than ten are too few to choose a penalty, a class prior or a threshold. An unpenalised
    fit with fewer labelled rows than parameters will hardly generalise. With fewer than ten per
    parameter its coefficients are biased away from 0 and their intervals too narrow, by the
    rule of thumb of logistic regression (Peduzzi et al. 1996,
    https://doi.org/10.1016/S0895-4356(96)00236-3).
    """
    n_labelled, n_rows, unit = case.n_labelled, len(case.s), "rows"
    if case.groups is not None:  # rows of one group tell little more than one of them
        n_labelled = len(np.unique(case.groups[case.s == 1]))
        n_rows, unit = len(np.unique(case.groups)), "groups"
    counted = f"{n_labelled} of {n_rows} {unit} {'is' if n_labelled == 1 else 'are'} labelled"
    facts = {"labelled": n_labelled, unit: n_rows}
    if n_labelled < FEW_LABELLED:
        return CheckResult(
            "serious",
            f"Only {counted}, too few to choose a ridge, a class prior and a cut. The "
            f"results depend more on the model than on the labels. Label at least {FEW_LABELLED} "
            f"{unit}.",
            facts,
        )
    if case.is_penalised:
        return CheckResult("fine", f"{counted}.", facts)
    facts["parameters"] = n_parameters = case.inner.X.shape[1] + 1
    if n_labelled >= _ENOUGH_PER_PARAMETER * n_parameters:
        return CheckResult("fine", f"{counted}, for {n_parameters} parameters.", facts)
    fewer = n_labelled < n_parameters
    means = (
        "An unpenalised fit then depends on few rows and will hardly generalise"
        if fewer
        else "Coefficients then come out too large, and their intervals too narrow"
    )
    return CheckResult(
        "warning" if fewer else "note",
        Message(
            f"{counted}, for {n_parameters} parameters. {means}.",
            python="Use a finite `C`, or PULogistic.",
        ),
        facts,
        code="PU102",
    )
