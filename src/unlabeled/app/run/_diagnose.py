"""Whether a fit to a table can be trusted."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...codes import caught_warnings, for_terminal, told_in_terminal
from ..tables import count
from ._errors import InputError, in_terminal
from ._methods import classifier
from ._scored_table import TO_CHECK
from ._table import LoadedTable, TableInput

if TYPE_CHECKING:
    from ...diagnostics import Diagnosis, Finding
    from ..table_model import TableFit
    from ..tables import Labels

MOST_DIAGNOSED = 20_000
"""The largest number of rows that the checks of a fit use."""


def diagnosis_of(
    options: TableInput, loaded: LoadedTable, method: str, checks: Sequence[str] = ()
) -> Diagnosis:
    """Fit a method to a table, and run the checks; none named means all."""
    from ...diagnostics import diagnose as run_checks
    from ..tables import table_pipeline

    X, labels = loaded.prepared.X, loaded.labels
    model = table_pipeline(classifier(method, labels, options.class_prior, options.seed))
    try:
        with caught_warnings() as told:
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
    for code, said in dict.fromkeys(told):
        options.log(f"Warning: {f'[{code}] ' * (code is not None)}{for_terminal(code, said)}")
    return with_values(found, labels)


def with_values(diagnosis: Diagnosis, labels: Labels) -> Diagnosis:
    """Add the values of the label column to a finding that asks about them (PU207)."""
    from ...diagnostics import Diagnosis

    sentence = (
        f" Values of {labels.column!r}: {labels.values}; {labels.positive!r} counts as labeled."
    )
    return Diagnosis(
        tuple(
            replace(one, message=one.message + sentence)
            if (one.code, one.state) == ("PU207", "warning")
            else one
            for one in diagnosis.findings
        )
    )


# Of a fit that was made anyway.


def diagnosis_of_fit(
    given: TableInput, loaded: LoadedTable, fitted: TableFit
) -> tuple[Diagnosis | None, str | None]:
    """Run the checks, on a random part of a large table; also return a note about that."""
    import numpy as np

    from ...diagnostics import diagnose
    from ...engine.rows import LabelEncoding, Rows

    s, X, note = loaded.s, loaded.prepared.X, None
    rows, n_rows = loaded.rows, len(loaded.labels.s)
    groups = loaded.prepared.groups
    given.log("Checking ...")
    if len(s) > MOST_DIAGNOSED:
        whole = Rows(X, s, None, LabelEncoding(np.array([0, 1])))
        drawn = whole.sample(MOST_DIAGNOSED, given.seed).row_index
        X, rows, s = X.iloc[drawn], rows[drawn], s[drawn]
        groups = None if groups is None else groups[drawn]
    if len(s) < n_rows:
        note = f"on {count(len(s))} of the {count(n_rows)} rows, drawn at random"
    if not s.any():
        return None, f"not run: no labeled row is among {count(len(s))} rows drawn at random"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # refits in the checks may warn as the fit did
        found = diagnose(fitted.pipeline, X, s, random_state=given.seed, groups=groups)
    in_table = (_in_table(one, rows) for one in with_values(found, loaded.labels))
    return replace(found, findings=tuple(in_table)), note


def _in_table(one: Finding, drawn: Any) -> Finding:
    """Return a finding about rows of the whole table; of doubtful labels, with their file."""
    rows = one.facts.get("rows")
    if not isinstance(rows, list) or not rows:
        return one
    facts = one.facts | {"rows": drawn[rows].tolist()}
    if not doubts_labels(one.code, one.state):
        return replace(one, facts=facts)
    which = "the row" if len(rows) == 1 else f"all {count(len(rows))} rows"
    look = f"Look at {which} in {TO_CHECK} before you change a label."
    return replace(one, facts=facts, message=f"{told_in_terminal(one.message)} {look}")


def doubts_labels(code: str, state: str) -> bool:
    return code == "PU205" and state in ("note", "warning")
