"""The option `--method`, and what it says about methods that are no choice."""

from __future__ import annotations

from typing import Any

import click

from ..app.run import AUTO, FITTED, FOREST, LINE, NAIVE_CUT, PROPENSITY

_ONLY_COMPARED = {
    NAIVE_CUT: "It is `--method naive --rule f1`.",
    FOREST: "Use 'ensemble', which has trees among its members, or in Python "
    "PUThresholdClassifier(RandomForestClassifier(oob_score=True), cv='oob').",
}
_BY_AN_OPTION = {PROPENSITY: "Name the columns that labelling follows: `--labelled-by COLUMN`."}


class FittedMethod(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """Choice of a method in `FITTED`; the error for others says what to use instead."""

    def __init__(self) -> None:
        super().__init__(FITTED)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or reject it."""
        if value in _ONLY_COMPARED:
            message = f"{value!r} can only be compared. {_ONLY_COMPARED[value]}"
            self.fail(message, param, ctx)
        if value in _BY_AN_OPTION:
            self.fail(f"{value!r} is no choice of its own. {_BY_AN_OPTION[value]}", param, ctx)
        return str(super().convert(value, param, ctx))


def check_labelled_by(columns: tuple[str, ...], method: str) -> None:
    """Reject columns that labelling follows for methods that take labels as given at random."""
    if columns and method not in (AUTO, LINE):
        raise click.UsageError(
            "`--labelled-by` must go with `--method auto` or `--method pu-logistic`; got "
            f"{method!r}, which takes labels as given at random. Leave `--method` out."
        )
