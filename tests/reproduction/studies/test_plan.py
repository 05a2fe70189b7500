"""The plan: balanced at any moment, and a fingerprint of what decides numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from reproduction.studies import Cell, paper_plan, read_records
from reproduction.studies.records import SCHEMA

MANIFEST = Path(__file__).parents[3] / "docs" / "reproduction" / "manifest.json"


def test_batches_go_repeat_by_repeat():
    repeats = [batch.repeat for batch in paper_plan(repeats=3).batches()]
    assert repeats == sorted(repeats)


def test_every_batch_has_its_own_key():
    keys = [batch.key for batch in paper_plan(repeats=2).batches()]
    assert len(keys) == len(set(keys))


def test_more_repeats_are_the_same_plan_and_other_cells_another():
    study = paper_plan(("real",)).studies[0]
    assert replace(study, repeats=7).fingerprint == study.fingerprint
    other = (Cell("adult", "scar", 0, 0.25), *study.cells[1:])
    assert replace(study, cells=other).fingerprint != study.fingerprint
    assert replace(study, methods=study.methods[1:]).fingerprint != study.fingerprint


def test_the_committed_reproduction_has_the_plan_of_today():
    studies = json.loads(MANIFEST.read_text("utf-8"))["studies"]
    for study in paper_plan(repeats=50).studies:
        assert study.fingerprint == studies[study.name]["fingerprint"]
    records = read_records(MANIFEST.parent)
    assert len(records) > 10_000
    assert list(records.columns) == SCHEMA.names
