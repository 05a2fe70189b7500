"""The page about the ensemble: what it compares, what it judges, and what it leaves out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from benchmarks.ensemble import choices, cost, nine_sets, published
from benchmarks.ensemble.nine_sets import FREQUENCIES, TEN, TRUTH
from benchmarks.ensemble.page import write_page
from benchmarks.ensemble.sections import (
    MEASURES,
    choice_section,
    cost_section,
    lead_section,
    published_section,
    ten_section,
    truth_section,
)
from unlabeled.datasets import DATASET_NAMES

METHODS = {"ensemble": 0.73, "told": 0.735, "line": 0.70, "forest": 0.71}


def nine_set_cells(repeats: int = 2) -> pd.DataFrame:
    """Make cells that are all alike, but for the true classes, which have .05 more."""
    keys = list(product(DATASET_NAMES, (*FREQUENCIES, TEN, TRUTH), range(repeats)))
    cells = pd.DataFrame(keys, columns=list(nine_sets.RECORDS.names))
    numbers = {f"{who}_{one}": value for who, value in METHODS.items() for one in MEASURES}
    numbers |= {"class_prior": 0.4, "ensemble_class_prior": 0.35, "line_class_prior": 0.5}
    for name, share in (("line", 0.2), ("trees", 0.3), ("boosting", 0.5)):
        numbers |= {f"{name}_weight": share, f"{name}_probability": share}
    numbers |= {"trees_leaf": 5.0, "boosting_leaves": 8.0, "boosting_trees": 60.0, "seconds": 2.0}
    cells = cells.assign(**numbers)
    cells.loc[cells["c"] == TRUTH, [f"ensemble_{one}" for one in MEASURES]] += 0.05
    return cells


def write(folder, cells: pd.DataFrame) -> None:
    cells.to_csv(folder / nine_sets.RECORDS.file, index=False)


def at(cells: pd.DataFrame, c: float, dataset: str | None = None) -> pd.Series:
    own = cells["c"] == c
    return own if dataset is None else own & (cells["dataset"] == dataset)


def found(section) -> dict:
    return {target.words: target for target in section.targets}


def page(folder) -> str:
    write_page(folder)
    return (folder / "index.rst").read_text("utf-8")


def published_cells() -> pd.DataFrame:
    cells = pd.DataFrame(published.RECORDS.plan(), columns=list(published.RECORDS.names))
    numbers = {f"{who}_{one}": 0.9 for who in ("ensemble", "line") for one in (*MEASURES, "auc")}
    return cells.assign(**numbers)


def choice_cells() -> pd.DataFrame:
    cells = pd.DataFrame(choices.RECORDS.plan(), columns=list(choices.RECORDS.names))
    numbers = {f"{name}_{one}": 0.7 for name in choices.CHOICES for one in MEASURES}
    return cells.assign(**numbers)


def test_the_lead_is_judged_at_each_label_frequency(tmp_path):
    cells = nine_set_cells()
    cells.loc[at(cells, 0.5), "ensemble_f1"] = 0.715
    cells.loc[at(cells, 0.1), "ensemble_f1"] = 0.715
    cells.loc[at(cells, 0.3), "ensemble_balanced_accuracy"] = 0.705
    write(tmp_path, cells)
    targets = found(lead_section(tmp_path))
    assert targets["lead over PULogistic: F1, c = .3"].value == pytest.approx(0.03)
    assert targets["lead over PULogistic: F1, c = .1"].verdict() == "holds"
    assert targets["lead over PULogistic: F1, c = .5"].verdict() == "does not hold: .015"
    assert targets["lead over the forest: F1, c = .5"].value == pytest.approx(0.005)
    forest = targets["lead over the forest: balanced accuracy, c = .3"]
    assert forest.verdict() == "does not hold: −.005"


def test_the_set_that_gains_most_is_left_out_for_each_label_frequency(tmp_path):
    cells = nine_set_cells()
    cells.loc[at(cells, 0.3), "ensemble_f1"] = 0.71
    cells.loc[at(cells, 0.3, "musk"), "ensemble_f1"] = 0.90
    cells.loc[at(cells, 0.9, "adult"), "ensemble_f1"] = 0.80
    write(tmp_path, cells)
    section = lead_section(tmp_path)
    targets = found(section)
    assert targets["lead over PULogistic: F1, c = .3"].value == pytest.approx((8 * 0.01 + 0.2) / 9)
    rest = "the same without the set that gains most: F1, c = .3"
    assert targets[rest].verdict() == "does not hold: .010"
    assert not any("without" in words and "c = .1" in words for words in targets)
    table = section.tables["f1"].set_index("c")
    assert table.loc[".3", "without the set that gains most"] == "+.010 (.000), musk"
    assert table.loc[".9", "without the set that gains most"] == "+.030 (.000), adult"


def test_a_cell_may_be_behind_by_its_error_but_not_clearly(tmp_path):
    cells = nine_set_cells()
    # Two repeats at a distance of .02: the standard error is .01.
    for dataset, behind in (("diabetes", 0.034), ("haberman", 0.036)):
        own = at(cells, 0.3, dataset)
        cells.loc[own, "ensemble_f1"] = 0.70 - behind + np.array([-0.01, 0.01])
    write(tmp_path, cells)
    worst = found(lead_section(tmp_path))["smallest lead of a cell plus two standard errors: F1"]
    assert worst.value == pytest.approx(-0.016)
    assert worst.missed == ("F1, haberman, c = .3: −.036 (.010)",)


def test_errors_are_over_splits_with_the_sets_held_fixed(tmp_path):
    cells = nine_set_cells()
    ten = at(cells, TEN)
    shift = np.where(cells.loc[ten, "repeat"] == 0, -0.03, 0.03)
    # Sets that differ a lot in their mean do not make the error larger.
    by_set = cells.loc[ten, "dataset"].map({one: 0.1 * k for k, one in enumerate(DATASET_NAMES)})
    cells.loc[ten, "ensemble_f1"] = 0.70 - 0.4 - 0.015 + by_set + shift
    cells.loc[ten, "ensemble_balanced_accuracy"] = 0.70 - 0.025 + shift
    write(tmp_path, cells)
    f1, balanced = ten_section(tmp_path).targets
    assert f1.value == pytest.approx(-0.015)
    assert f1.allowed == pytest.approx(2 * math.sqrt(9 * 0.03**2) / 9)
    assert f1.verdict() == "holds"
    assert balanced.verdict() == "does not hold: −.025"


def test_the_gap_to_the_true_classes_is_that_of_the_repeats_with_both(tmp_path):
    cells = nine_set_cells()
    cells = cells[~(at(cells, TRUTH) & (cells["repeat"] == 1))].copy()
    cells.loc[at(cells, 0.3) & (cells["repeat"] == 1), "ensemble_f1"] = 0.1
    cells.loc[at(cells, 0.1), "told_f1"] = 0.745
    write(tmp_path, cells)
    targets = found(truth_section(tmp_path))
    assert targets["gap to the true classes: F1, c = .3"].value == pytest.approx(0.05)
    assert targets["gap to the true classes: F1, c = .3"].verdict() == "holds"
    told = targets["what the true prior is worth: F1, c = .1"]
    assert told.verdict() == "does not hold: .015"


def test_published_numbers_are_beaten_by_the_mean_over_label_frequencies(tmp_path):
    cells = published_cells()
    spam = cells["dataset"] == published.SPAMBASE
    for c, f1 in zip(published.SPAMBASE_FREQUENCIES, (0.87, 0.91, 0.94), strict=True):
        cells.loc[spam & (cells["c"] == c), "ensemble_f1"] = f1
    cells.to_csv(tmp_path / published.RECORDS.file, index=False)
    section = published_section(tmp_path)
    f1, auc = section.targets
    assert f1.value == pytest.approx((0.87 + 0.91 + 0.94) / 3)
    assert f1.verdict() == "holds"
    assert auc.verdict() == "does not hold: .900"
    cancer = section.tables["cancer"]
    assert cancer.iloc[0].tolist()[:2] == ["PUEnsemble", "no"]
    assert cancer.iloc[0]["benign positive"] == ".900 (.000) / .900 (.000)"
    cells[~(spam & (cells["c"] == 0.5))].to_csv(tmp_path / published.RECORDS.file, index=False)
    assert published_section(tmp_path).targets[0].verdict() == "not measured"


def test_a_choice_is_made_without_the_set_that_it_is_scored_on(tmp_path):
    cells = choice_cells()
    # Only on musk does a ridge of 3 pay, and by far; elsewhere leaves of five rows do.
    musk = cells["dataset"] == "musk"
    cells.loc[musk, ["ridge_3_f1", "ridge_3_balanced_accuracy"]] = 0.97
    cells.loc[~musk, ["leaves_5_f1", "leaves_5_balanced_accuracy"]] = 0.71
    cells.to_csv(tmp_path / choices.RECORDS.file, index=False)
    made = choices.leave_one_out(choices.scores(cells))
    assert made.loc["musk", "choice"] == "leaves_5"
    assert set(made.drop(index="musk")["choice"]) == {"ridge_3"}
    assert made["chosen"].tolist() == pytest.approx([0.7] * 9)
    assert made.loc["musk", "best"] == pytest.approx(0.97)
    section = choice_section(tmp_path)
    assert section.words["flatters"] == "+.030"
    assert section.words["against"] == "+.000 (.000)"
    assert section.incomplete() == ""


def test_the_cost_is_judged_by_its_ratio(tmp_path):
    numbers = {"forest_trees": 300.0, "table_mb": 12.0, "ensemble_mb": 80.0, "forest_mb": 40.0}
    numbers |= {"wall_ratio": 9.0, "cpu_ratio": 8.0, "ensemble_wall": 45.0, "ensemble_cpu": 44.0}
    numbers |= {"forest_wall": 5.0, "forest_cpu": 5.0}
    keys = [(cost.ADULT, 26_048, 1), (cost.ADULT, 26_048, 2), (cost.MADE, 1_000_000, 1)]
    cells = pd.DataFrame(keys, columns=list(cost.RECORDS.names)).assign(**numbers)
    cells.loc[2, ["forest_trees", "wall_ratio"]] = [30.0, 12.04]
    cells.to_csv(tmp_path / cost.RECORDS.file, index=False)
    section = cost_section(tmp_path)
    verdicts = [target.verdict() for target in section.targets]
    assert verdicts == ["holds", "holds", "does not hold: 12.0"]
    assert section.tables["cost"].iloc[2]["forest adds, MB"] == "†"
    assert section.incomplete() == "The records are incomplete: 3 of 5 lines."


def test_the_page_has_its_figure_and_says_what_is_missing(tmp_path):
    write(tmp_path, nine_set_cells())
    published_cells().to_csv(tmp_path / published.RECORDS.file, index=False)
    choice_cells().to_csv(tmp_path / choices.RECORDS.file, index=False)
    text = page(tmp_path)
    assert text.count("There are no records of this study yet.") == 1
    assert "The records are incomplete: 108 of 900 fits." in text
    assert (tmp_path / "leads.svg").exists()
    assert "boosting: 100 %" in text
    for file in (nine_sets.RECORDS.file, published.RECORDS.file, choices.RECORDS.file):
        assert f":download:`{file} <{file}>`" in text


def test_records_of_some_label_frequencies_make_a_page(tmp_path):
    cells = nine_set_cells()
    write(tmp_path, cells[(cells["c"] == 0.3) & (cells["dataset"] != "adult")])
    text = page(tmp_path)
    assert "not measured" in text
    assert "+.030 (.000)" in text
