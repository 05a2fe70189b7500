"""Claims, figures, tables and the page, made from records alone."""

from ._claims import CLAIMS
from ._unstated_choices import UNSTATED_CHOICES
from ._write import write_outcome, write_outcome_from

__all__ = ["CLAIMS", "UNSTATED_CHOICES", "write_outcome", "write_outcome_from"]
