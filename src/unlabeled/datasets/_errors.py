"""The one error of the data loaders."""

from __future__ import annotations


class DatasetError(ValueError):
    """A data set that is missing, cut off, altered or out of reach; the message says what to do."""
