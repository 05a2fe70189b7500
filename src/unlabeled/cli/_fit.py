"""`unlabeled fit`: from a table to a prediction for every row."""

from __future__ import annotations

import itertools
import json
import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.run import (
    AUDITED,
    AUDITED_ROWS,
    AUTO,
    DRAWN,
    FILES,
    REPORT,
    SCORED,
    Clock,
    FitInput,
    LoadedTable,
    add_comparison,
    bad_input_of,
    check_rule,
    fit_method,
    kept_columns,
    loaded_table,
    record_fit,
    threads_for,
    why_not_compared,
    write_fit,
    write_record_again,
)
from ..app.tables import count, listed
from ..codes import Message, for_terminal
from ._main import exit_when_stopped
from ._output import (
    FitFolder,
    check_new_folder,
    folder_beside,
    only_command,
    output_errors,
    whole_folder,
)
from ._table_options import (
    FittedMethod,
    check_labeled_by,
    check_two_files,
    command_line,
    jobs_option,
    keep_options,
    memory_option,
    table_or_two_files,
)

if TYPE_CHECKING:
    from ..app.table_model import FitRecord
    from ..app.tables import Labels

_REPLACED = (*FILES, DRAWN, AUDITED, AUDITED_ROWS)
_AS_IF_ALL_LABELED = "PU106"
_PLURAL = {"number": "numbers", "category": "categories", "date": "dates"}


@dataclass(frozen=True, kw_only=True)
class Options(FitInput):
    """The options of `unlabeled fit`."""

    force: bool
    as_json: bool

    def check_out(self) -> None:
        """Reject a DIR that cannot be written."""
        check_new_folder(self.out, self.force, _REPLACED, self.reads)


