"""The methods side by side on a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...engine.progress import progress_bar
from ._methods import classifiers, simple_to_complex
from ._table import LoadedTable, TableInput

if TYPE_CHECKING:
    from ...comparison import Comparison


def comparison_of(
    options: TableInput,
    loaded: LoadedTable,
    methods: Iterable[str],
    repeats: int,
    *,
    jobs: int,
    trees: int | None = None,
    **more: Any,
) -> Comparison:
    """Compare methods on repeated splits, with a progress bar.

    `unlabeled fit` does this too, with fewer `trees` in a forest. `more` is passed to
    `compare_methods`.
    """
    from ...comparison import compare_methods
    from ..tables import TableFeatures

    groups = loaded.prepared.groups
    models = classifiers(
        methods, loaded.labels, options.class_prior, options.seed, groups is not None, trees
    )
    options.log(f"Comparing {len(models)} methods on {repeats} splits ...")
    with progress_bar("split", quiet=options.quiet) as progress:
        return compare_methods(
            models,
            loaded.prepared.X,
            loaded.s,
            n_repeats=repeats,
            class_prior=options.class_prior,
            prepare=TableFeatures(),
            n_jobs=jobs,
            random_state=options.seed,
            progress=progress,
            checked=loaded.checked,
            order=simple_to_complex(models),
            groups=groups,
            **more,
        )
