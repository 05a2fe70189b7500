"""The layers: data flow one way, parts keep to themselves, imports are light, few places print."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks.house.imports import (
    LAYERS,
    TOP_LEVEL,
    Module,
    imports_of,
    layer_of,
    module_of,
    private_imports_of,
)
from tests.commands import run_python

PACKAGE = Path(__file__).parents[1] / "src" / "unlabeled"
# The version, and the folder that holds the engine: they import nothing.
WITHOUT_A_LAYER = {"_version", "engine"}
# They offer what parts have, to users.
ROOMS = (TOP_LEVEL, "app")
HEAVY = ("matplotlib", "pandas", "dask", "polars", "pyarrow", "skops", "onnx")

FILES = sorted(PACKAGE.rglob("*.py"))
REPOSITORY = PACKAGE.parents[1]


def name_of(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


def part_of(file: Path) -> str:
    return layer_of(module_of(name_of(file)))


each_part = pytest.mark.parametrize("part", sorted({part_of(file) for file in FILES}))


def found_in(part: str, look: Callable[[str, str], set[str]]) -> dict[str, set[str]]:
    """Look at the name and the source of each file of a part; return what was found in which."""
    files = [name_of(file) for file in FILES if part_of(file) == part]
    found = {name: look(name, (PACKAGE / name).read_text("utf-8")) for name in files}
    return {name: wrong for name, wrong in found.items() if wrong}


def imports_upwards(file: str, source: str) -> set[str]:
    own = layer_of(module_of(file))
    imported = {layer_of(module) for module in imports_of(file, source)}
    if own in WITHOUT_A_LAYER:
        allowed: tuple[str, ...] = ()
    else:
        allowed = LAYERS[: LAYERS.index("cli" if own in ROOMS else own) + (own not in ROOMS)]
    return (imported & {*LAYERS, TOP_LEVEL}) - set(allowed)


def test_the_map_for_contributors_has_every_part_in_its_order():
    guide = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    lines = guide.partition("## The map")[2].split("```")[1].strip().splitlines()
    assert tuple(line.split()[0] for line in lines if not line.startswith(" ")) == LAYERS


def test_the_five_files_to_read_first_are_there_and_follow_the_data():
    guide = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    files = re.findall(r"^\d\. `(\S+)`", guide, flags=re.MULTILINE)
    assert len(files) == 5
    assert all((PACKAGE / file).is_file() for file in files)
    layers = [LAYERS.index(layer_of(module_of(file))) for file in files]
    assert layers == sorted(layers)


def test_every_part_of_the_package_has_a_place_in_the_order():
    parts = {part_of(file) for file in FILES}
    assert parts <= {*LAYERS, *ROOMS, *WITHOUT_A_LAYER}


@each_part
def test_a_part_imports_only_parts_before_it(part):
    assert found_in(part, imports_upwards) == {}


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("engine/losses.py", "from .objective import Objective"),
        ("engine/objective/__init__.py", "from ..solvers._descent import newton"),
        ("engine/losses.py", "import unlabeled.linear_model._naive"),
        ("engine/losses.py", "from unlabeled import cli"),
        ("engine/losses.py", "def late():\n    from .. import thresholds"),
        ("engine/rows/_encoding.py", "from ...metrics import f1_pu_score"),
        ("app/tables/_read.py", "from ..report import make_report"),
        ("__init__.py", "from .cli import main"),
        ("_version.py", "from .codes import warn"),
        ("engine/__init__.py", "from .losses import LogisticLoss"),
    ],
)
def test_an_import_upwards_is_noticed(importer, source):
    assert imports_upwards(importer, source)


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        (
            "engine/objective/_objective.py",
            "from ..losses import LogisticLoss\nfrom ._moments import moments_of_rows",
        ),
        ("linear_model/_naive.py", "import numpy as np\nfrom ..codes import warn"),
        ("app/report/_page.py", "from ..tables import read_table\nfrom ...plots import style"),
        ("cli/_demo.py", "from unlabeled import __version__, datasets"),
        ("__init__.py", "from ._version import __version__\nfrom .linear_model import X"),
    ],
)
def test_an_import_downwards_is_allowed(importer, source):
    assert not imports_upwards(importer, source)


@each_part
def test_a_part_imports_what_others_export(part):
    assert found_in(part, private_imports_of) == {}


@pytest.mark.parametrize(
    "source",
    [
        "from ..engine.rows._dask import is_dask",
        "from ..metrics import _from_rates as rates",
        "import unlabeled.engine.rows._dask",
        "from unlabeled.engine.rows import _validate",
        "def late():\n    from ..app.tables._words import listed",
    ],
)
def test_an_import_of_the_inside_of_another_part_is_noticed(source):
    assert private_imports_of("linear_model/_naive.py", source)


@pytest.mark.parametrize(
    ("importer", "source"),
    [
        ("linear_model/_naive.py", "from ..engine.rows import is_dask\nfrom ._base import fit"),
        ("linear_model/_naive.py", "from .. import rates\nfrom ..rates import f1"),
        (
            "app/report/_page.py",
            "from ..tables import read_table\nfrom ._text import number",
        ),
        ("cli/_demo.py", "from unlabeled import __version__, datasets"),
    ],
)
def test_an_import_of_what_a_part_exports_is_allowed(importer, source):
    assert not private_imports_of(importer, source)


# Private attributes of other packages that we read, because there is no public way.
FOREIGN = {
    "_meta": "the empty frame that tells the columns of a Dask frame without reading a row",
    "_predictors": "the trees of scikit-learn's boosting, which a model file has to hold",
    "_baseline_prediction": "where scikit-learn's boosting starts",
    "_bin_mapper": "what scikit-learn's boosting knows of categories: none",
    "_pipeline": "the steps of skrub that a model file of 0.2.0 describes",
    "_infrequent_indices": "the rare levels that a model file of 0.2.0 describes",
    "_tfidf": "the weights of pieces that a model file of 0.2.0 describes",
}
# Fitted attributes that other parts and our measurements read, and users are not told of.
SHARED = {
    "_design_effect_": "by what factor groups increase the variance of what the labels say",
    "_fingerprint_": "the checksum by which rows of the fit are recognized",
    "_member_lines_": "how contributions of a member become those of an ensemble",
    "_n_rows_searched_": "on how many rows settings were compared",
    "_swap_ratio_": "how much less likely the fit with swapped factors is",
}
# Documented in spite of their underscore: the methods of a NamedTuple, and the caller's frame.
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_getframe"}


def is_private(name: object) -> bool:
    return isinstance(name, str) and name.startswith("_") and not name.endswith("__")


def is_named(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def own_names(source: str) -> set[str]:
    """Return what a file's classes define: methods, class attributes, attributes of self."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found |= {node.attr} if is_named(node.value, "self", "cls") else set()
        for line in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(line, ast.FunctionDef):
                found.add(line.name)
            targets = line.targets if isinstance(line, ast.Assign) else [line]
            targets = [line.target] if isinstance(line, ast.AnnAssign) else targets
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


