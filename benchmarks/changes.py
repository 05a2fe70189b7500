"""What changed between two runs of the paper's studies: means beyond two errors, and verdicts.

``python -m benchmarks.changes OLD NEW`` compares two folders of `python -m reproduction`.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
import pandas as pd

from reproduction.outcome import check_records, summarize, with_error
from reproduction.studies import read_records

CELL = ["study", "dataset", "mechanism", "n", "c", "method", "setting", "measure"]
ERRORS = 2.0
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


def changed_means(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return the cells whose means differ by more than two standard errors of the difference.

    The standard errors of both runs are added as if the runs were independent. Runs that share
    splits differ less, so the list may lack small changes of a method; it has all large ones.

    Parameters
    ----------
    old, new : DataFrame
        Summaries: cells, `mean`, `se` and `repeats`.

    Returns
    -------
    changes : DataFrame
        The cells, both means with their errors, and `errors`, the difference in standard errors;
        the largest first.
    """
    both = _in_both(old, new)
    error = np.hypot(both["se_old"], both["se_new"])
    both["errors"] = (both["mean_new"] - both["mean_old"]) / error.where(error > 0)
    changed = both[both["errors"].abs() > ERRORS]
    return changed.sort_values("errors", key=np.abs, ascending=False, ignore_index=True)


def _in_both(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return the cells that both runs have, without times."""
    both = old.merge(new, on=CELL, suffixes=("_old", "_new"))
    return both[both["measure"] != "fit_seconds"]


def changed_verdicts(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Return the claims whose verdict differs, by setting, from two tables of claims."""
    key = ["claim", "setting"]
    first, second = (
        table.drop_duplicates(key).set_index(key)["claim_verdict"] for table in (old, new)
    )
    both = pd.DataFrame({"before": first, "now": second}).dropna()
    return both[both["before"] != both["now"]].reset_index()


@click.command()
@click.argument("old", type=_FOLDER)
@click.argument("new", type=_FOLDER)
def main(old: Path, new: Path) -> None:
    """Print what changed from the folder OLD to the folder NEW."""
    means = [summarize(check_records(read_records(folder))) for folder in (old, new)]
    claims = [pd.read_csv(folder / "tables" / "claims.csv") for folder in (old, new)]
    changes = changed_means(*means)
    compared = len(_in_both(*means))
    click.echo(f"{len(changes)} of {compared} means changed by more than {ERRORS:g} errors.")
    for row in changes.itertuples():
        place = ", ".join(str(getattr(row, name)) for name in CELL)
        before = with_error(row.mean_old, row.se_old)
        click.echo(f"{place}: {before} -> {with_error(row.mean_new, row.se_new)}")
    for row in changed_verdicts(*claims).itertuples():
        click.echo(f"{row.claim} ({row.setting}): {row.before} -> {row.now}")
    most = [int(table["repeats"].max()) for table in means]
    click.echo(f"At most {most[0]} repeats before, {most[1]} now.")


if __name__ == "__main__":
    main()
