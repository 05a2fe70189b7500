"""The study of the direct test of SCAR: its records, its table."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.audit import scar
from benchmarks.audit.cells import RARE
from benchmarks.study import measure_missing


def test_a_cell_without_positives_found_has_no_test(monkeypatch):
    monkeypatch.setattr(scar, "SIZE", 24)
    monkeypatch.setattr(scar, "DRAWS", 2)
    record = scar.measure(RARE, "random", 1)
    assert record["tested"] == 0
    assert np.isnan(record["rejected"])


@pytest.mark.needs_data
def test_labeling_by_the_posterior_is_seen(tmp_path):
    measure_missing(scar.RECORDS, tmp_path, [("breast-w", "posterior", 0)])
    (line,) = scar.table(tmp_path).to_dict("records")
    assert line["tests"] == scar.DRAWS
    assert line["rejected"] > 0.9
    assert line["difference"] > 0.1