@cache
def names_of_part(part: str) -> set[str]:
    sources = (file.read_text("utf-8") for file in FILES if part_of(file) == part)
    return set().union(*map(own_names, sources))


def private_reads(source: str) -> set[str]:
    """Return the private attributes that a file reads or sets on what is not itself."""
    found: set[object] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            value = node.value
            of_itself = is_named(value, "self", "cls") or (
                isinstance(value, ast.Call) and is_named(value.func, "super")
            )
            found |= set() if of_itself else {node.attr}
        elif isinstance(node, ast.Call) and is_named(
            node.func, "getattr", "hasattr", "setattr", "delattr"
        ):
            found |= {name.value for name in node.args[1:2] if isinstance(name, ast.Constant)}
    return {str(name) for name in found if is_private(name)} - DOCUMENTED


def reads_of_others(part: str, source: str) -> set[str]:
    """Return the private attributes that a file of a part takes from another part."""
    return private_reads(source) - names_of_part(part) - set(FOREIGN) - set(SHARED)


@each_part
def test_a_part_reads_what_others_make_public(part):
    assert found_in(part, lambda _, source: reads_of_others(part, source)) == {}


@pytest.mark.parametrize(
    "source",
    [
        "slope = model._posterior[1]",
        "model._copies = True",
        "del model._copies",
        "def cut(fit):\n    return fit.classifier._posterior",
        "getattr(model, '_posterior', None)",
        "hasattr(model, '_posterior')",
        "setattr(model, '_copies', True)",
        "unlabeled.engine.rows._dask",
        # Another part's own; plots define neither.
        "model._fit_rows(rows, watch)",
        "model._sign",
    ],
)
def test_a_read_of_the_inside_of_another_part_is_noticed(source):
    assert reads_of_others("plots", source)


