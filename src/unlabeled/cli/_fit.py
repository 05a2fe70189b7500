"""`unlabeled fit`: from a table to a prediction for every row."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.tables import TableError, count, listed
from ..codes import Message, for_terminal, told_in_terminal
from ..engine.files import whole_files
from ._audit_files import AUDITED, AUDITED_ROWS, DRAWN
from ._compare import comparison_of
from ._diagnose import with_values
from ._errors import BadInput, bad_input_of, exit_when_stopped, in_terminal
from ._in_parts import fit_parts, loaded_table, why_a_line, write_scored_parts
from ._memory import memory_option
from ._methods import (
    AUTO,
    COMPARED,
    ENSEMBLE,
    LINE,
    PROPENSITY,
    QUICK,
    FittedMethod,
    check_labelled_by,
    check_rule,
    check_takes_checked_rows,
    check_takes_groups,
    classifier,
)
from ._output import (
    BECAUSE,
    SCORED,
    check_new_folder,
    fingerprint,
    kept_columns,
    only_command,
    output_errors,
    read_scored,
    scored_columns,
    whole_folder,
    with_kept,
    write_scored,
)
from ._table_options import (
    LoadedTable,
    TableOptions,
    check_two_files,
    command_line,
    jobs_option,
    keep_options,
    table_or_two_files,
    threads_for,
)

if TYPE_CHECKING:
    from ..app.report import Rows
    from ..app.table_model import TableFit
    from ..app.tables import Labels
    from ..diagnostics import Diagnosis, Finding


SUMMARY, REPORT, TO_CHECK = "summary.json", "report.html", "labels_to_check.csv"
FILES = (SUMMARY, SCORED, REPORT, TO_CHECK, "model.skops", "model.json")
"""What a fit writes; labels to check only if there are doubtful ones."""

_REPLACED = (*FILES, DRAWN, AUDITED, AUDITED_ROWS)

MOST_CHECKED, MOST_COMPARED = 20_000, 5_000
"""The largest number of rows that the checks and the comparison use."""

MOST_FEATURES = 1000
"""The largest number of features for which `auto` fits an ensemble and methods are compared."""

_REPEATS = 5
_TREES = 100  # a forest takes three quarters of the time of a comparison
_NOT_COMPARED = (
    "The methods were not compared: they and the measures take labels as given at random."
)
_STOPPED = "The methods were not compared: the command was stopped before."
_PLURAL = {"number": "numbers", "category": "categories", "date": "dates"}


@dataclass(frozen=True, kw_only=True)
class Options(TableOptions):
    """The options of `unlabeled fit`."""

    method: str
    rule: str | None
    out: Path
    force: bool
    checks: bool
    compare: bool
    include_rows: bool
    keep: tuple[str, ...]
    keep_all: bool
    jobs: int
    memory: int | None

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
    help="A value of --label that marks known negatives; repeatable. Only for rows that were "
    "chosen before their class was known: a record of negatives alone makes all numbers far too "
    "small.",
)
@click.option(
    "--checked",
    metavar="COLUMN",
    help="A column with yes or no for rows that somebody has checked, and blank cells for the "
    "others. It is not used as a feature.",
)
@click.option(
    "--labelled-by",
    multiple=True,
    metavar="COLUMN",
    help="A column that decides how often a positive row is labelled, such as the hospital or the "
    "year; repeatable. Without it every positive row is taken to be labelled equally often.",
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
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="A new folder for the report, the scored table and the model.",
)
@click.option("--force", is_flag=True, help="Replace an earlier fit in DIR, with its audit.")
@click.option("--checks/--no-checks", default=True, help="Check whether the fit can be trusted.")
@click.option("--compare/--no-compare", default=True, help="Compare with the other methods.")
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
    parts: its features are learnt from rows drawn at random, and pu-logistic is fitted to all
    rows. Some rows are labelled positive, the others are unlabelled. If your
    positives come from elsewhere, such as a register, give two files instead: --cases with the
    positives, and --population with rows drawn from the population. All numbers are then the
    population's.

    In the label column, blank, 0, no and false mean unlabelled. Rows that you have checked may
    enter with --negative or --checked. Do not mark positives that you found in scored.csv as
    labelled: a fit to such labels is unreliable.

    All numbers assume that the labelled rows are a random sample of the positives. If you know
    that some positives get a label more often than others, by the ward or the year, name that
    column with --labelled-by. The numbers then assume that labels follow these columns and
    nothing else.

    \b
    DIR gets
      report.html   number of positives, cuts, findings and warnings
      scored.csv    every row with score, posterior, decision (1 = predicted positive) and
                    rank. Unlabelled rows also have posterior_if_unlabelled,
                    decision_if_unlabelled (1 = above one half) and
                    rank_among_unlabelled. With most methods these numbers come from fits
                    that have not seen the row; held_out_score and held_out_posterior are
                    filled then. The column `because` names the columns that moved the score
                    most, for the 2000 unlabelled rows with the highest scores. Last come the
                    columns of --group and --keep
      labels_to_check.csv  only if labels are doubtful (PU205): the labelled rows that look
                    like negatives, the most doubtful first, each with the columns that speak
                    against a positive. Look at them; they may be right
      summary.json  the numbers of the report
      model.skops   the fitted model, for `unlabeled predict`; model.json describes it

    \b
    Example: which undiagnosed patients are probably ill?
      unlabeled fit patients.csv --label diagnosis --id patient --out ward
      unlabeled fit patients.csv --label diagnosis --keep name --keep phone --out ward
      unlabeled fit visits.csv --label diagnosis --group patient --out visits
      unlabeled fit patients.csv --label diagnosis --labelled-by ward --out by_ward
      unlabeled fit claims.parquet --label fraud --rule 'recall_at_least(0.9)' --out claims
      unlabeled fit 'claims/*.parquet' --label fraud --memory 4GB --out claims
      unlabeled fit claims.parquet --label status --positive fraud --negative cleared --out seen
      unlabeled fit --cases register.csv --population survey.csv --out prevalence

    \b
    Exit codes:
      0    the model was fitted, whatever the checks found
      2    the table or an option cannot be used, a file changed meanwhile, or fewer than ten
           rows are labelled; the message says why
      3    DIR cannot be written; existing files are kept
      130  stopped by Ctrl-C; existing files are kept. During the comparison, which comes last,
           DIR already holds the whole fit
    """
    check_two_files(values)
    options = Options(**values)
    check_labelled_by(options.labelled_by, options.method)
    with bad_input_of("fit"):
        options.check_out()
        if options.rule is not None:
            check_rule(options.rule)
        with only_command(options.out):
            options.check_out()  # again: another command has ended
            _run(options)


