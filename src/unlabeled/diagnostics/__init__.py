"""May I believe it: checks of a classifier and its data, each with a code and a page."""

from ._diagnose import CHECKS, diagnose
from ._finding import Diagnosis, Finding

__all__ = ["CHECKS", "Diagnosis", "Finding", "diagnose"]
