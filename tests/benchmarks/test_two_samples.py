"""The study of two samples: its populations, its measurement and its page."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.two_samples import populations
from benchmarks.two_samples.page import write_page
from benchmarks.two_samples.populations import best_value, draw, draw_cases, measure


@pytest.mark.parametrize("prevalence", populations.PREVALENCES)
def test_the_population_has_its_prevalence_and_cases_are_positives(prevalence):
    rng = np.random.default_rng(0)
    X, y = draw(200_000, prevalence, rng)
    assert y.mean() == pytest.approx(prevalence, abs=4 * np.sqrt(prevalence / 200_000))
    cases = draw_cases(3000, prevalence, rng)
    error = X[y].std(axis=0) * np.sqrt(1 / 3000 + 1 / y.sum())
    assert len(cases) == 3000
    assert np.all(np.abs(cases.mean(axis=0) - X[y].mean(axis=0)) < 4 * error)


def test_no_classifier_is_better_than_the_best():
    found = measure(0.1, 250, 1000, 0)
    for rule in populations.RULES:
        best = best_value(rule, 0.1)
        for name in ("one", "two", "stacked"):
            assert found[f"{rule}_{name}"] <= best + 1e-9
    assert found["joint_lower"] <= found["joint"] <= found["joint_upper"]


def test_the_page_is_written_from_records(tmp_path):
    rows = [
        dict(zip(populations.RECORDS.names, (*cell, repeat), strict=True)) | measure(*cell, repeat)
        for cell in ((0.4, 250, 1000), (0.1, 250, 1000))
        for repeat in range(2)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / populations.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert "4 of 1200 draws" in page
    assert '".40", "250", "1000", "2"' in page
