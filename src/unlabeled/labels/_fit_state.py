"""What an estimator learnt: all of one fit, never parts of two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def fit_or_leave(estimator: Any) -> Iterator[None]:
    """Forget the last fit; where the one done here fails, leave the estimator as it was."""
    state = vars(estimator)
    before = dict(state)
    for name in before:
        if name.endswith("_") and not name.endswith("__"):
            del state[name]
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise
