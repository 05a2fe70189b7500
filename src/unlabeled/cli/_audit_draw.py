"""The first run of `unlabeled audit`: draw rows, and write the folder CHECK."""

from __future__ import annotations

import json
import secrets
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .._version import __version__
from ..app.tables import count, listed
from ._audit_files import (
    CHECK_CSV,
    CHECK_FILES,
    CHECK_HTML,
    CHECK_JSON,
    DRAWN,
    FORMAT,
    MEASURES,
    Fit,
    cells_of,
    check_csv,
    fit_in,
    keys_of,
    name_of,
    now,
    only_audit,
    read_drawn,
    sealed,
)
from ._errors import BadInput, in_terminal
from ._output import (
    check_new_folder,
    fingerprint,
    only_command,
    read_scored,
    whole_file,
    whole_folder,
)
from ._table_options import command_line, threads_for

if TYPE_CHECKING:
    import numpy as np

    from ..app.model_files import Card
    from ..app.tables import Table
    from ..audit import Audit
    from ._audit import Options

_SIZES = (50, 100, 200)
_OPTIONS = {
    "size": "`--rows`",
    "labelled_size": "`--labelled-rows`",
    "X": "TABLE",
    "y": "the label column",
}
_WIDTHS = (
    "How wide the 95% intervals will be, from the lower to the upper end, if the model is about "
    "right:"
)


class Drawn(NamedTuple):
    """An audit, its design for files, and the names and cells of the rows to check."""

    audit: Audit
    entry: dict[str, Any]
    names: list[str]
    cells: list[list[str]]


def draw(options: Options) -> None:
    """Draw rows, and write the folder CHECK."""
    out = options.out
    assert out is not None
    check_new_folder(out, None, CHECK_FILES)
    with only_audit(options.folder), only_command(out):
        check_new_folder(out, None, CHECK_FILES)  # again: another command has ended
        fit = fit_in(options.folder)
        drawn = _drawn(options, fit)
        known = read_drawn(options.folder)
        _reject_drawn_before(options, drawn.entry, known)
        known |= {drawn.entry["name"]: drawn.entry}
        with (
            whole_folder(out) as folder,
            whole_file(options.folder / DRAWN, is_option=False) as copy,
        ):
            copy.write_text(sealed({"format": FORMAT, "drawn": known}), "utf-8")
            _write_check(folder, options, fit, drawn)
    _tell_drawn(options, drawn)


def _reject_drawn_before(
    options: Options, entry: dict[str, Any], known: dict[str, dict[str, Any]]
) -> None:
    """Raise if the same seed has drawn the same rows before."""
    before = known.get(entry["name"])
    if before is not None and before["audit"]["rows"] == entry["audit"]["rows"]:
        raise BadInput(
            f"`--seed` must be another one for another draw; {options.seed} has drawn these rows "
            f"before, {before['made']['at']}. Leave it out, or read the answers to those rows."
        )


def _drawn(options: Options, fit: Fit) -> Drawn:
    from ..app.tables import conform, read_like
    from ..audit import draw_audit

    path = options.table
    assert path is not None
    options.log(f"Reading {path} ...")
    table = read_like(path, fit.pipeline[0], fit.card.id, fit.card.reading)
    known = tuple(name for name in (fit.card.id, fit.card.label) if name is not None)
    conformed = conform(table, fit.pipeline[0], known)
    of_table = fingerprint(path)
    is_fitted = of_table["sha256"] == fit.card.fingerprint["sha256"]
    options.log(*table.remarks, *(() if is_fitted else conformed.remarks))
    s = _labels(table, fit.card)
    held_out = _held_out_scores(options, fit) if is_fitted else None
    if held_out is not None:
        fit.pipeline[-1].held_out_score_ = held_out  # the model file leaves it out
    if not is_fitted:
        options.log(*_about_another_table(table, fit))
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    try:
        with threads_for(*conformed.X.shape):
            audit = draw_audit(
                fit.pipeline,
                conformed.X,
                s if s.any() else None,
                size=options.rows,
                labelled_size=options.labelled_rows,
                random_state=seed,
            )
    except ValueError as error:
        raise BadInput(in_terminal(error, **_OPTIONS)) from None
    if is_fitted and not _uses(held_out, audit):
        options.log(
            "There are no held-out scores of these rows, so the scores of the fit are used. "
            "Intervals may be longer for it."
        )
    name = name_of(audit)
    entry = {
        "format": FORMAT,
        "name": name,
        "keys": keys_of(name, len(audit.rows)),
        "audit": audit.to_dict(),
        "model": fit.card.sha256,
        "table": {"name": path.name, "rows": len(table), "fitted": is_fitted, **of_table},
        "made": {"command": command_line(), "at": now(), "seed": seed, "version": __version__},
    }
    rows = table.frame.iloc[audit.rows].drop(columns=_hidden(fit), errors="ignore")
    if fit.card.id in rows.columns:
        rows.insert(0, fit.card.id, rows.pop(fit.card.id))
    else:
        rows.insert(0, "row" if "row" not in rows.columns else "row number", audit.rows + 1)
    return Drawn(audit, entry, [str(name) for name in rows.columns], cells_of(rows))


