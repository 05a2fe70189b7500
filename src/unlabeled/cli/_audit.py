"""`unlabeled audit`: rows to check by hand, and what the answers say."""

from __future__ import annotations

import json
import math
import secrets
import shlex
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from .._version import __version__
from ..app.tables import count
from ..engine.files import whole_files
from ._audit_files import (
    AUDITED,
    CHECK_CSV,
    CHECK_FILES,
    CHECK_HTML,
    CHECK_JSON,
    DRAWN,
    FORMAT,
    cells_of,
    check_csv,
    files_of,
    in_order,
    keys_of,
    name_of,
    read_answers,
    read_audited,
    read_drawn,
    read_sealed,
    sealed,
)
from ._errors import BadInput, about_model, bad_input_of, with_options
from ._methods import check_rule
from ._output import (
    check_new_folder,
    fingerprint,
    only_command,
    output_errors,
    read_scored,
    whole_file,
    whole_folder,
)
from ._table_options import command_line, threads_for

if TYPE_CHECKING:
    import numpy as np

    from ..app.model_files import Card
    from ..app.tables import Table
    from ..audit import Audit, AuditResult

SUMMARY, REPORT = "summary.json", "report.html"
_SIZES = (50, 100, 200)
_OF_DRAWING = ("rows", "labelled_rows", "out", "seed")
_OF_ANSWERS = ("rule", "force")
_MEASURES = {"count": "positives", "precision": "precision", "recall": "recall", "f1": "F1"}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `unlabeled audit`."""

    folder: Path
    table: Path | None
    rows: int
    labelled_rows: int
    out: Path | None
    seed: int | None
    answers: Path | None
    rule: str | None
    force: bool
    as_json: bool
    quiet: bool

    def log(self, *lines: str) -> None:
        """Write remarks to stderr, unless `--quiet`."""
        if not self.quiet:
            for line in lines:
                click.echo(line, err=True)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="TABLE",
    help="The table to draw from: the one of the fit, or new rows with the same columns.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many unlabelled rows to draw.",
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
    help="The answers: the folder CHECK, or a CSV file that the page or a spreadsheet has saved.",
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
    came to be labelled, if labels and answers are right. Usually 50 to 200 rows are enough.

    \b
    CHECK gets
      check.html  a page on which a person answers row by row
      check.csv   the same rows for a spreadsheet: write yes, no or not sure under truth
      audit.json  how the rows were drawn; it has their scores, so do not show it to the checker

    Rows are shuffled, and the page and check.csv leave out label and scores: a checker who knows
    what the model says does not judge freely.

    \b
    With --answers, DIR gets
      audited.json  the audited cut, for `unlabeled predict --cut audited`
      summary.json  also the numbers of the audit, under audit
      report.html   also a section on the checked rows

    The model stays as it is. Answers are matched by key, so rows may be in any order. If you read
    the same CHECK again, its new answers replace the old ones. Answers to another CHECK of the
    same table are pooled with them, unless you add --force.

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
        if options.answers is None:
            _draw(options)
        else:
            _estimate(options, options.answers)


def _check_options(options: Options) -> None:
    """Reject options of the first run in the second, and the other way round."""
    context = click.get_current_context()

    def given(names: tuple[str, ...]) -> list[str]:
        source = context.get_parameter_source
        found = [name for name in names if source(name) == ParameterSource.COMMANDLINE]
        return [f"`--{name.replace('_', '-')}`" for name in found]

    if options.answers is not None:
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


# DIR.


class Fit(NamedTuple):
    """The model of DIR, its card and its summary."""

    pipeline: Any
    card: Card
    summary: dict[str, Any]


def _only_audit(folder: Path) -> AbstractContextManager[None]:
    """Keep other commands from writing DIR, if there is one."""
    return only_command(folder) if folder.is_dir() else nullcontext()


def _fit_in(folder: Path) -> Fit:
    import warnings

    from ..app.model_files import ModelFileError, load_model
    from ..app.report import ReportError, read_summary

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other versions of packages: scores are computed anew
            pipeline, card = load_model(folder)
        return Fit(pipeline, card, read_summary(folder))
    except ModelFileError as error:
        raise BadInput(about_model(error, "DIR")) from None
    except ReportError as error:
        message = str(error).replace("`path`", "DIR").replace("`summary`", "DIR/summary.json")
        raise BadInput(message) from None


# The first run: draw.


class Drawn(NamedTuple):
    """An audit, its design for files, and the names and cells of the rows to check."""

    audit: Audit
    entry: dict[str, Any]
    names: list[str]
    cells: list[list[str]]


def _draw(options: Options) -> None:
    out = options.out
    assert out is not None
    check_new_folder(out, None, CHECK_FILES)
    with _only_audit(options.folder), only_command(out):
        check_new_folder(out, None, CHECK_FILES)  # again: another command has ended
        fit = _fit_in(options.folder)
        drawn = _drawn(options, fit)
        known = read_drawn(options.folder) | {drawn.entry["name"]: drawn.entry}
        with whole_folder(out) as folder, whole_file(options.folder / DRAWN) as copy:
            copy.write_text(sealed({"format": FORMAT, "drawn": known}), "utf-8")
            _write_check(folder, options, fit, drawn)
    _tell_drawn(options, drawn)


def _drawn(options: Options, fit: Fit) -> Drawn:
    import numpy as np

    from ..app.tables import conform, read_like
    from ..audit import draw_audit

    path = options.table
    assert path is not None
    options.log(f"Reading {path} ...")
    table = read_like(path, fit.pipeline[0], fit.card.id)
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
        options.log("TABLE is not the table of the fit: its rows are audited as new rows.")
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
        raise BadInput(_about_draw(error)) from None
    uses_held_out = held_out is not None and np.array_equal(audit.score, held_out[audit.rows])
    if is_fitted and not uses_held_out:
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
        "honest_scores": uses_held_out or not is_fitted,
        "made": {"command": command_line(), "at": _now(), "seed": seed, "version": __version__},
    }
    rows = table.frame.iloc[audit.rows].drop(columns=fit.card.label, errors="ignore")
    if fit.card.id in rows.columns:
        rows.insert(0, fit.card.id, rows.pop(fit.card.id))
    else:
        rows.insert(0, "row" if "row" not in rows.columns else "row number", audit.rows + 1)
    return Drawn(audit, entry, [str(name) for name in rows.columns], cells_of(rows))


def _labels(table: Table, card: Card) -> np.ndarray:
    """Return 1 for labelled rows; new rows may have no label column."""
    import numpy as np

    from ..app.tables import cells_as_words

    if card.label not in table.columns:
        return np.zeros(len(table), dtype=np.int64)
    words = cells_as_words(table.frame[card.label])
    found = words == card.positive
    if not found.any():
        found = words.str.lower() == card.positive.lower()
    return np.asarray(found, dtype=np.int64)


def _held_out_scores(options: Options, fit: Fit) -> np.ndarray | None:
    """Return the held-out scores of the training rows; None if the fit wrote none."""
    import numpy as np

    known = read_scored(options.folder, ("held_out_score",))
    score = None if known is None else np.asarray(known["held_out_score"])
    if score is None or len(score) != fit.card.fingerprint["rows"]:
        return None
    return score if np.isfinite(score).all() else None


def _about_draw(error: ValueError) -> str:
    message = str(error)
    for argument, option in (("`size`", "`--rows`"), ("`labelled_size`", "`--labelled-rows`")):
        message = message.replace(argument, option)
    return message.replace("`X`", "TABLE").replace("`y`", "the label column")


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
        question=f"Is this row positive, like the rows with {fit.card.positive!r} in "
        f"{fit.card.label!r}?",
        storage_key=drawn.entry["name"],
        # The page says to run it where the browser saves files, so DIR is spelt out.
        command=shlex.join(
            ["unlabeled", "audit", str(options.folder.resolve()), "--answers", "answers.csv"]
        ),
    )
    (folder / CHECK_HTML).write_text(page, "utf-8", newline="\n")


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
        f"{count(len(drawn.entry['keys']))} of {count(drawn.entry['table']['rows'])} rows were "
        f"drawn.\n"
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
    names = [name for name in _MEASURES if (sizes[0], name) in known]
    lines = ["How long the 95% intervals will be, if the model is about right:"]
    lines.append(f"{'checked rows':>14}" + "".join(f"{_MEASURES[name]:>16}" for name in names))
    for size in sizes:
        cells = [_length(name, known[size, name]) for name in names]
        lines.append(f"{size:>14}" + "".join(f"{cell:>16}" for cell in cells))
    return lines


def _length(name: str, one: dict[str, Any]) -> str:
    ends = one["shortest"], one["longest"]
    if name == "count":
        return f"{count(round(ends[0]))} to {count(round(ends[1]))}"
    return f"{ends[0]:.2f} to {ends[1]:.2f}"


# The second run: read the answers.


def _estimate(options: Options, given: Path) -> None:
    files = files_of(given)
    with _only_audit(options.folder):
        fit = _fit_in(options.folder)
        entry, answers = _answers(options, given, files, fit)
        _check_table(options, entry)
        entries = [*_earlier(options, fit, entry), (entry, answers)]
        result = _result(entries)
        record = _record(options, fit, entries, result)
        _write_audited(options, fit, entries, record)
    if options.as_json:
        click.echo(json.dumps(record, indent=2))
    elif not options.quiet:
        click.echo(_text(options, entry, result, record))


def _answers(
    options: Options, given: Path, files: list[Path], fit: Fit
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the design that the answers belong to, and the answers in its order."""
    drawn = read_drawn(options.folder)
    designs = {name: one for name, one in drawn.items() if one["model"] == fit.card.sha256}
    beside = (given if given.is_dir() else given.parent) / CHECK_JSON
    if beside.is_file():
        again = "Name the CSV file with the answers instead, or draw again."
        entry = read_sealed(beside, again)
        if entry.get("model") == fit.card.sha256:
            designs[entry["name"]] = entry
        elif given.is_dir():
            raise BadInput(
                f"`--answers` must be about rows that were drawn from DIR; got {given}, which was "
                f"drawn from another fit than the one in {options.folder} now. Name that fit, or "
                "draw again."
            )
    name, answers = read_answers(files, designs)
    return designs[name], in_order(designs[name], answers)


