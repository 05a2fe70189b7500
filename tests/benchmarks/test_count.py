"""The studies of the count: what a draw measures, and the page from records."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.count import nine_sets, populations
from benchmarks.count.sections import SECTIONS, with_outcome
from unlabeled.datasets import DATASET_NAMES


def test_draws_are_fewer_for_the_largest_sets():
    drawn = pd.DataFrame(nine_sets.draws(), columns=list(nine_sets.FULL.names))
    counts = drawn.groupby(["dataset", "c"]).size()
    for dataset in DATASET_NAMES:
        assert (counts[dataset] == {"adult": 25, "musk": 15}.get(dataset, 50)).all()


def test_an_interval_holds_a_truth_between_its_ends():
    cells = pd.DataFrame(
        {"lower": [0.1, 0.3], "upper": [0.2, 0.4], "estimate": [0.15, 0.35], "truth": [0.12, 0.5]}
    )
    found = with_outcome(cells, "")
    assert found["holds"].tolist() == [1.0, 0.0]
    np.testing.assert_allclose(found["length"], [0.1, 0.1])
    np.testing.assert_allclose(found["error"], [0.03, 0.15])


def test_a_table_of_a_population_has_two_truths():
    found = populations.measure("paper", 1000, 0.6, 0)
    assert found["lower"] < found["estimate"] < found["upper"]
    assert found["population_upper"] > found["upper"]
    assert found["truth"] != found["population"]
    assert found["before_lower"] <= found["before_estimate"] <= found["before_upper"]
    again = populations.measure("paper", 1000, 0.6, 0)
    assert found == again


@pytest.mark.needs_data
def test_kept_scores_give_what_the_ensemble_says(data_home, tmp_path, monkeypatch):
    monkeypatch.setenv("UNLABELED_DATA", str(data_home))
    monkeypatch.setenv("UNLABELED_COUNT_SCORES", str(tmp_path))
    key = ("haberman", 0.6, 0)
    first = nine_sets.measure(*key)
    assert [path.name for path in tmp_path.iterdir()] == ["haberman_0.6_0.npz"]
    assert nine_sets.measure(*key) == first  # from the kept scores
    model = nine_sets.fitted(*key)
    lower, upper = model.class_prior_density_.interval()
    assert first["estimate"] == pytest.approx(model.class_prior_, abs=1e-9)
    assert (first["lower"], first["upper"]) == pytest.approx((lower, upper), abs=1e-9)
    line = model.members_["line"].class_prior_density_
    assert first["line_estimate"] == pytest.approx(line.mean, abs=1e-9)


def test_the_page_counts_the_records_that_there_are(tmp_path):
    draws = [("banknote", c, repeat) for c in nine_sets.FREQUENCIES for repeat in range(3)]
    draws += [("haberman", c, repeat) for c in nine_sets.FREQUENCIES for repeat in range(3)]
    rng = np.random.RandomState(0)
    rows = []
    for key in draws:
        numbers = {"truth": 0.4, "n_rows": 1000.0}
        for name in (
            "",
            "line_",
            "before_",
            *(f"all_{part:g}_" for part in nine_sets.BY_FREQUENCY),
        ):
            middle = 0.4 + rng.normal(0, 0.01)
            numbers |= {
                f"{name}estimate": middle,
                f"{name}lower": middle - 0.03,
                f"{name}upper": middle + 0.03,
                f"{name}state": 2.0,
            }
        rows.append(dict(zip(nine_sets.FULL.names, key, strict=True)) | numbers)
    pd.DataFrame(rows).to_csv(tmp_path / nine_sets.FULL.file, index=False)
    section = SECTIONS["nine_sets"](tmp_path)
    assert (section.done, section.of) == (18, 1170)
    assert "18 of 1170 draws" in section.incomplete()
    held = {one.words: one for one in section.targets}
    assert held["Mean coverage"].value > 0.9
    assert SECTIONS["states"](tmp_path).targets[0].holds
