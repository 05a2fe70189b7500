"""Check that this installation reproduces the numbers in a results folder.

Only then may it continue the run. The check computes some recorded tasks again, before anything in
the folder changes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unlabeled import __version__

from .fit import run_batch
from .methods import Key
from .plan import Batch, Cell, Plan, Study
from .records import ResultsError
from .store import read_records

if TYPE_CHECKING:
    import pandas as pd

Tell = Callable[[str], None]

SECONDS = 6.0
"""Time limit, in recorded seconds, for tasks beyond those needed to cover every method."""

TOLERANCE = 1e-6
"""Values agree if they differ by at most this; relative to the recorded one if that is above 1."""

# On nine data sets and simulated ones, another set of BLAS kernels changed 38 of 297 fits by
# more than the tolerance, almost all on separated or badly conditioned rows. Scaling by 1 ± 1e-10
# detects all 38; 1 ± 1e-12 misses one.
NUDGE = 1e-10
"""If scaling the columns by 1 ± this changes a fit, its differences are due to rounding."""

_CODE = ("source", "libraries")  # what a manifest says of the code that ran

MEASURES = ("f1", "balanced_accuracy", "predicted_share", "angle", "label_frequency", "class_prior")
"""Fields of a record that must agree to the tolerance."""

EXACT = ("converged",)
"""Fields of a record that must be equal. Times, iterations and warnings may differ."""


@dataclass(frozen=True)
class RecordedTask:
    """A task in the records: how to run it again, and what was recorded."""

    batch: Batch
    recorded: dict[Key, dict[str, Any]]
    seconds: float

    @property
    def name(self) -> str:
        """Study, cell and repeat as text."""
        cell = self.batch.cells[0]
        words = [self.batch.study, cell.dataset, cell.mechanism]
        words += [f"n={cell.n}"] * (cell.n > 0) + [f"c={cell.c:g}", f"repeat={self.batch.repeat}"]
        return " ".join(words)

    @property
    def fitted(self) -> set[Key]:
        """The methods whose recorded fits did not fail."""
        return {key for key, record in self.recorded.items() if not record["error"]}

    @property
    def rank(self) -> tuple[int, int, float]:
        """Sort key: tasks without failed fits first, then without open ones, then quick ones.

        Where a fit ends that reaches no optimum depends on rounding, and so on the machine.
        """
        open_fits = sum(not record["converged"] for record in self.recorded.values())
        return len(self.recorded) - len(self.fitted), open_fits, self.seconds


@dataclass(frozen=True)
class _Difference:
    """A difference between two records of one fit."""

    size: float
    field: str
    values: tuple[Any, Any]


def confirm_numbers(
    folder: Path,
    plan: Plan,
    runs: Sequence[dict[str, Any]],
    run: dict[str, Any],
    data_home: str | None = None,
    tell: Tell | None = None,
) -> dict[str, Any] | None:
    """Check the numbers in a folder if other code or libraries computed them.

    Some recorded tasks are computed again; nothing in the folder changes. They are quick tasks
    that cover every study and method of
    the plan and, within `SECONDS`, every data set and mechanism.

    Parameters
    ----------
    folder : Path
        The results folder.
    plan : Plan
        The plan to continue.
    runs : sequence of dict
        The runs that wrote into the folder, from its manifest.
    run : dict
        The run that is about to begin, by `describe_run`.
    data_home : str, optional
        Folder with the UCI sets.
    tell : callable, optional
        Called with a message before and after the check.

    Returns
    -------
    check : dict or None
        What was compared, for the manifest. None if there was nothing to compare.

    Raises
    ------
    ResultsError
        If a number differs by more than rounding.
    """
    studies = _unconfirmed(plan, runs, run)
    if not studies:
        return None
    records = read_records(folder)
    tasks = choose_tasks([recorded_tasks(study, records) for study in studies])
    if not tasks:
        return None
    tell = tell or (lambda sentence: None)
    changes = _changes(runs[-1], run) if runs else "unknown code"
    tell(f"`{folder}` was written with {changes}. Computing {len(tasks)} of its tasks again.")
    check = _Check(folder, data_home)
    for task in tasks:
        check.compare(task)
    check.need_every_method()
    note = check.note()
    tell(
        f"The numbers are the same: {note['fits']} fits, largest difference "
        f"{note['largest_difference']:.1g}. The run goes on."
    )
    return note


def _unconfirmed(plan: Plan, runs: Sequence[dict[str, Any]], run: dict[str, Any]) -> list[Study]:
    """Return the studies that no earlier run of the same code and libraries began or confirmed."""
    same = [earlier for earlier in runs if all(earlier.get(k) == run[k] for k in _CODE)]
    confirmed = {name for earlier in same for name in earlier.get("studies", ())}
    return [study for study in plan.studies if study.name not in confirmed]


def _changes(before: dict[str, Any], run: dict[str, Any]) -> str:
    """Describe how the last run differs from this one."""
    old, new = before.get("libraries", {}), run["libraries"]
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    words = [f"{name} {old.get(name, 'absent')} (now {new.get(name, 'absent')})" for name in names]
    return ", ".join(words) or f"other code of unlabeled {__version__}"


def recorded_tasks(study: Study, records: pd.DataFrame) -> list[RecordedTask]:
    """Return the tasks of a study that are in the records."""
    cells = {(cell.dataset, cell.mechanism, cell.n, cell.c): cell for cell in study.cells}
    tasks: dict[tuple[Cell, int], dict[Key, dict[str, Any]]] = defaultdict(dict)
    for fit in records[records["study"] == study.name].to_dict("records"):
        # The plan may have n = 0 where the records have the number of training rows.
        keys = [(fit["dataset"], fit["mechanism"], n, fit["c"]) for n in (fit["n"], 0)]
        cell = cells.get(keys[0]) or cells.get(keys[1])
        if cell is not None:
            tasks[cell, fit["repeat"]][fit["method"], fit["setting"]] = fit
    return [_task(study, cell, repeat, recorded) for (cell, repeat), recorded in tasks.items()]


def _task(
    study: Study, cell: Cell, repeat: int, recorded: dict[Key, dict[str, Any]]
) -> RecordedTask:
    batch = Batch(
        study.name, cell.dataset, repeat, (cell,), study.methods, study.cast, study.splits_of
    )
    seconds = (fit["fit_seconds"] for fit in recorded.values() if not fit["error"])
    return RecordedTask(batch, recorded, sum(seconds))


def choose_tasks(of_studies: list[list[RecordedTask]]) -> list[RecordedTask]:
    """Choose quick tasks from those of each study; return the quickest first.

    From each study, take the task with the best rank. For each method that failed in it, also
    take the first task in which the method succeeded. Then add one task of each data set and
    mechanism, as long as these take at most `SECONDS`.
    """
    needed: dict[str, RecordedTask] = {}
    more: dict[tuple[str, str, str], RecordedTask] = {}
    for tasks in of_studies:
        covered: set[Key] = set()
        for task in sorted(tasks, key=lambda task: task.rank):
            cell = task.batch.cells[0]
            more.setdefault((task.batch.study, cell.dataset, cell.mechanism), task)
            if not covered or task.fitted - covered:
                needed[task.name] = task
                covered |= task.fitted
    seconds = 0.0
    for task in sorted(more.values(), key=lambda task: task.seconds):
        if task.name not in needed and seconds + task.seconds <= SECONDS:
            needed[task.name] = task
            seconds += task.seconds
    return sorted(needed.values(), key=lambda task: task.seconds)


class _Check:
    """Compares tasks one by one; raises at the first number that differs by more than rounding."""

    def __init__(self, folder: Path, data_home: str | None) -> None:
        self._folder, self._data_home = folder, data_home
        self._tasks: list[str] = []
        self._largest, self._n_fits = 0.0, 0
        self._agreed: set[tuple[str, Key]] = set()
        self._left: list[tuple[RecordedTask, Key, _Difference]] = []

    def compare(self, task: RecordedTask) -> None:
        """Compute a task. If a fit differs, check whether scaled columns change it too."""
        computed = self._compute(task)
        self._tasks.append(task.name)
        nudged: dict[Key, dict[str, Any]] = {}
        for key in sorted(task.recorded.keys() & computed.keys(), key=task.batch.methods.index):
            difference = _difference(task.recorded[key], computed[key])
            self._n_fits += 1
            if difference.size <= TOLERANCE:
                self._largest = max(self._largest, difference.size)
                self._agreed.add((task.batch.study, key))
                continue
            nudged = nudged or self._compute(task, NUDGE)
            if _difference(computed[key], nudged[key]).size <= TOLERANCE:
                raise self._rejection(task, key, difference)
            self._left.append((task, key, difference))

    def need_every_method(self) -> None:
        """Raise if every fit of a method depends on rounding, so that none was compared."""
        for task, key, difference in self._left:
            if (task.batch.study, key) not in self._agreed:
                raise self._rejection(task, key, difference)

    def note(self) -> dict[str, Any]:
        """Return what was compared, for the manifest."""
        return {
            "tolerance": TOLERANCE,
            "tasks": self._tasks,
            "fits": self._n_fits,
            "largest_difference": self._largest,
            "left_to_rounding": [f"{task.name} {_named(key)}" for task, key, _ in self._left],
        }

    def _compute(self, task: RecordedTask, nudge: float = 0.0) -> dict[Key, dict[str, Any]]:
        _, records = run_batch(task.batch, self._data_home, __version__, nudge)
        return {(record.method, record.setting): asdict(record) for record in records}

    def _rejection(self, task: RecordedTask, key: Key, difference: _Difference) -> ResultsError:
        recorded, computed = difference.values
        return ResultsError(
            f"`{self._folder}` must hold numbers that unlabeled {__version__} computes too; got "
            f"{difference.field} of {_named(key)} in {task.name} recorded as {recorded} and "
            f"computed as {computed}. Choose a new folder, or install the versions that wrote this "
            "one: manifest.json lists them."
        )


def _named(key: Key) -> str:
    return key[0] if key[1] == "-" else f"{key[0]} ({key[1]})"


def _difference(recorded: dict[str, Any], computed: dict[str, Any]) -> _Difference:
    """Return the largest difference; it is infinite if only one of the fits failed."""
    if recorded["error"] or computed["error"]:
        both = bool(recorded["error"]) == bool(computed["error"])
        errors = tuple(record["error"] or "no error" for record in (recorded, computed))
        return _Difference(0.0 if both else math.inf, "error", errors)
    return max(_differences(recorded, computed), key=lambda difference: difference.size)


def _differences(recorded: dict[str, Any], computed: dict[str, Any]) -> Iterator[_Difference]:
    for field in EXACT:
        size = 0.0 if recorded[field] == computed[field] else math.inf
        yield _Difference(size, field, (recorded[field], computed[field]))
    for field in MEASURES:
        old, new = recorded[field], computed[field]
        yield _Difference(_distance(old, new), field, (old, new))


def _distance(old: float, new: float) -> float:
    if math.isnan(old) or math.isnan(new):
        return 0.0 if math.isnan(old) and math.isnan(new) else math.inf
    return abs(old - new) / max(1.0, abs(old))
