"""A fitted model as a table, in plain text and in HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from ._estimates import Estimates


@dataclass(frozen=True)
class Summary:
    """Facts about a fit and a table of its estimates; prints as text, shows as HTML in a notebook.

    Attributes
    ----------
    title : str
    facts : tuple of (str, str)
        What stands above the table.
    estimates : Estimates
    level : float
        Of the intervals.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    estimates: Estimates
    level: float = 0.95

    def frame(self) -> dict[str, np.ndarray]:
        """Return the numbers of the table, a column a quantity, a row an estimate.

        Returns
        -------
        columns : dict of str to ndarray
            As `pandas.DataFrame` takes it.
        """
        estimates, interval = self.estimates, self.estimates.interval(self.level)
        return {
            "estimate": estimates.value,
            "standard_error": estimates.standard_error,
            "z": estimates.value / estimates.standard_error,
            "p_value": estimates.p_value,
            "lower": interval[:, 0],
            "upper": interval[:, 1],
        }

    def __str__(self) -> str:
        header, rows = self._cells()
        table = [header, *rows]
        widths = [max(len(row[k]) for row in table) for k in range(len(header))]
        lines = ["  ".join(_aligned(row, widths)) for row in table]
        rule = "-" * len(lines[0])
        widest = max((len(name) for name, _ in self.facts), default=0)
        facts = [f"{name:<{widest}}  {value}" for name, value in self.facts]
        return "\n".join([self.title, rule, *facts, rule, lines[0], rule, *lines[1:], rule])

    def _repr_html_(self) -> str:
        header, rows = self._cells()
        facts = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>"
            for name, value in self.facts
        )
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join(
            f"<tr><th>{escape(row[0])}</th>"
            + "".join(f"<td>{cell}</td>" for cell in row[1:])
            + "</tr>"
            for row in rows
        )
        return (
            f"<table><caption>{escape(self.title)}</caption>{facts}</table>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        tail = (1 - self.level) / 2
        header = ["", "estimate", "std. error", "z", "P>|z|", f"[{tail:.3g}", f"{1 - tail:.3g}]"]
        columns = self.frame()
        rows = [
            [
                name,
                *(f"{columns[key][k]:.4f}" for key in ("estimate", "standard_error")),
                f"{columns['z'][k]:.2f}",
                *(f"{columns[key][k]:.4f}" for key in ("p_value", "lower", "upper")),
            ]
            for k, name in enumerate(self.estimates.names)
        ]
        return header, rows


def _aligned(row: list[str], widths: list[int]) -> list[str]:
    """Names to the left, numbers to the right."""
    first = f"{row[0]:<{widths[0]}}"
    return [first, *(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))]
