"""What goes wrong with model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model file that cannot be written, read or trusted; the message says what to do."""
