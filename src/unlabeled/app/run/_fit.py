"""Fit a method to a table, describe the fit, and write it."""

from __future__ import annotations

import json
import sys
import time
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...codes import caught_warnings
from ...engine.files import whole_files
from ...engine.progress import progress_bar
from ..tables import TableError, count
from ._diagnose import diagnosis_of_fit, doubts_labels
from ._errors import InputError, in_terminal
from ._memory import check_room
from ._methods import (
    AUTO,
    COMPARED,
    ENSEMBLE,
    LINE,
    PROPENSITY,
    QUICK,
    check_takes_checked_rows,
    check_takes_groups,
    classifier,
    comparison_of,
)
from ._scored_table import (
    REPORT,
    SCORED,
    SUMMARY,
    TO_CHECK,
    WITH_COMMAS,
    fingerprint,
    read_scored,
    scored_columns,
    write_scored,
    write_scored_parts,
    write_scored_rows,
    writes_commas,
)
from ._table import LoadedTable, Parts, TableInput

if TYPE_CHECKING:
    from ..report import ShownRows
    from ..table_model import FitRecord, MappedFit, TableFit

FILES = (SUMMARY, SCORED, REPORT, TO_CHECK, "model.skops", "model.json")
"""What a fit writes; labels to check only if there are doubtful ones."""

MOST_COMPARED = 5_000
"""The largest number of rows that the comparison uses."""

MOST_FEATURES = 1000
"""The largest number of features for which `auto` fits an ensemble and methods are compared."""

# Bytes of a row in scored.csv, without the columns that are kept.
_BYTES_OF_A_ROW = 260
_REPEATS = 5
_TREES = 100  # a forest takes three quarters of the time of a comparison
_NOT_COMPARED = (
    "The methods were not compared: they and the measures take labels as given at random."
)
_STOPPED = "The methods were not compared: the command was stopped before."


@dataclass(frozen=True, kw_only=True)
class FitInput(TableInput):
    """A table, what to fit to it and what else to compute; names as those of the options."""

    method: str
    rule: str | None
    out: Path
    checks: bool
    compare: bool
    include_rows: bool
    keep: tuple[str, ...]
    keep_all: bool
    jobs: int
    memory: int | None


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


class ChosenFit(NamedTuple):
    """A fitted table, the method that was fitted, and why `auto` chose it."""

    fit: TableFit
    method: str
    why: str | None


def fit_method(given: FitInput, loaded: LoadedTable, clock: Clock) -> ChosenFit:
    """Fit the method that was asked for, or the one that `auto` chooses."""
    why = _why_a_line(given, loaded) if given.method == AUTO else None
    if why is not None:
        given.log(why)
    line = PROPENSITY if given.labeled_by else LINE
    method = line if why is not None or given.method == LINE else given.method
    fitted = _fit_one(ENSEMBLE if method == AUTO else method, given, loaded)
    clock.took(fitted.seconds)
    if method == AUTO:
        from ..table_model import line_or_ensemble

        choice = line_or_ensemble(
            fitted.classifier, fitted.X_numeric, loaded.labels.s, loaded.prepared.groups
        )
        method, why = ENSEMBLE if choice.ensemble else line, choice.sentence
        given.log(why)
        if not choice.ensemble:
            # The line decides. The number of positives is what all members say, unless the line
            # has a propensity to go with its own.
            fitted = _fit_one(method, given, loaded, fitted)
            clock.done("fit of the line")
    return ChosenFit(fitted, method, why)


def _why_a_line(given: FitInput, loaded: LoadedTable) -> str | None:
    """Say why `auto` cannot fit an ensemble; None if it can."""
    if loaded.parts is not None:
        return "The line is used, because an ensemble needs all rows in memory."
    if given.labeled_by and given.class_prior is not None:
        return (
            "The line is used, because an ensemble whose labels follow columns finds the class "
            "prior by itself."
        )
    if (features := about_how_many_features(loaded)) > MOST_FEATURES:
        return (
            f"The line is used, because an ensemble takes very long with {count(features)} "
            "features. `--method ensemble` fits it all the same."
        )
    return None


def about_how_many_features(loaded: LoadedTable) -> int:
    """Estimate how many features the columns become: every level of a category is one."""
    from ..tables import MOST_CODES, TableFeatures

    X, settings = loaded.prepared.X, TableFeatures()
    others = X.select_dtypes(exclude="number")
    if X.shape[1] + MOST_CODES * others.shape[1] <= MOST_FEATURES:
        return int(X.shape[1])  # it matters only if there are many
    levels = others.nunique()
    made = levels.where(levels <= settings.most_categories, settings.text_components)
    return int(X.shape[1] - others.shape[1] + made.sum())


