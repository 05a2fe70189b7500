"""Two runs compared: means beyond two errors, and verdicts."""

from __future__ import annotations

import pandas as pd
from click.testing import CliRunner

from benchmarks.changes import CELL, changed_means, changed_verdicts, main
from reproduction.studies.records import Record, to_table
from reproduction.studies.store import write_part


def summary(means, se=0.01):
    cells = [("real", "musk", "scar", 100, c, "naive", "-", "f1") for c in (0.1, 0.5)]
    rows = pd.DataFrame(cells, columns=CELL)
    return rows.assign(mean=means, se=se, repeats=50)


def test_a_mean_changed_if_it_moved_by_more_than_two_errors_of_the_difference():
    # Two errors of .01 make .01414; two of these are .0283.
    changes = changed_means(summary([0.5, 0.5]), summary([0.529, 0.527]))
    assert changes["c"].tolist() == [0.1]
    assert round(changes["errors"].iloc[0], 2) == 2.05


def test_times_and_numbers_without_an_error_are_not_compared():
    timed = summary([1.0, 2.0]).assign(measure="fit_seconds")
    assert changed_means(timed, timed.assign(mean=9.0)).empty
    assert changed_means(summary([0.5, 0.5], 0.0), summary([0.6, 0.6], 0.0)).empty


def test_verdicts_are_compared_by_claim_and_setting(tmp_path):
    def claims(word):
        return pd.DataFrame(
            {"claim": ["a", "a", "b"], "setting": ["published", "converged", "-"]}
        ).assign(claim_verdict=["holds", word, "holds"])

    changed = changed_verdicts(claims("holds"), claims("does not hold"))
    assert changed.to_numpy().tolist() == [["a", "converged", "holds", "does not hold"]]
    for name, word in (("old", "holds"), ("new", "does not hold")):
        (tmp_path / name / "tables").mkdir(parents=True)
        claims(word).to_csv(tmp_path / name / "tables" / "claims.csv", index=False)
        fits = [Record("real", "musk", "scar", 9, 0.5, "naive", "-", k, 0, f1=0.5) for k in (0, 1)]
        write_part(tmp_path / name / "records" / "a.parquet", to_table(fits), {"a": 2})
    result = CliRunner().invoke(main, [str(tmp_path / "old"), str(tmp_path / "new")])
    assert result.exit_code == 0, result.output
    assert "0 of 2 means" in result.output
    assert "a (converged): holds -> does not hold" in result.output
