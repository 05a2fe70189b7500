"""Check that the data of a study exist before anything runs."""

from __future__ import annotations

from collections.abc import Iterable

import click

from reproduction.studies.draw import load_rows
from reproduction.studies.plan import PAPER_GAUSSIAN
from unlabeled.datasets import DatasetError


def need_data(datasets: Iterable[str], data_home: str | None) -> None:
    """End the command with one sentence if a set is missing or altered."""
    try:
        for name in datasets:
            if name != PAPER_GAUSSIAN:
                load_rows(name, data_home)
    except DatasetError as error:
        raise click.ClickException(str(error)) from None
