"""The study of label histories: what is drawn, what a fit measures, and the page."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from benchmarks.histories import page, study
from benchmarks.histories.designs import DESIGNS, N_ROWS, draw


@pytest.mark.parametrize("design", DESIGNS)
def test_labels_are_positive_rows_and_histories_are_theirs(design):
    table = draw(design, np.random.default_rng(0))
    assert len(table.X) == len(table.s) == len(table.history) == N_ROWS
    assert np.all(table.y_true[table.s == 1])
    assert table.s.mean() <= table.counted <= table.y_true.mean() + 1e-12
    if DESIGNS[design].kind == "dates":
        delay = table.history["delay"]
        np.testing.assert_array_equal(delay.notna(), table.s == 1)
        assert (delay.dropna() <= table.history["exposure"][delay.notna()]).all()
    elif DESIGNS[design].kind == "sources":
        np.testing.assert_array_equal(table.history.max(axis=1), table.s)
    else:
        chance = table.history["chance"].to_numpy()
        assert chance[table.y_true].mean() >= table.s.sum() / table.y_true.sum() - 0.08


@pytest.mark.parametrize("design", ["exponential delays", "three sources", "chances by ward"])
def test_a_fit_is_the_same_again_and_measures_what_is_counted(design):
    found = study.measure(design, study.LINE, 0)
    assert found == study.measure(design, study.LINE, 0)
    assert found["lower"] < found["estimate"] < found["upper"]
    assert abs(found["estimate"] / found["counted"] - 1) < 0.25


def test_every_method_is_measured_as_far_as_the_others():
    keys = study.keys()
    assert len(keys) == len(set(keys)) == len(DESIGNS) * sum(study.METHODS.values())
    half = pd.DataFrame(keys[: len(keys) // 2], columns=study.RECORDS.names)
    share = half.groupby("method").size() / len(DESIGNS) / pd.Series(study.METHODS)
    assert share.between(0.45, 0.55).all()


def test_the_page_says_whether_bars_are_reached(tmp_path):
    designs = [name for name, one in DESIGNS.items() if one.holds]
    cells = pd.DataFrame(
        [
            (design, method, repeat, *ends, 0.3, 0.4, 0.2, 0.8, 0.0)
            for design in designs
            for method in (study.LINE, study.LABELS)
            for repeat, ends in enumerate([(0.33, 0.29, 0.35), (0.33, 0.31, 0.35)])
        ],
        columns=[
            *study.RECORDS.names,
            *("estimate", "lower", "upper", "counted", "positive", "labeled", "auc", "PU126"),
        ],
    )
    cells.to_csv(tmp_path / study.RECORDS.file, index=False)
    found = page.summary(cells)
    assert found["error"].to_numpy() == pytest.approx(0.1)
    assert found["holds"].to_numpy() == pytest.approx(0.5)
    assert found["of_all"].to_numpy() == pytest.approx(-0.175)
    of_sets = cells[cells["design"] == "three sources"].assign(dataset="musk", refused=0.0)
    of_sets.loc[of_sets.index[-1], ["refused", "estimate"]] = 1.0, np.nan
    of_sets.to_csv(tmp_path / study.SETS.file, index=False)
    page.write_page(tmp_path)
    page_text = (tmp_path / "index.rst").read_text("utf-8")
    text = " ".join(page_text.split())
    assert text.count("not reached") == 3
    assert '"three sources", "a line", "2", ".100 ± .000", "+.100", ".500 ± .500"' in text
    assert '"sources", "musk", "a line", "2", ".100 ± .000", ".030", ".500 ± .500"' in text
    assert "A fit refused 1 of 4 tables" in text
    assert "The records are incomplete" in text


def test_labels_of_a_set_follow_its_strongest_column_and_a_middling_one(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 5)) + np.outer(y, [0.1, 2.0, 0.0, 0.5, 0.3])
    monkeypatch.setattr(study, "load_uci", lambda name: SimpleNamespace(X=X, y_true=y))
    rows = study.rows_of("any", np.random.default_rng(1))
    assert rows.n_rows == N_ROWS
    assert (rows.driver, rows.other) == ("column 1", "column 4")
    assert rows.column(rows.driver)[rows.y_true].mean() > 0.5
    found = study.measure_set("any", "chances by age", study.LINE, 0)
    assert found["refused"] == 0
    assert abs(found["estimate"] - found["counted"]) < 0.1
    monkeypatch.setattr(study, "load_uci", lambda name: SimpleNamespace(X=X[:40], y_true=y[:40]))
    assert study.measure_set("any", "two sources apart", study.LINE, 0) == {"refused": 1.0}
