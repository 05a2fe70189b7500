"""The studies of labels not at random: what is fitted, and their page."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.audit.cells import draw_cell, feature_of, features_of
from benchmarks.field import ecai
from benchmarks.field.ecai import ecai_table
from benchmarks.not_at_random import checked, splits
from benchmarks.not_at_random.page import write_page


@pytest.mark.needs_data
@pytest.mark.parametrize("mechanism", ["middling", "strongest", "product"])
def test_the_named_features_are_those_that_labels_follow(mechanism):
    """The propensity is a function of the named features alone."""
    cell = draw_cell("diabetes", mechanism)
    named = features_of("diabetes", mechanism)
    other = np.setdiff1d(np.arange(cell.X.shape[1]), named)
    order = np.lexsort(cell.X[:, named].T)
    same = np.all(np.diff(cell.X[order][:, named], axis=0) == 0, axis=1)
    assert len(other) > 0
    np.testing.assert_allclose(np.diff(cell.propensity[order])[same], 0, atol=1e-12)
    if mechanism != "product":
        assert named == [feature_of("diabetes", mechanism)]
        place = np.argsort(cell.X[:, named[0]])
        assert np.all(np.diff(cell.propensity[place]) >= 0)


@pytest.mark.needs_data
def test_one_split_has_what_the_page_needs(tmp_path):
    rows = []
    for labeling in splits.LABELINGS:
        for repeat in range(2):
            key = dict(zip(splits.RECORDS.names, ("haberman", labeling, repeat), strict=True))
            rows.append(key | splits.measure("haberman", labeling, repeat))
    found = pd.DataFrame(rows)
    at_random = found[found["labeling"] == "random"]
    np.testing.assert_array_equal(at_random["unnamed_auc"], at_random["line_auc"])
    assert found.loc[found["labeling"] != "random", "unnamed_auc"].isna().all()
    assert np.all(found["named_lower"] <= found["named_upper"])
    found.to_csv(tmp_path / splits.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert "6 of 540 splits" in page
    assert '"by the strongest feature", "haberman", "2"' in page


def test_the_page_says_what_records_say(tmp_path):
    """Two sets with known gains: .1 of a gap of .2 is a half."""
    rows = []
    for dataset in ("one", "two"):
        for labeling in splits.LABELINGS:
            for repeat in range(2):
                row = {"dataset": dataset, "labeling": labeling, "repeat": repeat}
                row |= {"truth": 0.4, "warned": 0.0, "named_lower": 0.3, "named_upper": 0.5}
                for metric in (*splits.METRICS, "prior"):
                    row |= {f"line_{metric}": 0.6, f"named_{metric}": 0.7}
                    row |= {f"oracle_{metric}": 0.8, f"unnamed_{metric}": 0.6}
                rows.append(row)
    pd.DataFrame(rows).to_csv(tmp_path / splits.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    assert '"AUC: part of the gap that the name closes", "at least .50", ".500", "holds"' in page
    assert '"by a middling feature", "F1", ".600 (.000)", ".700 (.000)"' in page
    assert "There are no records of this study yet" in page  # of checked rows


@pytest.mark.needs_data
def test_checked_rows_are_the_same_for_all(tmp_path):
    found = checked.measure("haberman", "middling", 0)
    for method in checked.METHODS:
        assert 0 <= found[f"{method}_error"] <= 1
    assert np.isnan(checked.measure("haberman", "random", 0)["named_error"])


def test_the_published_protocol(tmp_path):
    """Scikit-learn's breast cancer: five features drive the labels; more of them, closer."""
    found = ecai.measure("breast-cancer", 3, 0.0, 19)
    assert found["oracle_error"] == 0
    assert found["line_accuracy"] > found["naive_accuracy"]
    assert np.isnan(found["sar_em_accuracy"])
    rows = [
        dict(zip(ecai.RECORDS.names, ("breast-cancer", scenario, c, repeat), strict=True)) | found
        for scenario, c in ((1, 0.5), (3, 0.0))
        for repeat in range(2)
    ]
    assert ecai_table(tmp_path) is None
    pd.DataFrame(rows).to_csv(tmp_path / ecai.RECORDS.file, index=False)
    table = ecai_table(tmp_path)
    ours = table[table["method"].str.startswith("PULogistic")]
    assert list(ours["fits"]) == ["2", "2"]
    assert table.iloc[0]["accuracy"] == ".747"
