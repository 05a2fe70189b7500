"""Whether labelling depends on the features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from ._case import Case, Check, CheckResult, NotApplicable, listed
from ._double_logistic import NestedModels
from ._scar_test import run_test

_RESAMPLES, _ENOUGH, _FEATURES = 99, 5, 5
_LEVEL = 0.05
_FEWEST_LABELLED = 20
# Rows times squared features: more would take minutes.
_MOST_WORK = 5e6
# A value that no labelled row has is rare if at most this share of the rows has it.
_RARE = 0.1


def look(case: Case) -> CheckResult:
    """Test SCAR together with a logistic posterior, see `scar_test`, with 99 resamples.

    A warning at the level of 5 %. Rows with a rare value of a feature that no labelled row
    has, such as a level of 20 rows, are left out. Whether they are depends on their own labels
    only, so the labels of the other rows are what SCAR and a logistic posterior say.

    Not applicable with fewer than 20 labelled rows, no more labelled rows than features,
    or separated rows; and where it would take minutes.
    """
    left_out = _of_rare_values(case)
    words = _words_for(case, left_out)
    case = case if left_out is None else _without(case, left_out)
    X = case.dense
    if case.n_labelled < max(_FEWEST_LABELLED, X.shape[1] + 1):
        raise NotApplicable(
            f"{case.n_labelled} labelled rows are too few to test it with {X.shape[1]} features"
        )
    if X.shape[0] * X.shape[1] ** 2 > _MOST_WORK:
        raise NotApplicable("with so many rows and features it takes minutes; call scar_test")
    if len(case.separating) or case.is_separated:
        raise NotApplicable(
            "a sum of features separates labelled from unlabelled rows, and no model gains on that"
        )
    rng = check_random_state(case.random_state)
    models = NestedModels(X)
    test = run_test(models, case.s, case.names, _RESAMPLES, _ENOUGH, _FEATURES, rng=rng)
    p_value = test.feature_p_value
    order = np.argsort(-np.nan_to_num(test.feature_statistic), kind="stable")
    named = [case.names[j] for j in order if p_value[j] <= _LEVEL][:_FEATURES]
    facts = {
        "p_value": test.p_value,
        "statistic": test.statistic,
        "features": named,
        "rows_left_out": 0 if left_out is None else int(left_out.sum()),
    }
    if test.p_value > _LEVEL:
        seen = f"SCAR and a logistic posterior are not rejected together (p = {test.p_value:.2g})."
        return CheckResult("fine", seen + words, facts)
    where = f"; most by {', '.join(named)}" if named else ""
    return CheckResult(
        "warning",
        f"SCAR and a logistic posterior are rejected together (p = {test.p_value:.2g}){where}. "
        "Either labelling depends on the features, and the answers lean towards what is labelled "
        "more often, or the posterior is not logistic in them. Ask how rows came to be labelled."
        + words,
        facts,
    )


def _of_rare_values(case: Case) -> np.ndarray | None:
    """Rows with rare values that no labelled row has; None where there is no such feature."""
    if len(case.separating) == 0:
        return None
    columns = case.dense[:, case.separating]
    labelled = columns[case.s == 1]
    away = (columns < labelled.min(axis=0)) | (columns > labelled.max(axis=0))
    share = away.mean(axis=0)
    worst = int(np.argmax(share))
    if away.any(axis=1).mean() > _RARE:
        raise NotApplicable(
            f"{case.names[case.separating[worst]]!r} separates labelled from unlabelled rows: "
            f"{share[worst]:.0%} of the rows have values of it that no labelled row has"
        )
    return np.asarray(away.any(axis=1))


def _without(case: Case, left_out: np.ndarray) -> Case:
    """The case without some rows, and without the features that are constant then."""
    X = case.dense[~left_out]
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    seen = case.seen._replace(X=X[:, varies], names=tuple(case.names[j] for j in varies))
    return replace(case, seen=seen, s=case.s[~left_out])


def _words_for(case: Case, left_out: np.ndarray | None) -> str:
    if left_out is None:
        return ""
    names = listed([case.names[j] for j in case.separating])
    return (
        f" {left_out.sum()} rows with a rare value of {names} were left out of the test: no "
        "labelled row has it."
    )


scar = Check("scar", "PU201", look)
