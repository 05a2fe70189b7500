"""`unlabeled reproduce`: the paper's studies, resumable, with figures, tables and verdicts."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..datasets import DatasetError
from ._output import told_when_stopped

if TYPE_CHECKING:
    from ..paper.studies.plan import Plan
    from ..paper.studies.run import RunReport


STUDIES = ("synthetic", "real", "timing", "robustness")
WHAT_MORE = (
    "This was a run on embedded data. With the UCI sets (`--data FOLDER`, the variable "
    "UNLABELED_DATA, or OpenML where there is a network) the real study has the paper's nine "
    "sets, timing has adult itself, robustness has diabetes, credit-a and spambase; without "
    "`--quick` the studies are repeated 200 times."
)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True)
class Options:
    """What was asked for."""

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
        """Whether a folder of data was named."""
        return self.data is not None or bool(os.environ.get("UNLABELED_DATA"))

    @property
    def command(self) -> str:
        """The command for the manifest, without the places of this machine."""
        words = ["unlabeled reproduce", self.study, "--out DIR", f"--jobs {self.jobs}"]
        words += [f"--repeats {self.repeats}"] * (self.repeats is not None)
        words += ["--data DIR"] * self.has_data + ["--quick"] * self.quick
        words += [f"--backend {self.backend}"] * (self.backend != "loky")
        return " ".join(words)


@click.command()
@click.argument("study", type=click.Choice([*STUDIES, "all"]), default="all")
@click.option(
    "--out",
    type=_FOLDER,
    default=Path("reproduction"),
    show_default=True,
    help="Folder for the records, figures and tables; a run that is there is continued.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1, 9999),
    help="Repeats of each study; of timing and robustness only if named, or if fewer. "
    "[default: 200; timing 20, robustness 50]",
)
@click.option("--jobs", default=-1, show_default=True, help="Processes, -1 for one a core.")
@click.option("--data", type=_FOLDER, help="Folder with the UCI sets. [default: $UNLABELED_DATA]")
@click.option("--quick", is_flag=True, help="A small version, in two minutes; needs no data.")
@click.option("--quiet", is_flag=True, help="No progress bar, for logs.")
@click.option("--backend", default="loky", show_default=True, help="Any joblib backend.")
@click.option("--scheduler", help="Address of a Dask scheduler, with `--backend dask`.")
@click.option("--figures-only", is_flag=True, help="Run nothing, draw what is there.")
def reproduce(**options: Any) -> None:
    """Repeat the paper's studies, or one of them.

    Every fit is a record on disk; stopped at any moment, the same command goes on where it
    was. Figures, tables and a verdict on each of the paper's claims are made from the records.

    \b
    Examples:
      unlabeled reproduce --quick
      unlabeled reproduce all --out DIR --data FOLDER
      unlabeled reproduce real --repeats 50 --backend dask --scheduler tcp://HOST:8786
    """
    asked = Options(**options)
    if asked.jobs == 0:
        raise click.UsageError("`--jobs` must be a number of processes or -1; got 0.")
    if (asked.backend == "dask") != (asked.scheduler is not None):
        raise click.UsageError("`--backend dask` and `--scheduler` must be given together.")
    try:
        with told_when_stopped("Stopped; nothing is lost. The same command goes on from here."):
            if not asked.figures_only:
                click.echo(_summary(asked, _run(asked)))
            click.echo(_draw(asked.out))
    except ImportError as error:
        raise _missing(error) from None
    if asked.quick and not asked.has_data and not asked.figures_only:
        click.echo(WHAT_MORE)


def _run(asked: Options) -> RunReport:
    from ..engine.progress import progress_bar
    from ..paper.studies.records import ResultsError
    from ..paper.studies.run import run_plan

    data_home = None if asked.data is None else str(asked.data)
    try:
        with nullcontext() if asked.quiet else progress_bar() as progress:
            return run_plan(
                _plan(asked),
                asked.out,
                n_jobs=asked.jobs,
                backend=asked.backend,
                scheduler=asked.scheduler,
                data_home=data_home,
                progress=progress,
                command=asked.command,
                tell=None if asked.quiet else _tell,
            )
    except DatasetError as error:
        hint = " On the command line the folder is named by `--data`."
        hint += "" if asked.quick else " `--quick` runs without data."
        raise click.ClickException(f"{error}{hint}") from None
    except ResultsError as error:
        raise click.ClickException(str(error)) from None
    except OSError as error:
        raise click.ClickException(
            f"`{error.filename or asked.out}` could not be written: {error.strerror or error}. "
            "What was finished is kept; the same command goes on from there."
        ) from None


def _tell(sentence: str) -> None:
    click.echo(sentence, err=True)


def _plan(asked: Options) -> Plan:
    from ..paper.studies.paper_plans import paper_plan, quick_plan

    studies = STUDIES if asked.study == "all" else (asked.study,)
    if asked.quick:
        return quick_plan(studies, asked.repeats, data=asked.has_data)
    return paper_plan(studies, asked.repeats)


def _summary(asked: Options, report: RunReport) -> str:
    lines = [f"{report.n_tasks} tasks are in {asked.out}, {report.n_found} of them from before."]
    if report.n_damaged:
        lines.append(f"{report.n_damaged} damaged files were set aside and their fits redone.")
    if report.n_failed:
        lines.append(f"{report.n_failed} fits failed; the column `error` says why.")
    return "\n".join(lines)


def _draw(out: Path) -> str:
    from ..paper.outcome import write_outcome
    from ..paper.studies.records import ResultsError

    try:
        write_outcome(out)
    except ResultsError as error:
        raise click.ClickException(str(error)) from None
    return f"Figures, tables and the paper's claims: {out / 'index.html'}"


def _missing(error: ImportError) -> click.ClickException:
    extra = "dask" if error.name in ("dask", "distributed") else "experiments"
    return click.ClickException(
        f"`unlabeled reproduce` needs {error.name or error}, which is not installed: "
        f"pip install 'unlabeled[{extra}]'."
    )
