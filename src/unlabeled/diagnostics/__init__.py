"""Diagnostics: checks of a classifier and its data, and a test of SCAR."""

from ._diagnose import CHECKS, diagnose
from ._finding import Diagnosis, Finding
from ._scar_test import ScarTest, scar_test

__all__ = [
    "CHECKS",
    "Diagnosis",
    "Finding",
    "ScarTest",
    "diagnose",
    "scar_test",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._finding import STATES as STATES
