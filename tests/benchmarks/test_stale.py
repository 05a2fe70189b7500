"""Records that this version would make differently are found."""

from __future__ import annotations

import inspect
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from benchmarks.replications import Replication, run_replications
from benchmarks.stale import DOCS, OF_CELLS, differences, main

OTHERS = {
    "audit/refit.csv": "made from records",
    "audit/scar.csv": "made from records",
    "calibration/calibration.csv": "means; the docstring says so",
    "check_rates/rates.csv": "made from records",
    "ensemble/cost.csv": "timed",
}
FOLDERS_WITHOUT_STUDIES = {"_build", "auto_examples", "house", "reference", "reproduction"}


def test_every_file_of_cells_is_known():
    files = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*/*.csv")}
    studies = {file for file in files if file.partition("/")[0] not in FOLDERS_WITHOUT_STUDIES}
    assert studies - set(OTHERS) == set(OF_CELLS)


@pytest.mark.parametrize("file", OF_CELLS)
def test_a_row_has_the_arguments_of_its_function(file):
    module, _, function = OF_CELLS[file].partition(":")
    place = import_module(module)
    arguments = list(inspect.signature(getattr(place, function)).parameters)
    assert len(arguments) == len(place.NAMES)
    shared = [name for name in place.NAMES if name in arguments]
    assert len(shared) >= len(place.NAMES) - 1
    assert shared == [name for name in arguments if name in shared]
    assert set(place.NAMES) <= set(pd.read_csv(DOCS / file, nrows=1))


def noise(seed, *, scale):
    """Return a number that depends on the seed."""
    return {"noise": scale * np.random.default_rng(seed).normal()}


def test_a_changed_number_is_told_and_the_others_are_the_same(tmp_path):
    study = "measures/draws.csv"
    row = pd.read_csv(DOCS / study, nrows=1)
    row["recall"] += 0.1
    (tmp_path / "measures").mkdir()
    row.to_csv(tmp_path / study, index=False)
    one = Replication("noise", f"{__name__}:noise", 2, {"scale": 2.0})
    run_replications([one], tmp_path / "coverage" / "level")
    result = CliRunner().invoke(main, ["--docs", str(tmp_path)], catch_exceptions=False)
    same, changed = result.output.splitlines()
    assert same.startswith("coverage/level, noise")
    assert same.endswith(": same")
    assert changed.startswith(study)
    assert "1 of " in changed
    assert "differ: recall " in changed


def test_numbers_that_one_lacks_differ_and_seconds_do_not():
    assert differences({"a": 1.0, "fit_seconds": 3.0}, {"a": 1.0, "fit_seconds": 9.0}) == {}
    assert set(differences({"a": 1.0, "b": np.nan}, {"a": 1.01, "b": np.nan, "c": 2})) == {"a", "c"}


def test_an_unknown_study_is_rejected_with_the_known_ones():
    result = CliRunner().invoke(main, ["--study", "level", "--study", "nosuch"])
    assert result.exit_code == 1
    assert "got nosuch" in result.output
    assert "measures/draws.csv" in result.output


def test_a_folder_without_studies_is_rejected_and_a_study_without_records_left_out(tmp_path):
    result = CliRunner().invoke(main, ["--docs", str(tmp_path)])
    assert result.exit_code == 1
    assert "must be a folder with studies" in result.output
    one = Replication("noise", f"{__name__}:noise", 2, {"scale": 2.0})
    run_replications([one], tmp_path / "coverage" / "level")
    (tmp_path / "coverage" / "level" / "noise.parquet").unlink()
    result = CliRunner().invoke(main, ["--docs", str(tmp_path)], catch_exceptions=False)
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.needs_data
def test_diagnoses_are_made_again():
    words = ["--study", "check_rates/records", "--records", "2"]
    lines = CliRunner().invoke(main, words, catch_exceptions=False).output.splitlines()
    assert len(lines) == 2
    assert all(line.endswith(": same") for line in lines)
