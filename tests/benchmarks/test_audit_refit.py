"""The study of the class prior after a check: what it counts, and one cell of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.audit.cells import MECHANISMS, RARE, draw_cell
from benchmarks.audit.refit import highest_unlabelled, judge, measure, refit, summarise
from unlabeled.datasets import DATASET_NAMES


def made_up(top: float) -> pd.DataFrame:
    """Errors of labels alone of .1 everywhere, and of `top` with the top of the list checked."""
    index = pd.MultiIndex.from_product([MECHANISMS, DATASET_NAMES], names=["mechanism", "dataset"])
    numbers = {"labels": 0.1, "top": top, "audit": 0.02, "relabelled": 0.12}
    return pd.DataFrame(numbers, index=index)


def test_the_judge_counts_sets_and_cells():
    errors = made_up(0.05)
    errors.loc[("posterior", slice(None, None)), "top"] = 0.2
    summary = summarise(errors)
    assert summary.loc["posterior", "top ratio"] == pytest.approx(2.0)
    assert summary.loc["random", "top better"] == 9
    verdict = judge(summary)
    assert verdict["top, any mechanism"] == (pytest.approx(2.0), False)
    assert verdict["top, mean"] == (pytest.approx((4 * 0.5 + 2) / 5), False)
    assert verdict["sets per mechanism"] == (0, False)
    assert verdict["cells"] == (36, False)
    assert verdict["worse"] == (pytest.approx(0.1), False)
    assert verdict["audit, mean"] == (pytest.approx(0.02), True)


def test_the_judge_is_content_if_all_hold():
    assert all(holds for _, holds in judge(summarise(made_up(0.05))).values())


def test_the_top_of_the_list_leaves_out_labelled_rows():
    score, s = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([0, 1, 0, 0, 1])
    assert highest_unlabelled(score, s, 2).tolist() == [0, 2]


def test_all_rows_checked_give_the_share_of_positives():
    cell = draw_cell(RARE, "random")
    model = cell.fit()
    everything = np.flatnonzero(cell.s == 0)
    assert refit(model, cell, everything) == pytest.approx(cell.y_true.mean(), abs=1e-12)


@pytest.mark.needs_data
def test_a_cell_is_measured_reproducibly():
    once, again = (measure("haberman", "strongest", 0) for _ in range(2))
    assert once == again
    assert {"labels", "top", "audit", "relabelled"} <= set(once)
    assert once["top"] == abs(once["top bias"])