@pytest.mark.parametrize(
    "source",
    [
        "self._anything = super()._anything()",
        "cls._anything",
        "model.__dict__, model.threshold_",
        "row._replace(score=0.0)._asdict()",
        "sys._getframe(1)",
        "getattr(model, 'threshold_', None), getattr(model, name)",
        "hasattr(X, '__array__')",
        # A display may use what displays define.
        "display._drawn_if(True, ax)",
    ],
)
def test_a_read_of_what_is_public_or_of_the_same_part_is_allowed(source):
    assert not reads_of_others("plots", source)


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "examples"])
def test_benchmarks_docs_and_examples_use_what_is_public(folder):
    found = {}
    for file in sorted((REPOSITORY / folder).rglob("*.py")):
        name, source = file.relative_to(REPOSITORY).as_posix(), file.read_text("utf-8")
        imported = {part for module in imports_of(name, source) for part in module}
        found[name] = {part for part in imported if is_private(part)}
        found[name] |= private_reads(source) - own_names(source)
        found[name] -= set(SHARED) if folder == "benchmarks" else set()
    assert len(found) > 5
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


# What the reproduction uses although users are not told of it.
BENEATH = {
    "engine.files": "files that are written whole, and the lock of a folder",
    "engine.linear_fits.LinearProblem": "fits along a path of ridges, each started at the last",
    "engine.losses.LogisticLoss": "the loss of these fits",
    "engine.progress": "the progress bar",
    "rates": "measures as functions of recall, share and class prior",
}


def is_offered(module: Module) -> bool:
    """Return whether a part of the library lists the name, or `BENEATH` has it."""
    name = ".".join(module)
    if not module or any(name == other or name.startswith(f"{other}.") for other in BENEATH):
        return True
    return module[-1] in import_module(".".join(("unlabeled", *module[:-1]))).__all__


def test_the_reproduction_uses_what_users_are_told_of():
    used: set[Module] = set()
    for file in sorted((REPOSITORY / "reproduction").rglob("*.py")):
        name, source = file.relative_to(REPOSITORY).as_posix(), file.read_text("utf-8")
        used |= {module for module in imports_of(name, source) if module[:1] != ("reproduction",)}
        assert private_reads(source) <= own_names(source), name
    assert [module for module in used if not is_offered(module)] == []
    names = {".".join(module) for module in used}
    assert all(any(name.startswith(other) for name in names) for other in BENEATH)


def test_private_attributes_of_other_packages_are_read_and_are_none_of_ours():
    read = set().union(*(private_reads(file.read_text("utf-8")) for file in FILES))
    assert set(FOREIGN) <= read
    assert not set(FOREIGN) & set().union(*(names_of_part(part_of(file)) for file in FILES))


def test_shared_attributes_are_ours_and_another_file_reads_them():
    files = [*FILES, *sorted((REPOSITORY / "benchmarks").rglob("*.py"))]
    sources = [file.read_text("utf-8") for file in files]
    assert set(SHARED) <= set().union(*map(own_names, sources))
    assert set(SHARED) <= set().union(*(private_reads(one) - own_names(one) for one in sources))


def test_importing_the_package_loads_nothing_heavy():
    # Scikit-learn itself loads pandas where it is installed.
    code = (
        "import sys, sklearn.utils\n"
        "before = set(sys.modules)\n"
        "import unlabeled\n"
        f"print(*[name for name in {HEAVY!r} if name in set(sys.modules) - before])"
    )
    assert run_python(code).stdout.split() == []


def test_no_file_is_named_after_having_no_topic():
    homeless = {"utils", "helpers", "common"}
    assert not [
        file for file in FILES if homeless & {part.strip("_") for part in module_of(name_of(file))}
    ]


def writes_to_stdout(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "print"
    return isinstance(node, ast.Attribute) and node.attr == "stdout"


def test_only_the_command_line_watched_fits_and_versions_print():
    printing = {
        str(file.relative_to(PACKAGE))
        for file in FILES
        if part_of(file) != "cli"
        and any(writes_to_stdout(node) for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    }
    assert printing == {"engine/versions.py", "engine/linear_fits/_report.py"}