@click.command()
@table_or_two_files
@click.option(
    "--method",
    type=FittedMethod(),
    default=AUTO,
    show_default=True,
    help="The classifier to fit. pu-logistic is a line; ensemble combines a line, trees and "
    "boosting; auto takes the ensemble if left-out labels are clearly likelier under it, else "
    "pu-logistic, and counts positives by all of them.",
)
@click.option(
    "--negative",
    multiple=True,
    metavar="VALUE",
    help="A value of --label that marks rows that were checked and found negative; repeatable. "
    "It needs --chosen-beforehand.",
)
@click.option(
    "--checked",
    metavar="COLUMN",
    help="A column with yes or no for rows that somebody has checked, and blank cells for the "
    "others. It is not used as a feature.",
)
@click.option(
    "--chosen-beforehand",
    is_flag=True,
    help="Say that the rows of --negative and --checked were chosen before anybody knew their "
    "class. Asked for with --negative, or if every answer is no: rows that were recorded because "
    "they are negative would make all numbers far too small.",
)
@click.option(
    "--labeled-by",
    multiple=True,
    metavar="COLUMN",
    help="A column that decides how often a positive row is labeled, such as the hospital or the "
    "year; repeatable. Without it every positive row is taken to be labeled equally often.",
)
@click.option(
    "--rule",
    metavar="RULE",
    help="How to choose the cut, the score above which rows are predicted positive: f1, f1_pu, "
    "balanced_accuracy, mcc, accuracy, 'recall_at_least(0.9)', 'precision_at_least(0.8)', "
    "'share(0.1)', 'fbeta(2)', or 'cost(5, 1)' for the costs of a miss and a false alarm; a name "
    "that does not exist lists all. [default: f1 for auto, pu-logistic and ensemble; "
    "the other methods have their own cut]",
)
@click.option(
    "--out",
    type=FitFolder(path_type=Path),
    required=True,
    metavar="DIR",
    help="A new folder for the report, the scored table and the model.",
)
@click.option("--force", is_flag=True, help="Replace an earlier fit in DIR, with its audit.")
@click.option("--checks/--no-checks", default=True, help="Check whether the fit can be trusted.")
@click.option(
    "--compare/--no-compare",
    default=False,
    help="Compare with the other methods, as `unlabeled compare` does, and show it in the report.",
)
@click.option(
    "--include-rows",
    is_flag=True,
    help="Show the first rows with their IDs and reasons in the report. Without it the report "
    "shows no row.",
)
@keep_options
@jobs_option(default=1)
@memory_option
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def fit(**values: Any) -> None:
    """Fit a classifier to a table and predict every row.

    TABLE is CSV or TSV (also .gz or .zip), Parquet, Arrow, JSON lines, a workbook (.xlsx) or an
    SQLite file with one table. A pattern in quotes, such as 'claims/*.parquet', stands for several
    files of CSV, Parquet or Arrow with the same columns. A table larger than --memory is read in
    parts: its features are learned from rows drawn at random, and pu-logistic is fitted to all
    rows. Some rows are labeled positive, the others are unlabeled. If your
    positives come from elsewhere, such as a register, give two files instead: --cases with the
    positives, and --population with rows drawn from the population. All numbers are then the
    population's.

    In the label column, blank, 0, no and false mean unlabeled. Rows that you have checked may
    enter with --checked. Do not mark positives that you found in scored.csv as
    labeled: a fit to such labels is unreliable.

    All numbers assume that the labeled rows are a random sample of the positives. If you know
    that some positives get a label more often than others, by the ward or the year, name that
    column with --labeled-by. The numbers then assume that labels follow these columns and
    nothing else.

    \b
    DIR gets
      report.html   number of positives, cuts, findings and warnings
      scored.csv    every row with score, posterior, decision (1 = predicted positive) and
                    rank. Unlabeled rows also have posterior_if_unlabeled,
                    decision_if_unlabeled (1 = above one half) and
                    rank_among_unlabeled. With most methods these numbers come from fits
                    that have not seen the row; held_out_score and held_out_posterior are
                    filled then. The column `because` names the columns that moved the score
                    most, for the 2000 unlabeled rows with the highest scores. Last come the
                    columns of --group and --keep
      labels_to_check.csv  only if labels are doubtful (PU205): the labeled rows that look
                    like negatives, the most doubtful first, each with the columns that speak
                    against a positive. Look at them; they may be right
      summary.json  the numbers of the report
      model.skops   the fitted model, for `unlabeled predict`; model.json describes it

    \b
    Example: which undiagnosed patients are probably ill?
      unlabeled fit patients.csv --label diagnosis --id patient --out ward
      unlabeled fit patients.csv --label diagnosis --keep name --keep phone --out ward
      unlabeled fit visits.csv --label diagnosis --group patient --out visits
      unlabeled fit patients.csv --label diagnosis --labeled-by ward --out by_ward
      unlabeled fit claims.parquet --label fraud --rule 'recall_at_least(0.9)' --out claims
      unlabeled fit 'claims/*.parquet' --label fraud --memory 4GB --out claims
      unlabeled fit claims.parquet --label status --positive fraud --checked inspected --out seen
      unlabeled fit --cases register.csv --population survey.csv --out prevalence

    \b
    Exit codes:
      0    the model was fitted, whatever the checks found
      2    the table or an option cannot be used, a file changed meanwhile, or fewer than ten
           rows are labeled; the message says why
      3    DIR cannot be written; existing files are kept
      130  stopped by Ctrl-C; existing files are kept. During the comparison of --compare, which
           comes last, DIR already holds the whole fit
    """
    check_two_files(values)
    options = Options(**values)
    check_labeled_by(options.labeled_by, options.method)
    with bad_input_of("fit"):
        options.check_out()
        if options.rule is not None:
            check_rule(options.rule)
        with only_command(options.out):
            options.check_out()  # again: another command has ended
            _run(options)


def _run(options: Options) -> None:
    clock = Clock()
    with loaded_table(
        options,
        method=options.method,
        memory=options.memory,
        scratch=partial(folder_beside, options.out),
        keep=options.keep,
        keep_all=options.keep_all,
    ) as loaded:
        _fit_and_tell(options, loaded, clock)


