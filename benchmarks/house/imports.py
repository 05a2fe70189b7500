"""Which part of the package imports which: read from the code, and drawn."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

PACKAGE = "unlabeled"
TOP_LEVEL = "__init__"
LAYERS = (
    "codes",
    "rates",
    "engine.extras",
    "engine.sklearn_types",
    "engine.parameters",
    "engine.result_table",
    "engine.intervals",
    "engine.label_words",
    "engine.sampling",
    "engine.files",
    "engine.of_020",
    "engine.memory",
    "engine.versions",
    "engine.progress",
    "engine.parallel",
    "engine.arrays",
    "engine.rows",
    "engine.estimators",
    "engine.score_bins",
    "engine.losses",
    "engine.history_losses",
    "engine.objective",
    "engine.solvers",
    "engine.linear_fits",
    "datasets",
    "metrics",
    "thresholds",
    "scores",
    "labeling",
    "label_frequency",
    "inference",
    "classifier",
    "linear_model",
    "meta",
    "ensemble",
    "diagnostics",
    "audit",
    "comparison",
    "inspection",
    "plots",
    "app.tables",
    "app.table_model",
    "app.model_files",
    "app.pages",
    "app.report",
    "app.check_page",
    "app.run",
    "cli",
)
"""The parts of the package in the order of the data: a part imports only parts before it."""

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
    """Return what a file imports from the inside of another part."""
    own = layer_of(module_of(file))
    return {
        ".".join(module)
        for module in imports_of(file, source)
        if layer_of(module) != own and any(_is_private(name) for name in module[1:])
    }


def private_imports(sources: dict[str, str]) -> list[tuple[str, str]]:
    """Return each file with each name inside another part that it imports."""
    return sorted(
        (file, name)
        for file, source in sources.items()
        for name in private_imports_of(file, source)
    )


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


_HEIGHT_OF_A_LAYER = 0.33
_PUBLIC, _PRIVATE, _UPWARDS = "tab:blue", "tab:orange", "tab:red"


def draw_imports(sources: dict[str, str], path: Path) -> None:
    """Draw the parts from the first to the last, and an arc for each that imports another.

    An arc is thicker the more files import. Imports of earlier parts are drawn on the right,
    imports of later ones in red on the left, and imports of private names in orange.

    Parameters
    ----------
    sources : dict of str to str
        The package's files by their path below it.
    path : Path
        Picture to write; its suffix sets the format.
    """
    import matplotlib.pyplot as plt

    private = {
        (layer_of(module_of(file)), layer_of(tuple(name.split("."))))
        for file, name in private_imports(sources)
    }
    figure, ax = plt.subplots(
        figsize=(8, _HEIGHT_OF_A_LAYER * len(LAYERS) + 0.6), layout="constrained"
    )
    height = {layer: -row for row, layer in enumerate(LAYERS)}
    for pair, n_files in sorted(_layer_imports(sources).items(), key=lambda one: one[0] in private):
        importer, imported = (height[layer] for layer in pair)
        _draw_arc(ax, importer, imported, n_files, _PRIVATE if pair in private else _PUBLIC)
    files = Counter(layer_of(module_of(file)) for file in sources)
    for layer, y in height.items():
        ax.plot(0, y, "o", color="black", markersize=3 + 0.8 * np.sqrt(files[layer]))
        ax.annotate(
            f"{layer} ({files[layer]})", (0, y), (-10, 0), textcoords="offset points",
            ha="right", va="center", fontsize=9,
        )  # fmt: skip
    ax.set_xlim(-0.35 * len(LAYERS), 0.55 * len(LAYERS))
    ax.set_axis_off()
    figure.savefig(path, dpi=150, metadata={"Date": None})
    plt.close(figure)


def _layer_imports(sources: dict[str, str]) -> Counter[tuple[str, str]]:
    """Count the files of one part that import another, for every two parts."""
    pairs: Counter[tuple[str, str]] = Counter()
    for file, source in sources.items():
        own = layer_of(module_of(file))
        imported = {layer_of(module) for module in imports_of(file, source)}
        pairs.update((own, other) for other in imported - {own} if {own, other} <= set(LAYERS))
    return pairs


def _draw_arc(ax: Any, importer: float, imported: float, n_files: int, color: str) -> None:
    """Draw half an ellipse: on the right if the imported part comes first, else on the left."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 25)
    side = 1 if imported > importer else -1
    radius = abs(importer - imported) / 2
    ax.plot(
        side * radius * np.cos(angle),
        (importer + imported) / 2 + radius * np.sin(angle),
        color=color if side > 0 else _UPWARDS,
        linewidth=0.5 + 0.5 * np.log2(n_files),
        alpha=0.45,
    )
