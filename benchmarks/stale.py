"""Which records would this version make differently: a few of each study are measured again.

``python -m benchmarks.stale`` measures a few records per study under `docs/` again and says which
numbers differ. Timed studies are left out. So are the reproduction and the fits of other packages,
which compare before they continue, and calibration, whose records are means. Needs the UCI sets, in
the folder named by UNLABELED_DATA.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import click
import numpy as np

from benchmarks.checks import measure as checks
from benchmarks.replications import read_replication
from benchmarks.rows_of_cells import read_cells
from reproduction.studies.draw import seed_of
from reproduction.studies.records import FILE
from unlabeled.datasets import DatasetError

DOCS = Path(__file__).parents[1] / "docs"

OF_CELLS = {
    "audit/coverage.csv": "benchmarks.audit.coverage:measure",
    "audit/cut.csv": "benchmarks.audit.cut:measure",
    "audit/relabelled.csv": "benchmarks.audit.relabelled:measure",
    "check_rates/few_labelled.csv": "benchmarks.checks.few_labelled:measure",
    "check_rates/inverted.csv": "benchmarks.checks.inverted:measure",
    "choose/verdicts.csv": "benchmarks.verdict_study:measure",
    "count/nine_sets.csv": "benchmarks.count.nine_sets:measure",
    "count/small_tables.csv": "benchmarks.count.nine_sets:measure_small",
    "count/populations.csv": "benchmarks.count.populations:measure",
    "eleven_tables/nine_sets.csv": "benchmarks.eleven_tables.nine_sets:measure",
    "eleven_tables/tables.csv": "benchmarks.eleven_tables.study:measure",
    "ensemble/choices.csv": "benchmarks.ensemble.choices:measure",
    "ensemble/nine_sets.csv": "benchmarks.ensemble.nine_sets:measure",
    "ensemble/published.csv": "benchmarks.ensemble.published:measure",
    "field/ecai.csv": "benchmarks.field.ecai:measure",
    "groups/persons.csv": "benchmarks.groups:measure",
    "measures/draws.csv": "benchmarks.measures.study:measure",
    "not_at_random/checked.csv": "benchmarks.not_at_random.checked:measure",
    "not_at_random/splits.csv": "benchmarks.not_at_random.splits:measure",
    "part_of_rows/parts.csv": "benchmarks.part_of_rows:measure",
    "two_samples/populations.csv": "benchmarks.two_samples.populations:measure",
}
"""Studies whose records are rows of a file: the file, and the function that measures a row."""

LARGE = ("adult", "musk", "spambase")
"""Sets whose records take long to measure; records of other sets show the same changes."""

TOLERANCE = 1e-3
"""Relative difference of numbers that are the same but for rounding."""


class Recorded(NamedTuple):
    """A record: what it is called, the numbers on disk, and how to measure them again."""

    name: str
    numbers: Mapping[str, float]
    function: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def measured_again(self) -> Mapping[str, float]:
        """Return the numbers of this version."""
        module, _, function = self.function.partition(":")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Mapping[str, float] = getattr(import_module(module), function)(
                *self.arguments, **self.options
            )
        return found


def records_of_cells(path: Path, function: str, n: int, seed: int) -> Iterator[Recorded]:
    """Draw `n` rows of a file of cells."""
    names = import_module(function.partition(":")[0]).NAMES
    found = read_cells(path)
    if "dataset" in names:
        found = found[~found["dataset"].isin(LARGE)]
    for row in found.sample(min(n, len(found)), random_state=seed).to_dict("records"):
        key = tuple(row.pop(name) for name in names)
        yield Recorded(" ".join(map(str, key)), row, function, key, {})


def records_of_replications(folder: Path, n: int, seed: int) -> Iterator[Recorded]:
    """Draw one repeat of each of `n` replications of a folder."""
    manifest = json.loads((folder / FILE).read_text("utf-8"))
    known = {
        name: one
        for name, one in manifest["replications"].items()
        if one["arguments"].get("dataset") not in LARGE
    }
    rng = np.random.default_rng(seed)
    for name in rng.permutation(sorted(known))[:n].tolist():
        one, found = known[name], read_replication(folder, name)
        if not len(found):  # begun, but not measured yet
            continue
        (row,) = found.sample(1, random_state=seed).to_dict("records")
        repeat = int(row.pop("repeat"))
        given = (seed_of(name, repeat),)
        yield Recorded(f"{name} {repeat}", row, one["function"], given, one["arguments"])


def records_of_checks(folder: Path, n: int, seed: int) -> Iterator[Recorded]:
    """Draw `n` diagnoses of the check rates."""
    known = [one for one in checks.Records(folder) if one.draw.dataset not in LARGE]
    for k in np.random.default_rng(seed).permutation(len(known))[:n]:
        draw = astuple(known[k].draw)
        name = " ".join(map(str, draw))
        function = "benchmarks.checks.measure:levels_of"
        yield Recorded(name, checks.in_levels(known[k]), function, draw, {})


def differences(
    old: Mapping[str, float], new: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the numbers that differ, or that only one has, with NaN for the other; no times."""
    names = [name for name in dict.fromkeys([*old, *new]) if "seconds" not in name]
    pairs = {name: (old.get(name, np.nan), float(new.get(name, np.nan))) for name in names}
    return {
        name: pair
        for name, pair in pairs.items()
        if not np.isclose(*pair, rtol=TOLERANCE, atol=1e-6, equal_nan=True)
    }


@click.command()
@click.option(
    "--docs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=DOCS,
    help="Folder of the pages.",
)
@click.option("--study", "chosen", multiple=True, help="Part of a study's name; may be repeated.")
@click.option(
    "--records", type=click.IntRange(1), default=3, show_default=True, help="Records per study."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Chooses them.")
def main(docs: Path, chosen: tuple[str, ...], records: int, seed: int) -> None:
    """Say which records this version would make differently."""
    studies = {
        name: records_of_cells(docs / name, function, records, seed)
        for name, function in OF_CELLS.items()
        if (docs / name).exists()
    }
    for file in sorted(docs.glob(f"*/*/{FILE}")):
        name = file.parent.relative_to(docs).as_posix()
        if name != "coverage/peer":  # of another package
            studies[name] = records_of_replications(file.parent, records, seed)
    path = Path("check_rates", checks.FILE)
    if (docs / path).exists():
        studies[path.as_posix()] = records_of_checks((docs / path).parent, records, seed)
    if not studies:
        raise click.ClickException(f"`--docs` must be a folder with studies; got {docs}.")
    unknown = [word for word in chosen if not any(word in name for name in studies)]
    if unknown:
        raise click.ClickException(
            f"`--study` must be part of a study's name; got {', '.join(unknown)}. "
            f"The studies: {', '.join(sorted(studies))}."
        )
    wanted = [name for name in sorted(studies) if any(word in name for word in chosen or ("",))]
    try:
        for name in wanted:
            _tell(name, studies[name])
    except DatasetError as error:
        raise click.ClickException(str(error)) from None


def _tell(study: str, drawn: Iterator[Recorded]) -> None:
    for record in drawn:
        start = perf_counter()
        found = differences(record.numbers, record.measured_again())
        shown = ", ".join(f"{k} {a:.4g} -> {b:.4g}" for k, (a, b) in list(found.items())[:4])
        words = f"{len(found)} of {len(record.numbers)} differ: {shown}" if found else "same"
        click.echo(f"{study}, {record.name} ({perf_counter() - start:.1f} s): {words}")


if __name__ == "__main__":
    main()
