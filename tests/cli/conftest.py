"""A table of patients, and what is needed to run commands on it."""

from __future__ import annotations

import inspect
import signal
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.ensemble import ExtraTreesClassifier

from tests.commands import started
from unlabeled import PULogistic
from unlabeled.app.table_model import _columns
from unlabeled.cli import main
from unlabeled.ensemble import _ensemble

FIT = ("--label", "diagnosis", "--id", "patient", "--drop", "treatment_date")
FEW_COLUMNS = ("--drop", "notes", "--drop", "seen", "--as-text", "ward")
QUICK = ("--no-checks", "--no-compare")
# For tests of files and words that are the same whatever is fitted.
ANY_FIT = (*QUICK, "--method", "naive")


@pytest.fixture(scope="session")
def patients() -> pd.DataFrame:
    """Some of the ill are diagnosed; numbers, categories, dates, text, gaps, and a leak."""
    rng, n = np.random.default_rng(2), 600
    visit = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    complaint = rng.choice(["tired", "always tired", "no pain", "short of breath"], n)
    made = pd.DataFrame(
        {
            "patient": [f"P{i:04d}" for i in range(n)],
            "age": rng.normal(55, 12, n).round(1),
            "sex": rng.choice(["female", "male"], n),
            "ward": rng.choice(["01", "02", "11"], n, p=[0.6, 0.3, 0.1]),
            "bmi": rng.normal(27, 4, n).round(2),
            "smoker": rng.random(n) < 0.3,
            "visit": visit.date,
            "seen": visit.strftime("%d.%m.%Y"),
            "notes": [f"{how} for {d} days" for how, d in zip(complaint, visit.day, strict=True)],
        }
    )
    eta = -1 + 0.1 * (made["age"] - 55) + 0.3 * (made["bmi"] - 27) + (made["sex"] == "male")
    ill = rng.random(n) < 1 / (1 + np.exp(-eta))
    diagnosed = ill & (rng.random(n) < 0.5)
    made.loc[rng.random(n) < 0.1, "bmi"] = np.nan
    made.loc[rng.random(n) < 0.1, "sex"] = None
    made["treatment_date"] = pd.Series(visit.date).where(diagnosed)
    made["diagnosis"] = np.where(diagnosed, "yes", None)
    return made


@pytest.fixture(scope="session")
def table(patients, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "patients.csv"
    patients.to_csv(path, index=False)
    return path


def invoke(*words):
    """Run a command, with stdout and stderr apart; click before 8.2 had to be asked for that."""
    asked_for = "mix_stderr" in inspect.signature(CliRunner).parameters
    runner = CliRunner(mix_stderr=False) if asked_for else CliRunner()
    result = runner.invoke(main, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="session")
def run():
    return invoke


@contextmanager
def small_ensemble():
    """Let commands fit an ensemble of two small members, which takes a tenth of the time."""
    trees = ExtraTreesClassifier(30, min_samples_leaf=5, bootstrap=True, oob_score=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            _ensemble, "default_members", lambda _: [("line", PULogistic()), ("trees", trees)]
        )
        yield patch


# Of a module, not of the session: tests of other folders that follow in this process fit it whole.
@pytest.fixture(scope="module", autouse=True)
def _small_fits():
    """Fit a small ensemble, and try one column that labels may follow: a fifth of the time.

    What is said of three columns is tested in tests/app; `fitted` below has them too.
    """
    with small_ensemble() as patch:
        patch.setattr(_columns, "_MOST_COLUMNS", 1)
        yield


@pytest.fixture
def few_repeats(monkeypatch):
    """Let `fit` compare methods on two splits, not five; how many they are is tested once."""
    monkeypatch.setattr("unlabeled.app.run._fit._REPEATS", 2)


@pytest.fixture(scope="session")
def fitted(run, table, tmp_path_factory):
    """A folder that `unlabeled fit` wrote."""
    out = tmp_path_factory.mktemp("fits") / "ward"
    with small_ensemble():
        result = run("fit", table, *FIT, "--as-text", "ward", "--out", out, *QUICK)
    assert result.exit_code == 0, result.stderr
    return out


WAITS_AFTER_WORD = """
import sys, time
from unlabeled.cli import main

word, write = sys.argv.pop(1), sys.stderr.write

def write_and_wait(text):
    write(text)
    if text.startswith(word):
        sys.stderr.flush()
        time.sleep(600)

sys.stderr.write = write_and_wait
main()
"""


@pytest.fixture(scope="session")
def stopped():
    """Run a command that waits where it has printed a word, and press Ctrl-C there.

    It must end with 130 in one line. It waits, so that no busy machine lets it end before.
    """

    def run_and_stop(word, *words, says="Stopped; nothing was written."):
        with started(sys.executable, "-c", WAITS_AFTER_WORD, word, *words) as process:
            assert any(line.startswith(word) for line in iter(process.stderr.readline, ""))
            process.send_signal(signal.SIGINT)
            printed, said = process.communicate()
        assert process.returncode == 130
        assert says in said
        assert "Traceback" not in said
        return printed

    return run_and_stop
