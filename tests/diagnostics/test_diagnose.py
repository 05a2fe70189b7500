"""What goes in and what comes out: pipelines, labels, names, text and HTML."""

from __future__ import annotations

import json
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import CODES, PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import CHECKS, Diagnosis, Finding, diagnose
from unlabeled.diagnostics._finding import STATES

MODELS = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    PULogistic(),
    WeightedLogistic(0.6),
    PUThresholdClassifier(LogisticRegression(), random_state=0),
    make_pipeline(StandardScaler(), PULogistic()),
    PUThresholdClassifier(make_pipeline(StandardScaler(), LogisticRegression()), random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_classifier_is_diagnosed_fitted_or_not_and_left_as_it_was(made, model):
    X, s = made("honest")
    unfitted = diagnose(model, X, s, random_state=0)
    assert not hasattr(model, "n_features_in_")
    fitted = clone(model).fit(X, s)
    before = pickle.dumps(fitted)
    same = diagnose(fitted, X, s, random_state=0)
    assert pickle.dumps(fitted) == before
    assert [one.check for one in unfitted.findings] == list(CHECKS)
    for one, other in zip(unfitted.findings[1:], same.findings[1:], strict=True):
        assert (one.state, one.message) == (other.state, other.message)
    for one in unfitted.findings:
        assert one.state in STATES
        assert one.code in CODES
        assert one.message[0].isupper() or not one.message[0].isalpha()
        json.dumps(one.facts)


def test_a_pipeline_is_checked_on_the_features_that_reach_its_last_step(made):
    X, s = made("skewed")
    frame = pd.DataFrame(X, columns=["age", "sex", "dose"])
    model = make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler(), PULogistic())
    finding = diagnose(model, frame, s, checks=["fit", "direction"])["direction"]
    assert "age dose" in finding.facts["bent"]


def test_a_frame_gives_its_names(made):
    X, s = made("leak")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "treated on"])
    with pytest.warns(PUWarning, match="PU204.*column 'treated on'"):
        found = diagnose(PULogistic(), frame, s, checks="leakage")
    assert found["leakage"].facts["feature"] == "treated on"


def test_labels_that_the_fit_has_not_seen_are_rejected(made):
    X, s = made("honest")
    fitted = PULogistic().fit(X, s)
    with pytest.raises(ValueError, match="`y` must hold .* 0, 1; got 5, 6"):
        diagnose(fitted, X, s + 5)


def test_text_labels_are_read_as_the_classifier_reads_them(made):
    X, s = made("leak")
    text = np.where(s == 1, "labeled", "unlabeled")
    model = PULogistic(pos_label="labeled")
    by_text = diagnose(model, X, text, random_state=0)
    by_number = diagnose(PULogistic(), X, s, random_state=0)
    assert str(by_text) == str(by_number)


def test_a_sparse_table_is_checked_as_far_as_that_goes(made):
    X, s = made("honest")
    diagnosis = diagnose(PULogistic(), sparse.csr_matrix(X), s)
    dense = diagnose(PULogistic(), X, s)
    for name in ("leakage", "direction"):
        assert "sparse" in diagnosis[name].message
    for name in ("labels", "identifiability", "class prior"):
        assert diagnosis[name].state == dense[name].state


def test_a_sparse_table_with_a_column_that_separates_is_checked_too(made):
    X, s = made("rare_column")
    diagnosis = diagnose(NaiveLogistic(), sparse.csr_matrix(X), s)
    assert diagnosis["separation"].facts["columns"] == ["x3"]
    assert "sparse" in diagnosis["direction"].message


def test_constant_features_are_no_error(made):
    _, s = made("honest")
    diagnosis = diagnose(PULogistic(), np.ones((len(s), 2)), s, checks=["fit", "direction"])
    assert "constant" in diagnosis["direction"].message


def test_a_forest_is_checked_for_what_is_not_about_coefficients(made):
    forest = RandomForestClassifier(5, max_depth=3, random_state=0)
    diagnosis = diagnose(PUThresholdClassifier(forest, cv=2), *made("leak"))
    assert diagnosis["leakage"].state == "serious"
    assert diagnosis["direction"].state == "not applicable"
    assert diagnosis["separation"].state == "fine"


def test_what_the_fit_warns_of_is_a_finding_or_stays_a_warning(made):
    X, s = made("rare_column")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finding = diagnose(NaiveLogistic(), X, s, checks="fit")["fit"]
    codes = [one["code"] for one in finding.facts["warnings"]]
    assert finding.code in codes
    with pytest.warns(PUWarning, match="PU103"):
        diagnose(NaiveLogistic(), X, s, checks="labels")


def test_of_a_classifier_that_came_fitted_the_fit_check_knows_convergence(made):
    X, s = made("honest")
    assert diagnose(NaiveLogistic().fit(X, s), X, s, checks="fit")["fit"].state == "fine"
    with pytest.warns(PUWarning, match="PU105"):
        stopped = NaiveLogistic(max_iter=1).fit(X, s)
    assert diagnose(stopped, X, s, checks="fit")["fit"].state == "warning"
    fitted = PUThresholdClassifier(LogisticRegression()).fit(X, s)
    assert diagnose(fitted, X, s, checks="fit")["fit"].state == "not applicable"


@pytest.mark.parametrize("checks", [["leekage"], "scars", [1]])
def test_an_unknown_check_is_refused_in_one_sentence(made, checks):
    with pytest.raises(ValueError, match=r"^`checks` must be .*'fit', .*got"):
        diagnose(PULogistic(), *made("honest"), checks=checks)


def test_no_check_at_all_is_refused(made):
    with pytest.raises(ValueError, match="`checks` must.*got none"):
        diagnose(PULogistic(), *made("honest"), checks=[])


