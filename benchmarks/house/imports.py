"""Which layer of the package imports which, read from the code."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

PACKAGE = "unlabeled"
TOP_LEVEL = "__init__"
LAYERS = (
    "codes",
    "rates",
    "engine.extras",
    "engine.parameters",
    "engine.files",
    "engine.versions",
    "engine.progress",
    "engine.rows",
    "engine.losses",
    "engine.objective",
    "engine.solvers",
    "engine.linear_fits",
    "datasets",
    "metrics",
    "thresholds",
    "label_frequency",
    "inference",
    "linear_model",
    "meta",
    "diagnostics",
    "comparison",
    "plots",
    "app.tables",
    "app.table_model",
    "app.model_files",
    "app.report",
    "paper.theory",
    "paper.studies",
    "paper.outcome",
    "cli",
)
"""The parts of the package in the order of the data: a part imports only parts before it."""

APART = (("app", "paper"),)
"""Houses on the library that do not import each other."""

Module = tuple[str, ...]
"""A module as its path below the package: `("losses", "_logistic")`."""


def module_of(file: str) -> Module:
    """Return the module of a file given by its path below the package."""
    parts = PurePosixPath(file).with_suffix("").parts
    return parts[:-1] if parts[-1] == TOP_LEVEL else parts


def layer_of(module: Module) -> str:
    """Return the part of the package that a module, or a name in one, belongs to."""
    path = ".".join(module)
    for layer in LAYERS:
        if path == layer or path.startswith(f"{layer}."):
            return layer
    return module[0] if module else TOP_LEVEL


def house_of(layer: str) -> str:
    """Return the first word of a layer: `engine`, `app`, `paper`, or a room of the library."""
    return layer.partition(".")[0]


def imports_of(file: str, source: str) -> Iterator[Module]:
    """Yield what a file imports of the package, the imported name last."""
    module = module_of(file)
    package = module if PurePosixPath(file).stem == TOP_LEVEL else module[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = [PACKAGE, *package][: len(package) + 2 - node.level] if node.level else []
            base = above + (node.module.split(".") if node.module else [])
            # `from unlabeled import theory` names a layer only in its last part.
            names = [[*base, alias.name] for alias in node.names]
        else:
            continue
        yield from (tuple(name[1:]) for name in names if name[0] == PACKAGE)


def private_imports_of(file: str, source: str) -> set[str]:
    """Return what a file imports of the inside of another layer."""
    own = layer_of(module_of(file))
    return {
        ".".join(module)
        for module in imports_of(file, source)
        if layer_of(module) != own and any(_is_private(name) for name in module[1:])
    }


def layer_imports(sources: dict[str, str], layers: Collection[str]) -> Counter[tuple[str, str]]:
    """Count the files of one layer that import another, for every two layers."""
    pairs: Counter[tuple[str, str]] = Counter()
    for file, source in sources.items():
        own = layer_of(module_of(file))
        imported = {layer_of(module) for module in imports_of(file, source)}
        pairs.update((own, other) for other in imported - {own} if {own, other} <= set(layers))
    return pairs


def private_imports(sources: dict[str, str]) -> list[tuple[str, str]]:
    """Return each file with each name inside another layer that it imports."""
    return sorted(
        (file, name)
        for file, source in sources.items()
        for name in private_imports_of(file, source)
    )


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")
