"""The summary of a fit, a copy for every test."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.report.fitted_summary import fitted, summary_of


@pytest.fixture(scope="session")
def fit():
    return fitted()


@pytest.fixture(scope="session")
def made_summary(fit) -> dict[str, Any]:
    return summary_of(*fit)


@pytest.fixture
def summary(made_summary) -> dict[str, Any]:
    return copy.deepcopy(made_summary)
