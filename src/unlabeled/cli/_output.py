"""Ctrl-C: one line and an exit code, whatever was being done."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ..app.tables import listed
from ..engine.files import whole_files
from ._table_options import BadInput

# Output that is there whole or not at all.

CANNOT_WRITE = 3
"""Exit code of a command whose output cannot be written."""

_NUMBER = re.compile(r"\[errno (\d+)\]")


class OutputError(click.ClickException):
    """The output cannot be written."""

    exit_code = CANNOT_WRITE


def check_new_folder(out: Path, force: bool, ours: tuple[str, ...]) -> None:
    """Refuse, before any work is done, a folder that cannot be written.

    A folder with something in it is replaced only if `force`, and if it holds nothing but `ours`,
    files that were written before.
    """
    if out.is_symlink() or not out.name or out.name == "..":
        raise OutputError(f"`--out` must be the name of a new folder; got {out}.")
    if out.exists() and not out.is_dir():
        raise OutputError(f"`--out` must be a folder; got {out}, which is a file.")
    there = sorted(one.name for one in out.iterdir()) if out.is_dir() else []
    others = [name for name in there if name not in ours]
    if others:
        raise OutputError(
            f"`--out` must be a new or an empty folder; got {out}, which has other files in it "
            f"({listed(others, 3)}). Name another one."
        )
    if there and not force:
        raise OutputError(
            f"`--out` must be a new folder; got {out}, which holds an earlier fit. Name another "
            "one, or say `--force` to replace it."
        )
    parent = out.parent
    while not parent.exists():
        parent = parent.parent
    if not (parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)):
        raise OutputError(f"`--out` must be in a folder that can be written; got {out}.")


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a folder to fill, which gets its name when it is filled, or vanishes."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    except OSError as error:
        raise _cannot(out, error) from None
    try:
        with output_errors(out):
            yield working
            _rename(working, out)
    finally:
        shutil.rmtree(working, ignore_errors=True)


@contextmanager
def whole_file(out: Path) -> Iterator[Path]:
    """Give a file to fill, which gets its name when it is filled, or vanishes."""
    with output_errors(out), whole_files(out) as (unfinished,):
        yield unfinished


@contextmanager
def output_errors(out: Path) -> Iterator[None]:
    """Turn what keeps a file from being written into a sentence."""
    try:
        yield
    except OSError as error:
        raise _cannot(out, error) from None


def check_new_file(out: Path, endings: tuple[str, ...], force: bool) -> None:
    """Refuse, before any work is done, a file that cannot be written."""
    if not out.name.lower().endswith(endings):
        raise BadInput(f"`--out` must end in one of {', '.join(endings)}; got {out}.")
    if out.is_dir():
        raise OutputError(f"`--out` must be a file; got {out}, which is a folder.")
    if out.exists() and not force:
        raise OutputError(
            f"`--out` must be a new file; got {out}, which is there. Name another one, or say "
            "`--force` to replace it."
        )
    if not (out.parent.is_dir() and os.access(out.parent, os.W_OK | os.X_OK)):
        raise OutputError(
            f"`--out` must be in a folder that is there and can be written; got {out}."
        )


def _rename(working: Path, out: Path) -> None:
    working.chmod(0o777 & ~_umask())
    if not out.exists() or not any(out.iterdir()):
        os.replace(working, out)
        return
    earlier = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    os.replace(out, earlier)
    try:
        os.replace(working, out)
    except OSError:
        os.replace(earlier, out)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def _cannot(out: Path, error: OSError) -> OutputError:
    number = _NUMBER.search(str(error))  # Arrow's errors have it in their text
    why = os.strerror(int(number[1])) if number else error.strerror or str(error)
    return OutputError(
        f"{out} could not be written ({why}); nothing of it was left. Make room, or name another "
        "place by `--out`."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


INTERRUPTED = 130
"""Exit code of a command that was stopped by Ctrl-C."""


@contextmanager
def told_when_stopped(sentence: str = "Stopped; nothing was written.") -> Iterator[None]:
    """End with a sentence, and no traceback, when the user stops what is done here."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\n{sentence}", err=True)
        sys.exit(INTERRUPTED)
