"""The study of copied rows: what a table has, what a fit measures, and the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import copies


@pytest.mark.parametrize("percent", copies.PERCENT)
def test_every_row_is_there_and_some_twice(percent):
    found = copies.copy_some(200, percent, np.random.default_rng(0))
    times = np.bincount(found)
    assert len(times) == 200
    assert set(times) <= {1, 2}
    assert np.mean(times == 2) == percent / 100


@pytest.mark.filterwarnings("ignore:.PU1")
def test_a_fit_is_the_same_again_and_tables_differ_only_by_their_copies():
    once = copies.measure("PULogistic", 100, 1, 0)
    assert once == copies.measure("PULogistic", 100, 1, 0)
    plain = copies.measure("PULogistic", 100, 0, 0)
    assert (once["warned"], plain["warned"]) == (0.0, 1.0)
    assert once["truth"] == plain["truth"] == copies.measure("PULogistic", 0, 0, 0)["truth"]
    assert once["upper"] - once["lower"] > 1.2 * (plain["upper"] - plain["lower"])


def test_a_batch_is_the_mean_of_its_tables(monkeypatch):
    monkeypatch.setattr(copies, "TABLES_OF_A_BATCH", 3)
    one_by_one = [copies.judge_one("counts", 500, 25, one) for one in (3, 4, 5)]
    assert copies.judge("counts", 500, 25, 1)["warned"] == pytest.approx(
        np.mean([one["warned"] for one in one_by_one])
    )


def test_the_page_counts_intervals_that_hold_and_warnings(tmp_path):
    cells = pd.DataFrame(
        {
            "method": "forest",
            "percent": 50,
            "says": [0, 0, 1, 1],
            "repeat": [0, 1, 0, 1],
            "truth": 0.3,
            "truth_of_rows": 0.32,
            "estimate": [0.2, 0.3, 0.3, 0.3],
            "lower": [0.31, 0.2, 0.1, 0.1],
            "upper": [0.35, 0.4, 0.5, 0.5],
            "warned": [1.0, 1.0, 0.0, 0.0],
        }
    )
    cells.to_csv(tmp_path / copies.RECORDS.file, index=False)
    found = copies.summary(cells)
    assert found["holds"].tolist() == [0.5, 1.0]
    assert found["holds_of_rows"].tolist() == [1.0, 1.0]
    judged = pd.DataFrame(
        {"kind": "counts", "rows": 500, "percent": [0, 50], "repeat": 0, "distinct": 0.9}
    )
    judged.assign(warned=[0.0, 0.5]).to_csv(tmp_path / copies.CODE_ALONE.file, index=False)
    copies.write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert '"forest", "50", "none", "2", ".500' in page
    assert '"counts", "500", "90%", ".000", ".500"' in page
    assert "The records are incomplete" in page
