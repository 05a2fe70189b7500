"""Whether labelling depends on the features."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from ._case import Case, NotApplicable
from ._check import Check, Look
from ._double_logistic import NestedModels
from ._scar_test import run_test

_RESAMPLES, _ENOUGH, _FEATURES = 99, 5, 5
_LEVEL = 0.05
_FEWEST_LABELLED = 20
# Rows times squared features: more would take minutes.
_MOST_WORK = 5e6


def look(case: Case) -> Look:
    """Test SCAR together with a logistic posterior, see `scar_test`, with 99 resamples.

    A warning at the level of 5 %. Not applicable with fewer than 20 labelled rows,
    no more labelled rows than features, or separated rows; and where it would take minutes.
    """
    X = case.dense
    if case.n_labelled < max(_FEWEST_LABELLED, X.shape[1] + 1):
        raise NotApplicable(
            f"{case.n_labelled} labelled rows are too few to test it with {X.shape[1]} features"
        )
    if X.shape[0] * X.shape[1] ** 2 > _MOST_WORK:
        raise NotApplicable("with so many rows and features it takes minutes; call scar_test")
    if len(case.separating) or case.is_separated:
        raise NotApplicable("labelled and unlabelled rows are separated, which no model gains on")
    rng = check_random_state(case.random_state)
    models = NestedModels(X)
    test = run_test(models, case.s, case.names, _RESAMPLES, _ENOUGH, _FEATURES, rng=rng)
    p_value = test.feature_p_value
    order = np.argsort(-np.nan_to_num(test.feature_statistic), kind="stable")
    named = [case.names[j] for j in order if p_value[j] <= _LEVEL][:_FEATURES]
    facts = {"p_value": test.p_value, "statistic": test.statistic, "features": named}
    if test.p_value > _LEVEL:
        seen = f"SCAR and a logistic posterior are not rejected together (p = {test.p_value:.2g})."
        return Look("fine", seen, facts)
    where = f"; most by {', '.join(named)}" if named else ""
    return Look(
        "warning",
        f"SCAR and a logistic posterior are rejected together (p = {test.p_value:.2g}){where}. "
        "Either labelling depends on the features, and the answers lean towards what is labelled "
        "more often, or the posterior is not logistic in them. Ask how rows came to be labelled.",
        facts,
    )


scar = Check("scar", "PU201", look)
