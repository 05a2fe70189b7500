"""The records: validated, and their means, standard errors and counts computed by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from reproduction.outcome._records import check_records, count_fits, repeats_by_study, summarize


def fit(method: str, repeat: int, f1: float, setting: str = "-", **changes: object) -> dict:
    row = {
        "study": "real",
        "dataset": "musk",
        "mechanism": "scar",
        "n": 100,
        "c": 0.3,
        "method": method,
        "setting": setting,
        "repeat": repeat,
        "f1": f1,
        "balanced_accuracy": 0.5,
        "angle": math.nan,
        "label_frequency": math.nan,
        "class_prior": math.nan,
        "fit_seconds": 0.1,
        "converged": True,
        "warning_codes": "",
        "error": "",
    }
    return {**row, **changes}


def table(*rows: dict) -> pd.DataFrame:
    return check_records(pd.DataFrame(rows))


def f1_of(summary: pd.DataFrame) -> pd.Series:
    return summary[summary["measure"] == "f1"].iloc[0]


def test_mean_and_standard_error_of_a_cell():
    found = f1_of(summarize(table(*(fit("naive", r, v) for r, v in enumerate([0.1, 0.2, 0.6])))))
    assert found["mean"] == pytest.approx(0.3)
    # squares .04 + .01 + .09 = .14; variance .07; se sqrt(.07 / 3)
    assert found["se"] == pytest.approx(math.sqrt(0.07 / 3))
    assert (found["repeats"], found["fits"], found["failed"]) == (3, 3, 0)


def test_one_fit_has_a_mean_and_no_standard_error():
    found = f1_of(summarize(table(fit("naive", 0, 0.4))))
    assert found["mean"] == 0.4
    assert math.isnan(found["se"])


def test_failed_fits_are_counted_and_their_scores_not_used():
    rows = [fit("naive", r, v) for r, v in enumerate([0.2, 0.4])]
    rows.append(fit("naive", 2, 0.9, error="ValueError: no"))
    found = f1_of(summarize(table(*rows)))
    assert found["mean"] == pytest.approx(0.3)
    assert (found["repeats"], found["fits"], found["failed"]) == (2, 3, 1)


def test_a_cell_whose_fits_all_failed_stays_in_the_summary():
    found = f1_of(summarize(table(fit("naive", 0, math.nan, error="ValueError: no"))))
    assert math.isnan(found["mean"])
    assert (found["repeats"], found["failed"]) == (0, 1)


def test_settings_are_separate_cells():
    rows = [fit("joint", 0, 0.2, "published"), fit("joint", 0, 0.8, "converged")]
    own = summarize(table(*rows))
    means = own[own["measure"] == "f1"].set_index("setting")["mean"]
    assert means.to_dict() == {"published": 0.2, "converged": 0.8}


def test_measures_that_no_fit_has_are_left_out():
    assert "angle" not in set(summarize(table(fit("naive", 0, 0.1)))["measure"])


def test_counts_of_failed_unconverged_and_warned_fits():
    rows = [
        fit("en", 0, 0.1, converged=False, warning_codes="PU302,PU301"),
        fit("en", 1, 0.1, converged=False, warning_codes="PU301"),
        fit("en", 2, math.nan, converged=False, error="ValueError: first"),
        fit("en", 3, math.nan, error="ValueError: second"),
    ]
    found = count_fits(table(*rows), ["method"]).iloc[0].to_dict()
    assert found == {
        "method": "en",
        "fits": 4,
        "failed": 2,
        "not_converged": 2,
        "warned": 2,
        "codes": "PU301 PU302",
        "first_error": "ValueError: first",
    }


def test_a_repeat_is_complete_with_all_cells():
    rows = [fit("naive", r, 0.1, c=c) for r in (0, 1) for c in (0.1, 0.2)]
    found = repeats_by_study(table(*rows[:-1])).iloc[0]
    assert (found["repeats"], found["complete_repeats"], found["fits"]) == (2, 1, 3)


def test_nearly_equal_label_frequencies_are_one_cell():
    rows = [fit("naive", 0, 0.1, c=0.1 + 0.2), fit("naive", 1, 0.3, c=0.3)]
    assert f1_of(summarize(table(*rows)))["repeats"] == 2


def test_a_fit_that_failed_before_its_rows_were_drawn_counts_in_its_cell():
    rows = [fit("naive", 0, 0.1), fit("naive", 1, math.nan, n=0, error="ValueError: no")]
    found = f1_of(summarize(table(*rows)))
    assert (found["n"], found["fits"], found["failed"]) == (100, 2, 1)


def test_codes_may_be_lists_and_errors_none():
    found = table(fit("naive", 0, 0.1, warning_codes=["PU101", "PU102"], error=None))
    assert found.loc[0, "warning_codes"] == "PU101 PU102"
    assert not found.loc[0, "failed"]


def test_records_without_a_column_are_rejected_by_name():
    with pytest.raises(ValueError, match="`records` must.*n, method"):
        check_records(pd.DataFrame([fit("naive", 0, 0.1)]).drop(columns=["n", "method"]))


def test_repeated_records_are_rejected():
    with pytest.raises(ValueError, match="`records` must.*got 1"):
        table(fit("naive", 0, 0.1), fit("naive", 0, 0.2))
