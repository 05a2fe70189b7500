"""The runner of the studies: what is there is kept, in whatever order, however a run ended."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import __main__ as command
from benchmarks.study import (
    Records,
    Study,
    differences,
    measure_again,
    measure_missing,
    repeated,
)
from tests.commands import started
from unlabeled.engine.files import InUseError, only_writer

ROOT = Path(__file__).parents[2]


def noise(name, scale, repeat, hangs_at=None):
    """Return a number that belongs to the key; that of one repeat does not come."""
    if repeat == hangs_at:
        time.sleep(600)
    rng = np.random.default_rng([len(name), int(10 * scale), repeat])
    return {"value": scale * rng.normal(), "fit_seconds": 0.1}


CELLS = [("one, two", 0.1), ("b", 2.0)]


def records(repeats=4, hangs_at=None, **others):
    plan = partial(repeated, CELLS, repeats)
    measure = partial(noise, hangs_at=hangs_at)
    return Records("noise.csv", ("name", "scale", "repeat"), measure, plan, **others)


def _lines(path):
    return path.read_bytes().count(b"\n")


def content(folder):
    return (folder / "noise.csv").read_text("utf-8")


def test_a_row_is_the_function_of_its_key_and_rows_are_in_order(tmp_path):
    measure_missing(records(), tmp_path)
    found = records().read(tmp_path)
    assert records().keys_in(found) == sorted(records().plan())
    expected = [noise(*key)["value"] for key in records().keys_in(found)]
    np.testing.assert_allclose(found["value"], expected, rtol=1e-5)


def test_more_cells_go_on_from_what_is_there(tmp_path):
    done = []
    measure_missing(records(2), tmp_path)
    measure_missing(records(), tmp_path, progress=lambda n, total: done.append((n, total)))
    assert (done[0], done[-1]) == ((4, 8), (8, 8))
    measure_missing(records(), tmp_path / "whole", n_jobs=2)
    assert content(tmp_path) == content(tmp_path / "whole")


def test_a_run_that_is_killed_goes_on_and_gives_the_same_file(tmp_path):
    """Killed between two cells and in the middle of a line."""
    code = (
        "from pathlib import Path; from benchmarks.study import measure_missing;"
        "from tests.benchmarks.test_study import records;"
        f"measure_missing(records(hangs_at=2), Path({str(tmp_path)!r}))"
    )
    path = tmp_path / "noise.csv"
    with started(sys.executable, "-c", code, cwd=ROOT) as process:  # it is killed at the end
        while process.poll() is None and (not path.exists() or _lines(path) < 3):
            time.sleep(0.02)
    n_lines = _lines(path)
    assert 3 <= n_lines < 9
    with path.open("a") as file:
        file.write("b,2.")
    assert len(records().read(tmp_path)) == n_lines - 1
    measured = []
    measure_missing(records(), tmp_path, progress=lambda n, total: measured.append(n))
    assert measured[0] == n_lines - 1
    measure_missing(records(), tmp_path / "whole")
    assert content(tmp_path) == content(tmp_path / "whole")
    assert not list(tmp_path.glob("*.writing"))


def test_numbers_that_only_some_cells_have_get_a_column(tmp_path):
    ragged = Records(
        "noise.csv",
        ("name", "repeat"),
        lambda name, repeat: {"a": 1.0, "b": np.nan} if name == "x" else {"c": 0.5},
        lambda: [("x", 0), ("y", 0), ("x", 1)],
    )
    measure_missing(ragged, tmp_path)
    found = ragged.read(tmp_path)
    assert list(found) == ["name", "repeat", "a", "b", "c"]
    assert found["c"].tolist()[2] == 0.5
    assert found["a"].tolist()[:2] == [1.0, 1.0]
    assert found["b"].isna().all()


def test_a_number_with_the_name_of_a_key_is_rejected(tmp_path):
    clash = Records("noise.csv", ("c",), lambda c: {"c": 2 * c}, lambda: [(0.1,)])
    with pytest.raises(ValueError, match="a column of the key"):
        measure_missing(clash, tmp_path)


def test_a_second_run_of_the_same_file_is_rejected(tmp_path):
    with only_writer(tmp_path / "noise.csv"), pytest.raises(InUseError):
        measure_missing(records(), tmp_path)


def test_a_changed_number_is_told_and_the_others_are_the_same(tmp_path):
    measure_missing(records(), tmp_path)
    assert all(not cell.differing for cell in measure_again(records(), tmp_path, 3))
    found = records().read(tmp_path)
    found["value"] += 0.1
    found.to_csv(tmp_path / "noise.csv", index=False)
    first, *_ = measure_again(records(), tmp_path, 3)
    assert set(first.differing) == {"value"}
    assert "1 of 2 differ: value" in first.in_words()
    assert list(measure_again(records(), tmp_path / "empty", 3)) == []


def test_numbers_that_one_lacks_differ_and_seconds_do_not():
    assert differences({"a": 1.0, "fit_seconds": 3.0}, {"a": 1.0, "fit_seconds": 9.0}) == {}
    assert set(differences({"a": 1.0, "b": np.nan}, {"a": 1.01, "b": np.nan, "c": 2})) == {"a", "c"}


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run the command with one study, whose page says how many rows there are."""

    def write_page(folder):
        (folder / "index.rst").write_text(f"{len(records().read(folder))} rows", "utf-8")

    others = replace(records(needs="no_such_package"), file="others.csv")
    study = Study("toy", "noise", "a second", (records(), others), write_page)
    monkeypatch.setattr(command, "STUDIES", {"toy": study})
    monkeypatch.setattr(command, "DOCS", tmp_path)
    monkeypatch.chdir(tmp_path)

    def invoke(*words):
        return CliRunner().invoke(command.main, words, catch_exceptions=False)

    return invoke


def test_the_command_lists_measures_and_writes_the_page(run, tmp_path):
    assert "toy" in run().output
    assert not (tmp_path / "toy").exists()
    result = run("toy", "--jobs", "1", "--repeats", "3", "--only", "name=b")
    assert "it needs no_such_package" in result.output
    page = tmp_path / "toy" / "index.rst"
    assert page.read_text() == "3 rows"
    run("toy/noise", "--jobs", "1", "--repeats", "2")
    assert page.read_text() == "5 rows"
    page.unlink()
    run("toy", "--page-only")
    assert page.read_text() == "5 rows"
    assert run("--again", "2").output.count(": same") == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [(("coy",), "got coy"), (("toy/x",), "toy/noise"), (("toy", "--only", "x=1"), "got x")],
)
def test_what_is_not_known_is_rejected_with_what_is(run, words, told):
    result = run(*words)
    assert result.exit_code == 1
    assert told in result.output