def _check_table(options: Options, entry: dict[str, Any]) -> None:
    if options.table is None:
        return
    if not options.table.is_file():
        raise BadInput(f"`--table` must be a file; got {options.table}, which does not exist.")
    if fingerprint(options.table)["sha256"] != entry["table"]["sha256"]:
        raise BadInput(
            f"`--table` must be the table that the rows were drawn from, {entry['table']['name']} "
            f"as it was then; got {options.table}, which has other contents. Leave it out, or draw "
            "again."
        )


Answered = tuple[dict[str, Any], "np.ndarray"]


def _earlier(options: Options, fit: Fit, entry: dict[str, Any]) -> list[Answered]:
    """Return earlier audits of the same table, with their answers."""
    import numpy as np

    if options.force or not (options.folder / AUDITED).is_file():
        return []
    found = read_audited(options.folder, fit.card.sha256)["audits"]
    others = [one for one in found if one["design"]["name"] != entry["name"]]
    if any(one["design"]["table"]["sha256"] != entry["table"]["sha256"] for one in others):
        raise BadInput(
            f"DIR has an audit of another table than {entry['table']['name']}, and audits of "
            "different tables cannot be pooled. Add `--force` to replace it."
        )
    return [(one["design"], np.array(one["answers"], dtype=float)) for one in others]