def _fit_and_tell(options: Options, loaded: LoadedTable, clock: Clock) -> None:
    loaded.need_enough_labeled(may_be_checked=True)
    kept = {}
    if loaded.parts is None:
        # The list must lead back to the groups: to patients, if rows are visits.
        prepared = loaded.prepared
        group = [] if prepared.groups_are_copies or not prepared.group else [prepared.group]
        keep = tuple(dict.fromkeys([*group, *options.keep]))
        kept = kept_columns(options.path, keep, options.keep_all)
    speaks, compares = not options.as_json and not options.quiet, False
    labels = loaded.labels
    with threads_for(len(labels.s), loaded.prepared.X.shape[1]):
        if speaks:
            click.echo(f"{labels}{_may_be_negative(labels)}{_checked_sentence(options, loaded)}\n")
        clock.done("read")
        chosen = fit_method(options, loaded, clock)
        options.log(_column_types(chosen.fit.pipeline[0].kinds_))
        record = record_fit(options, loaded, chosen, clock, command=command_line())
        with whole_folder(options.out) as folder:
            rows = write_fit(folder, chosen.fit, loaded, record, kept, options)
        compares = why_not_compared(options, loaded) is None
        if speaks:
            click.echo(
                _summary_text(replace(record, comparison={}) if compares else record, options)
            )
        if compares:
            out = options.out
            whole = f"Stopped; {out} holds the whole fit, without the comparison."
            with exit_when_stopped(whole):
                add_comparison(options, loaded, record, clock)
                with output_errors(out):
                    write_record_again(out, record, rows)
            _tell_comparison(options, record)
    if options.as_json:
        click.echo(json.dumps(record.dump(), allow_nan=False))


def _tell_comparison(options: Options, record: FitRecord) -> None:
    if record.comparison is not None:
        from ..app.report import about_used_method

        compared = [method["name"] for method in record.comparison["methods"]]
        left_out = about_used_method(record.method["name"], compared)
        options.log(f"The comparison is in {options.out / REPORT}. {left_out}".rstrip())


def _may_be_negative(labels: Labels) -> str:
    """Say what rows with no count as beside blank cells, and which option changes that."""
    values = labels.may_be_negative
    if not values:
        return ""
    options = " ".join(f"--negative {shlex.quote(value)}" for value in values)
    return (
        f" Rows with {listed(values)} count as unlabeled, like blank ones. If they were chosen for "
        f"checking before anybody knew their class, say so: `{options} --chosen-beforehand`."
    )


def _checked_sentence(options: Options, loaded: LoadedTable) -> str:
    """Say what a column of checked rows adds to the labels."""
    from ..app.tables import checked_record

    known = checked_record(loaded.checked)
    if options.checked is None or known is None:
        return ""
    return (
        f" With `{options.checked}`, {count(known['positive'] + known['negative'])} rows are "
        f"checked: {count(known['positive'])} positive, {count(known['negative'])} negative."
    )


def _column_types(kinds: dict[str, str]) -> str:
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(_PLURAL.get(kind, kind), []).append(name)
    parts = (f"{kind} {listed(names, 12)}" for kind, names in by_kind.items())
    return f"Column types: {'; '.join(parts)}."


