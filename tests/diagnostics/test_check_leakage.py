"""The leakage check: regions of a feature in which nearly all rows are labeled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from unlabeled import (
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.diagnostics import diagnose
from unlabeled.linear_model._label_leak import purest_region


def test_leakage_names_the_feature_and_its_region_also_of_two_leaks(find, made):
    X, s = made("leak")
    twice = np.column_stack([X, -X[:, -1]])
    finding = find("leakage", PULogistic(), twice, s)
    assert finding.state == "serious"
    assert finding.facts["suspects"] == ["x3", "x4"]
    assert finding.facts["region"].startswith(">=")


@pytest.mark.parametrize("missing_when", [0, 1])
def test_leakage_sees_a_column_that_is_missing_by_label(made, missing_when):
    X, s = made("honest")
    X = X.copy()
    X[s == missing_when, 0] = np.nan
    imputed = make_pipeline(SimpleImputer(), PULogistic())
    boosted = PUThresholdClassifier(HistGradientBoostingClassifier(max_iter=5), cv=2)
    imputed_finding = diagnose(imputed, X, s, checks=["fit", "leakage"])["leakage"]
    assert "x0 is missing" in imputed_finding.facts["suspects"]
    diagnosis = diagnose(boosted, X, s)
    assert diagnosis["leakage"].state == "serious"
    assert diagnosis["leakage"].facts["region"] == ("present", "missing")[missing_when]
    assert "missing" in diagnosis["label quality"].message


class Halves(FunctionTransformer):
    """Makes two features from the last column, and names their column as TableFeatures does."""

    def __init__(self):
        super().__init__(lambda X: np.column_stack([X, X[:, -1] ** 2]))

    def get_feature_names_out(self, input_features=None):
        return np.array([*self.output_to_input_])

    @property
    def output_to_input_(self):
        return {"age": "age", "dose": "dose", "weight": "weight", "paid": "bill", "owed": "bill"}


def test_leakage_names_the_column_a_feature_was_made_from(made):
    X, s = made("honest")
    X = np.column_stack([X, np.where(s == 1, np.arange(len(s)) % 7 + 1, 0)])
    finding = diagnose(make_pipeline(Halves(), PULogistic()), X, s)["leakage"]
    assert finding.state == "serious"
    assert finding.facts["suspects"] == ["paid", "owed"]
    assert finding.facts["columns"] == ["bill"]
    assert "'bill'" in finding.message


def test_leakage_is_a_note_where_all_features_tell_who_is_labeled(find):
    rng = np.random.default_rng(0)
    y_true = rng.random(3000) < 0.3
    X = rng.normal(size=(3000, 3)) + 6 * y_true[:, None]
    finding = find("leakage", PULogistic(), X, y_true.astype(int))
    assert finding.state == "note"
    assert len(finding.facts["suspects"]) == 3 or finding.facts["bound_of_the_others"] > 0.8


def test_a_perfect_leak_is_a_warning_with_a_dozen_labeled_rows_and_serious_from_22_on(find, made):
    X, s = made("honest")
    for n_labeled, state in (
        (8, "fine"),
        (12, "warning"),
        (21, "warning"),
        (22, "serious"),
        (100, "serious"),
    ):
        kept = s * (np.cumsum(s) <= n_labeled)
        known = np.where(kept == 1, 1.0, 0.0)
        finding = find("leakage", PULogistic(), np.column_stack([X, known]), kept)
        assert finding.state == state


def test_one_good_feature_and_nearly_all_positives_labeled_is_no_leak(find, rng):
    y_true = rng.random(2000) < 0.3
    X = np.column_stack([rng.normal(size=2000) + 5 * y_true, rng.normal(size=(2000, 3))])
    s = (y_true & (rng.random(2000) < 0.9)).astype(int)
    assert find("leakage", PULogistic(), X, s).state == "fine"


def test_the_purest_region_has_clopper_and_pearson_s_bound(rng):
    x, s = rng.normal(size=500), np.zeros(500)
    s[np.argsort(-x)[:60]] = 1
    s[rng.choice(np.flatnonzero(s == 0), 20, replace=False)] = 1
    region = purest_region("x", x, s, 0.05)
    inside = x >= float(region.words.removeprefix(">= ")) - 1e-3
    assert (region.labeled, region.rows) == (int(s[inside].sum()), int(inside.sum()))
    exact = stats.binomtest(region.labeled, region.rows, alternative="greater")
    bound = exact.proportion_ci(1 - 0.05 / 25, "exact").low
    assert region.bound == pytest.approx(bound)