def _result(entries: list[Answered]) -> AuditResult:
    from ..audit import Audit, pool_audits

    try:
        found = [Audit.from_dict(entry["audit"]).estimate(answers) for entry, answers in entries]
        return found[0] if len(found) == 1 else pool_audits(found)
    except ValueError as error:
        raise BadInput(str(error).replace("`results`", "audits that are pooled")) from None


def _record(
    options: Options, fit: Fit, entries: list[Answered], result: AuditResult
) -> dict[str, Any]:
    """Return the numbers of the audit, for summary.json and the report."""
    entry = entries[-1][0]
    rule = options.rule or (fit.summary.get("method") or {}).get("rule") or "f1"
    try:
        better = result.recut(fit.pipeline, rule)
    except ValueError as error:
        raise BadInput(f"{with_options(error)} `--rule` sets another.") from None
    found = result.to_dict()
    honest = all(one["honest_scores"] for one, _ in entries)
    test = result.scar_test if honest else None
    found["scar"] = None if test is None else found["scar"] | {"sentence": str(test)}
    threshold = float(better.threshold_)
    cut = {
        "rule": better.rule_,
        "threshold": threshold,
        "posterior_line": [float(one) for one in better.posterior_line_],
        **_selected(options.folder, fit.summary, threshold, entry["table"]["fitted"]),
        **{name: _plain(result.measure(name, threshold)) for name in ("precision", "recall", "f1")},
    }
    about = {name: entry["table"][name] for name in ("name", "rows", "fitted")}
    names = [one["name"] for one, _ in entries]
    return _finite({**found, "cut": cut, "table": about, "audits": names, "at": _now()})