def _summary_text(record: FitRecord, options: Options) -> str:
    """Return the number of positives, the cut, what is doubtful or unchecked, and the files."""
    from ..app.table_model import not_checked, voided_by

    out = options.out
    numbers = [_positives(record), _cut(record), *_groups(record)]
    voided = voided_by(record)
    if voided is not None:  # what was found stands in place of the numbers
        numbers = [_positives(record), f"{count(record.cut['selected'])} rows are selected."]
        findings = [one for one in record.findings if one is not voided]
        warnings = [one for one in record.warnings if one is not voided]
        record = replace(record, findings=findings, warnings=warnings)
    notes = _doubtful_notes(record) if voided is None else []
    blocks = [
        numbers,
        _findings(record, "serious"),
        [] if record.labeled_by is None else [record.labeled_by["sentence"]],
        [*_findings(record, "warning"), *_warnings(record), *notes],
        list(not_checked(record, _count)),
        [
            f"The report is {out / REPORT}; every row is in {out / SCORED}.",
            *_advice(record, options),
        ],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _advice(record: FitRecord, options: Options) -> list[str]:
    """Say how to go on: not by new labels, but with rows that this command draws."""
    from ..app.table_model import audit_command

    unreliable = "Marking positives that you find as labeled and fitting again is unreliable"
    check = _unused(options.out.with_name(f"{options.out.name}-check"))
    command = audit_command(
        str(options.out), str(options.path), str(check), record.label["unlabeled"]
    )
    if command is None:
        return [f"{unreliable}."]
    return [f"{unreliable}; check rows that this command draws instead:", f"  {command}"]


def _unused(folder: Path) -> Path:
    """Return the name of a folder, with a number behind it if there is one of that name."""
    numbered = (folder.with_name(f"{folder.name}-{k}") for k in itertools.count(2))
    return folder if not folder.exists() else next(one for one in numbered if not one.exists())


def _positives(record: FitRecord) -> str:
    from ..app.table_model import headline

    said = headline(record, _count, lambda share: f"{share:.1%}")
    return "\n".join([f"{said.title}.", *said.sentences])


def _count(number: float) -> str:
    return count(int(number + 0.5))


def _cut(record: FitRecord) -> str:
    from ..app.table_model import counted_by_answers, if_labels, recall_range

    cut, labeled = record.cut, record.label["labeled"]
    recall = f"recall is about {cut['recall']:.0%}"
    few = recall_range(record, cut["recall"])
    if few is not None:
        recall = f"recall is {few.lower:.0%} to {few.upper:.0%}"
    precision = f"precision is about {cut['precision']:.0%}"
    ends = [f"{end:.0%}" for end in (cut["precision_lower"], cut["precision_upper"]) if end]
    if len(set(ends)) == 2:
        precision = f"precision is {ends[0]} to {ends[1]}"
    selected, of = f"{count(cut['selected'])} rows are selected", "labeled rows"
    if record.label["cases"]:
        of = "cases"
    else:
        selected += f", {count(cut['selected_unlabeled'])} of them unlabeled"
    if counted_by_answers(record):
        answers = record.checked or {}
        of += f" and {count(answers['positive'] + answers['negative'])} answers"
    if record.labeled_by is not None:
        of += ", each counted as the positives like it"
    condition = if_labels(record)
    return (
        f"{selected}. {condition[:1].upper()}{condition[1:]}, {recall} "
        f"(of {count(labeled)} {of}), and {precision}.{_without_interval(record, few is None)}"
    )


def _without_interval(record: FitRecord, one_recall: bool) -> str:
    """Say that numbers have no interval, if the fit used checked rows and gives none."""
    if not record.checked or record.cut["precision_lower"] is not None:
        return ""
    which = "These two numbers have" if one_recall else "The precision has"
    return f" {which} no interval, because the fit used checked rows; `unlabeled audit` gives one."


def _groups(record: FitRecord) -> list[str]:
    from ..app.table_model import about_groups

    groups = record.groups
    return [] if groups is None else [groups["sentence"], *about_groups(record, _count)]


def _findings(record: FitRecord, state: str) -> list[str]:
    found = [one for one in record.findings if one["state"] == state]
    return [f"{state.capitalize()} ({one['code']}): {_told(one)}" for one in found]


def _told(one: dict[str, Any]) -> str:
    """Return what the terminal is told by a finding or a warning of a record."""
    said = Message.both(one["message"], one.get("terminal", one["message"]))
    return for_terminal(one["code"], said)


def _doubtful_notes(record: FitRecord) -> list[str]:
    """Return the notes about the number of positives; others are in the report."""
    from ..app.table_model import LABELING

    return [
        f"Note ({one['code']}): {_told(one)}"
        for one in record.findings
        if one["state"] == "note" and one["code"] in (*LABELING, _AS_IF_ALL_LABELED)
    ]


def _warnings(record: FitRecord) -> list[str]:
    return [
        f"Warning{' (' + one['code'] + ')' if one['code'] else ''}: {_told(one)}"
        for one in record.warnings
    ]
