"""Draw rows to check by hand."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._version import __version__
from ..tables import count, listed
from ._audit_files import (
    CHECK_CSV,
    CHECK_HTML,
    CHECK_JSON,
    FORMAT,
    AuditInput,
    Fit,
    cells_of,
    check_csv,
    keys_of,
    name_of,
    now,
    sealed,
)
from ._errors import InputError, in_terminal
from ._scored_table import WITH_COMMAS, fingerprint, read_scored, writes_commas
from ._table import threads_for

if TYPE_CHECKING:
    import numpy as np

    from ...audit import Audit
    from ..model_files import Card
    from ..tables import Table

_SIZES = (50, 100, 200)
_OPTIONS = {
    "size": "`--rows`",
    "labeled_size": "`--labeled-rows`",
    "X": "TABLE",
    "y": "the label column",
}


class DrawnAudit(NamedTuple):
    """An audit, its design for files, and the names and cells of the rows to check.

    With `commas`, numbers in cells have decimal commas.
    """

    audit: Audit
    design: dict[str, Any]
    names: list[str]
    cells: list[list[str]]
    commas: bool


def draw_rows_to_check(given: AuditInput, fit: Fit, *, command: str) -> DrawnAudit:
    """Draw rows of a table to check; `command` is recorded as what drew them."""
    from ...audit import draw_rows, judge
    from ..tables import conform, read_like

    path = given.table
    assert path is not None
    given.log(f"Reading {path} ...")
    table = read_like(path, fit.pipeline[0], fit.card.id, fit.card.reading)
    known = tuple(name for name in (fit.card.id, fit.card.label) if name is not None)
    conformed = conform(table, fit.pipeline[0], known)
    of_table = fingerprint(path)
    is_fitted = of_table["sha256"] == fit.card.fingerprint.get("sha256")
    given.log(*table.remarks, *(() if is_fitted else conformed.remarks))
    s = _labels(table, fit.card)
    held_out = _held_out_scores(given, fit) if is_fitted else None
    if not is_fitted:
        given.log(*_about_another_table(table, fit))
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    try:
        with threads_for(*conformed.X.shape):
            y = s if s.any() else None
            judged = judge(fit.pipeline, conformed.X, y, held_out=held_out)
            audit = draw_rows(judged, given.rows, given.labeled_rows, seed, index_of=(conformed.X,))
    except ValueError as error:
        raise InputError(in_terminal(error, **_OPTIONS)) from None
    if is_fitted and not _uses(held_out, audit):
        given.log(
            "There are no held-out scores of these rows, so the scores of the fit are used. "
            "Intervals may be longer for it."
        )
    name = name_of(audit)
    design = {
        "format": FORMAT,
        "name": name,
        "keys": keys_of(name, len(audit.rows)),
        "audit": audit.to_dict(),
        "model": fit.card.sha256,
        "table": {"name": path.name, "rows": len(table), "fitted": is_fitted, **of_table},
        "made": {"command": command, "at": now(), "seed": seed, "version": __version__},
    }
    telling = [name for name in _telling(fit) if name in table.columns]
    if telling:
        why = "it gives" if len(telling) == 1 else "they give"
        given.log(
            f"Not shown to the person who checks, because {why} the label away: {listed(telling)}."
        )
    rows = table.frame.iloc[audit.rows].drop(columns=_hidden(fit), errors="ignore")
    if fit.card.id in rows.columns:
        rows.insert(0, fit.card.id, rows.pop(fit.card.id))
    else:
        rows.insert(0, "row" if "row" not in rows.columns else "row number", audit.rows + 1)
    commas = writes_commas(path, table.reading.decimal_comma)
    cells = cells_of(rows, commas)
    return DrawnAudit(audit, design, [str(name) for name in rows.columns], cells, commas)


def _about_another_table(table: Table, fit: Fit) -> list[str]:
    """Say what follows if rows are not drawn from the table of the fit, before they are checked."""
    name = fit.summary.table.get("name") or "that table"
    said = [
        "TABLE is not the table of the fit: its rows are audited as new rows. Answers to them are "
        "not pooled with an audit of the fit's table. If TABLE has the rows of the fit in another "
        f"order, or a part of them, pass {name} as it was fitted instead."
    ]
    if fit.card.label not in table.columns and not fit.summary.label.get("cases"):
        said.append(f"TABLE has no column {fit.card.label!r}, so no row counts as labeled.")
    return said


def _hidden(fit: Fit) -> list[str]:
    """Return the columns that would tell a checker the answer.

    These are the label, earlier answers, and columns that give the label away.
    """
    from ..tables import FOUND_BY_CHECKING

    not_used = fit.summary.columns.get("not_used") or {}
    answers = [name for name, why in not_used.items() if why == FOUND_BY_CHECKING]
    return [fit.card.label, *answers, *_telling(fit)]


def _telling(fit: Fit) -> list[str]:
    """Return columns that give the label away: those left out, and those that a check warned of."""
    from ..tables import TELLS

    not_used = fit.summary.columns.get("not_used") or {}
    warned = [
        name
        for one in fit.summary.findings
        if one.get("code") == "PU204" and one.get("state") in ("warning", "serious")
        for name in (one.get("facts") or {}).get("columns") or []
    ]
    return [*(name for name, why in not_used.items() if why.endswith(TELLS)), *warned]


def _labels(table: Table, card: Card) -> np.ndarray:
    """Return 1 for labeled rows; new rows may have no label column."""
    import numpy as np

    from ..tables import cells_as_words

    if card.label not in table.columns:
        return np.zeros(len(table), dtype=np.int64)
    words = cells_as_words(table.frame[card.label])
    found = words.isin(card.positives)
    if not found.any():
        found = words.str.lower().isin([value.lower() for value in card.positives])
    return np.asarray(found, dtype=np.int64)


def _held_out_scores(given: AuditInput, fit: Fit) -> np.ndarray | None:
    """Return the held-out scores of the training rows, which the model file leaves out.

    NaN for a row without one; None if there are none.
    """
    import numpy as np

    known = read_scored(given.folder, ("held_out_score",))
    score = None if known is None else np.asarray(known["held_out_score"])
    if score is None or len(score) != fit.card.fingerprint.get("rows"):
        return None
    return score if np.isfinite(score).any() else None


def _uses(held_out: np.ndarray | None, audit: Audit) -> bool:
    """Whether an audit has the held-out scores that there are."""
    import numpy as np

    if held_out is None:
        return False
    of_drawn = held_out[audit.rows]
    has_one = np.isfinite(of_drawn)
    return np.array_equal(audit.score[has_one], of_drawn[has_one])


def reject_drawn_before(
    given: AuditInput, design: dict[str, Any], known: dict[str, dict[str, Any]]
) -> None:
    """Raise if the same seed has drawn the same rows before."""
    before = known.get(design["name"])
    if before is not None and before["audit"]["rows"] == design["audit"]["rows"]:
        raise InputError(
            f"`--seed` must be another one for another draw; {given.seed} has drawn these rows "
            f"before, {before['made']['at']}. Leave it out, or read the answers to those rows."
        )


def write_check(folder: Path, given: AuditInput, fit: Fit, drawn: DrawnAudit) -> None:
    """Write the rows to check, their page and their design."""
    from ..check_page import make_check_page

    keys, table = drawn.design["keys"], drawn.design["table"]["name"]
    text = check_csv(drawn.names, drawn.cells, keys, ";" if drawn.commas else ",")
    (folder / CHECK_CSV).write_bytes(text.encode("utf-8"))
    if drawn.commas:
        given.log(f"{CHECK_CSV} {WITH_COMMAS} {table}.")
    (folder / CHECK_JSON).write_text(sealed(drawn.design), "utf-8")
    page = make_check_page(
        drawn.cells,
        columns=drawn.names,
        keys=keys,
        title=f"Check {count(len(keys))} rows of {table}",
        question=f"Is this row positive, like the rows with {listed(fit.card.positives)} in "
        f"{fit.card.label!r}?",
        storage_key=drawn.design["name"],
        # The page says to run it where the browser saves files, so DIR is spelled out.
        command=shlex.join(
            ["unlabeled", "audit", str(given.folder.resolve()), "--answers", "answers.csv"]
        ),
    )
    (folder / CHECK_HTML).write_text(page, "utf-8", newline="\n")


def expected_lengths(audit: Audit) -> list[dict[str, Any]]:
    """Return how long intervals will be with 50, 100 and 200 checked rows."""
    columns = audit.expected_lengths(_SIZES)
    return [
        {
            "size": int(columns["size"][k]),
            "measure": str(columns["measure"][k]),
            "shortest": float(columns["shortest"][k]),
            "longest": float(columns["longest"][k]),
        }
        for k in range(len(columns["size"]))
    ]