def _plain(interval: Any) -> dict[str, float]:
    return {name: float(getattr(interval, name)) for name in ("estimate", "lower", "upper")}


def _finite(value: Any) -> Any:
    """Return a record with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _selected(
    folder: Path, summary: dict[str, Any], threshold: float, fitted: bool
) -> dict[str, int | None]:
    """Return how many rows of the fitted table a threshold selects, and the fit's own did."""
    known = read_scored(folder, ("score",)) if fitted else None
    if known is None:
        return {"selected": None, "selected_before": None}
    before = summary["cut"].get("selected")
    return {"selected": int((known["score"] > threshold).sum()), "selected_before": before}


def _write_audited(
    options: Options, fit: Fit, entries: list[Answered], record: dict[str, Any]
) -> None:
    from ..app.report import make_report

    audited = {
        "format": FORMAT,
        "model": fit.card.sha256,
        **{name: record["cut"][name] for name in ("rule", "threshold", "posterior_line")},
        "class_prior": record["class_prior"]["estimate"],
        "at": record["at"],
        "result": record,
        "audits": [
            {"design": entry, "answers": [None if one != one else int(one) for one in answers]}
            for entry, answers in entries
        ],
    }
    summary = fit.summary | {"audit": record}
    texts = {
        AUDITED: sealed(audited),
        SUMMARY: json.dumps(summary, allow_nan=False, indent=1),
        REPORT: make_report(summary),
    }
    paths = [options.folder / name for name in texts]
    if _shows_rows(options.folder / REPORT):
        options.log(
            f"The report shows no rows any more. `unlabeled report {options.folder} "
            "--include-rows` adds them again."
        )
    with output_errors(options.folder), whole_files(*paths) as unfinished:
        for path, text in zip(unfinished, texts.values(), strict=True):
            path.write_text(text, "utf-8", newline="\n")


def _shows_rows(report: Path) -> bool:
    return report.is_file() and "It shows IDs of individual rows" in report.read_text("utf-8")


def _text(
    options: Options, entry: dict[str, Any], result: AuditResult, record: dict[str, Any]
) -> str:
    lines = str(result).splitlines()
    if record["scar"] is None and result.scar_test is not None:
        lines.remove(str(result.scar_test))
        lines.append("SCAR cannot be tested here: the scores are not from held-out rows.")
    if not entry["table"]["fitted"]:
        lines.insert(0, f"These numbers are about {entry['table']['name']}, not the fitted table.")
    if len(record["audits"]) > 1:
        lines.insert(0, f"The answers to {len(record['audits'])} audits are pooled.")
    cut, folder = record["cut"], options.folder
    lines += [
        "",
        f"The audited cut, by {cut['rule']}: {_measures(cut)}{_instead(cut)}.",
        f"Use it: unlabeled predict {folder} TABLE --out FILE --cut audited",
        f"The report is {folder / REPORT}.",
    ]
    return "\n".join(lines)


def _measures(cut: dict[str, Any]) -> str:
    return ", ".join(
        f"{_MEASURES[name]} {one['estimate']:.2f} ({one['lower']:.2f} to {one['upper']:.2f})"
        for name, one in cut.items()
        if name in _MEASURES and one["estimate"] is not None
    )


def _instead(cut: dict[str, Any]) -> str:
    if cut["selected"] is None:
        return ""
    before = count(cut["selected_before"])
    return f"; it selects {count(cut['selected'])} rows instead of {before}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
