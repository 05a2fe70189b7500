"""The study of the measures: known truths, what a draw measures, and the page from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from benchmarks.measures import study
from benchmarks.measures.page import outcomes, section_of
from benchmarks.measures.populations import POPULATIONS, scores, truths
from unlabeled.metrics import METRICS


def test_truths_of_two_normals():
    found = truths("binormal", "one-sample", 0.1)
    assert found["auc"] == pytest.approx(norm.cdf(1.5 / np.sqrt(2)), abs=1e-4)
    assert found["recall"] == pytest.approx(norm.sf(1 - 1.5), abs=1e-4)
    share = 0.25 * norm.sf(-0.5) + 0.75 * norm.sf(1)
    assert found["share"] == pytest.approx(share, abs=1e-4)
    assert found["precision"] == pytest.approx(0.25 * norm.sf(-0.5) / share, abs=1e-4)
    assert found["boyce"] == pytest.approx(1)
    in_unlabeled = 0.25 * 0.6 / 0.9
    assert found["label_auc"] == pytest.approx((1 - in_unlabeled) * found["auc"] + in_unlabeled / 2)


@pytest.mark.parametrize("name", POPULATIONS)
def test_draws_follow_their_population(name):
    of, rng = scores(name), np.random.default_rng(0)
    score, y_true = of.draw(50_000, rng)
    assert y_true.mean() == pytest.approx(of.class_prior, abs=0.01)
    known = truths(name, "two-sample", 0.1)
    assert np.mean(score > of.cut) == pytest.approx(known["share"], abs=0.01)
    positives = of.draw_positives(50_000, rng)
    assert np.mean(positives > of.cut) == pytest.approx(known["recall"], abs=0.01)


@pytest.mark.parametrize("sampling", study.SAMPLINGS)
def test_a_draw_has_every_metric_with_an_interval(sampling, monkeypatch):
    monkeypatch.setattr(study, "N_RESAMPLES", 9)
    found = study.measure("discrete", sampling, 0)
    for metric in METRICS:
        assert found[f"{metric}_lower"] <= found[f"{metric}_upper"]
    assert found["auc_prior"] != found["auc"]
    assert study.measure("discrete", sampling, 0) == found


def records(bias):
    known = truths("discrete", "one-sample", study.K / study.N_ROWS)
    rows = []
    for repeat in range(50):
        numbers = {"population": "discrete", "sampling": "one-sample", "repeat": repeat}
        for metric, truth in known.items():
            value = truth + bias + 0.01 * (-1) ** repeat
            numbers |= {metric: value, f"{metric}_lower": value - 0.02}
            numbers[f"{metric}_upper"] = value + (0.02 if repeat % 10 else -0.016)
        rows.append(numbers)
    return pd.DataFrame(rows)


def test_bias_and_coverage_are_counted():
    found = outcomes(records(0.005)).set_index("metric")
    assert found["bias"]["auc"] == pytest.approx(0.005)
    assert found["error"]["auc"] == pytest.approx(0.01 / np.sqrt(49))
    assert found["coverage"]["auc"] == pytest.approx(0.9)


def test_the_page_names_what_misses_a_target(tmp_path):
    records(0.005).to_csv(tmp_path / study.RECORDS.file, index=False)
    section = section_of(tmp_path)
    assert (section.done, section.of) == (50, 1600)
    assert any("auc, discrete, one-sample: bias .0050" in cell for cell in section.missed())
