"""Tasks on several processes or threads: the one place where joblib is called."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

from sklearn.utils.parallel import Parallel, delayed

__all__ = ["delayed", "in_parallel"]

# A thread of joblib's warns when it replaces a worker that ended while tasks wait. Where warnings
# are errors, that thread would end instead, and the caller would wait for ever: decision 36.
_OF_WORKERS = r"(joblib\.externals\.)?loky\."


def in_parallel(
    tasks: Iterable[Any], n_jobs: int | None = None, return_as: str = "generator", **options: Any
) -> Iterator[Any]:
    """Yield the results of delayed calls, in their order unless `return_as` says otherwise.

    `options` are those of joblib's Parallel. Each call has the warning filters and the
    scikit-learn configuration of the caller, wherever it runs. A worker that ended while idle, or
    because its memory grew, is replaced without a word.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module=_OF_WORKERS)
        yield from Parallel(n_jobs, return_as=return_as, **options)(tasks)