class Clock:
    """How long each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.restart()

    def done(self, step: str) -> None:
        """Record a step that has just ended."""
        self.took({step: time.perf_counter() - self._before})

    def restart(self) -> None:
        """Begin the next step now."""
        self._before = time.perf_counter()

    def took(self, steps: dict[str, float]) -> None:
        """Record the durations of several steps, and restart the clock."""
        self.seconds |= {step: round(seconds, 3) for step, seconds in steps.items()}
        self.restart()


def _run(options: Options) -> None:
    clock = Clock()
    with loaded_table(
        options,
        method=options.method,
        memory=options.memory,
        out=options.out,
        keep=options.keep,
        keep_all=options.keep_all,
    ) as loaded:
        _run_on(options, loaded, clock)


def _run_on(options: Options, loaded: LoadedTable, clock: Clock) -> None:
    loaded.need_enough_labelled(may_be_checked=True)
    kept = {}
    if loaded.parts is None:
        # The list must lead back to the groups: to patients, if rows are visits.
        group = [] if options.group is None else [options.group]
        keep = tuple(dict.fromkeys([*group, *options.keep]))
        kept = kept_columns(options.path, keep, options.keep_all)
    with threads_for(len(loaded.labels.s), loaded.prepared.X.shape[1]):
        fitted, chosen = _fit(options, loaded, clock)
        record = _record(options, loaded, fitted, clock, chosen)
        _add_warnings(record, _relabelled(options, loaded, record))
        with whole_folder(options.out) as folder:
            rows = _write(folder, fitted, loaded, record, kept, options)
        compares = _why_not_compared(options, loaded) is None
        if not options.as_json and not options.quiet:
            click.echo(_summary_text(record | {"comparison": {}} if compares else record, options))
        if compares:
            _add_comparison(options, loaded, record, rows, clock)
    if options.as_json:
        click.echo(json.dumps(record, allow_nan=False))


def _fit(options: Options, loaded: LoadedTable, clock: Clock) -> tuple[TableFit, dict[str, Any]]:
    """Fit the method; also return its name, and why `auto` chose it."""
    method, why = options.method, None
    labels = loaded.labels
    if not options.as_json and not options.quiet:
        click.echo(f"{labels}{_may_be_negative(labels)}{_checked_sentence(options, loaded)}\n")
    clock.done("read")
    if method == AUTO and (why := _why_a_line(options, loaded)) is not None:
        method = LINE
        options.log(why)
    if options.labelled_by:
        method = PROPENSITY
    fitted = _fit_one(ENSEMBLE if method == AUTO else method, options, loaded)
    clock.took(fitted.seconds)
    if method == AUTO:
        from ..app.table_model import line_or_ensemble

        choice = line_or_ensemble(
            fitted.classifier, fitted.numbers, labels.s, loaded.prepared.groups
        )
        method, why = ENSEMBLE if choice.ensemble else LINE, choice.sentence
        options.log(why)
        if not choice.ensemble:
            # The line decides; the number of positives is what all members say.
            fitted = _fit_one(method, options, loaded, fitted)
            clock.done("fit of the line")
    options.log(_column_types(fitted.pipeline[0].kinds_))
    return fitted, {"method": method, "why": why}


def _why_a_line(options: Options, loaded: LoadedTable) -> str | None:
    """Say why `auto` cannot fit an ensemble; None if it can."""
    if loaded.parts is not None:
        return why_a_line()
    if options.labelled_by:
        return "The line is used, because an ensemble takes labels as given at random."
    if loaded.checked is not None:
        return "The line is used, because an ensemble cannot use checked rows."
    if (features := _about_how_many_features(loaded)) > MOST_FEATURES:
        return (
            f"The line is used, because an ensemble takes very long with {count(features)} "
            "features. `--method ensemble` fits it all the same."
        )
    return None


def _about_how_many_features(loaded: LoadedTable) -> int:
    """Estimate how many features the columns become: every level of a category is one."""
    from ..app.tables import TableFeatures

    X, settings = loaded.prepared.X, TableFeatures()
    others = X.select_dtypes(exclude="number")
    if X.shape[1] + settings.most_categories * others.shape[1] <= MOST_FEATURES:
        return int(X.shape[1])  # it matters only if there are many
    levels = others.nunique()
    made = levels.where(levels <= settings.most_categories, settings.text_components)
    return int(X.shape[1] - others.shape[1] + made.sum())


def _fit_one(
    method: str, options: Options, loaded: LoadedTable, ensemble: TableFit | None = None
) -> TableFit:
    """Fit a method; after an ensemble with its class prior, and to its features."""
    from ..app.table_model import fit_table

    labels, prepared = loaded.labels, loaded.prepared
    verbose = int(options.method == ENSEMBLE and not options.quiet)
    prior, seed, rule = options.class_prior, options.seed, options.rule
    model = classifier(method, labels, prior, seed, rule, verbose=verbose)
    if ensemble is not None:
        model.set_params(class_prior=ensemble.classifier.class_prior_density_)
    if loaded.checked is not None:
        check_takes_checked_rows(method, model)
    if prepared.groups is not None:
        check_takes_groups(method, model)
    what = "a line, trees and boosting" if method == ENSEMBLE else method
    try:
        if loaded.parts is not None:
            return fit_parts(options, loaded, loaded.parts, model)
        options.log(f"Fitting {what} to {len(prepared.features)} columns ...")
        with redirect_stdout(sys.stderr):  # its progress
            by = options.labelled_by
            return fit_table(model, prepared, labels, loaded.checked, by, earlier=ensemble)
    except TableError:
        raise
    except ValueError as error:
        raise BadInput(in_terminal(error)) from None


def _may_be_negative(labels: Labels) -> str:
    """Say what rows with no count as beside blank cells, and which option changes that."""
    values = labels.may_be_negative
    if not values:
        return ""
    options = " ".join(f"--negative {shlex.quote(value)}" for value in values)
    return (
        f" Rows with {listed(values)} count as unlabelled, like blank ones; `{options}` takes them "
        "as known negatives, which is right only if they were chosen for checking without looking "
        "at anything that goes with the truth (a column that only ever records negatives does not "
        "do that)."
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


def _record(
    options: Options, loaded: LoadedTable, fitted: TableFit, clock: Clock, chosen: dict[str, Any]
) -> dict[str, Any]:
    from ..app.table_model import record_of
    from ..thresholds import get_rule

    diagnosis, checked_on = _diagnosis(options, loaded, fitted)
    clock.done("checks")
    return record_of(
        fitted,
        loaded.table,
        **chosen,
        fingerprint=fingerprint(options.path),
        made=_provenance(options, clock),
        class_prior=options.class_prior,
        diagnosis=diagnosis,
        notes={
            "checks": checked_on,
            "comparison": _why_not_compared(options, loaded) or _STOPPED,
        },
        costs=(1.0, 1.0) if options.rule is None else get_rule(options.rule).costs,
    )


def _diagnosis(
    options: Options, loaded: LoadedTable, fitted: TableFit
) -> tuple[Diagnosis | None, str | None]:
    """Run the checks, on a random part of a large table; also return a note about that."""
    if not options.checks:
        return None, "not run: --no-checks"
    import warnings

    import numpy as np

    from ..diagnostics import diagnose
    from ..engine.rows import LabelEncoding, Rows

    s, X, note = loaded.s, loaded.prepared.X, None
    rows, n_rows = loaded.rows, len(loaded.labels.s)
    groups = loaded.prepared.groups
    options.log("Checking ...")
    if len(s) > MOST_CHECKED:
        whole = Rows(X, s, None, LabelEncoding(np.array([0, 1])))
        drawn = whole.sample(MOST_CHECKED, options.seed).row_index
        X, rows, s = X.iloc[drawn], rows[drawn], s[drawn]
        groups = None if groups is None else groups[drawn]
    if len(s) < n_rows:
        note = f"on {count(len(s))} of the {count(n_rows)} rows, drawn at random"
    if not s.any():
        return None, f"not run: no labelled row is among {count(len(s))} rows drawn at random"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # refits in the checks may warn as the fit did
        found = diagnose(fitted.pipeline, X, s, random_state=options.seed, groups=groups)
    in_table = (_in_table(one, rows) for one in with_values(found, loaded.labels))
    return replace(found, findings=tuple(in_table)), note


def _in_table(one: Finding, drawn: Any) -> Finding:
    """Return a finding about rows of the whole table; of doubtful labels, with their file."""
    rows = one.facts.get("rows")
    if not isinstance(rows, list) or not rows:
        return one
    facts = one.facts | {"rows": drawn[rows].tolist()}
    if not _doubts_labels(one.code, one.state):
        return replace(one, facts=facts)
    which = "the row" if len(rows) == 1 else f"all {count(len(rows))} rows"
    look = f"Look at {which} in {TO_CHECK} before you change a label."
    return replace(one, facts=facts, message=f"{told_in_terminal(one.message)} {look}")


def _doubts_labels(code: str, state: str) -> bool:
    return code == "PU205" and state in ("note", "warning")


def _add_comparison(
    options: Options, loaded: LoadedTable, record: dict[str, Any], rows: Rows | None, clock: Clock
) -> None:
    """Compare the methods once the fit is written, then add that to its record and report."""
    out = options.out
    with exit_when_stopped(f"Stopped; {out} holds the whole fit, without the comparison."):
        clock.restart()
        comparison, about = _comparison(options, loaded)
        clock.done("comparison")
        record["comparison"], record["notes"]["comparison"] = comparison, about
        record["made"]["seconds"] = clock.seconds
        with output_errors(out), whole_files(out / SUMMARY, out / REPORT) as (summary, report):
            _write_record(record, rows, summary, report)
    if comparison is not None:
        from ..app.report import about_used_method

        compared = [one["name"] for one in comparison["methods"]]
        left_out = about_used_method(record["method"]["name"], compared)
        options.log(f"The comparison is in {out / REPORT}. {left_out}".rstrip())


def _comparison(options: Options, loaded: LoadedTable) -> tuple[dict[str, Any] | None, str | None]:
    """Compare with the other methods, if there are enough rows to split; also return a note."""
    try:
        methods = COMPARED if options.method == ENSEMBLE else QUICK
        found = comparison_of(
            options,
            loaded,
            methods,
            _REPEATS,
            jobs=options.jobs,
            trees=_TREES,
            most_rows=MOST_COMPARED,
        )
    except ValueError as error:
        options.log(f"The methods were not compared: {error}")
        return None, f"not run: {in_terminal(error)}"
    record = found.record()
    return record, record["note"]


def _why_not_compared(options: Options, loaded: LoadedTable) -> str | None:
    """Say why the methods are not compared; None if they are."""
    if not options.compare:
        return "not run: --no-compare"
    if options.labelled_by:
        return _NOT_COMPARED
    if (features := _about_how_many_features(loaded)) > MOST_FEATURES:
        return (
            f"The methods were not compared: with {count(features)} features that takes very "
            "long. `unlabeled compare` does it all the same."
        )
    return None


def _provenance(options: Options, clock: Clock) -> dict[str, Any]:
    return {
        "command": command_line(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": options.seed,
        "seconds": clock.seconds,
    }


def _relabelled(options: Options, loaded: LoadedTable, record: dict[str, Any]) -> list[Any]:
    """Return warnings that rows were labelled because the earlier fit in DIR found them."""
    import warnings

    from ..app.report import ReportError, read_summary
    from ..app.table_model import report_relabelled

    out = options.out
    if not (out / SUMMARY).is_file():
        return []
    if loaded.parts is not None:
        options.log(
            "Whether rows were labelled because the earlier fit found them was not checked: that "
            "needs all rows in memory."
        )
        return []
    try:
        earlier = read_summary(out)
    except ReportError:
        return []
    known = _earlier_rows(out, loaded)
    if known is None:
        return []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        counts = (earlier.get("positives") or {}, record["positives"])
        report_relabelled(known["score"], known["labelled"], loaded.labels.s, counts)
    return [one.message for one in caught]


def _earlier_rows(out: Path, loaded: LoadedTable) -> dict[str, Any] | None:
    """Return scores and labels of the earlier fit for the same rows; None if they are others."""
    import numpy as np

    ids, n_rows = loaded.prepared.ids, len(loaded.labels.s)
    known = read_scored(out, ("labelled", "score"))
    if known is None or len(known["id"]) != n_rows:
        return None
    own = np.arange(1, n_rows + 1) if ids is None else ids.fillna("")
    if not np.array_equal(known["id"], np.asarray(own).astype(str)):
        return None
    return known


def _add_warnings(record: dict[str, Any], found: list[Any]) -> None:
    from ..app.table_model import warning_record

    record["warnings"] += [warning_record(one.code, one.message) for one in found]


def _write(
    folder: Path,
    fit: TableFit,
    loaded: LoadedTable,
    record: dict[str, Any],
    kept: dict[str, Any],
    options: Options,
) -> Rows | None:
    """Write the files of a fit; return the rows that its report shows."""
    from ..app.model_files import Card, save_model
    from ..app.table_model import MappedFit
    from ..engine.rows import fingerprint_rows

    labels, prepared, table = loaded.labels, loaded.prepared, record["table"]
    card = Card.of(
        fit.pipeline,
        label=labels.column,
        positive=labels.positives,
        reading=loaded.table.reading.record(),
        id=prepared.id,
        method=record["method"]["name"],
        fingerprint={key: table[key] for key in ("sha256", "rows", "columns")},
    )
    if labels.cases:  # the model is to recognise the rows of the population
        fit.classifier.fingerprint_ = fingerprint_rows(fit.numbers[labels.in_table])
    save_model(fit.pipeline, folder, card)
    if isinstance(fit, MappedFit):
        assert loaded.parts is not None
        shown = write_scored_parts(
            folder / SCORED,
            fit,
            loaded,
            loaded.parts,
            partial(_scores, fit, record["label_frequency"]["estimate"]),
            include_rows=options.include_rows,
            quiet=options.quiet,
        )
    else:
        shown = _write_scored(folder, fit, loaded, record, kept, options.include_rows)
    _write_to_check(folder, fit, record)
    _write_record(record, shown, folder / SUMMARY, folder / REPORT)
    return shown


def _write_scored(
    folder: Path,
    fit: TableFit,
    loaded: LoadedTable,
    record: dict[str, Any],
    kept: dict[str, Any],
    include_rows: bool,
) -> Rows | None:
    """Write the scored table; return the rows that the report shows."""
    from ..app.report import Rows
    from ..app.table_model import because, label_frequency_of

    labels, prepared = loaded.labels, loaded.prepared
    rows = labels.in_table
    frequency = 0.0 if labels.cases else record["label_frequency"]["estimate"]
    frequency = label_frequency_of(fit, frequency)
    found = {name: column[rows] for name, column in _scores(fit, frequency).items()}
    found[BECAUSE] = [why for why, kept in zip(because(fit), rows, strict=True) if kept]
    if labels.cases:
        found["rank"] = found["rank_among_unlabelled"]
    ids = None if prepared.ids is None else prepared.ids[rows]
    columns = scored_columns(prepared.id, ids, found)
    write_scored(folder / SCORED, with_kept(columns, kept, prepared.id), ".csv")
    return Rows.of(columns) if include_rows else None


def _write_record(record: dict[str, Any], rows: Rows | None, summary: Path, report: Path) -> None:
    from ..app.report import make_report

    summary.write_text(json.dumps(record, allow_nan=False, indent=1), "utf-8")
    report.write_text(make_report(record, rows), "utf-8")


def _write_to_check(folder: Path, fit: TableFit, record: dict[str, Any]) -> None:
    """Write the labelled rows that look like negatives, if a check found some."""
    import numpy as np

    from ..app.table_model import against

    doubtful = [one for one in record["findings"] if _doubts_labels(one["code"], one["state"])]
    if not doubtful:
        return
    rows, labels, prepared = np.array(doubtful[0]["facts"]["rows"]), fit.labels, fit.prepared
    columns = scored_columns(
        prepared.id,
        None if prepared.ids is None else prepared.ids.iloc[fit.place_in_part(rows)],
        {
            "score": fit.scored.score[rows],
            "posterior": fit.scored.posterior[rows],
            "against": against(fit, rows),
        },
    )
    if prepared.ids is None:  # cases are counted in their own file
        columns["row"] = (np.cumsum(labels.s) if labels.cases else np.arange(len(labels.s)) + 1)[
            rows
        ]
    write_scored(folder / TO_CHECK, columns, ".csv")


def _scores(
    fit: TableFit,
    label_frequency: Any,
    rows: slice = slice(None),
) -> dict[str, Any]:
    """Return the columns of numbers in `scored.csv`, for some rows or all."""
    import numpy as np

    from ..app.table_model import Scored, if_unlabelled

    s = fit.labels.s[rows]
    scored = Scored(*(column[rows] for column in fit.scored))
    unlabelled = if_unlabelled(fit, label_frequency, rows)
    held_out = None if fit.held_out_score is None else fit.held_out_score[rows]
    none = np.ma.array(np.zeros(len(s)), mask=True)
    return {
        "labelled": s,
        "score": scored.score,
        "posterior": scored.posterior,
        "posterior_if_unlabelled": unlabelled.posterior,
        "posterior_if_unlabelled_lower": unlabelled.lower,
        "posterior_if_unlabelled_upper": unlabelled.upper,
        "decision_if_unlabelled": unlabelled.decision,
        "decision": scored.decision,
        "rank": scored.rank,
        "rank_among_unlabelled": unlabelled.rank,
        "held_out_score": none if held_out is None else held_out,
        "held_out_posterior": none if held_out is None else fit.classifier.posterior_at(held_out),
    }


def _summary_text(record: dict[str, Any], options: Options) -> str:
    """Return the number of positives, the cut, what is doubtful or unchecked, and the files."""
    from ..app.table_model import not_checked

    out = options.out
    blocks = [
        _findings(record, "serious"),
        [_positives(record), _cut(record), *_groups(record)],
        [] if record["labelled_by"] is None else [record["labelled_by"]["sentence"]],
        [*_findings(record, "warning"), *_warnings(record), *_doubtful_notes(record)],
        list(not_checked(record, _count)),
        [
            f"The report is {out / REPORT}; every row is in {out / SCORED}.",
            *_advice(record, options),
        ],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _advice(record: dict[str, Any], options: Options) -> list[str]:
    """Say how to go on: not by new labels, but with rows that this command draws."""
    from ..app.table_model import audit_command

    unreliable = "Marking positives that you find as labelled and fitting again is unreliable"
    check = _unused(options.out.with_name(f"{options.out.name}-check"))
    names = (str(one) for one in (options.out, options.path, check))
    command = audit_command(*names, record["label"]["unlabelled"])
    if command is None:
        return [f"{unreliable}."]
    return [f"{unreliable}; check rows that this command draws instead:", f"  {command}"]


def _unused(folder: Path) -> Path:
    """Return the name of a folder, with a number behind it if there is one of that name."""
    numbered = (folder.with_name(f"{folder.name}-{k}") for k in itertools.count(2))
    return folder if not folder.exists() else next(one for one in numbered if not one.exists())


def _positives(record: dict[str, Any]) -> str:
    from ..app.table_model import headline

    said = headline(record, _count, lambda share: f"{share:.1%}")
    return "\n".join([f"{said.title}.", *said.sentences])


def _count(number: float) -> str:
    return count(int(number + 0.5))


def _cut(record: dict[str, Any]) -> str:
    from ..app.table_model import if_labels, recall_range

    cut, labelled = record["cut"], record["label"]["labelled"]
    recall = f"recall is about {cut['recall']:.0%}"
    few = recall_range(record, cut["recall"])
    if few is not None:
        recall = f"recall is {few.lower:.0%} to {few.upper:.0%}"
    precision = f"precision is about {cut['precision']:.0%}"
    ends = [f"{end:.0%}" for end in (cut["precision_lower"], cut["precision_upper"]) if end]
    if len(set(ends)) == 2:
        precision = f"precision is {ends[0]} to {ends[1]}"
    selected, of = f"{count(cut['selected'])} rows are selected", "labelled rows"
    if record["label"]["cases"]:
        of = "cases"
    else:
        selected += f", {count(cut['selected_unlabelled'])} of them unlabelled"
    if record["labelled_by"] is not None:
        of += ", each counted as the positives like it"
    condition = if_labels(record)
    return (
        f"{selected}. {condition[:1].upper()}{condition[1:]}, {recall} "
        f"(of {count(labelled)} {of}), and {precision}.{_without_interval(record, few is None)}"
    )


def _without_interval(record: dict[str, Any], one_recall: bool) -> str:
    """Say that numbers have no interval, if the fit used checked rows and gives none."""
    if not record["checked"] or record["cut"]["precision_lower"] is not None:
        return ""
    which = "These two numbers have" if one_recall else "The precision has"
    return f" {which} no interval, because the fit used checked rows; `unlabeled audit` gives one."


def _groups(record: dict[str, Any]) -> list[str]:
    from ..app.table_model import counts_are_of_rows

    groups = record["groups"]
    return [] if groups is None else [f"{groups['sentence']} {counts_are_of_rows(record)}"]


def _findings(record: dict[str, Any], state: str) -> list[str]:
    found = [one for one in record["findings"] if one["state"] == state]
    return [f"{state.capitalize()} ({one['code']}): {_told(one)}" for one in found]


def _told(one: dict[str, Any]) -> str:
    """Return what the terminal is told by a finding or a warning of a record."""
    said = Message.both(one["message"], one.get("terminal", one["message"]))
    return for_terminal(one["code"], said)


def _doubtful_notes(record: dict[str, Any]) -> list[str]:
    """Return the notes that the number of positives refers to; others are in the report."""
    from ..app.table_model import LABELLING

    return [
        f"Note ({one['code']}): {_told(one)}"
        for one in record["findings"]
        if one["state"] == "note" and one["code"] in LABELLING
    ]


def _warnings(record: dict[str, Any]) -> list[str]:
    return [
        f"Warning{' (' + one['code'] + ')' if one['code'] else ''}: {_told(one)}"
        for one in record["warnings"]
    ]
