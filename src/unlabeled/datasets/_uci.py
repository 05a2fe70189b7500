"""Load the paper's nine data sets, prepared as the paper did."""

from __future__ import annotations

import difflib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.files import write_whole
from ._files import (
    DatasetError,
    cache_folder,
    fingerprint,
    format_csv,
    given_folder,
    is_original,
    numbers,
    parse_csv,
    read_original,
    require_pandas,
)
from ._openml import download, unexpected
from ._uci_table import DATASET_NAMES, SPECS, UCISpec


@dataclass(frozen=True, eq=False)
class UCIDataset:
    """One of the paper's data sets.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        Features after the paper's preparation, not scaled.
    y_true : ndarray of shape (n,), int
        The class, 1 for positive.
    feature_names : tuple of str
        Names of the columns of X; `column=level` for 0/1 columns.
    name : str
        Name in the paper's table.
    positive : str
        What the positive class is.
    """

    X: np.ndarray
    y_true: np.ndarray
    feature_names: tuple[str, ...]
    name: str
    positive: str


def load_uci(name: str, data_home: str | os.PathLike[str] | None = None) -> UCIDataset:
    r"""Load one of the paper's nine data sets, prepared as in the paper where that is known.

    Real data with known classes, for studies that hide labels (`hide_labels`) and measure how
    well they are recovered. The positive class is always the rarer one. Needs pandas
    (``pip install unlabeled[datasets]``).

    The data come from the first of these sources that exists:

    1. the folder `data_home`;
    2. the folder in the environment variable ``UNLABELED_DATA``;
    3. the user's cache;
    4. OpenML (downloads are stored in the cache).

    If a folder is given by 1 or 2, no other source is tried. The cache is
    ``$XDG_CACHE_HOME/unlabeled``, or by default ``~/.cache/unlabeled``
    (``~/Library/Caches/unlabeled`` on macOS, ``%LOCALAPPDATA%\unlabeled`` on Windows).

    Files in a given folder must have the size and SHA-256 of the originals. Data from OpenML or
    the cache must have the SHA-256 of the prepared matrix. So every source gives the same
    matrix or is rejected.

    Missing numbers become the column's median (breast-w: mean). Categories become 0/1 columns
    with the first level as reference. A column keeps at most ten levels; rarer ones are merged
    into the tenth.

    Caveats:

    - adult and credit-a have linearly dependent columns: compare probabilities there, not
      coefficients.
    - ionosphere has a constant column.
    - The rows of musk are conformations of 102 molecules, so random splits leak.
    - In diabetes zeros stand for missing values.

    Parameters
    ----------
    name : str
        One of `DATASET_NAMES`.
    data_home : path-like, optional
        Folder with the data file.

    Returns
    -------
    dataset : UCIDataset
        With the fields X, y_true, feature_names, name and positive.

    Raises
    ------
    DatasetError
        If the data are missing, truncated or altered, or cannot be downloaded.

    References
    ----------
    The data are part of the UCI Machine Learning Repository, https://archive.ics.uci.edu
    (CC BY 4.0).

    Examples
    --------
    >>> from unlabeled.datasets import load_uci
    >>> haberman = load_uci("haberman")  # doctest: +SKIP
    >>> haberman.X.shape, haberman.positive  # doctest: +SKIP
    ((306, 3), 'died within five years')
    """
    spec = _spec(name)
    require_pandas()
    folder = given_folder(data_home)
    if folder is not None:
        return _dataset(parse_csv(read_original(folder, spec), spec), spec)
    path = cache_folder() / spec.file
    if path.is_file():
        return _from_cache(path, spec)
    return _from_openml(path, spec)


