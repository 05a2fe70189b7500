"""The SCAR check: when it does not apply, and rows it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import PropensityLogistic, PULogistic
from unlabeled.diagnostics import diagnose


@pytest.mark.filterwarnings("ignore:.PU204")  # the column is a leak, too
def test_the_check_does_not_apply_to_separated_rows_or_few_labeled_ones(honest):
    separated = np.column_stack([honest.X, honest.s])
    for X, s in ((separated, honest.s), (honest.X, honest.s * (np.cumsum(honest.s) <= 15))):
        finding = diagnose(PULogistic(), X, s, checks="scar", random_state=0)["scar"]
        assert finding.state == "not applicable"


@pytest.mark.filterwarnings("ignore:.PU204")
def test_a_column_that_separates_is_named(honest):
    separated = np.column_stack([honest.X, honest.s])
    finding = diagnose(PULogistic(), separated, honest.s, checks="scar")["scar"]
    share = np.mean(honest.s == 0)
    assert f"{share:.0%} of the rows have values of 'x3' that no labeled row has" in finding.message


def test_it_says_what_a_fit_without_finite_coefficients_means(rng):
    X = rng.normal(size=(600, 3))
    X[:, 1] = np.arange(600) < 400
    X[:, 2] = np.arange(600) < 200
    s = (rng.random(600) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)
    s[200:400] = 0  # where x1 is 1 and x2 is 0 nobody is labeled; neither says so alone
    found = diagnose(PULogistic(), X, s, checks=("scar", "separation"), random_state=0)
    said = "some combination of columns picks out rows of which none, or all, are labeled"
    assert found["scar"].state == "not applicable"
    assert said in found["scar"].message
    assert said in found["separation"].message
    assert "separates" not in found["scar"].message


@pytest.mark.filterwarnings("ignore:.PU106")  # as if the labeled rows were all there are
def test_labels_that_follow_a_feature_name_the_remedies(rng):
    X = rng.normal(size=(2000, 2))
    y = rng.random(2000) < 1 / (1 + np.exp(-2 * X[:, 0]))
    s = (y & (rng.random(2000) < 1 / (1 + np.exp(-3 * X[:, 1])))).astype(int)
    finding = diagnose(PULogistic(), X, s, checks="scar", random_state=0)["scar"]
    assert finding.state == "warning"
    remedies = ("--labeled-by", "PropensityLogistic", "`unlabeled audit`", "draw_audit")
    for remedy in remedies:
        assert remedy in finding.message


def test_rows_of_a_rare_level_without_a_labeled_row_are_left_out_and_counted(honest):
    rare = np.flatnonzero(honest.s == 0)[:20]
    level = np.isin(np.arange(len(honest.s)), rare)
    X = np.column_stack([honest.X, level])
    finding = diagnose(PULogistic(), X, honest.s, checks="scar", random_state=0)["scar"]
    assert "20 rows" in finding.message
    assert "'x3'" in finding.message
    assert finding.facts["rows_left_out"] == 20
    rest = diagnose(
        PULogistic(), honest.X[~level], honest.s[~level], checks="scar", random_state=0
    )["scar"]
    assert finding.facts["p_value"] == rest.facts["p_value"]
    assert finding.facts["statistic"] == pytest.approx(rest.facts["statistic"])


def test_a_large_table_is_tested_on_a_part_and_it_says_so(rng, monkeypatch):
    monkeypatch.setattr("unlabeled.diagnostics._check_scar._MOST_WORK", 2000 * 3**2)
    X = rng.normal(size=(6000, 3))
    X[:, 2] = np.arange(6000) < 3  # hardly ever in the part
    y = rng.random(6000) < 1 / (1 + np.exp(-2 * X[:, 0]))
    s = (y & (rng.random(6000) < 0.4)).astype(int)
    finding = diagnose(PULogistic(), X, s, checks="scar", random_state=0)["scar"]
    assert "The test used 2000 of the 6000 rows, drawn at random" in finding.message
    assert finding.facts["rows_tested"] <= 2000
    assert finding.state == "fine"


@pytest.mark.filterwarnings("ignore:.PU204")  # a column is the label
def test_thousands_of_features_are_not_tested_and_it_says_so(rng):
    X = rng.normal(size=(60, 4000))
    s = (X[:, 0] > 0).astype(int)
    model = PULogistic(class_prior=0.6, random_state=0).fit(X, s)
    finding = diagnose(model, X, s, checks="scar", random_state=0)["scar"]
    assert finding.state == "not applicable"
    assert "hours with 4000 features" in finding.message


OF_RANDOM_LABELS = ("scar", "labeling", "direction", "label quality", "class prior")


@pytest.mark.filterwarnings("ignore:.PU121")
def test_checks_of_random_labels_do_not_apply_to_labels_that_follow_features(honest):
    follows = diagnose(
        PropensityLogistic(propensity_features=[1]), honest.X, honest.s, random_state=0
    )
    at_random = diagnose(PropensityLogistic(), honest.X, honest.s, random_state=0)
    for name in OF_RANDOM_LABELS:
        assert follows[name].state == "not applicable"
        assert "in this fit they follow 'x1'" in follows[name].message
        assert at_random[name].state != "not applicable"
