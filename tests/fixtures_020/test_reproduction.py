"""A run of the paper's studies that 0.2.0 began is continued: its numbers are those of today."""

from __future__ import annotations

import shutil

from reproduction.studies import Cell, Plan, Study, read_records, run_plan


def test_a_run_of_020_is_continued(files, tmp_path):
    folder = shutil.copytree(files / "reproduce", tmp_path / "run")
    cells = tuple(Cell("paper_gaussian", "scar", 200, c) for c in (0.4, 0.7))
    keys = (("oracle", "-"), ("naive", "-"), ("en", "published"))
    told = []
    plan = Plan((Study("synthetic", cells, keys, 3),))
    report = run_plan(plan, folder, backend="sequential", tell=told.append)
    assert report.n_found == 2
    assert report.n_tasks == 6
    assert len(read_records(folder)) == 6 * len(keys)
    assert told  # that the numbers were compared first
