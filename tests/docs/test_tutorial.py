"""The page "Three tables" shows what the commands print."""

from __future__ import annotations

import inspect
import shlex

import pandas as pd
import pytest
import sklearn
from click.testing import CliRunner
from sklearn.utils.fixes import parse_version

from tests.docs.pages import blocks_of, text_of
from unlabeled.cli import main

OTHER_TREES = parse_version(sklearn.__version__).release < (1, 9)


def transcripts(word):
    shown = [one for one in blocks_of("start/tutorial", "console") if one.startswith("$ unlabeled")]
    return [one for one in shown if word in one.partition("\n")[0]]


def check(transcript, *more):
    """Run the command of a transcript; it prints what is shown, in that order.

    Dots stand for lines that are not shown. The ensemble's trees are those of scikit-learn 1.9:
    before, the command runs, and prints other numbers.
    """
    command, _, shown = transcript.partition("\n")
    asked_for = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if asked_for else CliRunner()
    result = runner.invoke(main, [*shlex.split(command)[2:], *more])
    assert result.exit_code == 0, result.stderr
    lines = [line.strip() for line in shown.splitlines() if line.strip() not in ("", "...")]
    streams = [
        [line.strip() for line in text.splitlines()] for text in (result.stdout, result.stderr)
    ]
    assert OTHER_TREES or [line for line in lines if line not in [*streams[0], *streams[1]]] == []
    for said in streams:
        places = [said.index(line) for line in lines if line in said]
        assert OTHER_TREES or places == sorted(places)
    return result


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow  # an ensemble for all rows of adult
@pytest.mark.needs_data
def test_the_census_table(here, data_home):
    table = pd.read_csv(data_home / "adult.csv.gz", keep_default_na=False)
    table["y"] = table["y"].map({1: ">50K", 0: "<=50K"})
    as_published = table.replace("", "?").astype(str).agg(", ".join, axis=1)
    (here / "adult.data").write_text("\n".join(as_published) + "\n\n", "utf-8")
    exec(blocks_of("start/tutorial", "python")[0], {})
    (transcript,) = transcripts("adult")
    check(transcript, "--no-compare", "--no-checks")


def test_the_wetlands_and_what_is_new_to_the_model(here):
    names = {}
    exec(blocks_of("start/tutorial", "python")[1], names)
    fit, predict, report = (
        transcripts(f"{word} sites")[0] for word in ("fit", "predict", "report")
    )
    check(fit, "--no-compare")
    exec(blocks_of("start/tutorial", "python")[2], names)
    check(predict)
    check(report)
    assert "998 sites are breeding sites" in text_of("start/tutorial")
    assert names["breeds"].sum() == 998


@pytest.mark.usefixtures("here")
def test_the_patients_with_and_without_the_leak():
    exec(blocks_of("start/tables", "python")[0], {})
    leaking, dropped = transcripts("fit patients")
    assert "(PU204)" in check(leaking, "--no-compare").stdout
    check(dropped, "--no-compare", "--no-checks")
