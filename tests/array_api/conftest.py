"""Arrays of other libraries stay on their device only if SciPy is set up so before its import.

Run by `SCIPY_ARRAY_API=1 python -m pytest tests/array_api`, as `make test` does in a second
call; without the variable nothing here is collected.
"""

import os

import pytest
import sklearn

collect_ignore_glob = [] if os.environ.get("SCIPY_ARRAY_API") == "1" else ["test_*.py"]


@pytest.fixture(autouse=True)
def _dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield
