"""The SCAR check: when it does not apply, and rows it leaves out."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import PULogistic
from unlabeled.diagnostics import diagnose


def test_the_check_does_not_apply_to_separated_rows_or_few_labelled_ones(honest):
    separated = np.column_stack([honest.X, honest.s])
    for X, s in ((separated, honest.s), (honest.X, honest.s * (np.cumsum(honest.s) <= 15))):
        finding = diagnose(PULogistic(), X, s, checks="scar", random_state=0)["scar"]
        assert finding.state == "not applicable"


def test_a_column_that_separates_is_named(honest):
    separated = np.column_stack([honest.X, honest.s])
    finding = diagnose(PULogistic(), separated, honest.s, checks="scar")["scar"]
    share = np.mean(honest.s == 0)
    assert "'x3' separates" in finding.message
    assert f"{share:.0%} of the rows" in finding.message


def test_rows_of_a_rare_level_without_a_labelled_row_are_left_out_and_counted(honest):
    rare = np.flatnonzero(honest.s == 0)[:20]
    level = np.isin(np.arange(len(honest.s)), rare)
    X = np.column_stack([honest.X, level])
    finding = diagnose(PULogistic(), X, honest.s, checks="scar", random_state=0)["scar"]
    assert "20 rows" in finding.message
    assert "'x3'" in finding.message
    assert finding.facts["rows_left_out"] == 20
    rest = diagnose(
        PULogistic(), honest.X[~level], honest.s[~level], checks="scar", random_state=0
    )["scar"]
    assert finding.facts["p_value"] == rest.facts["p_value"]
    assert finding.facts["statistic"] == pytest.approx(rest.facts["statistic"])
