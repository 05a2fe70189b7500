"""The study of rows in groups: what a table has, what a fit measures, and the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import groups


@pytest.mark.parametrize("population", groups.POPULATIONS)
def test_rows_of_a_person_share_what_the_population_says(population):
    X, y, s, _ = groups.draw(population, 400, 10, np.random.default_rng(0))
    of_person = [np.ptp(one.reshape(400, 10), axis=1) == 0 for one in (y, s)]
    assert (s <= y).all()
    assert of_person[0].all() == (population != "alike")
    assert of_person[1].all() == (population == "one class and one label")
    assert y.mean() == pytest.approx(groups.CLASS_PRIOR, abs=0.08)
    means = X[:, 1].reshape(400, 10).mean(axis=1)
    assert np.var(means) / np.var(X[:, 1]) == pytest.approx(groups.ALIKE + 0.01, abs=0.03)


def test_a_fit_is_the_same_again_and_knows_its_groups():
    key = ("one class and one label", "PULogistic", 1, 0)
    found = groups.measure(*key)
    assert found == groups.measure(*key)
    assert found["design_effect"] > 5
    assert found["lower"] < found["estimate"] < found["upper"]


def test_the_page_counts_intervals_that_hold(tmp_path):
    cells = pd.DataFrame(
        {
            "population": "alike",
            "method": "PULogistic",
            "groups": [0, 0, 1, 1],
            "repeat": [0, 1, 0, 1],
            "truth": 0.3,
            "estimate": [0.2, 0.3, 0.3, 0.3],
            "lower": [0.1, 0.2, 0.1, 0.1],
            "upper": [0.25, 0.4, 0.5, 0.5],
            "design_effect": [1, 1, 4, 4],
            "left_out_auc": 0.9,
            "new_auc": [0.8, 0.8, 0.9, 0.9],
            "left_out_recall": 0.7,
            "new_recall": 0.7,
        }
    )
    cells.to_csv(tmp_path / groups.RECORDS.file, index=False)
    found = groups.summary(cells)
    assert found["holds"].tolist() == [0.5, 1.0]
    assert found["auc_bias"].tolist() == pytest.approx([0.1, 0.0])
    groups.write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert '"PULogistic", "no", "2", ".500"' in page
    assert "The records are incomplete: 4 of" in page
