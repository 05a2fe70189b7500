"""The run in the repository: its records make the tables, verdicts and page that are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from reproduction.outcome import _write, check_records, summarize, write_outcome_from
from reproduction.outcome._tables import Table, fit_table, rank_table, score_tables, time_table
from reproduction.studies import read_records
from reproduction.studies.records import read_manifest

RUN = Path(__file__).parents[2] / "docs" / "reproduction"
MOST_MEGABYTES = 7


@pytest.fixture(scope="module")
def records():
    if not (RUN / "records").is_dir():
        pytest.skip("the records are in the repository, not in the source distribution")
    return read_records(RUN)


def texts_in(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in folder.iterdir()}


def test_the_records_make_the_scores_times_ranks_and_counts_that_are_shown(records, tmp_path):
    checked = check_records(records)
    summary = summarize(checked)
    tables = [*score_tables(summary), rank_table(summary), time_table(checked), fit_table(checked)]
    for table in tables:
        assert isinstance(table, Table)
        table.write(tmp_path)
    made, shown = texts_in(tmp_path), texts_in(RUN / "tables")
    assert len(made) == 2 * len(tables) > 20
    assert made == {name: shown[name] for name in made}


@pytest.mark.slow
def test_the_records_make_every_table_and_verdict_that_is_shown(records, tmp_path, monkeypatch):
    # Each version of Matplotlib draws its own figures. They show what is in the tables.
    monkeypatch.setattr(_write, "_drawings", lambda summary: [])
    write_outcome_from(records, read_manifest(RUN), tmp_path)
    assert texts_in(tmp_path / "tables") == texts_in(RUN / "tables")
    assert without_figures(tmp_path) == without_figures(RUN)


def without_figures(folder: Path) -> str:
    before, _, after = (folder / "index.html").read_text("utf-8").partition('<h2 id="figures">')
    return before + after.partition('<h2 id="tables">')[2]


def test_the_records_are_compact():
    size = sum(path.stat().st_size for path in (RUN / "records").glob("*.parquet"))
    assert size < MOST_MEGABYTES * 1e6
