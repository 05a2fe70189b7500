"""Run or continue the comparison with the field, and write its page."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import click

from reproduction.studies import Plan, ResultsError, run_plan
from unlabeled.datasets import DatasetError
from unlabeled.engine.progress import progress_bar

from .cast import PACKAGES
from .page import PAGE, write_page
from .studies import field_plan

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.option("--out", type=_FOLDER, required=True, help="Folder of records, tables and the page.")
@click.option("--data", type=_FOLDER, help="Folder with the UCI sets. [default: $UNLABELED_DATA]")
@click.option(
    "--reproduction",
    type=_FOLDER,
    help="Folder of `python -m reproduction`. The paper's methods, PULogistic and PUEnsemble are "
    "read from it, not fitted again.",
)
@click.option("--repeats", type=click.IntRange(1, 9999), help="Repeats on the nine sets.")
@click.option("--others", type=click.IntRange(1, 9999), help="Repeats for other packages.")
@click.option("--jobs", default=-1, show_default=True, help="Processes, -1 for one per core.")
@click.option("--quick", is_flag=True, help="Two small sets and breast cancer, two repeats.")
@click.option("--page-only", is_flag=True, help="Run nothing: write the page from the records.")
def main(
    out: Path,
    data: Path | None,
    reproduction: Path | None,
    repeats: int | None,
    others: int | None,
    jobs: int,
    quick: bool,
    page_only: bool,
) -> None:
    """Compare our classifiers with the paper's and with other packages'.

    Every fit is a record on disk. If it is stopped, the same command continues the run.
    """
    try:
        if not page_only:
            _need_peers()
            has_data = data is not None or bool(os.environ.get("UNLABELED_DATA"))
            plan = field_plan(
                repeats,
                others,
                quick=quick,
                data=has_data or not quick,
                reproduced=reproduction is not None,
            )
            _run(plan, out, data, jobs)
        write_page(out, reproduction)
    except (DatasetError, ResultsError) as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"The comparison is in {out / PAGE}.")


def _run(plan: Plan, out: Path, data: Path | None, jobs: int) -> None:
    with progress_bar() as progress:
        report = run_plan(
            plan,
            out,
            n_jobs=jobs,
            data_home=None if data is None else str(data),
            progress=progress,
            command=f"python -m benchmarks.field --out DIR --jobs {jobs}",
            libraries=PACKAGES,
            tell=click.echo,
        )
    click.echo(f"{report.n_tasks} tasks are in {out}; {report.n_found} of them were there before.")
    if report.n_failed:
        click.echo(f"{report.n_failed} fits failed or were not made; the page lists the reasons.")


def _need_peers() -> None:
    """Do not start without the peers: all their fits would fail."""
    missing = [name for name in PACKAGES if find_spec(name.replace("-", "_")) is None]
    if missing:
        raise click.ClickException(
            f"the comparison needs {' and '.join(missing)}, which unlabeled does not depend on. "
            "`make field` makes an environment with them."
        )


if __name__ == "__main__":
    main()
