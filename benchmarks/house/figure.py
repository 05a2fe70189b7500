"""The import graph: layers in the order of the data, an arc for each layer that uses another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

_HEIGHT_OF_A_LAYER = 0.33
_PUBLIC, _PRIVATE, _UPWARDS = "tab:blue", "tab:orange", "tab:red"


def draw_imports(
    order: tuple[str, ...],
    pairs: Counter[tuple[str, str]],
    private: Collection[tuple[str, str]],
    files: Counter[str],
    path: Path,
) -> None:
    """Draw the layers from the first to the last, and who imports whom.

    Parameters
    ----------
    order : tuple of str
        The layers, each of which may import those before it.
    pairs : Counter
        Number of files of the first layer that import the second.
    private : collection of pairs of layers
        Where the first reaches into a private module of the second.
    files : Counter
        Number of files of each layer.
    path : Path
        Picture to write; its ending says in which format.
    """
    figure, ax = plt.subplots(
        figsize=(8, _HEIGHT_OF_A_LAYER * len(order) + 0.6), layout="constrained"
    )
    height = {layer: -row for row, layer in enumerate(order)}
    for pair, n_files in sorted(pairs.items(), key=lambda item: item[0] in private):
        importer, imported = (height[layer] for layer in pair)
        _draw_arc(ax, importer, imported, n_files, _PRIVATE if pair in private else _PUBLIC)
    for layer, y in height.items():
        ax.plot(0, y, "o", color="black", markersize=3 + 0.8 * np.sqrt(files[layer]))
        ax.annotate(
            f"{layer} ({files[layer]})", (0, y), (-10, 0), textcoords="offset points",
            ha="right", va="center", fontsize=9,
        )  # fmt: skip
    ax.set_xlim(-0.35 * len(order), 0.55 * len(order))
    ax.set_axis_off()
    figure.savefig(path, dpi=150, metadata={"Date": None})
    plt.close(figure)


def _draw_arc(ax: Axes, importer: float, imported: float, n_files: int, colour: str) -> None:
    """Draw half an ellipse: on the right if the imported layer comes first, else on the left."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, 25)
    side = 1 if imported > importer else -1
    radius = abs(importer - imported) / 2
    ax.plot(
        side * radius * np.cos(angle),
        (importer + imported) / 2 + radius * np.sin(angle),
        color=colour if side > 0 else _UPWARDS,
        linewidth=0.5 + 0.5 * np.log2(n_files),
        alpha=0.45,
    )
