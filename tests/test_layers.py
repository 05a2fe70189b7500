"""The layers: data flow one way, `import unlabeled` is light, and few places print."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "unlabeled"
ORDER = (
    "extras",
    "codes",
    "parameters",
    "files",
    "rates",
    "blocks",
    "labels",
    "datasets",
    "metrics",
    "theory",
    "losses",
    "objective",
    "solvers",
    "thresholds",
    "label_frequency",
    "inference",
    "linear_model",
    "meta",
    "diagnostics",
    "comparison",
    "plots",
    "experiments",
    "tables",
    "table_model",
    "model_files",
    "report",
    "cli",
)
TOP_LEVEL = "__init__"
WITHOUT_A_LAYER = {"_version", "_versions"}
HEAVY = ("matplotlib", "pandas", "dask", "polars", "pyarrow", "skrub", "skops", "onnx")

FILES = sorted(PACKAGE.rglob("*.py"))


def part_of(module: tuple[str, ...]) -> str:
    """Return the layer of a module given as its path below the package."""
    return module[0] if module else TOP_LEVEL


def module_path(file: Path) -> tuple[str, ...]:
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


def modules_imported(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what a module of `package` imports of unlabeled, each as its path below unlabeled."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ["unlabeled", *package][: len(package) + 2 - node.level] if node.level else []
            base = above + (node.module.split(".") if node.module else [])
            # `from unlabeled import theory` names a layer only in its last part.
            names = [[*base, alias.name] for alias in node.names]
        else:
            continue
        for name in names:
            if name[0] == "unlabeled":
                yield tuple(name[1:])


def imports_of(source: str, file: Path) -> set[tuple[str, ...]]:
    package = module_path(file) if file.name == "__init__.py" else module_path(file)[:-1]
    return set(modules_imported(ast.parse(source), package))


def layers_imported(source: str, file: Path) -> set[str]:
    parts = {part_of(module) for module in imports_of(source, file)}
    return {part for part in parts if part in ORDER or part == TOP_LEVEL}


def private_imports(source: str, file: Path) -> set[str]:
    """Return what a file imports of the inside of another part."""
    own = part_of(module_path(file))
    return {
        ".".join(module)
        for module in imports_of(source, file)
        if part_of(module) != own and any(is_private(name) for name in module[1:])
    }


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def imports_upwards(source: str, file: Path) -> set[str]:
    own = part_of(module_path(file))
    if own in WITHOUT_A_LAYER:
        return layers_imported(source, file)
    allowed = ORDER[: ORDER.index("cli")] if own == TOP_LEVEL else ORDER[: ORDER.index(own) + 1]
    return layers_imported(source, file) - set(allowed)


def test_the_map_for_contributors_has_every_part_in_its_order():
    guide = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    lines = guide.partition("## The map")[2].split("```")[1].strip().splitlines()
    assert tuple(line.split()[0] for line in lines if not line.startswith(" ")) == ORDER


def test_the_five_files_to_read_first_are_there_and_follow_the_data():
    guide = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    files = re.findall(r"^\d\. `(\S+)`", guide, flags=re.MULTILINE)
    assert len(files) == 5
    assert all((PACKAGE / file).is_file() for file in files)
    layers = [ORDER.index(file.partition("/")[0]) for file in files]
    assert layers == sorted(layers)


def test_every_part_of_the_package_has_a_place_in_the_order():
    parts = {part_of(module_path(file)) for file in FILES}
    assert parts <= {*ORDER, TOP_LEVEL, *WITHOUT_A_LAYER}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_part_imports_only_parts_before_it(file):
    assert not imports_upwards(file.read_text("utf-8"), file)


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("losses/_logistic.py", "from ..objective import Objective"),
        ("losses/__init__.py", "from ..solvers._newton import newton"),
        ("losses/_logistic.py", "import unlabeled.linear_model._naive"),
        ("losses/_logistic.py", "from unlabeled import cli"),
        ("losses/_logistic.py", "def late():\n    from .. import thresholds"),
        ("labels/_encoding.py", "from ..metrics import f1_pu_score"),
        ("__init__.py", "from .cli import main"),
        ("_version.py", "from .codes import warn"),
    ],
)
def test_an_import_upwards_is_noticed(importer, source):
    assert imports_upwards(source, PACKAGE / importer)


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        (
            "objective/_objective.py",
            "from ..losses import LogisticLoss\nfrom ._blocks import blocks",
        ),
        ("linear_model/_naive.py", "import numpy as np\nfrom ..codes import warn"),
        ("cli/_demo.py", "from unlabeled import __version__, datasets"),
        ("__init__.py", "from ._version import __version__\nfrom .linear_model import X"),
    ],
)
def test_an_import_downwards_is_allowed(importer, source):
    assert not imports_upwards(source, PACKAGE / importer)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_a_part_imports_what_others_export(file):
    assert not private_imports(file.read_text("utf-8"), file)


@pytest.mark.parametrize(
    "source",
    [
        "from ..blocks._dask import is_dask",
        "from ..metrics import _from_rates as rates",
        "import unlabeled.blocks._dask",
        "from unlabeled.labels import _rows",
        "def late():\n    from ..tables._words import listed",
    ],
)
def test_an_import_of_the_inside_of_another_part_is_noticed(source):
    assert private_imports(source, PACKAGE / "linear_model" / "_naive.py")


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("linear_model/_naive.py", "from ..blocks import is_dask\nfrom ._base import fit"),
        ("linear_model/_naive.py", "from .. import rates\nfrom ..rates import f1"),
        ("experiments/outcome/_page.py", "from ..records import read\nfrom ._table import table"),
        ("cli/_demo.py", "from unlabeled import __version__, datasets"),
    ],
)
def test_an_import_of_what_a_part_exports_is_allowed(importer, source):
    assert not private_imports(source, PACKAGE / importer)


def test_importing_the_package_loads_nothing_heavy():
    # Scikit-learn itself loads pandas where it is installed.
    code = (
        "import sys, sklearn.utils\n"
        "before = set(sys.modules)\n"
        "import unlabeled\n"
        f"print(*[name for name in {HEAVY!r} if name in set(sys.modules) - before])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == []


def test_no_file_is_named_after_having_no_topic():
    homeless = {"utils", "helpers", "common"}
    assert not [
        file for file in FILES if homeless & {part.strip("_") for part in module_path(file)}
    ]


def writes_to_stdout(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "print"
    return isinstance(node, ast.Attribute) and node.attr == "stdout"


def test_only_the_command_line_watched_fits_and_versions_print():
    printing = {
        str(file.relative_to(PACKAGE))
        for file in FILES
        if part_of(module_path(file)) != "cli"
        and any(writes_to_stdout(node) for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    }
    assert printing == {"_versions.py", "solvers/_watch.py"}
