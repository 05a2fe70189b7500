"""What the record says about labels that may have followed a column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unlabeled.app.table_model._columns import _strongest, sensitivity_record
from unlabeled.inference import labeling_sensitivity


def test_it_has_the_columns_of_the_strongest_features_and_their_numbers(fit_of):
    fit = fit_of("pu-logistic")
    found = sensitivity_record(fit, 0.9)
    assert found["why_not"] is None
    assert {one["column"] for one in found["columns"]} == {"age", "sex", "bmi"}
    strength = np.abs(fit.classifier.coef_[0]) * fit.X_numeric.std(axis=0)
    first = fit.feature_names[int(np.argmax(strength))]
    assert found["columns"][0]["feature"] == first
    by_column = {one["column"]: one for one in found["columns"]}
    assert by_column["sex"]["group"] == "sex=male"
    assert by_column["age"]["group"].startswith("age above")
    position = fit.feature_names.index("age")
    known = labeling_sensitivity(
        fit.classifier,
        fit.X_numeric,
        fit.labels.s,
        position,
        times=[0.5, 1, 2],
        confidence_level=0.9,
    )
    for k, one in enumerate(by_column["age"]["scenarios"]):
        assert one["times"] == known.times[k]
        assert one["positives"] == pytest.approx(known.positives[k])
        assert one["upper"] == pytest.approx(known.class_prior.upper[k] * known.n_rows)
        assert (one["recall"], one["precision"]) == (known.recall[k], known.precision[k])


def test_a_score_that_is_not_linear_takes_the_columns_that_follow_it(fit_of):
    fit = fit_of("pu-logistic")

    class Bent:
        held_out_score_ = fit.X_numeric[:, fit.feature_names.index("bmi")]
        threshold_ = 0.0

        def positive_score(self, X):
            return self.held_out_score_

        def predict_proba(self, X):
            return np.zeros((len(X), 2))

        def posterior_at(self, score):
            return score

    pipeline = replace(fit).pipeline.__class__([*fit.pipeline.steps[:-1], ("bent", Bent())])
    bent = replace(fit, pipeline=pipeline)
    assert fit.feature_names[_strongest(bent)[0]] == "bmi"


@pytest.mark.parametrize("name", ["enhanced", "joint", "naive"])
def test_a_method_without_held_out_scores_says_so(name, fit_of):
    found = sensitivity_record(fit_of(name), 0.95)
    assert found["columns"] == []
    assert "held-out" in found["why_not"]


def test_cases_from_another_file_and_a_given_class_prior_are_reasons(fit_of):
    fit = fit_of("pu-logistic")
    cases = replace(fit, labels=replace(fit.labels, cases="cases.csv"))
    assert "another file" in sensitivity_record(cases, 0.95)["why_not"]
    density = fit.classifier.class_prior_density_
    fit.classifier.class_prior_density_ = None
    try:
        assert "given" in sensitivity_record(fit, 0.95)["why_not"]
    finally:
        fit.classifier.class_prior_density_ = density
