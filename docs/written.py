"""What pages include that the library itself knows: help texts, tables of numbers, lists."""

from __future__ import annotations

import csv
import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from reproduction.outcome import UNSTATED_CHOICES
from reproduction.theory import PopulationCut, cut_properties, optimal_cut, ruud_projection
from unlabeled import codes, metrics
from unlabeled.cli import main
from unlabeled.codes import CODES
from unlabeled.diagnostics import CHECKS
from unlabeled.label_frequency import ESTIMATORS
from unlabeled.metrics import METRICS
from unlabeled.thresholds import rule_table

PAPER = {"beta0": -1.0, "mean": -1.0, "var": 3.0}
"""The index of the paper's synthetic design: intercept, mean and variance."""

CRITERIA = {
    "accuracy": "accuracy",
    "mcc": "MCC",
    "f1": "F1",
    "f1_pu": "F1_PU",
    "balanced_accuracy": "balanced accuracy",
}


HOW_OFTEN = {
    "PU203": 0.88,
    "PU206": 0.42,
    "PU201": 0.39,
    "PU202": 0.36,
    "PU205": 0.33,
    "PU208": 0.08,
}
"""In which share of the draws of `check_rates` and `coverage` a check has a note or more."""


def write_all(folder: Path) -> None:
    """Write every file into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_table(folder / "left_open.csv", UNSTATED_CHOICES)
    _write_table(folder / "population_cuts.csv", population_cuts())
    _write_table(folder / "projections.csv", projections())
    meanings = ([f":ref:`{code} <{code}>`", one.meaning] for code, one in CODES.items())
    _write_table(folder / "codes.csv", meanings)
    _write_table(folder / "checks.csv", check_rows())
    _write_table(folder / "estimators.csv", estimator_rows())
    _write_table(folder / "metrics.csv", metric_rows())
    _write_table(folder / "rules.csv", rule_rows())
    for name, text in help_texts().items():
        (folder / f"help-{name}.txt").write_text(text, encoding="utf-8")


def write_lists(folder: Path) -> list[str]:
    """Write the lists that the reference includes; return their names."""
    for path in folder.glob("_*.rst"):
        path.unlink()
    for name, text in reference_lists().items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(reference_lists())


def reference_lists() -> dict[str, str]:
    """Return the lists of what is registered in one place: the file of each, and its text."""
    functions = {one.function.__name__: one for one in METRICS.values()}
    public = {name: one for name, one in functions.items() if name in metrics.__all__}
    of_labels, of_prior = (
        [name for name, one in public.items() if one.needs_prior == needs_prior]
        for needs_prior in (False, True)
    )
    return {
        "_metrics_of_labels.rst": _summary("metrics", of_labels),
        "_metrics_of_prior.rst": _summary("metrics", of_prior),
        "_checks.rst": "\n".join(map(_section, sorted(CHECKS.values(), key=_place))),
        "_estimators.rst": _summary("label_frequency", [one.__name__ for one in ESTIMATORS]),
    }


def _summary(module: str, names: Iterable[str]) -> str:
    """Write a list of names of a part of the library, each with a page of its own."""
    head = f".. currentmodule:: unlabeled.{module}\n\n.. autosummary::\n"
    lines = (f"   {one}\n" for one in names)
    return f"{head}   :toctree: generated/\n   :nosignatures:\n\n{''.join(lines)}"


def _place(check: Any) -> tuple[float, str]:
    """Return what the sections of the page are sorted by: how often, then the code."""
    return -HOW_OFTEN.get(check.code, 0.0), check.code


def _section(check: Any) -> str:
    """Write the section of a check's own code, from the docstring of its file; "" without one."""
    text = inspect.cleandoc(sys.modules[check.function.__module__].__doc__ or "")
    title = f"{check.code}: {CODES[check.code].meaning}"
    body = text.partition("\n\n")[2]
    return f".. _{check.code}:\n\n{title}\n{'-' * len(title)}\n\n{body}\n" if body else ""


def check_rows() -> Iterator[list[str]]:
    """Yield a row for each check: name, code and question."""
    for name, (code, _, question) in codes.CHECKS.items():
        yield [f"``{name}``", "any" if name == "fit" else f":ref:`{code} <{code}>`", question]


def metric_rows() -> Iterator[list[str]]:
    """Yield a row for each metric: name, function, what it takes, and what it needs."""
    for name, one in sorted(METRICS.items()):
        takes = "a score" if one.of_score else "predictions"
        needs = "class prior" if one.needs_prior else ""
        function = one.function.__name__
        link = f":func:`{function}`" if function in metrics.__all__ else ""
        yield [f"``{name}``", link, takes, needs]


def estimator_rows() -> Iterator[list[str]]:
    """Yield a row for each estimator of the label frequency: name, and its words."""
    for one, words in ESTIMATORS.items():
        yield [f":class:`~unlabeled.label_frequency.{one.__name__}`", *words]


def rule_rows() -> Iterator[list[str]]:
    """Yield a row for each rule: who wants it, the rule, whether it needs a prior, its cut."""
    for goal, text, needs_prior, cuts_at in rule_table():
        yield [goal, f'``"{text}"``', "yes" if needs_prior else "no", cuts_at]


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
