"""Tables of counts: repeats of each study, fits that failed or stopped early."""

from __future__ import annotations

from typing import Any

import pandas as pd

from ._names import STUDIES, in_order, method_name
from ._summary import count_fits, repeats_by_study
from ._table import Table

GROUP = ["study", "dataset", "method", "setting"]


def study_table(records: pd.DataFrame, manifest: dict[str, Any]) -> Table:
    """Make the table of what each study has in the records, missing studies included."""
    numbers = repeats_by_study(records).set_index("study")
    names = [*STUDIES, *(name for name in numbers.index if name not in STUDIES)]
    numbers = numbers.reindex(names).astype(float).fillna(0).astype(int).reset_index()
    plans = manifest.get("studies", {})
    numbers["planned"] = [_planned(plans.get(name)) for name in numbers["study"]]
    shown = pd.DataFrame(
        {
            "Study": [STUDIES.get(name, name) for name in numbers["study"]],
            "Fits": numbers["fits"].astype(str),
            "Failed": numbers["failed"].astype(str),
            "Repeats": [str(count) if count else "missing" for count in numbers["repeats"]],
            "of them complete": numbers["complete_repeats"].astype(str),
            "planned": [str(count or "–") for count in numbers["planned"]],
        }
    )
    note = "A repeat is complete when every cell of the study has its fit (failed or not)."
    return Table("studies", "Studies in these records", note, (("", shown),), numbers)


def _planned(study: Any) -> int:
    return int(study["plan"]["repeats"]) if study else 0


def fit_table(records: pd.DataFrame) -> Table:
    """Make the table of failed, unconverged and warned fits; shown are groups with any."""
    numbers = count_fits(records, GROUP)
    told = numbers[(numbers["failed"] > 0) | (numbers["not_converged"] > 0)]
    order = in_order(list(told["study"]), STUDIES)
    blocks = tuple((study, _shown(told[told["study"] == study])) for study in order)
    note = (
        f"{int(numbers['failed'].sum())} of {len(records)} fits failed; "
        f"{int(numbers['not_converged'].sum())} ended without a finite optimum to their "
        "tolerance. Shown are the groups that have any; the CSV file has all."
    )
    return Table("fits", "Fits that failed or did not converge", note, blocks, numbers)


def _shown(told: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Data set": told["dataset"],
            "Method": map(method_name, told["method"], told["setting"]),
            "Fits": told["fits"].astype(str),
            "Failed": told["failed"].astype(str),
            "Not converged": told["not_converged"].astype(str),
            "Warning codes": told["codes"],
            "First error": told["first_error"],
        }
    )
