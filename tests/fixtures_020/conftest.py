"""The archive, unpacked; and what 0.2.0 said of its files."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

# It has the names of 0.2.0, which later versions may move.
collect_ignore = ["make.py"]


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("of_020")
    with zipfile.ZipFile(Path(__file__).with_name("files.zip")) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="session")
def said(files):
    return json.loads((files / "said.json").read_text())
