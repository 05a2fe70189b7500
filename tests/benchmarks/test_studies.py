"""Every study: its records in the documentation, and the page that they make."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from benchmarks.pages import PAGE
from benchmarks.studies import STUDIES

DOCS = Path(__file__).parents[2] / "docs"
OF_STUDIES = [
    pytest.param(study, records, id=f"{study.name}/{records.name}")
    for study in STUDIES.values()
    for records in study.records
    if (DOCS / study.name).exists()
]
MADE_OF_RECORDS = {"audit/refit.csv", "audit/scar.csv", "check_rates/rates.csv"}
OF_TESTS = {"choose/abilities.csv", "choose/odd_inputs.csv"}
OTHERS = {"_build", "auto_examples", "house", "reference", "reproduction"}


def test_every_file_of_records_belongs_to_a_study():
    files = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*/*.csv")}
    files = {file for file in files if file.partition("/")[0] not in OTHERS}
    planned = {f"{one.values[0].name}/{one.values[1].file}" for one in OF_STUDIES}
    assert files - MADE_OF_RECORDS - OF_TESTS == planned


@pytest.mark.needs_data
@pytest.mark.parametrize(("study", "records"), OF_STUDIES)
def test_records_are_cells_of_the_plan_each_once(study, records):
    keys = records.keys_in(records.read(DOCS / study.name))
    assert len(set(keys)) == len(keys) > 0
    assert set(keys) <= set(records.plan())


@pytest.mark.parametrize(
    "name", ["audit", "count", "eleven_tables", "ensemble", "knowledge", "not_at_random"]
)
def test_what_was_not_measured_is_one_sentence_of_the_page(name, tmp_path):
    """A page of several files is there as soon as one of them is."""
    STUDIES[name].write_page(tmp_path)
    page = (tmp_path / PAGE).read_text("utf-8")
    assert f"There are no records of this study yet. ``make study NAME={name}``" in page
    for sign in ("csv-table", "figure::", ":download:", "nan"):
        assert sign not in page


@pytest.mark.needs_data
@pytest.mark.parametrize(
    "study", [one for one in STUDIES.values() if one.write_page and (DOCS / one.name).exists()]
)
def test_the_page_is_the_one_that_the_records_make(study, tmp_path):
    for folder in STUDIES:  # a page may count the records of others
        (tmp_path / folder).mkdir()
        for path in (DOCS / folder).glob("*.csv"):
            (tmp_path / folder / path.name).symlink_to(path)
    for file in MADE_OF_RECORDS:
        (tmp_path / file).unlink()
    study.write_page(tmp_path / study.name)
    page = (tmp_path / study.name / PAGE).read_text("utf-8")
    assert page == (DOCS / study.name / PAGE).read_text("utf-8")
    for file in MADE_OF_RECORDS:
        if file.partition("/")[0] == study.name:
            pd.testing.assert_frame_equal(
                pd.read_csv(tmp_path / file), pd.read_csv(DOCS / file), rtol=1e-5
            )
