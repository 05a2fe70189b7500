"""The page about the report shows what the command prints, and Python that runs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.docs.pages import blocks_of
from unlabeled.app.report._rows import COLUMNS
from unlabeled.cli import main

PAGE = "start/report"


@pytest.fixture
def _fit(tmp_path, monkeypatch, summary):
    monkeypatch.chdir(tmp_path)
    Path("ward").mkdir()
    Path("ward/summary.json").write_text(json.dumps(summary), "utf-8")
    header = ",".join(["patient", *COLUMNS])
    row = "P1,0,1.5,0.5,0.3,,,0,1,1,1,1.2,0.4,age high"
    Path("ward/scored.csv").write_text(f"{header}\n{row}\n", "utf-8")


@pytest.mark.usefixtures("_fit")
def test_the_commands_print_what_the_page_shows():
    transcripts = blocks_of(PAGE, "console")
    assert len(transcripts) == 2
    for transcript in transcripts:
        command, _, shown = transcript.partition("\n")
        result = CliRunner().invoke(main, shlex.split(command)[2:])
        assert result.output.split() == shown.split()


def test_python_writes_the_page_of_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(blocks_of(PAGE, "python")[0], {})
    assert Path("gaussian.html").read_text("utf-8").startswith("<!DOCTYPE html>")
