"""Diagnostics: checks of a classifier and its data, and a test of SCAR."""

from ._diagnose import CHECKS, diagnose
from ._finding import Diagnosis, Finding
from ._published_scar_test import PublishedScarTest, published_scar_test
from ._scar_test import ScarTest, scar_test

__all__ = [
    "CHECKS",
    "Diagnosis",
    "Finding",
    "PublishedScarTest",
    "ScarTest",
    "diagnose",
    "published_scar_test",
    "scar_test",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._finding import STATES as STATES
