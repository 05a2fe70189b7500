"""The eleven tables: their truth, their files, and the page of claims beside it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.eleven_tables import doubtful, nine_sets, study
from benchmarks.eleven_tables.page import write_page
from benchmarks.eleven_tables.tables import AT_RANDOM, TABLES


@pytest.mark.parametrize("name", TABLES)
def test_labeled_rows_are_positive_and_the_files_have_all_rows(name, tmp_path):
    drawn = TABLES[name].draw(np.random.default_rng(0))
    assert drawn.y.dtype == bool
    assert not np.any((drawn.s == 1) & ~drawn.y)
    arguments = drawn.write(tmp_path)
    table = pd.read_csv(tmp_path / "table.csv", dtype=str)
    assert len(table) == len(drawn.y) == len(drawn.s)
    if drawn.cases is None:
        assert (table["label"] == "yes").sum() == drawn.s.sum() >= 10
        assert "--label" in arguments
    else:
        assert len(pd.read_csv(tmp_path / "cases.csv")) == 400
        assert "label" not in table


def test_labels_by_a_column_or_by_the_posterior_are_not_at_random():
    drawn = TABLES["by a feature"].draw(np.random.default_rng(0))
    in_a = drawn.frame["ward"].to_numpy() == "A"
    labeled = [drawn.s[drawn.y & part].mean() for part in (in_a, ~in_a)]
    assert labeled[0] > labeled[1] + 0.2
    drawn = TABLES["by the posterior"].draw(np.random.default_rng(0))
    score = drawn.frame["x1"].to_numpy()
    assert score[drawn.s == 1].mean() > score[drawn.y & (drawn.s == 0)].mean() + 0.3
    assert set(TABLES) - set(AT_RANDOM) == {"by a feature", "by the posterior"}


def test_a_fit_is_compared_with_the_truth():
    found = study.measure("few labels", 0)
    assert found["count_lower"] <= found["count"] <= found["count_upper"]
    assert found["true_count"] == pytest.approx(300, abs=60)
    assert found["top_lower"] <= found["top"] <= found["top_upper"]
    assert 0 <= found["true_top"] <= 1


def records(cells, name):
    """Make records in which intervals hold in three of four draws."""
    rows = []
    for (key,) in cells:
        for repeat in range(4):
            row = {name: key, "repeat": repeat, "rows": 100, "labeled": 20, "doubted": 0.0}
            for one, size in (("count", 30.0), ("precision", 0.6), ("top", 0.9)):
                truth = size if repeat else size / 2
                ends = {"_lower": 0.9 * size, "_upper": 1.05 * size}
                row |= {one: size, f"true_{one}": truth}
                row |= {f"{one}{end}": value for end, value in ends.items()}
            rows.append(row)
    return pd.DataFrame(rows)


def test_the_page_says_how_often_intervals_hold(tmp_path):
    tables = records(study.CELLS, "table")
    tables.loc[tables["table"] == "checked", ["count_lower", "precision_lower"]] = np.nan
    tables.to_csv(tmp_path / study.RECORDS.file, index=False)
    records(nine_sets.CELLS, "dataset").to_csv(tmp_path / nine_sets.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text()
    line = next(line for line in page.splitlines() if '"rare positives"' in line)
    assert line.count('".75"') == 2
    line = next(line for line in page.splitlines() if '"checked"' in line)
    assert line.count('"no interval"') == 2
    # The chance is .9 in all draws, and the truth .9 or .45.
    line = next(line for line in page.splitlines() if '"haberman"' in line)
    assert '".11 (.11)"' in line
    assert "share of intervals of the count that hold, labels at random" in page


def test_what_is_wrong_with_the_doubtful_tables():
    rng = np.random.default_rng(0)
    drawn = {name: kind.draw(rng) for name, kind in doubtful.TABLES.items()}
    person = drawn["visits"].frame["person"]
    for one in (drawn["visits"].y, drawn["visits"].s):
        assert pd.Series(one).groupby(person).nunique().max() == 1
    leak = drawn["leak"]
    assert (leak.frame[doubtful.LEAK].notna() == (leak.s == 1)).all()
    wrong = drawn["wrong labels"]
    assert np.mean(~wrong.y[wrong.s == 1]) == pytest.approx(0.05, abs=0.005)
    assert drawn["rare"].y.mean() == pytest.approx(0.02, abs=0.01)
    assert all((one.s <= one.y).all() for name, one in drawn.items() if name != "wrong labels")


def test_the_page_has_what_a_fit_and_an_audit_say_of_doubtful_tables(tmp_path):
    one = {"recall": 0.7, "true_recall": 0.6, "listed": 4, "wrong_listed": 3, "asked": 0.0}
    one |= {"at_end": 1, "explained": 1, "leak_shown": 0.0, "kept": 1.0, "audited_recall": 0.5}
    for name in ("count", "precision", "audit_count", "audit_recall", "wrong"):
        one |= {f"{name}_lower": 0.5, f"{name}_upper": 0.8}
    one |= {"true_count": 0.7, "true_precision": 0.9, "true_wrong": 0.4}
    rows = [
        one | {"table": table, "repeat": repeat, "voided": float(table == "leak")}
        for table in doubtful.TABLES
        for repeat in range(2)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / doubtful.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    holds = '"2", "0 of 2", "0 of 2", "2 of 2", "0 of 2", ".10 (.00)", "8, 6"'
    assert f'"rare", "2 % positives", {holds}' in page
    assert '"leak", "a date that only labeled rows have", "2", "2 of 2", "0 of 2", "–"' in page
    audit = '"2 of 2", "2 of 2", "0 of 2", "2 of 2", "2 of 2", "0 of 2", "2 of 2", ".60, .50"'
    assert f'"visits", {audit}' in page
    assert "The records are incomplete: 8 of 80" in page
