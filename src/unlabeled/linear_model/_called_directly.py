"""Whether a fit is all that Ctrl-C would end."""

from __future__ import annotations

import sys
from pathlib import Path

import sklearn

from ..codes import LIBRARIES

# A pipeline fits its last step once; base.py checks the parameters of that call.
_ONE_FIT = tuple(str(Path(sklearn.__file__).parent / name) for name in ("pipeline.py", "base.py"))


def is_called_directly() -> bool:
    """Whether the function that asks was called by the user's code alone, or through a pipeline.

    A search, a bootstrap, a worker or a command of this library, of scikit-learn or of
    joblib goes on after a fit that returns: there Ctrl-C must not be taken for the end of one fit.
    """
    frame = sys._getframe(1).f_back
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(LIBRARIES) and file not in _ONE_FIT:
            return False
        frame = frame.f_back
    return True
