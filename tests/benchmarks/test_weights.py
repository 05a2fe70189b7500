"""The study of weights: how rows are drawn, what a fit measures, and the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import weights


@pytest.mark.parametrize("population", weights.POPULATIONS)
def test_a_weight_is_one_divided_by_the_chance_of_being_drawn(population):
    sums = []
    for seed in range(40):
        X, s, weight = weights.draw(population, np.random.default_rng(seed))
        assert len(X) == len(s) == len(weight)
        sums.append(np.average(s, weights=weight))
    truth = weights.class_prior() * 0.4
    assert np.mean(sums) == pytest.approx(truth, abs=4 * np.std(sums) / 40**0.5)


def test_a_fit_is_the_same_again():
    key = ("log-normal", "PULogistic", "sampling", 0)
    found = weights.measure(*key)
    np.testing.assert_equal(found, weights.measure(*key))
    assert found["lower"] < found["estimate"] < found["upper"]
    assert all(found[f"error_{k}"] > 0 for k in range(4))


def test_the_page_counts_intervals_that_hold(tmp_path):
    truth = weights.class_prior()
    cells = pd.DataFrame(
        {
            "population": np.repeat([weights.EQUAL, "log-normal"], 4),
            "method": np.tile(np.repeat(["PULogistic", "JointLogistic"], 2), 2),
            "read": "sampling",
            "repeat": np.tile([0, 1], 4),
            "estimate": truth + 0.1,
            "lower": np.tile([truth - 0.1, truth + 0.05], 4),
            "upper": truth + 0.2,
            **{f"away_{k}": np.tile([0.1, 3.0], 4) for k in range(4)},
            **{f"error_{k}": 1.0 for k in range(4)},
        }
    )
    cells.to_csv(tmp_path / weights.RECORDS.file, index=False)
    found = weights.summary(cells)
    assert found["holds"].tolist() == [0.5] * 4
    assert found["least"].tolist() == [0.5] * 4
    assert found["bias"].tolist() == pytest.approx([0.1] * 4)
    weights.write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert '"PULogistic", "as they are", "2", ".500 ± .354"' in page
    assert "The records are incomplete: 8 of" in page
