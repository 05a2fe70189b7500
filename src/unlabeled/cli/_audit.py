"""`unlabeled audit`: rows to check by hand, and what the answers say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..app.run import AuditInput, bad_input_of, check_rule
from ._audit_answers import estimate
from ._audit_draw import draw
from ._output import FitFolder

_OF_DRAWING = ("rows", "labelled_rows", "out", "seed")
_OF_ANSWERS = ("rule", "force")


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
    help="How many unlabelled rows to draw; at least 10.",
)
@click.option(
    "--labelled-rows",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How many labelled rows to draw as well, if some labels may be wrong.",
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
    came to be labelled, if labels and answers are right. They hold whatever missing answers are,
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
            draw(options)
        else:
            estimate(options, options.answers)


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
