"""The study of parts: what is compared with what, and the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks import part_of_rows
from benchmarks.pages import PAGE
from benchmarks.part_of_rows import ALL, RECORDS, SWITCH, TABLES, by_size, draw, gaps, write_page


def cells():
    """Return two tables with a search on all rows and on a part each, and one without the first."""
    rows = [
        ("a", 0.1, ALL, 0, 0.50, 0.70, 0.20),
        ("a", 0.1, 500, 0, 0.49, 0.72, 0.23),
        ("a", 0.3, ALL, 0, 0.60, 0.80, 0.20),
        ("a", 0.3, 500, 0, 0.58, 0.80, 0.19),
        ("b", 0.3, 500, 0, 0.10, 0.10, 0.90),
    ]
    names = ["table", "frequency", "part", "repeat", "f1", "balanced_accuracy", "class_prior"]
    return pd.DataFrame(rows, columns=names)


def test_a_part_is_compared_with_all_rows_of_the_same_table():
    found = gaps(cells())
    assert found["f1_gap"].tolist() == pytest.approx([-0.01, -0.02])
    assert found["accuracy_gap"].tolist() == pytest.approx([0.02, 0.0])
    (row,) = by_size(found).to_dict("records")
    assert (row["rows"], row["tables"], row["fits"]) == (500, 1, 2)
    assert row["f1_gap"] == pytest.approx(-0.015)
    assert row["f1_gap_error"] == pytest.approx(0.005)
    assert row["f1_gap_worst"] == pytest.approx(-0.02)
    assert row["prior_gap"] == pytest.approx(0.02)


def test_the_page_is_made_from_records_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(part_of_rows, "keys", lambda: [None] * 9)
    cells().to_csv(tmp_path / RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / PAGE).read_text()
    assert '"500", "1", "2", "-0.0150", "+0.0050", "-0.0200"' in page
    assert "5 of 9 fits" in page


@pytest.mark.parametrize("name", TABLES)
def test_generated_tables_have_the_rows_and_positives_they_name(name):
    n_train, p, prior = TABLES[name]
    X, y, n = draw(f"{name}, at the switch", np.random.default_rng(0))
    assert (n, X.shape[1]) == (SWITCH, p)
    assert len(X) == len(y) == SWITCH + 60_000
    assert n_train > 2 * SWITCH
    assert prior / 2 < y.mean() < 0.6
