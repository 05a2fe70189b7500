"""Measure the house before and now, beside others', and draw its import graph."""

from __future__ import annotations

import csv
import io
import subprocess
import tarfile
from collections import Counter
from pathlib import Path, PurePosixPath

import click
import matplotlib as mpl

from .figure import draw_imports
from .imports import LAYERS, layer_imports, layer_of, module_of, private_imports
from .sizes import Sizes, measure, sources_in

_REPOSITORY = Path(__file__).parents[2]
_PACKAGE = PurePosixPath("src/unlabeled")
_SPREADS = ("median", "nine tenths", "longest")
_N_LONGEST = 12


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=_REPOSITORY / "docs" / "house",
    help="Folder to fill. [docs/house]",
)
@click.option(
    "--before", metavar="COMMIT", help="A commit to measure beside the files as they are."
)
@click.option(
    "--beside",
    nargs=2,
    metavar="NAME FOLDER",
    type=(str, click.Path(exists=True, file_okay=False, path_type=Path)),
    multiple=True,
    help="Another code base, measured with the same ruler; may be repeated.",
)
def main(out: Path, before: str | None, beside: tuple[tuple[str, Path], ...]) -> None:
    """Count lines of files and functions, and draw which layer imports which."""
    mpl.use("Agg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "unlabeled"})
    out.mkdir(parents=True, exist_ok=True)
    houses = {"unlabeled": sources_in(_REPOSITORY / _PACKAGE)}
    if before:
        houses[f"unlabeled, {before}"] = _sources_at(before)
    for name, sources in houses.items():
        _draw(sources, out / ("imports.svg" if name == "unlabeled" else "imports_before.svg"))
    houses |= {name: sources_in(folder) for name, folder in beside}
    sizes = {name: measure(sources) for name, sources in houses.items()}
    _write(out / "sizes.csv", [_size_row(name, of_one) for name, of_one in sizes.items()])
    _write(out / "longest.csv", _longest(sizes["unlabeled"]))
    for name in list(houses)[: 1 + bool(before)]:
        private = private_imports(houses[name])
        click.echo(f"{name}: {len(private)} names imported from the inside of another layer")
    click.echo(f"The tables and pictures are in {out}.")


def _sources_at(commit: str) -> dict[str, str]:
    """Return the package's files as they were at a commit."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit, str(_PACKAGE)],
        cwd=_REPOSITORY,
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        return {
            str(PurePosixPath(member.name).relative_to(_PACKAGE)): file.read().decode("utf-8")
            for member in files.getmembers()
            if member.name.endswith(".py") and (file := files.extractfile(member))
        }


def _draw(sources: dict[str, str], path: Path) -> None:
    private = {
        (layer_of(module_of(file)), module.partition(".")[0])
        for file, module in private_imports(sources)
    }
    files = Counter(layer_of(module_of(file)) for file in sources)
    draw_imports(LAYERS, layer_imports(sources, LAYERS), private, files, path)


def _size_row(name: str, sizes: Sizes) -> dict[str, object]:
    spreads = (("file", sizes.file_lines()), ("function", sizes.function_lines()))
    return {
        "code base": name,
        "files": len(sizes.files),
        "lines": sizes.n_lines,
        "functions": len(sizes.functions),
    } | {
        f"{of}: {which}": f"{count:.0f}"
        for of, spread in spreads
        for which, count in zip(_SPREADS, spread, strict=True)
    }


def _longest(sizes: Sizes) -> list[dict[str, object]]:
    """Return the longest functions and the longest files, side by side."""
    functions = sorted(sizes.functions, key=lambda one: -one.n_lines)[:_N_LONGEST]
    files = sorted(sizes.files.items(), key=lambda item: -item[1])[:_N_LONGEST]
    return [
        {
            "function": f"{function.name} ({function.file})",
            "code lines": function.n_lines,
            "file": file,
            "lines": n_lines,
        }
        for function, (file, n_lines) in zip(functions, files, strict=True)
    ]


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
