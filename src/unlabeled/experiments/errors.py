"""The one error of the results folder."""

from __future__ import annotations


class ResultsError(ValueError):
    """A folder of results that cannot be used as asked; the message says what to do."""