def test_the_text_is_aligned_and_at_most_88_wide(made):
    diagnosis = diagnose(NaiveLogistic(), *made("rare_column"))
    lines = str(diagnosis).splitlines()
    assert max(map(len, lines)) <= 88
    start = lines[0].index("The fit")
    assert all(line[:start].endswith("  ") for line in lines)


def test_frame_worst_and_lookup():
    findings = (
        Finding("a", "PU105", "fine", "Good."),
        Finding("b", "PU206", "warning", "Bad."),
        Finding("c", "PU202", "not applicable", "Too few rows."),
    )
    diagnosis = Diagnosis(findings)
    assert diagnosis.worst == "warning"
    assert diagnosis["b"] is findings[1]
    assert diagnosis.to_frame()["state"].tolist() == ["fine", "warning", "not applicable"]
    assert re.findall(r"PU\d+", str(diagnosis)) == ["PU206"]  # nothing to look up elsewhere
    with pytest.raises(KeyError, match=r"`check` must be .*'a', 'b', 'c'; got 'd'\."):
        diagnosis["d"]


def test_a_diagnosis_is_looped_over_and_counted():
    findings = (Finding("a", "PU105", "fine", "Good."), Finding("b", "PU206", "note", "Hm."))
    assert list(Diagnosis(findings)) == list(findings)
    assert len(Diagnosis(findings)) == 2


def test_html_is_escaped_and_needs_nothing_from_outside(made):
    X, s = made("leak")
    frame = pd.DataFrame(X, columns=["a", "b", "c", "<script>alert(1)</script>"])
    html = diagnose(PULogistic(), frame, s)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "http" not in html


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_other_features_than_those_of_the_fit_are_refused(made, model):
    X, s = made("honest")
    fitted = clone(model).fit(X, s)
    with pytest.raises(ValueError, match=f"X has 1 features, but .* is expecting {X.shape[1]}"):
        diagnose(fitted, X[:, :1], s, checks="labels")


@pytest.mark.parametrize("model", [PULogistic(), PUThresholdClassifier(LogisticRegression())])
def test_other_names_than_those_of_the_fit_are_refused(made, model):
    X, s = made("honest")
    table = pd.DataFrame(X).add_prefix("x")
    fitted = clone(model).fit(table, s)
    diagnose(fitted, table, s, checks="labels")
    with pytest.raises(ValueError, match="feature names should match those that were passed"):
        diagnose(fitted, table.add_prefix("other "), s, checks="labels")


def test_answers_reach_the_fit_of_a_classifier_that_is_not_fitted():
    data = make_paper_gaussian(n=800, label_frequency=0.5, random_state=0)
    answers = np.where((data.s == 0) & (np.arange(800) % 2 == 0), data.y_true, np.nan)
    pipe = make_pipeline(StandardScaler(), JointLogistic())
    fitted = make_pipeline(StandardScaler(), JointLogistic())
    fitted.fit(data.X, data.s, jointlogistic__checked=answers)
    names = ["fit", "labels", "class prior"]
    one = diagnose(pipe, data.X, data.s, checks=names, checked=answers)
    other = diagnose(fitted, data.X, data.s, checks=names)
    assert str(one).splitlines()[1:] == str(other).splitlines()[1:]
    with pytest.raises(ValueError, match="`checked` must be None .* EnhancedLogistic"):
        diagnose(EnhancedLogistic(), data.X, data.s, checked=answers)


def test_checks_of_rows_in_groups_keep_them_together_or_say_that_they_cannot():
    data = make_paper_gaussian(100, label_frequency=0.7, random_state=1)
    person = np.repeat(np.arange(100), 5)
    X, s = data.X[person], data.s[person]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        found = diagnose(PULogistic(random_state=0), X, s, random_state=0, groups=person)
        plain = diagnose(PULogistic(random_state=0), X, s, random_state=0)
    state = {one.check: one for one in found.findings}
    for name in ("direction", "scar", "label quality"):
        assert state[name].state == "not applicable"
        assert "independent" in state[name].message
    assert state["labels"].facts == {"labeled": int(data.s.sum()), "groups": 100}
    before = {one.check: one for one in plain.findings}
    assert state["class prior"].facts["bound"] > before["class prior"].facts["bound"]
    assert state["leakage"].facts["bound"] < before["leakage"].facts["bound"]
    wide, narrow = (one["identifiability"].facts for one in (state, before))
    assert wide["upper"] / wide["lower"] > narrow["upper"] / narrow["lower"]


@pytest.mark.filterwarnings("ignore:.*PU1")
def test_the_interval_of_a_classifier_that_takes_no_groups_is_not_shown():
    data = make_paper_gaussian(400, label_frequency=0.7, random_state=1)
    found = diagnose(
        JointLogistic(), data.X, data.s, checks="identifiability", groups=np.arange(400) // 4
    )
    assert found.findings[0].state == "not applicable"


@pytest.mark.parametrize(
    ("word", "weight"),
    [("sampling", np.arange(300) % 2 + 0.5), ("frequency", np.full(300, 2.0))],
)
def test_a_fit_with_weights_is_rejected_because_rows_would_count_once(word, weight):
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    model = PULogistic(weights=word).fit(data.X, data.s, weight)
    with pytest.raises(ValueError, match="without `sample_weight` .* 300 rows had weights"):
        diagnose(model, data.X, data.s)


def test_a_fit_with_equal_weights_is_one_without():
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    weighted, plain = (PULogistic().fit(data.X, data.s, w) for w in (np.full(300, 2.0), None))
    found, expected = (diagnose(one, data.X, data.s, random_state=0) for one in (weighted, plain))
    assert str(found) == str(expected)
