"""The progress bar: counts, shares of a step, or nothing."""

from __future__ import annotations

import sys

import pytest

from unlabeled.engine import progress


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_IN_A_LOG", 0)


def test_tasks_are_counted(capsys):
    with progress.progress_bar("split") as show:
        for done in range(5):
            show(done, 4)
    assert "4/4" in capsys.readouterr().err


def test_of_a_step_the_share_is_shown(capsys):
    with progress.progress_bar(step="Reading") as show:
        show(0.0)
        show(0.5)
    said = capsys.readouterr().err
    assert "Reading: 50%" in said
    assert "0.5/1.0" not in said


def test_quiet_shows_nothing(capsys):
    with progress.progress_bar("split", quiet=True) as show:
        show(1, 2)
    assert capsys.readouterr().err == ""


def test_without_tqdm_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.progress_bar("split") as show:
        show(1, 2)
    assert capsys.readouterr().err == ""
