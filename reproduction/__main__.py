"""`python -m reproduction`: the paper's studies, resumable, with figures, tables and verdicts."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from unlabeled.datasets import DatasetError
from unlabeled.engine.progress import progress_bar

from .outcome import write_outcome
from .studies import STUDY_NAMES, Plan, ResultsError, RunReport, paper_plan, quick_plan, run_plan

WHAT_MORE = (
    "This run used built-in data. With the UCI sets (`--data FOLDER`, the variable "
    "UNLABELED_DATA, or OpenML if there is a network) the real study uses the paper's nine "
    "sets, timing uses adult, and robustness uses diabetes, credit-a and spambase. Without "
    "`--quick` the studies are repeated 200 times."
)
INTERRUPTED = 130
"""Exit code of a run that Ctrl-C stopped."""

_FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True)
class Options:
    """The options of `python -m reproduction`."""

    study: str
    out: Path
    repeats: int | None
    jobs: int
    data: Path | None
    quick: bool
    quiet: bool
    backend: str
    scheduler: str | None
    figures_only: bool

    @property
    def has_data(self) -> bool:
        """Whether a folder with data was given."""
        return self.data is not None or bool(os.environ.get("UNLABELED_DATA"))

    @property
    def command(self) -> str:
        """The command for the manifest, without the paths of this machine."""
        words = ["python -m reproduction", self.study, "--out DIR", f"--jobs {self.jobs}"]
        words += [f"--repeats {self.repeats}"] * (self.repeats is not None)
        words += ["--data DIR"] * self.has_data + ["--quick"] * self.quick
        words += [f"--backend {self.backend}"] * (self.backend != "loky")
        return " ".join(words)


@click.command()
@click.argument("study", type=click.Choice([*STUDY_NAMES, "all"]), default="all")
@click.option(
    "--out",
    type=_FOLDER,
    default=Path("reproduced"),
    show_default=True,
    help="Folder for the records, figures and tables. An earlier run in it is continued.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 9999),
    help="Repeats of each study. For ensemble, timing and robustness it applies only if you name "
    "the study, or if it lowers their default. [default: 200; ensemble and timing 20, robustness "
    "50]",
)
@click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Number of processes; -1 starts one per core.",
)
@click.option("--data", type=_FOLDER, help="Folder with the UCI sets. [default: $UNLABELED_DATA]")
@click.option(
    "--quick", is_flag=True, help="A small version that takes two minutes and needs no data."
)
@click.option("--quiet", is_flag=True, help="Print no progress bar, for logs.")
@click.option("--backend", default="loky", show_default=True, help="Any joblib backend.")
@click.option("--scheduler", help="Address of a Dask scheduler, with `--backend dask`.")
@click.option(
    "--figures-only", is_flag=True, help="Run nothing; draw the figures of the records in --out."
)
def reproduce(**values: Any) -> None:
    """Repeat the paper's studies, or one of them.

    Every fit is recorded on disk. You can stop the command at any time. Run it again to
    continue. Figures, tables and a verdict on each of the paper's claims are made
    from the records.

    \b
    Examples:
      python -m reproduction --quick
      python -m reproduction all --out DIR --data FOLDER
      python -m reproduction real --repeats 50 --backend dask --scheduler tcp://HOST:8786
    """
    options = Options(**values)
    if options.jobs == 0:
        raise click.UsageError("`--jobs` must be a number of processes or -1; got 0.")
    if (options.backend == "dask") != (options.scheduler is not None):
        raise click.UsageError("`--backend dask` and `--scheduler` must be given together.")
    try:
        if not options.figures_only:
            click.echo(_summary(options, _run(options)))
        write_outcome(options.out)
    except KeyboardInterrupt:
        click.echo("\nStopped. Run the same command to continue.", err=True)
        sys.exit(INTERRUPTED)
    except ResultsError as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"Figures, tables and the paper's claims: {options.out / 'index.html'}")
    if options.quick and not options.has_data and not options.figures_only:
        click.echo(WHAT_MORE)


def _run(options: Options) -> RunReport:
    data_home = None if options.data is None else str(options.data)
    try:
        with progress_bar(quiet=options.quiet) as progress:
            return run_plan(
                _plan(options),
                options.out,
                n_jobs=options.jobs,
                backend=options.backend,
                scheduler=options.scheduler,
                data_home=data_home,
                progress=progress,
                command=options.command,
                tell=None if options.quiet else _log,
            )
    except DatasetError as error:
        hint = " Name the folder with `--data`."
        hint += "" if options.quick else " `--quick` runs without data."
        raise click.ClickException(f"{error}{hint}") from None
    except ImportError as error:
        raise click.ClickException(f"{error}: pip install 'unlabeled[dask]'.") from None
    except OSError as error:
        raise click.ClickException(
            f"`{error.filename or options.out}` could not be written: {error.strerror or error}. "
            "Finished work is kept. Run the same command to continue."
        ) from None


def _log(sentence: str) -> None:
    click.echo(sentence, err=True)


def _plan(options: Options) -> Plan:
    studies = STUDY_NAMES if options.study == "all" else (options.study,)
    if options.quick:
        return quick_plan(studies, options.repeats, data=options.has_data)
    return paper_plan(studies, options.repeats)


def _summary(options: Options, report: RunReport) -> str:
    lines = [f"{report.n_tasks} tasks in {options.out}, {report.n_found} from earlier runs."]
    if report.n_damaged:
        lines.append(f"{report.n_damaged} damaged files were set aside and their fits redone.")
    if report.n_failed:
        lines.append(f"{report.n_failed} fits failed; the column `error` says why.")
    return "\n".join(lines)


if __name__ == "__main__":
    reproduce()
