r"""Whether labeling depends on the features.

*Meaning.* :func:`~unlabeled.diagnostics.scar_test` rejects two assumptions together: either
labeling depends on the features, or the posterior is not logistic in them
(:doc:`/coverage/index`). On real tables with labels at random the second is usual. So the finding
is a warning only if a column stands out as one that labels follow (:ref:`PU208`), and otherwise a
note. Of a model that is not linear the test says nothing.

Rows with a rare value that no labeled row has are left out, and the message names the feature. If
they are more than a tenth, the check does not apply, nor if some combination of features picks out
rows of which none, or all, are labeled. Where all rows would take minutes, it uses a random part.

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.datasets import hide_labels, propensity
   from unlabeled.diagnostics import diagnose

   large = make_paper_gaussian(4000, label_frequency=0.6, random_state=1)
   e = propensity("logistic", large.X, coef=[1.5, 0, 0], label_frequency=0.4, y_true=large.y_true)
   by_feature = hide_labels(large.y_true, propensity=e, random_state=2)
   finding = diagnose(PULogistic(), large.X, by_feature, checks="scar", random_state=0)["scar"]

*Remedy.* Find out how rows came to be labeled. If that depended on a feature, the results only
describe positives like the labeled ones. If you can name the features, do: ``--labeled-by
COLUMN`` in the terminal, :class:`~unlabeled.PropensityLogistic` in Python
(:doc:`choose/not_at_random`). If you cannot, check a hundred rows (:doc:`start/audit`):
``unlabeled audit`` or :func:`~unlabeled.audit.draw_audit` draws them. That tests SCAR without a
logistic posterior, and its numbers hold however labels were given. If the posterior is not
logistic, add squares or products of features and test again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.utils import check_random_state

from ..engine.linear_fits import separating_columns
from ._case import Case, CheckResult, NotApplicable, listed
from ._check_labeling import LEVEL as FOLLOWED_LEVEL
from ._double_logistic import NestedModels
from ._scar_test import run_test

_RESAMPLES, _ENOUGH, _FEATURES = 99, 5, 5
_LEVEL = 0.05
_FEWEST_LABELED = 20
# Largest number of rows times squared number of features; more would take minutes.
_MOST_WORK = 1.2e7
# A value that no labeled row has counts as rare if at most this fraction of the rows has it.
_RARE = 0.1


def check_scar(case: Case) -> CheckResult:
    """Test SCAR together with a logistic posterior, see `scar_test`, with 99 resamples, at 5 %.

    It warns if labels also seem to follow a column (`check_labeling`), and otherwise only notes:
    most tables that it rejects have labels at random and classes that are not logistic.

    Not applicable with fewer than 20 labeled rows, or if there are not more labeled rows than
    features. Nor if the fit lets labels follow features (`PropensityLogistic`).
    """
    case.need_labels_at_random()
    case.need_independent_rows()
    if not case.is_linear:
        raise NotApplicable(
            "the test takes the curve along a line, and your model is not linear; the check "
            "'labeling' asks its score instead"
        )
    n_rows, whole = len(case.s), case
    case, about_part = _subset(case)
    left_out = _rows_with_rare_values(case)
    about_left_out = _about_left_out(case, left_out)
    case = case if left_out is None else _without(case, left_out)
    X = case.dense
    if case.n_labeled < max(_FEWEST_LABELED, X.shape[1] + 1):
        raise NotApplicable(
            f"{case.n_labeled} labeled rows are too few for this test with {X.shape[1]} features"
            f"{about_part.rstrip('.')}"
        )
    if len(case.separating) or case.is_separated:
        raise NotApplicable(
            "the test needs a logistic fit without a penalty, and here such a fit has no finite "
            "coefficients: some combination of columns picks out rows of which none, or all, are "
            "labeled. Often these are a few rows with rare values; it does not mean that labeled "
            f"rows can be told from all others{f'.{about_part}'.rstrip('.')}"
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
        "rows_tested": len(case.s),
        "rows_in_all": n_rows,
    }
    if test.p_value > _LEVEL:
        sentence = (
            "The data agree with labels given at random (SCAR) and a logistic curve "
            f"(p = {test.p_value:.2g})."
        )
        return CheckResult("fine", sentence + about_part + about_left_out, facts)
    where = ""
    if named:
        columns, show = ("columns", "show") if len(named) > 1 else ("column", "shows")
        where = f"; {columns} {', '.join(named)} {show} it most"
    chance = f"p = {test.p_value:.2g}"
    if whole.followed.p_value > FOLLOWED_LEVEL:
        return CheckResult(
            "note",
            f"A logistic curve does not fit, or labels were not given at random ({chance}){where}. "
            "No single column stands out as one that labels follow, so the curve may be all that "
            "is wrong: an ensemble (PUEnsemble in Python) needs no line. If you do not know how "
            "rows came to be labeled, check rows that `unlabeled audit` draws (draw_audit in "
            "Python)." + about_part + about_left_out,
            facts,
        )
    return CheckResult(
        "warning",
        "Either labels were not given at random, or a logistic curve does not fit "
        f"({chance}){where}. Do not rely on the number of positives: results may "
        "mostly describe the kind of positives that get labeled. Find out how rows came to be "
        "labeled. If columns decided it, name them with `--labeled-by` (PropensityLogistic in "
        "Python). If you do not know, check rows that `unlabeled audit` draws (draw_audit in "
        "Python)." + about_part + about_left_out,
        facts,
    )


def _subset(case: Case) -> tuple[Case, str]:
    """Return random rows if all would take minutes, and a sentence about that.

    A feature that separates labeled from unlabeled rows in them alone is left out.
    """
    X = case.dense
    most = int(_MOST_WORK / X.shape[1] ** 2)
    if len(X) <= most:
        return case, ""
    if most < _FEWEST_LABELED:
        raise NotApplicable(f"the test would take hours with {X.shape[1]} features")
    drawn = case.rows.sample(most, case.random_state).row_index
    apart = np.setdiff1d(separating_columns(X[drawn], case.s[drawn]), case.separating)
    varies = np.setdiff1d(np.flatnonzero(np.ptp(X[drawn], axis=0) > 0), apart)
    inner = case.inner._replace(
        X=X[np.ix_(drawn, varies)], names=tuple(case.names[j] for j in varies)
    )
    sentence = (
        f" The test used {most} of the {len(X)} rows, drawn at random, because all would take "
        "minutes; scar_test can use all."
    )
    return replace(case, inner=inner, s=case.s[drawn]), sentence


def _rows_with_rare_values(case: Case) -> np.ndarray | None:
    """Return the rows with rare values that no labeled row has; None if no feature has any."""
    if len(case.separating) == 0:
        return None
    columns = case.dense[:, case.separating]
    labeled = columns[case.s == 1]
    away = (columns < labeled.min(axis=0)) | (columns > labeled.max(axis=0))
    share = away.mean(axis=0)
    worst = int(np.argmax(share))
    if away.any(axis=1).mean() > _RARE:
        raise NotApplicable(
            f"{share[worst]:.0%} of the rows have values of {case.names[case.separating[worst]]!r} "
            "that no labeled row has, and the test cannot use such rows"
        )
    return np.asarray(away.any(axis=1))


def _without(case: Case, left_out: np.ndarray) -> Case:
    """Return the case without some rows, and without features that are constant in the rest."""
    X = case.dense[~left_out]
    varies = np.flatnonzero(np.ptp(X, axis=0) > 0)
    inner = case.inner._replace(X=X[:, varies], names=tuple(case.names[j] for j in varies))
    return replace(case, inner=inner, s=case.s[~left_out])


def _about_left_out(case: Case, left_out: np.ndarray | None) -> str:
    if left_out is None:
        return ""
    names = listed([case.names[j] for j in case.separating])
    return (
        f" The test leaves out {left_out.sum()} rows with a rare value of {names} that no labeled "
        "row has."
    )
