"""The first run of `unlabeled audit`: draw rows, and write the folder CHECK."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..app.run import (
    CHECK_CSV,
    CHECK_FILES,
    CHECK_HTML,
    CHECK_JSON,
    DRAWN,
    FORMAT,
    MEASURES,
    DrawnAudit,
    draw_rows_to_check,
    expected_lengths,
    fit_in,
    read_drawn,
    reject_drawn_before,
    sealed,
    write_check,
)
from ..app.tables import count
from ._output import check_new_folder, only_audit, only_command, whole_file, whole_folder
from ._table_options import command_line

if TYPE_CHECKING:
    from ._audit import Options

_WIDTHS = (
    "How wide the 95% intervals will be, from the lower to the upper end, if the model is about "
    "right:"
)


def draw(options: Options) -> None:
    """Draw rows, and write the folder CHECK."""
    out = options.out
    assert out is not None
    check_new_folder(out, None, CHECK_FILES)
    with only_audit(options.folder), only_command(out):
        check_new_folder(out, None, CHECK_FILES)  # again: another command has ended
        fit = fit_in(options.folder)
        drawn = draw_rows_to_check(options, fit, command=command_line())
        known = read_drawn(options.folder)
        reject_drawn_before(options, drawn.entry, known)
        known |= {drawn.entry["name"]: drawn.entry}
        with (
            whole_folder(out) as folder,
            whole_file(options.folder / DRAWN, is_option=False) as copy,
        ):
            copy.write_text(sealed({"format": FORMAT, "drawn": known}), "utf-8")
            write_check(folder, options, fit, drawn)
    _tell_drawn(options, drawn)


def _labelled_too(options: Options) -> str:
    return f", and {count(options.labelled_rows)} labelled ones" if options.labelled_rows else ""


def _tell_drawn(options: Options, drawn: DrawnAudit) -> None:
    lengths = expected_lengths(drawn.audit)
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
