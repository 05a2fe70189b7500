"""The page "From a table" shows what the command prints."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner

from tests.docs.pages import blocks_of
from unlabeled.cli import main

PAGE = "start/tables"


@pytest.fixture
def _patients(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(blocks_of(PAGE, "python")[0], {})


@pytest.mark.usefixtures("_patients")
def test_transcripts_are_what_the_command_prints():
    transcripts = [
        block for block in blocks_of(PAGE, "console") if block.startswith("$ unlabeled diagnose")
    ]
    assert len(transcripts) == 2
    for transcript in transcripts:
        command, _, shown = transcript.partition("\n")
        result = CliRunner().invoke(main, shlex.split(command)[2:])
        printed = without_layout(result.output)
        places = [printed.index(line) for line in without_layout(shown) if line != "..."]
        assert places == sorted(places)


@pytest.mark.usefixtures("_patients")
def test_the_comparison_is_what_the_command_prints():
    transcript = next(
        block for block in blocks_of(PAGE, "console") if "$ unlabeled compare" in block
    )
    command, _, shown = transcript.partition("\n")
    some = ["pu-logistic", "enhanced", "naive", "naive-cut"]
    options = [word for name in some for word in ("--method", name)]
    result = CliRunner().invoke(main, [*shlex.split(command)[2:], *options])
    printed = without_seconds(result.output.splitlines()[:6])
    assert result.exit_code == 0, result.output
    assert printed[1].endswith("prior")
    shown_lines = without_seconds(shown.splitlines())
    # The best of some methods is not that of all.
    printed, shown_lines = (
        [_without_best(line) for line in lines] for lines in (printed, shown_lines)
    )
    assert [line for line in printed if line not in shown_lines] == []


def _without_best(line):
    """A line of the table less its column of differences to the best method."""
    return re.sub(r"^([a-z-]+ \S+) \S+", r"\1", line)


def without_seconds(lines):
    """Lines with single spaces, less the times of the machine."""
    joined = (" ".join(line.split()) for line in lines)
    return [re.sub(r" (seconds|\d+\.\d\d)$", "", line) for line in joined]


def without_layout(text):
    """Lines with single spaces, and each finding in one line, however wide the terminal is."""
    joined = re.sub(r"\n {10,}", " ", text)
    return [" ".join(line.split()) for line in joined.splitlines() if line.strip()]


@pytest.mark.usefixtures("_patients")
def test_the_same_in_python_runs(capsys):
    quick = blocks_of(PAGE, "python")[-1].replace(
        "random_state=0", 'checks="leakage", random_state=0'
    )
    exec(quick, {})
    assert "600 of 3 000 rows are labeled" in capsys.readouterr().out
