"""What pages include that the library itself knows: help texts, tables of numbers, lists."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import click

from unlabeled.cli import main
from unlabeled.codes import CODES
from unlabeled.paper.outcome import UNSTATED_CHOICES
from unlabeled.paper.theory import PopulationCut, cut_properties, optimal_cut, ruud_projection

PAPER = {"beta0": -1.0, "mean": -1.0, "var": 3.0}
"""The index of the paper's synthetic design: intercept, mean and variance."""

CRITERIA = {
    "accuracy": "accuracy",
    "mcc": "MCC",
    "f1": "F1",
    "f1_pu": "F1_PU",
    "balanced_accuracy": "balanced accuracy",
}


def write_all(folder: Path) -> None:
    """Write every file into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / "left_open.csv", UNSTATED_CHOICES)
    _write_table(folder / "population_cuts.csv", population_cuts())
    _write_table(folder / "projections.csv", projections())
    meanings = ([f":ref:`{code} <{code}>`", one.meaning] for code, one in CODES.items())
    _write_table(folder / "codes.csv", meanings)
    for name, text in help_texts().items():
        (folder / f"help-{name}.txt").write_text(text, encoding="utf-8")


def help_texts() -> dict[str, str]:
    """What ``unlabeled --help`` and ``unlabeled COMMAND --help`` print, at 88 columns."""
    top = click.Context(main, info_name="unlabeled", terminal_width=88)
    texts = {"unlabeled": main.get_help(top)}
    commands = {name: main.get_command(top, name) for name in main.list_commands(top)}
    for name, command in commands.items():
        inner = click.Context(command, info_name=name, parent=top, terminal_width=88)
        texts[name] = command.get_help(inner)
    return texts


def population_cuts() -> list[list[str]]:
    """Of the paper's design: where each criterion cuts the index and what the cut achieves.

    A column a criterion: the other way round the table is wider than a page.
    """
    cuts = [optimal_cut(name, **PAPER) for name in CRITERIA]
    names = {"threshold": "cut", **CRITERIA}
    rows = [["best for", *CRITERIA.values()]]
    for field in fields(PopulationCut):
        values = (f"{getattr(cut, field.name):.3f}" for cut in cuts)
        rows.append([names.get(field.name, field.name), *values])
    return rows


def projections() -> list[list[str]]:
    """Of the paper's design: what a logistic fit to the labels estimates, and its rule."""
    return [_projection_row(c) for c in (0.1, 0.3, 0.5, 0.6, 0.9, 1.0)]


def _projection_row(c: float) -> list[str]:
    intercept, slope = ruud_projection(**PAPER, c=c)
    rule = cut_properties(-intercept / slope, **PAPER)
    numbers = (intercept, slope, rule.share, rule.recall, rule.f1)
    return [f"{c:.1f}", *(f"{number:.3f}" for number in numbers)]


def _write_table(path: Path, rows: Iterable[Iterable[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
