"""The study of what answers add: tables, answers, records, and the page's words."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from benchmarks.knowledge import answers, scores, tables
from benchmarks.knowledge.page import write_page
from benchmarks.nhanes import load_nhanes


@pytest.mark.needs_data
def test_a_doctor_tells_only_persons_with_diabetes():
    rows = load_nhanes()
    assert rows.X.shape[0] == 10_697
    assert np.isfinite(rows.X).all()
    assert (rows.y_true.sum(), rows.told.sum()) == (1203, 846)
    assert np.all(rows.y_true[rows.told == 1] == 1)


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("dataset", "case", "positive", "labeled"),
    [("haberman", "ten", 81, 10), ("spambase", "rare", 60, None)],
)
def test_harder_tables_are_as_hard_as_they_say(dataset, case, positive, labeled):
    table = tables.draw_table(dataset, "random", case, 0)
    assert table.y_true.sum() == positive
    assert np.all(table.y_true[table.s == 1] == 1)
    assert labeled is None or table.s.sum() == labeled
    assert len(table.s) <= tables.MOST_ROWS


@pytest.mark.needs_data
@pytest.mark.parametrize("way", answers.WAYS)
def test_only_unlabeled_rows_are_checked_and_wrong_answers_are_counted(way):
    table, said, checked, _ = answers.checked_table(
        "haberman", "random", "plain", "line", 100, way, 0
    )
    asked = ~np.isnan(checked)
    assert asked.sum() == 100 == scores.n_answers(table.s, 100)
    assert np.all(table.s[asked] == 0)
    assert np.sum(checked[asked] != table.y_true[asked]) == (5 if way == "wrong" else 0)
    if way == "top":
        assert said["score"][asked].min() >= said["score"][~asked & (table.s == 0)].max()


def test_unchecked_rows_stand_for_all():
    s = np.array([1, 1, 0, 0, 0, 0])
    weight = answers.standing_for_all(s, np.array([True, True, True, True, False, False]))
    np.testing.assert_array_equal(weight, [1, 1, 2, 2])


@pytest.mark.needs_data
def test_one_cell_has_what_the_page_needs(tmp_path, monkeypatch):
    """What is kept in the folder is what was fitted."""
    monkeypatch.setenv("UNLABELED_KNOWLEDGE_SCORES", str(tmp_path / "scores"))
    monkeypatch.setattr(answers, "PRINCIPAL", "line")  # the ensemble takes longer
    (tmp_path / "scores").mkdir()
    key = ("haberman", "strongest", "plain", "line", 100, "audit", 0)
    assert key in answers.plan()
    found = answers.measure(*key)
    assert found == answers.measure(*key)
    assert len(list((tmp_path / "scores").iterdir())) == 1
    assert found["answered"] == 100
    assert found["answers_lower"] <= found["answers_prior"] <= found["answers_upper"]
    row = dict(zip(answers.RECORDS.names, key, strict=True))
    pd.DataFrame([row | found]).to_csv(tmp_path / answers.RECORDS.file, index=False)
    calibration = answers.measure_calibration(*key)
    assert sum(calibration[f"n_{k}"] for k in range(10)) == 306 - 100 - (table_labels(key))
    pd.DataFrame([row | calibration]).to_csv(tmp_path / answers.CALIBRATION.file, index=False)
    write_page(tmp_path)
    assert "1 of 9180 cells" in (tmp_path / "index.rst").read_text("utf-8")


def table_labels(key):
    dataset, labeling, case, *_, repeat = key
    return int(tables.draw_table(dataset, labeling, case, repeat).s.sum())


def test_the_page_says_what_records_say(tmp_path):
    """Answers add .1 on one set and take .05 on the other, which a line fits, in every draw."""
    rows = []
    for dataset, gain in (("one", 0.1), ("two", -0.05)):
        for repeat, score in product(range(3), ("line", "ensemble")):
            key = (dataset, "random", "plain", score, 100, "audit", repeat)
            row = dict(zip(answers.RECORDS.names, key, strict=True)) | {"truth": 0.4}
            for name in ("labels", "answers", "recut", "line"):
                auc = 0.7 + repeat / 1000 + gain * (name == "answers")
                auc -= 0.1 * (score == "line" and dataset == "one")
                row |= {f"{name}_auc": auc, f"{name}_hidden_auc": auc, f"{name}_f1": 0.6}
                row |= {f"{name}_prior": 0.5, f"{name}_lower": 0.3, f"{name}_upper": 0.45}
            rows.append(row)
    pd.DataFrame(rows).to_csv(tmp_path / answers.RECORDS.file, index=False)
    write_page(tmp_path)
    page = (tmp_path / "index.rst").read_text("utf-8")
    lowest = "lowest per cent of AUC added, PUEnsemble, 100 answers"
    assert f'"{lowest}", "at least −.03", "−.050"' in page
    assert "- two, labels at random, PUEnsemble, 100 answers: −.050" in page
    assert '"AUC added, PUEnsemble, 100 answers", "at least 0", ".025", "holds"' in page
    assert '"100 answers, labels at random: prior error", "at most .03", ".100"' in page
    behind = "sets that a line fits: AUC behind the line with answers, largest"
    assert f'"100 answers, {behind}", "at most .01", ".050"' in page
    assert 'mean", "at least .05", ".100", "holds"' in page
