"""Measure a study, go on with it, or write its page: ``python -m benchmarks NAME``."""

from __future__ import annotations

from pathlib import Path

import click

from unlabeled.datasets import DATASET_NAMES, DatasetError, load_uci
from unlabeled.engine.files import InUseError
from unlabeled.engine.progress import progress_bar

from .pages import PAGE
from .studies import STUDIES
from .study import REPEAT, Key, Records, Study, chosen, measure_again, measure_missing

DOCS = Path(__file__).parents[1] / "docs"


@click.command()
@click.argument("name", required=False)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of records and page. [default: docs/NAME if it exists, else NAME]",
)
@click.option("--jobs", type=int, default=2, show_default=True, help="Processes.")
@click.option("--repeats", type=click.IntRange(1), help="Most repeats per cell. [default: all]")
@click.option(
    "--only", multiple=True, metavar="COLUMN=VALUE", help="Only these cells; may be repeated."
)
@click.option("--page-only", is_flag=True, help="Measure nothing: write the page from the records.")
@click.option("--again", type=click.IntRange(1), help="Measure so many recorded cells again.")
def main(
    name: str | None,
    out: Path | None,
    jobs: int,
    repeats: int | None,
    only: tuple[str, ...],
    page_only: bool,
    again: int | None,
) -> None:
    """Measure the study NAME, or one file of it (NAME/FILE), and write its page.

    What was measured before is kept: a run that was stopped goes on. Without NAME the studies are
    listed; with --again, some cells of all of them are measured once more, and numbers that this
    version makes differently are told.
    """
    if name is None and again is None:
        click.echo("The studies; a / and the name of a file measures that file alone:")
        for study in STUDIES.values():
            files = ", ".join(records.name for records in study.records)
            click.echo(f"  {study.name:<15} {study.about}; {study.cost} ({files})")
        return
    try:
        for study, records in [_found(name)] if name else [(one, None) for one in STUDIES.values()]:
            folder = out or _folder_of(study)
            files = study.records if records is None else (records,)
            if again is not None:
                _again(study, files, folder, again)
                continue
            for one in () if page_only else files:
                _measure(one, folder, _wanted(one, repeats, only), jobs)
            _write_page(study, folder)
    except (DatasetError, InUseError) as error:
        raise click.ClickException(str(error)) from None


def _folder_of(study: Study) -> Path:
    """Return the folder of a page; a study that has no page in the documentation makes its own."""
    folder = DOCS / study.name
    return folder if folder.exists() else Path(study.name)


def _found(name: str) -> tuple[Study, Records | None]:
    """Return the study, and the one file of it that is meant."""
    of, _, file = name.partition("/")
    files = {one.name: one for one in STUDIES[of].records} if of in STUDIES else {}
    if of not in STUDIES or (file and file not in files):
        allowed = [f"{of}/{one}" for one in files] or list(STUDIES)
        raise click.ClickException(f"`NAME` must be one of {', '.join(allowed)}; got {name}.")
    return STUDIES[of], files.get(file)


def _wanted(records: Records, repeats: int | None, only: tuple[str, ...]) -> list[Key]:
    """Return the cells of the plan that the options leave."""
    values: dict[str, set[str]] = {}
    for column, _, value in (one.partition("=") for one in only):
        values.setdefault(column, set()).add(value)
    unknown = set(values) - set(records.names)
    if unknown:
        raise click.ClickException(
            f"`--only` must name a column of {records.file}: {', '.join(records.names)}; "
            f"got {', '.join(sorted(unknown))}."
        )
    keys = chosen(records.plan(), records.names, values)
    if repeats is not None and REPEAT in records.names:
        place = records.names.index(REPEAT)
        keys = [key for key in keys if key[place] < repeats]
    return keys


def _measure(records: Records, folder: Path, keys: list[Key], jobs: int) -> None:
    if not records.can_run:
        click.echo(f"{records.file} is left out: it needs {records.needs}.")
        return
    for dataset in {value for key in keys for value in key} & set(DATASET_NAMES):
        load_uci(dataset)  # no set may be missing in the middle of a run
    click.echo(f"{folder / records.file}: {len(keys)} cells", err=True)
    with progress_bar("cells") as progress:
        measure_missing(records, folder, keys, n_jobs=jobs, progress=progress)


def _write_page(study: Study, folder: Path) -> None:
    if study.write_page is None:
        click.echo(f"The records are in {folder}; its pages are written by hand.")
        return
    if not any(len(records.read(folder)) for records in study.records):
        click.echo(f"There is no page: {folder} has no records.")
        return
    study.write_page(folder)
    click.echo(f"The page is {folder / PAGE}.")


def _again(study: Study, files: tuple[Records, ...], folder: Path, n: int) -> None:
    for records in files:
        if records.timed or not records.can_run:
            continue
        for cell in measure_again(records, folder, n):
            click.echo(f"{study.name}/{records.name} {cell.in_words()}")


if __name__ == "__main__":
    main()
