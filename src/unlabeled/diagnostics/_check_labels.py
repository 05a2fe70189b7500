"""Whether there are labelled rows enough."""

from __future__ import annotations

from ._case import Case
from ._check import Check, Look

_FEW = 10
_ENOUGH_A_PARAMETER = 10


def look(case: Case) -> Look:
    """Count labelled rows, and labelled rows a parameter where nothing penalises the fit.

    Fewer than ten are too few to choose anything from. An unpenalised fit
    with fewer labelled rows than parameters will hardly generalise; with fewer than
    ten a parameter its coefficients are biased away from 0 and their intervals too
    narrow, by the rule of thumb of logistic regression (Peduzzi et al. 1996,
    https://doi.org/10.1016/S0895-4356(96)00236-3).
    """
    n_labelled, n_rows = case.n_labelled, len(case.s)
    counted = f"{n_labelled} of {n_rows} rows {'is' if n_labelled == 1 else 'are'} labelled"
    facts = {"labelled": n_labelled, "rows": n_rows}
    if n_labelled < _FEW:
        return Look(
            "warning",
            f"{counted}: too few to choose a ridge, a class prior and a cut from. The answer "
            "rests on the model more than on them. Label more rows.",
            facts,
        )
    if case.is_penalised:
        return Look("fine", f"{counted}.", facts)
    facts["parameters"] = n_parameters = case.seen.X.shape[1] + 1
    if n_labelled >= _ENOUGH_A_PARAMETER * n_parameters:
        return Look("fine", f"{counted}, for {n_parameters} parameters.", facts)
    fewer = n_labelled < n_parameters
    means = (
        "an unpenalised fit rests on few rows and will hardly generalise"
        if fewer
        else "coefficients come out too large, and their intervals too narrow"
    )
    return Look(
        "warning" if fewer else "note",
        f"{counted}, for {n_parameters} parameters: {means}. Use a finite `C`, or PULogistic.",
        facts,
        code="PU102",
    )


labels = Check("labels", "PU114", look)
