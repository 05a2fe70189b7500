"""The record of a fit: its numbers follow from the fit, and it is plain JSON."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from scipy.special import logit

from unlabeled.app.table_model import FitRecord, record_of, threshold_by
from unlabeled.diagnostics import diagnose
from unlabeled.metrics import f1_pu_score
from unlabeled.thresholds import choose_cut


@pytest.fixture(scope="module")
def record(fit_of, patients):
    """Return a function from the name of a classifier to a record, which a test may change."""

    def make(name, **more):
        given = {"method": name, "fingerprint": {"sha256": "0" * 64, "bytes": 5}, "made": {}}
        return record_of(fit_of(name), patients, **(given | more)).dump()

    plain = cache(make)

    def made(name="pu-logistic", **more):
        return make(name, **more) if more else deepcopy(plain(name))

    return made


@pytest.mark.parametrize("name", ["pu-logistic", "enhanced", "joint", "naive", "threshold"])
def test_a_record_is_json_and_names_no_row(name, record):
    text = json.dumps(record(name), allow_nan=False)
    assert "P0001" not in text


def test_counts_follow_from_the_class_prior_and_its_interval(record, fit_of):
    found, labels = record(), fit_of("pu-logistic").labels
    n, labeled = len(labels.s), labels.n_labeled
    for end in ("estimate", "lower", "upper"):
        prior = found["class_prior"][end]
        assert found["positives"][end] == pytest.approx(max(labeled, prior * n))
        assert found["hidden_positives"][end] == pytest.approx(max(0, prior * n - labeled))


@pytest.mark.parametrize("name", ["pu-logistic", "joint", "threshold"])
@pytest.mark.parametrize("rate", ["class_prior", "label_frequency"])
def test_an_estimated_rate_has_an_interval_around_it(name, rate, record):
    found = record(name)[rate]
    assert found["lower"] < found["estimate"] < found["upper"]
    assert (found["level"], found["given"]) == (0.95, False)


@pytest.mark.parametrize("rate", ["class_prior", "label_frequency"])
def test_a_method_without_an_interval_gives_none(rate, record):
    found = record("enhanced")[rate]
    assert found["lower"] is found["upper"] is found["method"] is None


def test_a_given_class_prior_has_no_interval(record, fit_of):
    found = record(class_prior=0.45)
    nothing = dict.fromkeys(("lower", "upper", "level", "method"))
    unknown = {"identified": None, "said": []}
    assert found["class_prior"] == {"estimate": 0.45, **nothing, "given": True, **unknown}
    c = fit_of("pu-logistic").labels.s.mean() / 0.45
    expected = {"estimate": pytest.approx(c), **nothing, "given": True, **unknown}
    assert found["label_frequency"] == expected


@pytest.mark.parametrize("name", ["pu-logistic", "enhanced", "joint", "naive", "threshold"])
def test_coefficients_are_changes_of_the_log_odds_the_strongest_first(name, record, fit_of):
    fit, rows = fit_of(name), record(name)["coefficients"]["rows"]
    coef = {row["feature"]: row["coef"] for row in rows}
    log_odds = logit(fit.classifier.predict_proba(fit.X_numeric[:2])[:, 1])
    change = (fit.X_numeric[1] - fit.X_numeric[0]) @ [coef[name] for name in fit.feature_names]
    assert log_odds[1] - log_odds[0] == pytest.approx(change)
    assert all(row["lower"] < row["coef"] < row["upper"] for row in rows if row["lower"])
    effects = [abs(row["effect"]) for row in rows]
    assert effects == sorted(effects, reverse=True)
    assert {"age", "bmi"} < {row["feature"] for row in rows[:3]}


def test_the_cut_is_counted_on_the_rows(record, fit_of):
    cut, fit = record("enhanced")["cut"], fit_of("enhanced")
    s, decided = fit.labels.s, fit.scored.decision
    assert cut["threshold"] == fit.classifier.threshold_
    assert cut["selected"] == decided.sum()
    assert cut["selected_unlabeled"] == decided[s == 0].sum()
    assert cut["labeled_found"] == decided[s == 1].sum()
    assert cut["f1_pu"] == pytest.approx(f1_pu_score(s, decided, pos_label=1))


def test_a_warning_that_a_finding_repeats_is_left_out(fit_of, patients, record):
    fit = fit_of("pu-logistic")
    diagnosis = diagnose(fit.classifier, fit.X_numeric, fit.labels.s, checks="labels")
    found = record(diagnosis=diagnosis)
    assert [one["code"] for one in found["findings"]] == [one.code for one in diagnosis.findings]
    codes = {one.code for one in diagnosis.findings if one.state != "fine"}
    assert not codes & {one["code"] for one in found["warnings"]}


def test_arrays_and_infinite_numbers_become_plain(record):
    from unlabeled.app.table_model._record import plain

    given = {1: np.array([1.0, np.inf]), "a": (np.int64(3), None, "x"), "b": np.float64(np.nan)}
    assert plain(given) == {"1": [1.0, None], "a": [3, None, "x"], "b": None}


@pytest.mark.parametrize("rule", ["f1", "mcc", "recall_at_least(0.85)", "share(0.3)", "cost(5, 1)"])
@pytest.mark.parametrize("name", ["pu-logistic", "threshold"])
def test_a_rule_chooses_from_the_record_what_it_chooses_from_the_model(record, fit_of, name, rule):
    model, found = fit_of(name).classifier, json.loads(json.dumps(record(name)))
    whole = choose_cut(model.cuts_, rule, model.class_prior_)
    assert whole.lower <= threshold_by(FitRecord.of(found), rule) < whole.upper


def test_a_rule_that_no_cut_satisfies_is_refused(record):
    found = record()
    found["class_prior"]["estimate"] = 1e-6
    with pytest.raises(ValueError, match="No threshold satisfies"):
        threshold_by(FitRecord.of(found), "precision_at_least(0.9)")
    with pytest.raises(ValueError, match="must be one of"):
        threshold_by(FitRecord.of(found), "best")
