"""Output of commands: written whole or not at all, by one command at a time; and scored rows."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ..engine.files import InUseError, only_writer, whole_files
from ._errors import BadInput, OutputError

SCORED = "scored.csv"
"""The scored table of a fit."""

BECAUSE = "because"
"""Its last column before those that are kept."""

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
        raise BadInput(f"`--out` must end in {one_of}{', '.join(endings)}; got {out}.")
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
            raise BadInput(
                f"`--out` must not replace the table that is read; got {out}{holds}. Choose "
                "another name."
            )


def _can_be_written(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def named_folder(folder: Path) -> Path:
    """Return a folder for a command that is run later: "." and ".." are spelt out."""
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


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Yield a temporary folder; rename it to `out` on success, remove it on failure."""
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


def _rename(working: Path, out: Path) -> None:
    working.chmod(0o777 & ~_umask())
    if not out.exists() or not any(out.iterdir()):
        os.replace(working, out)
        return
    earlier = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        os.replace(out, earlier)
    except OSError:
        earlier.rmdir()
        raise
    try:
        os.replace(working, out)
    except OSError:
        os.replace(earlier, out)
        raise
    shutil.rmtree(earlier, ignore_errors=True)


def _cannot(out: Path, error: OSError, is_option: bool = True) -> OutputError:
    number = _NUMBER.search(str(error))  # Arrow puts it into the text of its errors
    why = os.strerror(int(number[1])) if number else error.strerror or str(error)
    another = ", or choose another with `--out`" if is_option else ""
    return OutputError(
        f"{out} could not be written ({why}); no partial output is left. Check the place{another}."
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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


def check_room(out: Path, needed: int) -> None:
    """Reject a disk on which a command would find no room for its files."""
    from ._memory import in_words

    free = shutil.disk_usage(out.parent).free
    if free < needed:
        raise OutputError(
            f"`--out` must be on a disk with about {in_words(needed)} free, for the features of "
            f"all rows and the scored table; got {in_words(free)} in {out.parent.resolve()}. "
            "Make room, choose another place, or fit to fewer rows or columns."
        )


def fingerprint(path: Path) -> dict[str, Any]:
    """Return the checksum and the size of a file; of several, of the list of their checksums."""
    from ..app.tables import files_of, is_pattern

    found = [_fingerprint(file) for file in files_of(path)]
    if not is_pattern(path):
        return found[0]
    together = hashlib.sha256("".join(one["sha256"] for one in found).encode())
    size = sum(one["bytes"] for one in found)
    return {"sha256": together.hexdigest(), "bytes": size, "files": len(found)}


def _fingerprint(file: Path) -> dict[str, Any]:
    with file.open("rb") as stream:
        return {
            "sha256": hashlib.file_digest(stream, "sha256").hexdigest(),
            "bytes": stream.tell(),
        }


def scored_columns(
    id: str | None, ids: Any, numbers: dict[str, Any], first: int = 1
) -> dict[str, Any]:
    """Return the columns of a scored table: the row IDs, or 1, 2, ..., then the numbers."""
    import numpy as np

    if ids is None:
        return {"row": np.arange(first, len(numbers["score"]) + first), **numbers}
    return {"id" if id in numbers else str(id): ids, **numbers}


def ids_of(column: Any) -> Any:
    """Return row identifiers as text, missing where they are blank."""
    import pyarrow as pa
    from pyarrow import compute

    text = column.cast(pa.string())
    # Of a part of a column and one null for all rows, older pyarrow makes garbled text.
    return compute.if_else(compute.equal(text, ""), pa.nulls(len(text), pa.string()), text)


def kept_columns(path: Path, keep: tuple[str, ...], keep_all: bool) -> dict[str, Any]:
    """Read the columns of a table that `--keep` and `--keep-all` name, as they are written."""
    from ..app.tables import read_cells

    if not keep and not keep_all:
        return {}
    return read_cells(path, None if keep_all else keep, "keep")


def with_kept(columns: dict[str, Any], kept: dict[str, Any], id: str | None) -> dict[str, Any]:
    """Return the columns of a scored table with those that are kept behind them.

    The row IDs are there already. A name that is taken gets the prefix ``original_``.
    """
    kept = {name: cells for name, cells in kept.items() if name != id}
    taken, found = {*columns, *kept}, dict(columns)
    for name, cells in kept.items():
        if len(cells) != len(columns["score"]):
            raise BadInput("The table was changed while it was read. Run the command again.")
        new = name
        if name in columns:
            while new in taken:
                new = f"original_{new}"
        taken.add(new)
        found[new] = cells
    return found


def read_scored(
    folder: Path, names: tuple[str, ...], *, kept: bool = False
) -> dict[str, Any] | None:
    """Return the row IDs and some columns of numbers in a fit's scored table.

    Blank cells are NaN. With `kept`, there are also the columns that were kept, as they are
    written. None if there is no such table, or it was changed.
    """
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    from ..app.tables import LONGEST_LINE

    path = folder / SCORED
    # A cell of a column that was kept may have line breaks, and be long.
    block, parse = 2 * LONGEST_LINE, csv.ParseOptions(newlines_in_values=True)
    read = csv.ReadOptions(block_size=block)
    try:
        with csv.open_csv(path, read, parse) as reader:
            header = reader.schema.names
        if len(set(header)) < len(header):
            return None
        further = header[header.index(BECAUSE) + 1 :] if kept else []
        # Columns of text and numbers: an ID such as 007 must stay as it is.
        types = dict.fromkeys(names, pa.float64()) | dict.fromkeys(
            [header[0], *further], pa.string()
        )
        # A blank cell is missing, an empty text in quotes is not.
        convert = csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        table = csv.read_csv(path, read, parse, convert)
    except (OSError, ValueError, LookupError, pa.ArrowException):
        return None
    found = {name: table[name].to_numpy() for name in names}
    found["id"] = np.array(table[header[0]].fill_null("").to_pylist(), dtype=str)
    return found | ({"kept": {name: table[name] for name in further}} if kept else {})


def write_scored(path: Path, columns: dict[str, Any], ending: str) -> None:
    """Write columns in the format of an ending; numbers keep all their digits."""
    from pyarrow import csv, feather, parquet

    table = _table(columns)
    if ending == ".parquet":
        parquet.write_table(table, path)
    elif ending in (".arrow", ".feather"):
        feather.write_feather(table, path)
    else:
        csv.write_csv(table, path, _text_options(ending))


@contextmanager
def scored_writer(path: Path, ending: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that writes the next rows of what `write_scored` writes at once.

    Columns must have the same types every time.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    writers: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        table = _table(columns)
        if not writers:
            if ending == ".parquet":
                writers.append(parquet.ParquetWriter(path, table.schema))
            elif ending in (".arrow", ".feather"):
                packed = pa.ipc.IpcWriteOptions(compression="lz4")
                writers.append(pa.ipc.new_file(str(path), table.schema, options=packed))
            else:
                options = _text_options(ending)
                writers.append(csv.CSVWriter(str(path), table.schema, write_options=options))
        writers[0].write_table(table)

    try:
        yield write
    finally:
        for one in writers:
            one.close()


def _text_options(ending: str) -> Any:
    from pyarrow import csv

    return csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ",", quoting_style="needed")


def _table(columns: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pa.table({name: _arrow(column) for name, column in columns.items()})


def _arrow(column: Any) -> Any:
    import pyarrow as pa

    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    return pa.array(column, from_pandas=True)
