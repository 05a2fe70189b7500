"""Where rules cut a curve, and a strip of marks that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..thresholds import RULES, ChosenCut, Cuts, Rule, choose_cut, get_rule, with_enough_labelled
from ._display import BLACK, BLUE, GREY, PALE, SMALL, legend_room, size_of

_WORDS = {"f1_pu": "F1$_{PU}$", "f1": "F1", "mcc": "MCC"}
_ROW = 0.17  # height of a row of marks, in inches
_LEGEND_ENTRIES = 6
_LEAST_FOR_CURVES = 0.2


def best_cuts(
    cuts: Cuts, rules: Iterable[str | Rule] | None, class_prior: float | None, few_refused: bool
) -> dict[str, ChosenCut]:
    """Best cut of each rule that can be told.

    `few_refused` asks ratios for five labelled rows above the cut, as classifiers do that choose
    a cut on left-out scores.
    """
    asked = [get_rule(rule) for rule in (RULES if rules is None else rules)]
    best = {}
    for rule in asked:
        if rule.needs_class_prior and class_prior is None:
            if rules is not None:
                raise ValueError(
                    f"`class_prior` must be a number in (0, 1] for the rule {rule.name}; got None. "
                    "Pass it, or leave the rule out."
                )
            continue
        used = with_enough_labelled(rule, cuts.labelled[-1]) if few_refused else rule
        best[rule.name] = choose_cut(cuts, used, class_prior)
    return best


def kept_cuts(model: Any, X: Any, y: Any) -> tuple[Cuts, str]:
    """Return the cuts a classifier chose from in its fit, and what they are."""
    if (X is None) != (y is None) or not hasattr(model, "cuts_"):
        given = "one of them" if (X is None) != (y is None) else "neither"
        raise ValueError(
            f"`X` and `y` must both be given for {type(model).__name__}; got {given}. Pass rows "
            "with their labels; only classifiers with `cuts_` keep scores of their own."
        )
    seen = "training" if getattr(model, "cv", "") is None else "left-out"
    return model.cuts_, f"{seen} scores kept by {type(model).__name__}"


def draw_marks(ax: Any, best: dict[str, ChosenCut], top: float) -> float:
    """Mark each rule's cut in a row of its own below 0; return where the strip ends."""
    strip = _ROW * (len(best) + 0.5) / size_of(ax)[1]
    curves = max(_LEAST_FOR_CURVES, 1 - strip - legend_room(ax, _LEGEND_ENTRIES)[1])
    bottom = -top * strip / curves
    ax.axhspan(bottom, 0, color=PALE, alpha=0.45, lw=0, zorder=0)
    heights = [bottom * (k + 0.75) / (len(best) + 0.5) for k in range(len(best))]
    for height, (name, cut) in zip(heights, best.items(), strict=True):
        ax.plot([cut.threshold] * 2, [height, cut.recall], color=GREY, lw=0.7, ls=":", zorder=1)
        ax.plot(cut.threshold, height, "D", color=BLUE if name == "f1_pu" else BLACK, ms=5)
    ax.plot([], [], "D", color=BLACK, ms=5, label="Best cut for a rule")
    numbers = [tick for tick in ax.get_yticks() if 0 <= tick <= top]
    names = [
        _WORDS.get(name, name.replace("_", " ").replace("(", " (").capitalize()) for name in best
    ]
    ax.set_yticks([*heights, *numbers], [*names, *(f"{tick:g}" for tick in numbers)])
    for label in ax.get_yticklabels()[: len(best)]:
        label.set_fontsize(SMALL)
    return bottom
