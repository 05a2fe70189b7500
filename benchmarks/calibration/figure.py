"""The reliability diagram of every set."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduction.outcome import number, panels

from .measure import wilson
from .summary import Summary

_RED, _BLACK, _GRAY = "#D55E00", "#000000", "#777777"


def reliability_figure(ours: list[Summary]) -> Figure:
    """Draw the share of positives against the mean posterior, one panel per set."""
    columns = min(5, len(ours))
    rows = -(-len(ours) // columns)
    figure, axes = panels(rows, columns, 0.3 + 1.5 * rows, sharex=True, sharey=True)
    for panel in axes.flat[len(ours) :]:
        panel.set_visible(False)
    for panel, one in zip(axes.flat, ours, strict=False):
        _reliability(panel, one)
    figure.supxlabel("Mean predicted posterior", fontsize=8)
    figure.supylabel("Share of positives", fontsize=8)
    return figure


def _reliability(panel: Axes, one: Summary) -> None:
    bins = one.bins
    low, high = wilson(bins["observed"].to_numpy(), bins["rows"].to_numpy() / one.times)
    panel.plot([0, 1], [0, 1], color=_GRAY, linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
    panel.vlines(bins["predicted"], low, high, color=_BLACK, linewidth=0.8, zorder=2)
    panel.plot(
        bins["predicted"],
        bins["observed"],
        color=_RED,
        linewidth=0.8,
        marker="o",
        markersize=3.6,
        markerfacecolor=_RED,
        markeredgecolor=_BLACK,
        markeredgewidth=0.5,
        zorder=3,
    )
    panel.set_title(one.name, pad=3)
    panel.annotate(f"ECE {number(one.ece)}", (0.97, 0.05), xycoords="axes fraction", ha="right")
    ticks = [0, 0.5, 1]
    panel.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal")
    panel.set_xticks(ticks, ["0", ".5", "1"])
    panel.set_yticks(ticks, ["0", ".5", "1"])
