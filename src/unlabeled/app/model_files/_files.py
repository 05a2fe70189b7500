"""Save a fitted model with its card, and load it without running code from the file."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sklearn.exceptions import InconsistentVersionWarning
from sklearn.pipeline import Pipeline

from ...engine.extras import needs_extra
from ...engine.files import whole_files
from ..tables import MODEL as A_MODEL
from ..tables import PICKLE, TableFeatures, kind_of
from ._archive import LARGEST, for_skops, open_archive, packed_model
from ._card import CARD, Card, check_facts, facts_of, read_card, warn_of_other_versions, write_card
from ._nodes import SAVE, ModelFileError
from ._of_020 import convert
from ._pipeline import fitted_parts, restore_trees, without_rows
from ._trees import TreeStore
from ._trusted import TRUSTED_PLACES

MODEL = "model.skops"


def save_model(
    model: Any, path: str | Path, *, label: str = "", positive: str | Iterable[str] | None = None
) -> None:
    """Save a fitted model in a folder, as files that run no code when they are loaded.

    The folder gets ``model.skops`` and its card ``model.json``, which says what the model is.
    They contain no data about individual rows: ``cuts_``, ``observed_cuts_`` and
    ``held_out_score_``, which hold training scores, are left out. `model` itself is not changed.
    Trees of scikit-learn's forests and boosting are written as arrays; their small leaves show
    the labels of a few rows, as the card says.

    Parameters
    ----------
    model : classifier or sklearn.pipeline.Pipeline
        A fitted classifier of this library, or a pipeline that ends in one, such as a
        `table_pipeline`. Its other steps may be `StandardScaler`.
    path : str or Path
        A folder, created if needed. Earlier files of a model in it are replaced.
    label : str, optional
        The name of the label column, for the card.
    positive : str or list of str, optional
        The value of labeled rows in it, or the values; by default the positive class of the
        classifier.

    Raises
    ------
    ModelFileError
        If the model is not fitted, or holds a type that is not on the list of trusted types, or
        `path` is a file.
    OSError
        If the files cannot be written. Older files then stay as they are.

    See Also
    --------
    unlabeled.app.load_model : Loads the model.
    unlabeled.app.export_onnx : Writes a model that scores rows without Python.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from unlabeled import PULogistic
    >>> from unlabeled.app import load_model, save_model
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=500, label_frequency=0.5, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, folder)
    ...     loaded = load_model(folder)
    >>> np.array_equal(loaded.predict_proba(data.X), model.predict_proba(data.X))
    True
    """
    if Path(path).is_file():
        raise ModelFileError(
            f"`path` must be a folder, which gets {MODEL} and {CARD}; got {path}, which is a file. "
            "Name a folder."
        )
    write_model(model, path, Card.of(model, label=label, positive=positive))


def write_model(model: Any, folder: str | Path, card: Card) -> Card:
    """Write a fitted model and its card; return the card with the checksum of the model."""
    folder = Path(folder)
    data = _packed(model)
    different = _differences(card, facts_of(model))
    if different:
        raise ModelFileError(f"`card` must describe this model; got {different}. Use Card.of.")
    card = replace(card, sha256=hashlib.sha256(data).hexdigest())
    with whole_files(folder / MODEL, folder / CARD) as (file, beside):
        file.write_bytes(data)
        beside.write_bytes(write_card(card))
    return card


def load_model(path: str | Path) -> Any:
    """Load a model that `save_model` or ``unlabeled fit`` wrote.

    Parameters
    ----------
    path : str or Path
        The folder, or ``model.skops`` in it.

    Returns
    -------
    model : classifier or sklearn.pipeline.Pipeline
        Predicts the same as the saved one. Its card is ``model.json`` in the folder.

    Raises
    ------
    ModelFileError
        If the files are not a model that can be trusted; the message says why.

    See Also
    --------
    unlabeled.app.save_model : Saves a model.

    Notes
    -----
    Every type that ``model.skops`` names must be on a list of this library; nothing else is
    imported or called. Every node of a tree is checked before scikit-learn gets it. The checksum
    in the card detects damaged or swapped files. It does not authenticate them: anyone who can
    change one file can change both, and so decide what the model predicts.
    """
    return read_model(path)[0]


def read_model(path: str | Path, *, of_table: bool = False) -> tuple[Any, Card]:
    """Load a model and its card; both are checked before anything is built.

    With `of_table`, a model that takes no table of columns is rejected.
    """
    file = _model_file(Path(path))
    card = read_card(file.with_name(CARD))
    data = _read(file)
    with _rejected(file):
        archive = open_archive(data)
    with archive:
        _check_sum(data, card)
        with _rejected(file):
            model, facts = _built(for_skops(archive, len(data)))
    different = _differences(card, facts)
    if different:
        raise _not_together(f"{CARD} has {different}")
    if of_table and fitted_parts(model)[0] is None:
        raise ModelFileError(
            f"`path` must be a model of a table; got {path}, which was fitted to an array in "
            "Python. Load it there, with load_model."
        )
    warn_of_other_versions(card)
    return model, card


@contextmanager
def _rejected(model: Path) -> Iterator[None]:
    """Turn any reason not to load a model into the same sentence, with the reason in brackets."""
    try:
        yield
    except ModelFileError as error:
        reason, advice = error.what.removesuffix("."), error.advice
        if not advice:
            reason, _, advice = error.what.rpartition(". ")
        raise ModelFileError(
            f"{model.name} is damaged, was changed, or was not written by unlabeled (it "
            f"{reason}). It was not loaded.",
            advice,
        ) from None


def _not_together(detail: str) -> ModelFileError:
    return ModelFileError(f"{MODEL} and {CARD} do not belong together ({detail}). Copy both again.")


def _packed(fitted: Any) -> bytes:
    slim = without_rows(fitted)
    with needs_extra("`save_model`", "tables"):
        from skops.io import dumps

    try:
        return packed_model(dumps(slim))
    except ModelFileError as error:
        raise ModelFileError(
            f"`model` must hold only what a model file may hold; got one that {error}"
        ) from None
    except Exception as error:  # skops raises many kinds of exceptions
        raise ModelFileError(
            "`model` must hold only what skops can write; got something else "
            f"({str(error)[:160].rstrip('. ')}). Use classifiers of this library, or its "
            "PUThresholdClassifier over scikit-learn's forests or boosting."
        ) from error


def _model_file(path: Path) -> Path:
    model = path / MODEL if path.is_dir() else path
    if model.name == CARD:
        raise ModelFileError(
            f"`path` must be the model, {MODEL}; got {path}, which only describes it."
        )
    if not model.is_file():
        lacking = f"which has no {MODEL}" if path.is_dir() else "which does not exist"
        raise ModelFileError(
            f"`path` must be a folder with {MODEL} and {CARD}; got {path}, {lacking}. Check its "
            "name."
        )
    kind = kind_of(model)
    if kind not in (None, A_MODEL) and not model.with_name(CARD).is_file():
        advice: str = "Check its name."
        if kind == PICKLE:
            advice = "It could run any code when opened, and was not opened. " + SAVE
        raise ModelFileError(
            f"`path` must be a folder with {MODEL} and {CARD}; got {path}, which is {kind.words}.",
            advice,
        )
    return model


def _read(model: Path) -> bytes:
    try:
        size = model.stat().st_size
        if size <= LARGEST:
            return model.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"`path` must be a file that can be read; got {model} ({error.strerror})."
        ) from None
    raise ModelFileError(
        f"`path` must have at most {LARGEST} bytes; got {model.name} with {size}. Check that it "
        "is a model."
    )


def _check_sum(data: bytes, card: Card) -> None:
    checksum = hashlib.sha256(data).hexdigest()
    if checksum != card.sha256:
        raise _not_together(f"sha256 {checksum[:12]}... instead of {card.sha256[:12]}...")


def _built(data: bytes) -> tuple[Any, dict[str, Any]]:
    """Let skops build the model, whose names were all checked; return its facts as well."""
    with needs_extra("`load_model`", "tables"):
        from skops.io import loads

    try:
        with warnings.catch_warnings():
            # `load_model` issues our own warning later.
            warnings.simplefilter("ignore", InconsistentVersionWarning)
            built = loads(data, trusted=TRUSTED_PLACES)
        if isinstance(built, Pipeline) and isinstance(built[0], TableFeatures):
            convert(built[0])
        model = restore_trees(built, TreeStore())
        facts = facts_of(model)
        check_facts(facts)
    except ModelFileError:
        raise
    except Exception as error:  # a trusted type in an impossible state may raise anything
        raise ModelFileError(
            f"cannot be rebuilt ({type(error).__name__}: {str(error)[:120]}). Save the model "
            "again, with the versions in model.json."
        ) from None
    return model, facts


def _differences(card: Card, facts: dict[str, Any]) -> str:
    """Return the first difference between a card and the facts of a model, in words; "" if none."""
    for name, fact in facts.items():
        on_card = getattr(card, name)
        if on_card != fact:
            return f"{name} {str(on_card)[:60]} instead of {str(fact)[:60]}"
    return ""
