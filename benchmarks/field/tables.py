"""All tables the records allow."""

from __future__ import annotations

import pandas as pd

from unlabeled.paper.outcome import Table

from .compare import MEASURES
from .studies import CANCER, REAL, TEN
from .tables_lists import enhanced_table, failure_table, loss_table, ten_table, time_table
from .tables_scores import cancer_table, mean_table, set_table


def all_tables(records: pd.DataFrame) -> dict[str, Table]:
    """Make every table of the studies that are there, by their file names."""
    present = set(records["study"])
    tables: list[Table] = []
    if REAL in present:
        tables += [mean_table(records, measure) for measure in MEASURES]
        tables += [set_table(records, measure) for measure in MEASURES]
        tables += [loss_table(records), enhanced_table(records), time_table(records)]
    if CANCER in present:
        tables.append(cancer_table(records))
    if TEN in present:
        tables.append(ten_table(records))
    tables.append(failure_table(records))
    return {table.slug: table for table in tables}
