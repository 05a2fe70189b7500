"""What is done with the installed wheel: the same with every extra, and something of its own."""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Callable
from pathlib import Path

from .distributions import ROOT
from .environments import CheckError, Environment

# The array library that the user of an extra brings.
BROUGHT = {"array-api": ("array-api-strict",)}
# The table of the tests that fit one: rows, and how many of them come first with a label.
_ROWS, _POSITIVES = 300, 150

Use = Callable[[Environment], None]


def readme(environment: Environment) -> None:
    """The README's example prints what the README says."""
    text = (ROOT / "README.md").read_text("utf-8")
    example, expected = (_block(text, language) for language in ("python", "text"))
    found = environment.python("-W", "error", "-c", example)
    _expect(found == expected, f"The README's example printed:\n{found}")


def version(environment: Environment) -> None:
    """The command, the package and the distribution have one version."""
    source = (ROOT / "src" / "unlabeled" / "_version.py").read_text("utf-8")
    number = re.search(r'"(.*)"', source).group(1)
    told = environment.unlabeled("--version")
    _expect(told == f"unlabeled, version {number}\n", f"`unlabeled --version` printed: {told}")
    shown = environment.python("-W", "error", "-c", "import unlabeled; unlabeled.show_versions()")
    _expect(shown.startswith(f"unlabeled {number}\n"), f"show_versions printed:\n{shown}")


def demo(environment: Environment) -> None:
    """The demo writes its table, and a picture where something can draw it."""
    told = environment.unlabeled("demo", "--out", "demo-output")
    _expect((environment.cwd / "demo-output" / "demo.csv").is_file(), f"No table:\n{told}")
    drawn = any((environment.cwd / "demo-output").glob("*.png"))
    _expect(drawn != ("'unlabeled[plots]'" in told), f"A picture, or how to have it:\n{told}")


def subpackages(environment: Environment) -> None:
    """Every part can be imported, or a sentence names the extra that it needs."""
    environment.program("import_everything", environment.extra or "none")


def tables(environment: Environment) -> None:
    """From a table to scores, a model and a report; then new rows."""
    _write_table(environment.cwd / "patients.csv")
    asked = ("--label", "diagnosis", "--id", "patient", "--out", "ward", "--quiet")
    environment.unlabeled("fit", "patients.csv", *asked)
    environment.unlabeled("predict", "ward", "patients.csv", "--out", "scored.csv")
    for name in ("ward/report.html", "ward/model.skops", "scored.csv"):
        _expect((environment.cwd / name).is_file(), f"{name} was not written.")


def onnx(environment: Environment) -> None:
    """A model that was fitted to a table becomes an ONNX graph."""
    tables(environment)
    environment.unlabeled("export", "ward", "--out", "model.onnx")
    _expect((environment.cwd / "model.onnx").stat().st_size > 0, "model.onnx is empty.")


def _program(name: str, **variables: str) -> Use:
    def use(environment: Environment) -> None:
        environment.program(name, **variables)

    use.__name__ = name
    return use


ALWAYS: tuple[Use, ...] = (readme, version, demo, subpackages)
FOR_DEVELOPERS = ("boosters", "docs", "lint", "test")
OF_EXTRA: dict[str, Use] = {
    "array-api": _program("fit_other_arrays", SCIPY_ARRAY_API="1"),
    "dask": _program("fit_dask"),
    "datasets": _program("fit_frame"),
    "excel": tables,
    "onnx": onnx,
    "plots": _program("draw", MPLBACKEND="Agg"),
    "tables": tables,
}


def uses_of(extra: str | None) -> tuple[Use, ...]:
    """Everything to be done with an extra; those for developers are used by other commands."""
    if extra in FOR_DEVELOPERS:
        return (version,)
    return ALWAYS if extra is None else (*ALWAYS, OF_EXTRA[extra])


def _write_table(path: Path) -> None:
    rng = random.Random(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["patient", "age", "ward", "diagnosis"])
        for k in range(_ROWS):
            positive = k < _POSITIVES
            age = round(rng.gauss(70 if positive else 45, 10), 1)
            rows.writerow([k, age, rng.choice("AB"), "yes" if positive and k % 2 else ""])


def _block(text: str, language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", text, flags=re.DOTALL).group(1)


def _expect(found: bool, otherwise: str) -> None:
    if not found:
        raise CheckError(otherwise)
