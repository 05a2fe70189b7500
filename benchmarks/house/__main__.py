"""Measure the house, and the house at an earlier commit beside it."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import matplotlib as mpl

from ..timings.between_versions import export_sources
from .imports import LAYERS, PACKAGE, draw_imports, layer_of, module_of, private_imports
from .sizes import measure_sizes, sources_in

_REPOSITORY = Path(__file__).parents[2]
_SOURCES = "src"
_CODE_BASE, _DENSITY = "code base", "files per 1000 lines"


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=_REPOSITORY / "docs" / "house",
    help="Folder to fill. [default: docs/house]",
)
@click.option("--before", metavar="COMMIT", help="An earlier commit to measure as well.")
@click.option(
    "--python",
    default=sys.executable,
    help="Python of an environment in which both versions run. [default: this one]",
)
@click.option(
    "--beside",
    nargs=2,
    metavar="NAME FOLDER",
    type=(str, click.Path(exists=True, file_okay=False, path_type=Path)),
    multiple=True,
    help="Another code base whose sizes to measure; may be repeated. Rows of other code bases "
    "that sizes.csv already holds are kept.",
)
def main(out: Path, before: str | None, python: str, beside: tuple[tuple[str, Path], ...]) -> None:
    """Write sizes.csv, tree.csv, walks.csv (what a call runs through) and imports.svg."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        houses = {PACKAGE: _REPOSITORY / _SOURCES}
        if before:
            export_sources(before, Path(name))
            houses[f"{PACKAGE}, {before}"] = Path(name) / _SOURCES
        walks = {name: _walks(python, sources) for name, sources in houses.items()}
        sources = {name: sources_in(folder / PACKAGE) for name, folder in houses.items()}
    _write(out / "walks.csv", _walk_rows(walks))
    sources |= {name: sources_in(folder) for name, folder in beside}
    sizes = {name: measure_sizes(files) for name, files in sources.items()}
    _write(out / "sizes.csv", _size_rows(_others(out / "sizes.csv", sizes) | sizes))
    mpl.use("Agg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": PACKAGE})
    draw_imports(sources[PACKAGE], out / "imports.svg")
    own = {name: files for name, files in sources.items() if name in houses}
    _write(out / "tree.csv", _tree_rows(own))
    private = private_imports(sources[PACKAGE])
    click.echo(f"{len(private)} names are imported from the inside of another part.")
    click.echo(f"The tables and the picture are in {out}.")


def _tree_rows(houses: dict[str, dict[str, str]]) -> list[dict[str, object]]:
    """Return one row per part of the package, in the order of the map, and one for all."""
    parts: dict[str, dict[str, object]] = {layer: {"part": layer} for layer in (*LAYERS, "all")}
    for name, sources in reversed(houses.items()):
        before = name.removeprefix(PACKAGE)
        for file, source in sources.items():
            layer = layer_of(module_of(file))
            for row in (parts.setdefault(layer, {"part": layer}), parts["all"]):
                for column, more in (("files", 1), ("lines", source.count("\n"))):
                    row[column + before] = int(str(row.get(column + before, 0))) + more
    parts["all"] = parts.pop("all")  # the last one
    columns = dict.fromkeys(column for row in parts.values() for column in row)
    return [{column: row.get(column, 0) for column in columns} for row in parts.values()]


def _walks(python: str, sources: Path) -> dict[str, dict[str, int]]:
    """Measure the walks in a process that imports the package from a folder."""
    done = subprocess.run(
        [python, "-m", "benchmarks.house.walks"],
        cwd=_REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(sources)},
        stdout=subprocess.PIPE,
        check=True,
    )
    walks: dict[str, dict[str, int]] = json.loads(done.stdout)
    return walks


def _walk_rows(walks: dict[str, dict[str, dict[str, int]]]) -> list[dict[str, object]]:
    """Return one row per call; the counts of an earlier commit come before those of now."""
    now = walks[PACKAGE]
    return [
        {"call": call}
        | {
            count if house == PACKAGE else f"{count}, {house.split(', ')[1]}": counts[call][count]
            for count in now[call]
            for house, counts in reversed(walks.items())
        }
        for call in now
    ]


def _others(path: Path, measured: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return the rows of other code bases that were measured before and not now."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = {row.pop(_CODE_BASE): row for row in csv.DictReader(file)}
    return {
        name: row
        for name, row in rows.items()
        if name not in measured and name.partition(",")[0] != PACKAGE
    }


def _size_rows(sizes: dict[str, dict[str, str]]) -> list[dict[str, object]]:
    """Return one row per code base, ours first."""
    ours_first = sorted(sizes, key=lambda name: name.partition(",")[0] != PACKAGE)
    return [
        {
            _CODE_BASE: name,
            **sizes[name],
            _DENSITY: f"{1000 * int(sizes[name]['files']) / int(sizes[name]['lines']):.1f}",
        }
        for name in ours_first
    ]


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
