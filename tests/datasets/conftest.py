"""The folder with the nine data files, without which tests that read them are skipped."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folder() -> Path:
    named = os.environ.get("UNLABELED_DATA")
    if not named:
        pytest.skip("needs data: UNLABELED_DATA does not name a folder with the nine data files")
    return Path(named)