def _about_another_table(table: Table, fit: Fit) -> list[str]:
    """Say what follows if rows are not drawn from the table of the fit, before they are checked."""
    name = fit.summary["table"].get("name") or "that table"
    said = [
        "TABLE is not the table of the fit: its rows are audited as new rows. Answers to them are "
        "not pooled with an audit of the fit's table. If TABLE has the rows of the fit in another "
        f"order, or a part of them, pass {name} as it was fitted instead."
    ]
    if fit.card.label not in table.columns and not fit.summary["label"].get("cases"):
        said.append(f"TABLE has no column {fit.card.label!r}, so no row counts as labelled.")
    return said


def _hidden(fit: Fit) -> list[str]:
    """Return the columns that would tell a checker the answer: the label, and earlier answers."""
    from ..app.tables import FOUND_BY_CHECKING

    not_used = (fit.summary.get("columns") or {}).get("not_used") or {}
    return [fit.card.label, *(name for name, why in not_used.items() if why == FOUND_BY_CHECKING)]


def _labels(table: Table, card: Card) -> np.ndarray:
    """Return 1 for labelled rows; new rows may have no label column."""
    import numpy as np

    from ..app.tables import cells_as_words

    if card.label not in table.columns:
        return np.zeros(len(table), dtype=np.int64)
    words = cells_as_words(table.frame[card.label])
    found = words.isin(card.positives)
    if not found.any():
        found = words.str.lower().isin([value.lower() for value in card.positives])
    return np.asarray(found, dtype=np.int64)


def _held_out_scores(options: Options, fit: Fit) -> np.ndarray | None:
    """Return the held-out scores of the training rows, NaN without one; None if there are none."""
    import numpy as np

    known = read_scored(options.folder, ("held_out_score",))
    score = None if known is None else np.asarray(known["held_out_score"])
    if score is None or len(score) != fit.card.fingerprint["rows"]:
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


def _write_check(folder: Path, options: Options, fit: Fit, drawn: Drawn) -> None:
    from ..app.check_page import make_check_page

    keys, table = drawn.entry["keys"], drawn.entry["table"]["name"]
    (folder / CHECK_CSV).write_bytes(check_csv(drawn.names, drawn.cells, keys).encode("utf-8"))
    (folder / CHECK_JSON).write_text(sealed(drawn.entry), "utf-8")
    page = make_check_page(
        drawn.cells,
        columns=drawn.names,
        keys=keys,
        title=f"Check {count(len(keys))} rows of {table}",
        question=f"Is this row positive, like the rows with {listed(fit.card.positives)} in "
        f"{fit.card.label!r}?",
        storage_key=drawn.entry["name"],
        # The page says to run it where the browser saves files, so DIR is spelt out.
        command=shlex.join(
            ["unlabeled", "audit", str(options.folder.resolve()), "--answers", "answers.csv"]
        ),
    )
    (folder / CHECK_HTML).write_text(page, "utf-8", newline="\n")


def _labelled_too(options: Options) -> str:
    return f", and {count(options.labelled_rows)} labelled ones" if options.labelled_rows else ""


def _tell_drawn(options: Options, drawn: Drawn) -> None:
    lengths = _lengths(drawn.audit)
    if options.as_json:
        entry = drawn.entry
        found = {"name": entry["name"], "rows": len(entry["keys"]), "table": entry["table"]}
        found |= {"seed": entry["made"]["seed"], "expected_lengths": lengths}
        click.echo(json.dumps(found | {"out": str(options.out)}, indent=2))
        return
    if options.quiet:
        return
    out = options.out
    assert out is not None
    click.echo(
        f"{count(options.rows)} of the {count(drawn.audit.table.n_unlabelled)} unlabelled rows "
        f"of {drawn.entry['table']['name']} were drawn{_labelled_too(options)}.\n"
        f"1. Check them on the page {out / CHECK_HTML}, or write yes, no or not sure under truth "
        f"in {out / CHECK_CSV}.\n"
        f"2. Run `unlabeled audit {options.folder} --answers {out}`. If you used the page, name "
        f"the file that it saved instead of {out}.\n"
        f"Do not show {out / CHECK_JSON} to whoever checks the rows: it has their scores.\n"
    )
    click.echo("\n".join(_expectation(lengths)))


def _lengths(audit: Audit) -> list[dict[str, Any]]:
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


def _expectation(lengths: list[dict[str, Any]]) -> list[str]:
    """Write the expected lengths as a table for the terminal."""
    if not lengths:
        return []
    known = {(one["size"], one["measure"]): one for one in lengths}
    sizes = sorted({one["size"] for one in lengths})
    names = [name for name in MEASURES if (sizes[0], name) in known]
    rows = [[MEASURES[name] for name in names]]
    rows += [[_length(name, known[size, name]) for name in names] for size in sizes]
    width = max(16, *(len(cell) + 2 for row in rows for cell in row))
    return [_WIDTHS] + [
        f"{head:>14}" + "".join(f"{cell:>{width}}" for cell in row)
        for head, row in zip(("checked rows", *sizes), rows, strict=True)
    ]


def _length(name: str, one: dict[str, Any]) -> str:
    ends = one["shortest"], one["longest"]
    if name == "count":
        return f"{count(round(ends[0]))} to {count(round(ends[1]))} wide"
    return f"{ends[0]:.2f} to {ends[1]:.2f} wide"
