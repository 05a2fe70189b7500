"""Whether a fit to a table can be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...codes import PUWarning, for_terminal
from ._errors import InputError, in_terminal
from ._methods import classifier
from ._table import LoadedTable, TableInput

if TYPE_CHECKING:
    from ...diagnostics import Diagnosis, Finding
    from ..tables import Labels


def diagnosis_of(
    options: TableInput, loaded: LoadedTable, method: str, checks: Sequence[str] = ()
) -> Diagnosis:
    """Fit a method to a table, and run the checks; none named means all."""
    from ...diagnostics import diagnose as run_checks
    from ..tables import table_pipeline

    X, labels = loaded.prepared.X, loaded.labels
    model = table_pipeline(classifier(method, labels, options.class_prior, options.seed))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = run_checks(
                model,
                X,
                labels.s,
                checks=checks or None,
                random_state=options.seed,
                groups=loaded.prepared.groups,
            )
        except ValueError as error:
            raise InputError(in_terminal(error)) from None
    options.log(*dict.fromkeys(f"Warning: {_warning(one.message)}" for one in caught))
    return with_values(found, labels)


def with_values(diagnosis: Diagnosis, labels: Labels) -> Diagnosis:
    """Add the values of the label column to a finding that asks about them (PU207)."""
    from ...diagnostics import Diagnosis

    sentence = (
        f" Values of {labels.column!r}: {labels.values}; {labels.positive!r} counts as labelled."
    )
    return Diagnosis(
        tuple(
            replace(one, message=one.message + sentence) if _asks(one) else one
            for one in diagnosis.findings
        )
    )


def _asks(one: Finding) -> bool:
    return one.code == "PU207" and one.state == "warning"


def _warning(message: Warning | str) -> str:
    code = message.code if isinstance(message, PUWarning) else None
    text = for_terminal(code, message.message if isinstance(message, PUWarning) else str(message))
    return text if code is None else f"[{code}] {text}"
