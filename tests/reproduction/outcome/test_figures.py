"""Figures: what is drawn is the summary, in both settings."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from reproduction.outcome._figures import (
    real_figure,
    robustness_figures,
    style_of,
    synthetic_figure,
)
from reproduction.outcome._records import METHODS, check_records, method_name, summarize

FITTED = [(m, "-") for m in METHODS if m not in ("joint", "mm", "en", "tice")]
FITTED += [(m, s) for m in ("joint", "mm", "en", "tice") for s in ("published", "converged")]
MEASURES = ("angle", "f1", "balanced_accuracy")
BA_RULE = ("enhanced_ba", "pu_logistic_ba", "pu_ensemble_ba")
OTHER_RULE = {
    "angle": BA_RULE,
    "f1": BA_RULE,
    "balanced_accuracy": ("pu_logistic", "pu_ensemble"),
}


def records(study: str, places: list[tuple], repeats: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {
            **dict(zip(["dataset", "mechanism", "n", "c"], place, strict=True)),
            "study": study,
            "method": method,
            "setting": setting,
            "repeat": repeat,
            **dict(zip(MEASURES, rng.random(3), strict=True)),
            **dict.fromkeys(["label_frequency", "class_prior", "fit_seconds"], math.nan),
            "converged": True,
            "warning_codes": "",
            "error": "",
        }
        for place, (method, setting), repeat in product(places, FITTED, range(repeats))
    ]
    return check_records(pd.DataFrame(rows))


def lines_of(panel) -> dict[str, tuple[list[float], list[float], list[float]]]:
    """Return what a panel shows, by method: x, y and lengths of the error bars' halves."""
    shown = {}
    for bars in panel.containers:
        line, _, (segments,) = bars.lines
        ends = [segment[:, 1] for segment in segments.get_segments()]
        halves = [(high - low) / 2 for low, high in ends]
        shown[bars.get_label()] = (list(line.get_xdata()), list(line.get_ydata()), halves)
    return shown


def expected(summary: pd.DataFrame, setting: str, **place: object) -> dict[str, pd.DataFrame]:
    hidden = OTHER_RULE[place["measure"]] if "measure" in place else ()
    own = summary[summary["setting"].isin([setting, "-"]) & ~summary["method"].isin(hidden)]
    for name, value in place.items():
        own = own[own[name] == value]
    return {shown_name(method): part for method, part in own.groupby("method")}


def shown_name(method: str) -> str:
    """Our methods are one method in every figure; Enhanced has a second curve."""
    return method_name(method.removesuffix("_ba") if method.startswith("pu_") else method)


def assert_shown(panel, parts: dict[str, pd.DataFrame], along: str) -> None:
    shown = lines_of(panel)
    assert set(shown) == set(parts)
    for name, part in parts.items():
        part = part.sort_values(along)
        x, y, halves = shown[name]
        assert x == part[along].tolist()
        assert y == part["mean"].tolist()
        np.testing.assert_allclose(halves, part["se"], atol=1e-12)


@pytest.mark.parametrize("setting", ["published", "converged"])
def test_figure_1_shows_the_summary_in_the_papers_layout(setting):
    places = [("paper_gaussian", "scar", n, c) for n in (500, 2000, 1000) for c in (0.3, 0.6)]
    summary = summarize(records("synthetic", places))
    figure = synthetic_figure(summary, setting).figure
    grid = np.reshape(figure.axes, (3, 2))
    for (row, measure), (column, c) in product(enumerate(MEASURES), enumerate((0.3, 0.6))):
        assert_shown(grid[row, column], expected(summary, setting, measure=measure, c=c), "n")


@pytest.mark.parametrize(
    ("measure", "setting", "slug"),
    [
        ("f1", "published", "figure-2-published"),
        ("balanced_accuracy", "converged", "figure-3-converged"),
    ],
)
def test_figures_2_and_3_have_one_panel_per_data_set(measure, setting, slug):
    names = ("adult", "musk", "spambase", "banknote")
    places = [(name, "scar", 100, c) for name in names for c in (0.1, 0.5, 0.9)]
    summary = summarize(records("real", places))
    drawing = real_figure(summary, measure, setting)
    assert drawing.slug == slug
    panels = [panel for panel in drawing.figure.axes if panel.get_visible()]
    assert [panel.get_title() for panel in panels] == sorted(names)
    for panel in panels:
        parts = expected(summary, setting, measure=measure, dataset=panel.get_title())
        assert_shown(panel, parts, "c")


