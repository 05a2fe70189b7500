"""`unlabeled audit`: rows to check by hand, and what the answers say."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from ..app.run import (
    AUDITED_ROWS,
    CHECK_CSV,
    CHECK_FILES,
    CHECK_HTML,
    CHECK_JSON,
    DRAWN,
    FORMAT,
    MEASURES,
    REPORT,
    SCORED,
    AuditInput,
    DrawnAudit,
    bad_input_of,
    check_rule,
    draw_rows_to_check,
    expected_lengths,
    fit_in,
    read_and_audit,
    read_drawn,
    reject_drawn_before,
    sealed,
    write_audited,
    write_check,
)
from ..app.tables import count
from ._output import (
    FitFolder,
    check_new_folder,
    named_folder,
    only_audit,
    only_command,
    output_errors,
    whole_file,
    whole_folder,
)
from ._table_options import command_line

if TYPE_CHECKING:
    from ..app.run import AuditOutput

_OF_DRAWING = ("rows", "labeled_rows", "out", "seed")
_OF_ANSWERS = ("rule", "force")
_WIDTHS = (
    "How wide the 95% intervals will be, from the lower to the upper end, if the model is about "
    "right:"
)


@dataclass(frozen=True, kw_only=True)
class Options(AuditInput):
    """The options of `unlabeled audit`."""

    out: Path | None
    answers: tuple[Path, ...]
    as_json: bool


@click.command()
@click.argument("folder", metavar="DIR", type=FitFolder(path_type=Path))
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="The table to draw from: the one of the fit, or new rows with the same columns.",
)
@click.option(
    "--rows",
    type=int,
    default=100,
    show_default=True,
    help="How many unlabeled rows to draw; at least 10.",
)
@click.option(
    "--labeled-rows",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How many labeled rows to draw as well, if some labels may be wrong.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="CHECK",
    help="A new folder for the rows to check.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    help="Seed of the draw.  [default: a new one each time, written to audit.json]",
)
@click.option(
    "--answers",
    type=click.Path(path_type=Path),
    metavar="CHECK",
    help="The answers: the folder CHECK, or a CSV file that the page or a spreadsheet has saved. "
    "May be given several times.",
    multiple=True,
)
@click.option(
    "--rule",
    metavar="RULE",
    help="With --answers: how to choose the audited cut.  [default: the rule of the fit, or f1]",
)
@click.option(
    "--force",
    is_flag=True,
    help="With --answers: use these answers alone. Without it, the answers to several audits of "
    "one table are pooled.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def audit(**values: Any) -> None:
    """Draw rows to check by hand, and read what was found.

    DIR is the folder that `unlabeled fit` wrote. The command runs twice. First it draws rows of
    TABLE. You find out which of them are positive. Then it reads the answers, and says how many
    rows of TABLE are positive and how good the predictions are. The intervals hold however rows
    came to be labeled, if labels and answers are right. They hold whatever missing answers are,
    so they are long if many are missing. Usually 50 to 200 rows are enough.

    \b
    CHECK gets
      check.html  a page on which a person answers row by row
      check.csv   the same rows for a spreadsheet: write yes, no or not sure under truth
      audit.json  how the rows were drawn; it has their scores, so do not show it to the checker

    Rows are shuffled, and the page and check.csv leave out the label, scores, and the column that
    the fit took as --checked: a checker who knows what the model or somebody else says does not
    judge freely.

    \b
    With --answers, DIR gets
      audited.csv   the rows of the fit by the audited cut, in their order: score, posterior by
                    labels and answers, selected (1 = above the audited cut), the answer, and
                    columns that the fit kept; only if TABLE was the table of the fit
      audited.json  the audited cut, for `unlabeled predict --cut audited`
      summary.json  also the numbers of the audit, under audit
      report.html   also a section on the checked rows

    The model stays as it is. Answers are matched by key, so rows may be in any order. If you read
    the same CHECK again, a new answer replaces the earlier one to its row, and rows without a new
    answer keep theirs. Answers to another CHECK of the same table are pooled with them. With
    --force only the new answers count.

    \b
    Example: check 100 patients, and read what was found
      unlabeled audit ward --table patients.csv --rows 100 --out check
      unlabeled audit ward --answers check

    \b
    Exit codes:
      0    the rows were drawn, or the answers were read
      2    DIR, the table, the answers or an option cannot be used; the message says why
      3    CHECK or DIR cannot be written; existing files are kept
      130  stopped by Ctrl-C; existing files are kept
    """
    options = Options(**values)
    _check_options(options)
    with bad_input_of("audit"):
        if not options.answers:
            _draw(options)
        else:
            _read_answers_and_write(options)


def _check_options(options: Options) -> None:
    """Reject options of the first run in the second, and the other way round."""
    context = click.get_current_context()

    def given(names: tuple[str, ...]) -> list[str]:
        source = context.get_parameter_source
        found = [name for name in names if source(name) == ParameterSource.COMMANDLINE]
        return [f"`--{name.replace('_', '-')}`" for name in found]

    if options.answers:
        odd = given(_OF_DRAWING)
        if odd:
            raise click.UsageError(
                f"{' and '.join(odd)} must not go with `--answers`: rows are drawn first, and "
                "answers are read in a second run. Leave one of them out."
            )
        if options.rule is not None:
            check_rule(options.rule)
        return
    odd = given(_OF_ANSWERS)
    if odd:
        raise click.UsageError(f"{' and '.join(odd)} must go with `--answers`; got no answers.")
    missing = [f"`--{name}`" for name in ("table", "out") if getattr(options, name) is None]
    if missing:
        raise click.UsageError(
            f"`unlabeled audit` needs {' and '.join(missing)} to draw rows, or `--answers` to read "
            "what was found."
        )


# The first run: draw rows, and write the folder CHECK.


def _draw(options: Options) -> None:
    """Draw rows, and write the folder CHECK."""
    out = options.out
    assert out is not None
    check_new_folder(out, None, CHECK_FILES)
    with only_audit(options.folder), only_command(out):
        check_new_folder(out, None, CHECK_FILES)  # again: another command has ended
        fit = fit_in(options.folder)
        drawn = draw_rows_to_check(options, fit, command=command_line())
        known = read_drawn(options.folder)
        reject_drawn_before(options, drawn.design, known)
        known |= {drawn.design["name"]: drawn.design}
        with (
            whole_folder(out) as folder,
            whole_file(options.folder / DRAWN, is_option=False) as copy,
        ):
            copy.write_text(sealed({"format": FORMAT, "drawn": known}), "utf-8")
            write_check(folder, options, fit, drawn)
    _tell_drawn(options, drawn)


def _labeled_too(options: Options) -> str:
    return f", and {count(options.labeled_rows)} labeled ones" if options.labeled_rows else ""


def _tell_drawn(options: Options, drawn: DrawnAudit) -> None:
    lengths = expected_lengths(drawn.audit)
    if options.as_json:
        design = drawn.design
        found = {"name": design["name"], "rows": len(design["keys"]), "table": design["table"]}
        found |= {"seed": design["made"]["seed"], "expected_lengths": lengths}
        click.echo(json.dumps(found | {"out": str(options.out)}, indent=2))
        return
    if options.quiet:
        return
    out = options.out
    assert out is not None
    click.echo(
        f"{count(options.rows)} of the {count(drawn.audit.table.n_unlabeled)} unlabeled rows "
        f"of {drawn.design['table']['name']} were drawn{_labeled_too(options)}.\n"
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


# The second run: read the answers, and write what they say.


def _read_answers_and_write(options: Options) -> None:
    """Read the answers, and write what they say into the folder of the fit."""
    with only_audit(options.folder):
        output = read_and_audit(options, options.answers, fit_in(options.folder))
        with output_errors(options.folder, is_option=False):
            write_audited(options, output, named=named_folder(options.folder))
    if options.as_json:
        click.echo(json.dumps(output.record, indent=2))
    elif not options.quiet:
        click.echo(_answers_text(options, output))


def _answers_text(options: Options, output: AuditOutput) -> str:
    design, record = output.design, output.record
    lines = str(output.result).splitlines()
    if not design["table"]["fitted"]:
        lines.insert(0, f"These numbers are about {design['table']['name']}, not the fitted table.")
    if len(record["audits"]) > 1:
        lines.insert(0, f"The answers to {len(record['audits'])} audits are pooled.")
    doubts = [f"Warning ({one['code']}): {one['message']}" for one in record["warnings"]]
    lines = [*doubts, *([""] if doubts else []), *lines]
    cut, new = record["cut"], "TABLE" if design["table"]["fitted"] else design["table"]["name"]
    command = shlex.join(["unlabeled", "predict", str(options.folder), new])
    lines += [
        "",
        f"The audited cut, {_chosen(cut)}: {_measures(cut)}{_instead(cut)}.",
        *_on_choice(record),
        _about_rows(options, design, cut, record["file"]),
        f"Use it on new rows: {command} --out FILE --cut audited",
        f"The report is {options.folder / REPORT}.",
    ]
    return "\n".join(lines)


def _chosen(cut: dict[str, Any]) -> str:
    return "which is that of the fit" if cut["kept"] else f"by {cut['rule']}"


def _on_choice(record: dict[str, Any]) -> list[str]:
    """Say what the numbers of the audited cut owe to its choice and to the answers."""
    cut = record["cut"]
    if cut["kept"]:  # its numbers are those of the table above
        return []
    said = ["The same answers chose this cut and judge it, so its numbers are a little too good."]
    if record["missing"]:
        said.append(
            "Its choice takes rows without an answer to be like the others with similar scores; "
            "its intervals do not."
        )
    return [*cut["ends"], *said]


def _about_rows(
    options: Options, design: dict[str, Any], cut: dict[str, Any], file: str | None
) -> str:
    """Say where the rows of the fit are, by the audited cut, or why they are nowhere."""
    scored = options.folder / SCORED
    if file is not None:
        return (
            f"Your rows by this cut, with the answers, are in {options.folder / file}: selected is "
            f"1 where the score is above {cut['threshold']!r}."
        )
    if not design["table"]["fitted"]:
        return f"{AUDITED_ROWS} was not written: the checked rows are not those of the fit."
    return f"{AUDITED_ROWS} was not written: {scored} is missing or was changed. Fit again."


def _measures(cut: dict[str, Any]) -> str:
    return ", ".join(
        f"{MEASURES[name]} {one['estimate']:.2f} ({one['lower']:.2f} to {one['upper']:.2f})"
        for name, one in cut["range"].items()
        if one["estimate"] is not None
    )


def _instead(cut: dict[str, Any]) -> str:
    if cut["selected"] is None:
        return ""
    if cut["kept"]:
        return f"; it selects {count(cut['selected'])} rows"
    before = count(cut["selected_before"])
    every = "all " if cut["selects_all"] else ""
    return f"; it selects {every}{count(cut['selected'])} rows instead of {before}"