def _fit_one(
    method: str, given: FitInput, loaded: LoadedTable, ensemble: TableFit | None = None
) -> TableFit:
    """Fit a method; after an ensemble, to its features, and with its class prior unless given."""
    from ..table_model import fit_table

    labels, prepared = loaded.labels, loaded.prepared
    verbose = int(given.method == ENSEMBLE and not given.quiet)
    prior, seed, rule = given.class_prior, given.seed, given.rule
    model = classifier(method, labels, prior, seed, rule, verbose=verbose)
    if ensemble is not None and prior is None and method != PROPENSITY:
        model.set_params(class_prior=ensemble.classifier.class_prior_density_)
    if loaded.checked is not None:
        check_takes_checked_rows(method, model)
    if prepared.groups is not None:
        check_takes_groups(method, model, prepared.repeated)
    what = "a line, trees and boosting" if method == ENSEMBLE else method
    try:
        if loaded.parts is not None:
            return fit_parts(given, loaded, loaded.parts, model)
        given.log(f"Fitting {what} to {len(prepared.features)} columns ...")
        with redirect_stdout(sys.stderr):  # its progress
            by = given.labeled_by
            return fit_table(model, prepared, labels, loaded.checked, by, earlier=ensemble)
    except TableError:
        raise
    except ValueError as error:
        raise InputError(in_terminal(error)) from None


def fit_parts(given: TableInput, loaded: LoadedTable, parts: Parts, model: Any) -> MappedFit:
    """Write the features of all rows to a file, and fit a classifier to them."""
    from ..table_model import fit_mapped, map_features, precision_for
    from ..tables import TableFeatures

    started, n_rows = time.perf_counter(), len(loaded.labels.s)
    features = TableFeatures()
    drawn = features.fit_transform(loaded.prepared.X)
    precision = precision_for(drawn)
    size = n_rows * drawn.shape[1] * precision.itemsize
    kept = parts.batches.seen.n_bytes if parts.keep else 0
    check_room(parts.folder, size + n_rows * _BYTES_OF_A_ROW + 2 * kept)
    given.log(f"Computing {count(drawn.shape[1])} features of {count(n_rows)} rows ...")
    with progress_bar(step="Features", quiet=given.quiet) as progress:
        mapped = map_features(
            parts.batches,
            features,
            parts.folder / "features",
            precision=precision,
            reading=loaded.table.reading.to_dict(),
            id=loaded.prepared.id,
            progress=progress,
        )
    _check_marks(given, parts, mapped.differences.missing.marks)
    given.log(*mapped.differences.date_remarks(features))
    made = time.perf_counter() - started
    given.log(f"Fitting pu-logistic to {count(n_rows)} rows ...")
    fit = fit_mapped(model, features, mapped.X_numeric, loaded.prepared, loaded.labels, parts.rows)
    fit.seconds["features"] = made
    parts.batches.seen.check()
    return fit


def _check_marks(given: TableInput, parts: Parts, found: dict[str, int]) -> None:
    """Reject a mark for missing cells that no cell of a used column has."""
    in_drawn = {mark for marks in parts.drawn.table.marks.values() for mark in marks}
    for mark in given.missing:
        values = {mark, mark.partition("=")[2]}
        if not values & (found.keys() | in_drawn):
            raise InputError(
                f"`--missing` must be a value of the table, or COLUMN=VALUE; got {mark!r}, which "
                "no cell has. Leave it out, or correct it."
            )


def record_fit(
    given: FitInput, loaded: LoadedTable, chosen: ChosenFit, clock: Clock, *, command: str
) -> FitRecord:
    """Run the checks, and describe the fit; `command` is recorded as what made it."""
    from ...thresholds import get_rule
    from ..table_model import record_of

    checked = diagnosis_of_fit(given, loaded, chosen.fit) if given.checks else None
    diagnosis, note = checked or (None, "not run: --no-checks")
    clock.done("checks")
    record = record_of(
        chosen.fit,
        loaded.table,
        method=chosen.method,
        why=chosen.why,
        fingerprint=fingerprint(given.path),
        made={
            "command": command,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "seed": given.seed,
            "seconds": clock.seconds,
        },
        class_prior=given.class_prior,
        diagnosis=diagnosis,
        notes={
            "checks": note,
            "comparison": why_not_compared(given, loaded) or _STOPPED,
        },
        costs=(1.0, 1.0) if given.rule is None else get_rule(given.rule).costs,
    )
    record.remarks = [in_terminal(remark) for remark in record.remarks]
    record.warnings += _relabeled(given, loaded, record)
    return record


def add_comparison(given: FitInput, loaded: LoadedTable, record: FitRecord, clock: Clock) -> None:
    """Compare the methods, and add that to the record of a fit."""
    clock.restart()
    comparison, about = _comparison(given, loaded)
    clock.done("comparison")
    record.comparison, record.notes["comparison"] = comparison, about
    record.made["seconds"] = clock.seconds


def write_record_again(out: Path, record: FitRecord, rows: ShownRows | None) -> None:
    """Replace the record and the report of a fit that is written already."""
    with whole_files(out / SUMMARY, out / REPORT) as (summary, report):
        _write_record(record, rows, summary, report)


def _comparison(given: FitInput, loaded: LoadedTable) -> tuple[dict[str, Any] | None, str | None]:
    """Compare with the other methods, if there are enough rows to split; also return a note."""
    try:
        methods = COMPARED if given.method == ENSEMBLE else QUICK
        comparison = comparison_of(
            given,
            loaded,
            methods,
            _REPEATS,
            jobs=given.jobs,
            trees=_TREES,
            max_rows=MOST_COMPARED,
        )
    except ValueError as error:
        given.log(f"The methods were not compared: {error}")
        return None, f"not run: {in_terminal(error)}"
    record = comparison.to_dict()
    return record, record["note"]