def test_naive_does_not_decide_the_range_of_a_panel():
    table = records("real", [("musk", "scar", 100, c) for c in (0.1, 0.9)])
    table["f1"] = np.where(table["method"] == "naive", 0.01, 0.8 + 0.1 * table["f1"])
    low, high = real_figure(summarize(table), "f1", "published").figure.axes[0].get_ylim()
    assert 0.7 < low < high < 1


def test_the_robustness_figure_shows_the_summary_by_mechanism():
    mechanisms = ("scar", "posterior", "posterior_squared", "logistic")
    sets = (("paper_gaussian", 2000), ("diabetes", 614))
    places = [(name, mech, n, c) for name, n in sets for mech in mechanisms for c in (0.3, 0.6)]
    summary = summarize(records("robustness", places))
    drawings = robustness_figures(summary, "converged")
    assert [drawing.slug for drawing in drawings] == [
        "figure-robustness-c0.3-converged",
        "figure-robustness-c0.6-converged",
    ]
    grid = np.reshape(drawings[1].figure.axes, (3, 2))
    for (row, measure), (column, (name, _)) in product(enumerate(MEASURES), enumerate(sets)):
        parts = expected(summary, "converged", measure=measure, dataset=name, c=0.6)
        for method, (x, y, _) in lines_of(grid[row, column]).items():
            means = parts[method].set_index("mechanism")["mean"]
            assert y == means[list(mechanisms)].tolist()
            assert [round(place) for place in x] == [0, 1, 2, 3]


def test_missing_studies_have_no_figure():
    summary = summarize(records("timing", [("adult", "scar", 100, 0.5)]))
    assert synthetic_figure(summary, "published") is None
    assert real_figure(summary, "f1", "published") is None
    assert robustness_figures(summary, "published") == []


def test_one_repeat_is_drawn_without_error_bars():
    places = [("musk", "scar", 100, c) for c in (0.1, 0.9)]
    drawing = real_figure(summarize(records("real", places, repeats=1)), "f1", "published")
    assert all(not any(halves) for _, _, halves in lines_of(drawing.figure.axes[0]).values())


@pytest.mark.parametrize("hidden", OTHER_RULE.values())
def test_methods_of_one_panel_differ_in_color_and_in_greyscale(hidden):
    styles = {name: style_of(name) for name in METHODS if name not in hidden}
    colors = [style["color"] for name, style in styles.items() if name != "enhanced_ba"]
    assert len(set(colors)) == len(colors)
    gray = [(style["marker"], style.get("markerfacecolor", "filled")) for style in styles.values()]
    assert len(set(gray)) == len(gray)
    assert style_of("another rule")["marker"] not in [s["marker"] for s in styles.values()]


def test_the_ensemble_is_drawn_beside_the_methods_of_the_real_study():
    places = [("musk", "scar", 100, c) for c in (0.1, 0.5, 0.9)]
    both = records("real", places), records("ensemble", places[::2])
    real = both[0][~both[0]["method"].str.startswith("pu_ensemble")]
    ensemble = both[1][both[1]["method"].str.startswith("pu_ensemble")]
    summary = summarize(pd.concat([real, ensemble]))
    shown = lines_of(real_figure(summary, "f1", "published").figure.axes[0])
    assert shown["PUEnsemble"][0] == [0.1, 0.9]
    assert shown["PULogistic"][0] == [0.1, 0.5, 0.9]
    assert "PUEnsemble, BA rule" not in shown


def test_the_legend_names_each_of_our_methods_once():
    places = [("paper_gaussian", "scar", n, 0.3) for n in (500, 1000)]
    figure = synthetic_figure(summarize(records("synthetic", places)), "published").figure
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert [name for name in names if name.startswith("PU")] == ["PULogistic", "PUEnsemble"]
    assert [name for name in names if name.startswith("Enh")] == ["Enhanced", "Enhanced, BA rule"]


def test_the_file_does_not_depend_on_the_day(tmp_path):
    table = summarize(records("real", [("musk", "scar", 100, c) for c in (0.1, 0.9)]))
    texts = []
    for _ in range(2):
        real_figure(table, "f1", "published").write(tmp_path)
        texts.append((tmp_path / "figure-2-published.svg").read_text("utf-8"))
    assert texts[0] == texts[1]