def _spec(name: Any) -> UCISpec:
    if isinstance(name, str) and name in SPECS:
        return SPECS[name]
    typed = name.lower() if isinstance(name, str) else ""
    close = difflib.get_close_matches(typed, DATASET_NAMES, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise ValueError(f"`name` must be one of {', '.join(DATASET_NAMES)}; got {name!r}.{hint}")


def _dataset(frame: Any, spec: UCISpec) -> UCIDataset:
    X, feature_names = prepare(frame, spec)
    classes = numbers(frame["y"])
    if not np.all((classes == 0) | (classes == 1)):
        raise ValueError("the column y must hold 0 and 1")
    return UCIDataset(X, classes.astype(np.int64), feature_names, spec.name, spec.positive)


def _from_cache(path: Path, spec: UCISpec) -> UCIDataset:
    try:
        content = path.read_bytes()
        dataset = _dataset(parse_csv(content, spec), spec)
    except Exception as error:  # whatever a broken file makes the parser raise
        raise _spoiled(path, spec, "a file that could not be read") from error
    if not is_original(content, spec) and _difference(dataset, spec):
        raise _spoiled(path, spec, _difference(dataset, spec))
    return dataset


def _from_openml(path: Path, spec: UCISpec) -> UCIDataset:
    frame, columns = download(spec)
    try:
        dataset = _dataset(frame, spec)
    except ValueError as error:
        raise unexpected(spec, f"values that are not numbers ({error})") from error
    if difference := _difference(dataset, spec):
        raise unexpected(spec, f"{difference}, in the columns {columns}")
    content = format_csv(frame, spec)
    try:
        write_whole(path, lambda unfinished: unfinished.write_bytes(content))
    except OSError as error:
        warnings.warn(
            f"`{spec.name}` was downloaded but could not be saved in {str(path)!r}: "
            f"{error.strerror or error}. It will be downloaded again next time.",
            stacklevel=3,
        )
    return dataset


def _difference(dataset: UCIDataset, spec: UCISpec) -> str:
    """Describe what differs from the original data; empty if nothing does."""
    rows, features = dataset.X.shape
    positives = int(dataset.y_true.sum())
    if (rows, features, positives) != (spec.n_rows, spec.n_features, spec.n_positives):
        return f"{rows} rows with {positives} positives and {features} prepared features"
    if fingerprint(dataset.X, dataset.y_true) != spec.matrix_sha256:
        return "the right shape and number of positives, but other values or another order"
    return ""


def _spoiled(path: Path, spec: UCISpec, got: str) -> DatasetError:
    return DatasetError(
        f"`{path}` must be `{spec.name}`, {spec.n_rows} rows with {spec.n_positives} positives; "
        f"got {got}. Delete it to download it again."
    )


_MISSING = "?"
_MOST_LEVELS = 10
_OR_RARER = " or rarer"


def prepare(frame: Any, spec: UCISpec) -> tuple[np.ndarray, tuple[str, ...]]:
    """Turn the original columns into the paper's features.

    Numeric columns come first, missing values filled with the column's median (or mean). Each
    categorical column follows as 0/1 columns. Missing is a separate level, `?`. Beyond ten
    levels the rarer ones are merged into the tenth. The first level in sorted order is the
    reference and has no column.
    """
    numeric = [name for name in spec.columns if name not in spec.categorical]
    blocks = [_fill(numbers(frame[name]), spec.fill)[:, np.newaxis] for name in numeric]
    names = list(numeric)
    for name in spec.categorical:
        block, levels = _indicators(frame[name], spec.missing_counts_as_level)
        blocks.append(block)
        names.extend(f"{name}={level}" for level in levels)
    return np.ascontiguousarray(np.hstack(blocks)), tuple(names)


def _fill(values: np.ndarray, fill: str) -> np.ndarray:
    missing = np.isnan(values)
    center = np.median if fill == "median" else np.mean
    return np.where(missing, center(values[~missing]), values)


def _indicators(column: Any, missing_counts: bool) -> tuple[np.ndarray, list[str]]:
    pd = require_pandas()
    codes, levels = pd.factorize(column.astype(object).where(column.notna(), _MISSING))
    label_of_code, labels = _merge_rare([str(level) for level in levels], codes, missing_counts)
    order = sorted(range(len(labels)), key=labels.__getitem__)
    indicators = np.eye(len(labels))[np.asarray(label_of_code)[codes]][:, order[1:]]
    return indicators, [labels[i] for i in order[1:]]


def _merge_rare(
    levels: list[str], codes: np.ndarray, missing_counts: bool
) -> tuple[list[int], list[str]]:
    """Return, by position, the label under which each level is counted, and these labels."""
    counts = np.bincount(codes, minlength=len(levels))
    ranked = sorted(range(len(levels)), key=lambda i: (-counts[i], levels[i]))
    if not missing_counts:
        ranked.sort(key=lambda i: levels[i] != _MISSING)  # stable: `?` first, then by rank
    room = _MOST_LEVELS + (not missing_counts and _MISSING in levels)
    labels = [levels[i] for i in ranked[:room]]
    position = {i: min(rank, len(labels) - 1) for rank, i in enumerate(ranked)}
    if len(ranked) > room:
        labels[-1] += _OR_RARER
    return [position[i] for i in range(len(levels))], labels
