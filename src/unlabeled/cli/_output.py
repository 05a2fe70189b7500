"""Output of commands: written whole or not at all, by one command at a time."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from ..app.run import InputError, OutputError
from ..engine import files
from ..engine.files import (
    InUseError,
    has_earlier_folder,
    only_writer,
    restore_folder,
    whole_files,
)

_PARTS = ".parts"
_NUMBER = re.compile(r"\[errno (\d+)\]")


def check_new_folder(
    out: Path, force: bool | None, ours: tuple[str, ...], reads: tuple[Path, ...] = ()
) -> None:
    """Reject a folder that cannot be written, before any work is done.

    With `force`, a fit, which is a folder that holds only files named in `ours`, is replaced,
    unless it holds a table that the command `reads`. If the command has no such option, `force`
    is None.
    """
    if out.is_symlink() or not out.name or out.name == "..":
        raise OutputError(f"`--out` must be the name of a new folder; got {out}.")
    if out.exists() and not out.is_dir():
        raise OutputError(f"`--out` must be a folder; got {out}, which is a file.")
    there = sorted(one.name for one in out.iterdir()) if out.is_dir() else []
    others = [name for name in there if name not in ours]
    if others:
        from ..app.tables import listed

        raise OutputError(
            f"`--out` must be a new or an empty folder; got {out}, which has other files in it "
            f"({listed(others, 3)}). Choose another folder."
        )
    _check_not_read(out, reads)
    if there and not force:
        held, hint = "an earlier fit", ", or add `--force` to replace the fit"
        if force is None:
            held, hint = "rows that were drawn before", ""
        raise OutputError(
            f"`--out` must be a new folder; got {out}, which holds {held}. Choose another "
            f"folder{hint}."
        )
    parent = out.parent
    while not parent.exists():
        parent = parent.parent
    if not _can_be_written(parent):
        raise OutputError(f"`--out` must be in a folder that can be written; got {out}.")


def check_new_file(
    out: Path, endings: tuple[str, ...], force: bool, reads: tuple[Path, ...] = ()
) -> None:
    """Reject a file that cannot be written, before any work is done.

    With `force`, an existing file is replaced, unless it is a table that the command `reads`.
    """
    if not out.name.lower().endswith(endings):
        one_of = "one of " * (len(endings) > 1)
        raise InputError(f"`--out` must end in {one_of}{', '.join(endings)}; got {out}.")
    if out.is_dir():
        raise OutputError(f"`--out` must be a file; got {out}, which is a folder.")
    _check_not_read(out, reads)
    if out.exists() and not force:
        raise OutputError(
            f"`--out` must be a new file; got {out}, which exists. Choose another file, or add "
            "`--force` to replace it."
        )
    if not _can_be_written(out.parent):
        raise OutputError(f"`--out` must be in a folder that exists and can be written; got {out}.")


def _check_not_read(out: Path, reads: tuple[Path, ...]) -> None:
    """Reject a file that is a table the command reads, or a folder that holds one."""
    from ..app.tables import files_of

    for file in (one for path in reads for one in files_of(path)):
        if not (out.exists() and file.exists()):
            continue
        if out.samefile(file) or out.resolve() in file.resolve().parents:
            holds = "" if out.samefile(file) else f", which holds {file}"
            raise InputError(
                f"`--out` must not replace the table that is read; got {out}{holds}. Choose "
                "another name."
            )


def _can_be_written(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def named_folder(folder: Path) -> Path:
    """Return a folder for a command that is run later: "." and ".." are spelled out."""
    return folder if folder.name not in ("", "..") else folder.resolve()


@contextmanager
def only_command(out: Path, *, is_option: bool = True) -> Iterator[None]:
    """Be the only command that writes a file or folder; reject it if another one does.

    Only if `--out` names it, as `is_option` says, does an error advise to choose another.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(only_writer(out))
        except InUseError as error:
            raise OutputError(
                f"{out} is being written by another command ({error.by}). Wait until that has "
                "ended, and run this command again."
            ) from None
        except OSError as error:
            raise _cannot(out, error, is_option) from None
        yield


def only_audit(folder: Path) -> AbstractContextManager[None]:
    """Keep other commands from writing the folder of a fit, if there is one."""
    return only_command(folder, is_option=False) if folder.is_dir() else nullcontext()


class FitFolder(click.Path):
    """A folder that `unlabeled fit` writes, or a file in one.

    If a command was killed while it replaced the folder, the earlier folder is brought back.
    """

    def convert(self, value: Any, *of: Any) -> Any:
        place: Any = super().convert(value, *of)
        for folder in (place, place.parent):
            if has_earlier_folder(folder):
                _restore(folder)
        return place


def _restore(folder: Path) -> None:
    with only_command(folder, is_option=False), output_errors(folder, is_option=False):
        if restore_folder(folder):
            click.echo(
                f"A command was killed while it replaced {folder}; the earlier folder is back.",
                err=True,
            )


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Yield a temporary folder; it takes the place of `out` on success, and is removed on failure.

    Be the `only_command` of `out`.
    """
    with output_errors(out), files.whole_folder(out) as working:
        yield working


@contextmanager
def whole_file(out: Path, *, is_option: bool = True) -> Iterator[Path]:
    """Yield a temporary file; rename it to `out` on success, remove it on failure."""
    with output_errors(out, is_option=is_option), whole_files(out) as (unfinished,):
        yield unfinished


@contextmanager
def output_errors(out: Path, *, is_option: bool = True) -> Iterator[None]:
    """Turn an error of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        raise _cannot(out, error, is_option) from None


def _cannot(out: Path, error: OSError, is_option: bool = True) -> OutputError:
    number = _NUMBER.search(str(error))  # Arrow puts it into the text of its errors
    why = os.strerror(int(number[1])) if number else error.strerror or str(error)
    another = ", or choose another with `--out`" if is_option else ""
    return OutputError(
        f"{out} could not be written ({why}); no partial output is left. Check the place{another}."
    )


@contextmanager
def folder_beside(out: Path) -> Iterator[Path]:
    """Yield a folder for large temporary files on the disk of `out`; remove it in any case.

    Folders that killed commands left are removed too. Be the `only_command` of `out`: then no
    other command uses them.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        for left in out.parent.iterdir():
            if re.fullmatch(rf"\.{re.escape(out.name)}-[a-z0-9_]{{8}}{_PARTS}", left.name):
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(_PARTS, f".{out.name}-", out.parent))
    except OSError as error:
        raise _cannot(out, error) from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
