"""Figures, tables and the page of claims, made from records and nothing else."""

from ._claims import CLAIMS
from ._left_open import LEFT_OPEN
from ._write import write_outcome, write_outcome_from

__all__ = ["CLAIMS", "LEFT_OPEN", "write_outcome", "write_outcome_from"]
