"""Methods compared on a table: what `compare` is for, and `fit` does on the way."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from ._methods import classifiers
from ._table_options import Read

if TYPE_CHECKING:
    from ..comparison import Comparison


class Asked(Protocol):
    """What a comparison must be told by the options of a command."""

    @property
    def class_prior(self) -> float | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def jobs(self) -> int: ...
    @property
    def quiet(self) -> bool: ...
    def say(self, *lines: str) -> None: ...


def comparison_of(
    asked: Asked, read: Read, methods: Iterable[str], repeats: int, **how: Any
) -> Comparison:
    """Compare methods on repeated splits, with a progress bar; see `compare_methods` for `how`."""
    from ..comparison import compare_methods
    from ..experiments.progress import progress_bar
    from ..tables import TableFeatures

    models = classifiers(methods, read.labels, asked.class_prior, asked.seed)
    asked.say(f"Comparing {len(models)} methods on {repeats} splits ...")
    with nullcontext() if asked.quiet else progress_bar("split") as progress:
        return compare_methods(
            models,
            read.prepared.X,
            read.labels.s,
            n_repeats=repeats,
            class_prior=asked.class_prior,
            prepare=TableFeatures(),
            n_jobs=asked.jobs,
            random_state=asked.seed,
            progress=progress,
            **how,
        )