def why_not_compared(given: FitInput, loaded: LoadedTable) -> str | None:
    """Say why the methods are not compared; None if they are."""
    from ..table_model import NOT_COMPARED

    if given.labeled_by:  # said of every such fit: `--compare` would not help
        return _NOT_COMPARED
    if not given.compare:
        return NOT_COMPARED
    if (features := about_how_many_features(loaded)) > MOST_FEATURES:
        return (
            f"The methods were not compared: with {count(features)} features that takes very "
            "long. `unlabeled compare` does it all the same."
        )
    return None


def _relabeled(given: FitInput, loaded: LoadedTable, record: FitRecord) -> list[dict[str, Any]]:
    """Return warnings that rows were labeled because the earlier fit in DIR found them."""
    from ..report import ReportError, read_summary
    from ..table_model import report_relabeled, warning_record

    out = given.out
    if not (out / SUMMARY).is_file():
        return []
    if loaded.parts is not None:
        given.log(
            "Whether rows were labeled because the earlier fit found them was not checked: that "
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
    with caught_warnings() as told:
        counts = (earlier.positives, record.positives)
        report_relabeled(known["score"], known["labeled"], loaded.labels.s, counts)
    return [warning_record(code, message) for code, message in told]


def _earlier_rows(out: Path, loaded: LoadedTable) -> dict[str, Any] | None:
    """Return scores and labels of the earlier fit for the same rows; None if they are others."""
    import numpy as np

    ids, n_rows = loaded.prepared.ids, len(loaded.labels.s)
    known = read_scored(out, ("labeled", "score"))
    if known is None or len(known["id"]) != n_rows:
        return None
    own = np.arange(1, n_rows + 1) if ids is None else ids.fillna("")
    if not np.array_equal(known["id"], np.asarray(own).astype(str)):
        return None
    return known


def write_fit(
    folder: Path,
    fit: TableFit,
    loaded: LoadedTable,
    record: FitRecord,
    kept: dict[str, Any],
    given: FitInput,
) -> ShownRows | None:
    """Write the files of a fit; return the rows that its report shows."""
    from ...engine.rows import fingerprint_rows
    from ..model_files import Card, write_model
    from ..table_model import MappedFit

    labels, prepared, table = loaded.labels, loaded.prepared, record.table
    commas = writes_commas(given.path, loaded.table.reading.decimal_comma)
    card = Card.of(
        fit.pipeline,
        label=labels.column,
        positive=labels.positives,
        reading=loaded.table.reading.to_dict(),
        id=prepared.id,
        method=record.method["name"],
        fingerprint={key: table[key] for key in ("sha256", "rows", "columns")},
    )
    if labels.cases:  # the model is to recognize the rows of the population
        fit.classifier._fingerprint_ = fingerprint_rows(fit.X_numeric[labels.of_population])
    write_model(fit.pipeline, folder, card)
    if isinstance(fit, MappedFit):
        assert loaded.parts is not None
        shown = write_scored_parts(
            folder / SCORED,
            fit,
            loaded,
            loaded.parts,
            record.label_frequency["estimate"],
            include_rows=given.include_rows,
            commas=commas,
            quiet=given.quiet,
        )
    else:
        shown = write_scored_rows(folder, fit, loaded, record, kept, given.include_rows, commas)
    if commas:
        given.log(f"{SCORED} {WITH_COMMAS} {given.path.name}.")
    _write_to_check(folder, fit, record, commas)
    _write_record(record, shown, folder / SUMMARY, folder / REPORT)
    return shown


def _write_record(record: FitRecord, rows: ShownRows | None, summary: Path, report: Path) -> None:
    from ..report import make_report

    summary.write_text(json.dumps(record.dump(), allow_nan=False, indent=1), "utf-8")
    report.write_text(make_report(record, rows), "utf-8")


def _write_to_check(folder: Path, fit: TableFit, record: FitRecord, commas: bool) -> None:
    """Write the labeled rows that look like negatives, if a check found some."""
    import numpy as np

    from ..table_model import against

    doubtful = [one for one in record.findings if doubts_labels(one["code"], one["state"])]
    if not doubtful:
        return
    rows, labels, prepared = np.array(doubtful[0]["facts"]["rows"]), fit.labels, fit.prepared
    columns = scored_columns(
        prepared.id,
        None if prepared.ids is None else prepared.ids.iloc[fit.position_in_memory(rows)],
        {
            "score": fit.scored.score[rows],
            "posterior": fit.scored.posterior[rows],
            "against": against(fit, rows.tolist()),
        },
    )
    if prepared.ids is None:  # cases are counted in their own file
        columns["row"] = (np.cumsum(labels.s) if labels.cases else np.arange(len(labels.s)) + 1)[
            rows
        ]
    write_scored(folder / TO_CHECK, columns, commas)
