"""The study of the class prior after a check: what it counts, and one cell of it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.audit.cells import RARE, draw_cell
from benchmarks.audit.refit import highest_unlabeled, measure, refit


def test_the_top_of_the_list_leaves_out_labeled_rows():
    score, s = np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([0, 1, 0, 0, 1])
    assert highest_unlabeled(score, s, 2).tolist() == [0, 2]


def test_all_rows_checked_give_the_share_of_positives():
    cell = draw_cell(RARE, "random")
    model = cell.fit()
    everything = np.flatnonzero(cell.s == 0)
    assert refit(model, cell, everything) == pytest.approx(cell.y_true.mean(), abs=1e-12)


@pytest.mark.needs_data
def test_a_cell_is_measured_reproducibly():
    once, again = (measure("haberman", "strongest", 0) for _ in range(2))
    assert once == again
    assert {"labels", "top", "audit", "relabeled"} <= set(once)
    assert once["top"] == abs(once["top bias"])
