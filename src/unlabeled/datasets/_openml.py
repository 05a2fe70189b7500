"""The nine data sets from OpenML, brought into the columns of the original files."""

from __future__ import annotations

import tempfile
import warnings
import zlib
from http.client import HTTPException
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import fetch_openml

from ..engine.parameters import listed
from ._files import ENVIRONMENT_VARIABLE, DatasetError, cache_folder
from ._uci_table import UCISpec


class OpenMLSpec(NamedTuple):
    """How OpenML stores a data set: its number, the class column in any case, its positive value.

    Columns among the `identifiers`, in lower case, are dropped if present.
    """

    data_id: int
    target: str
    positive: str
    identifiers: tuple[str, ...] = ()


OPENML: dict[str, OpenMLSpec] = {
    "adult": OpenMLSpec(1119, "class", ">50K", ("id",)),
    "banknote": OpenMLSpec(1462, "Class", "2"),
    "breast-w": OpenMLSpec(15, "Class", "malignant"),
    "credit-a": OpenMLSpec(29, "class", "+"),
    "diabetes": OpenMLSpec(37, "class", "tested_positive"),
    "haberman": OpenMLSpec(43, "Survival_status", "2"),
    "ionosphere": OpenMLSpec(59, "class", "b"),
    "musk": OpenMLSpec(1116, "class", "1", ("id", "molecule_name", "conformation_name")),
    "spambase": OpenMLSpec(44, "class", "1"),
}
"""The nine data sets by name, written without access to OpenML.

Recorded in scikit-learn's test data is all of adult. Public code that loads a set by its number has
the target columns of the others but banknote and musk, their values but for credit-a and spambase,
and that the first column of musk is an identifier. The rest is likely, as in the WEKA files from
which OpenML started; the name of musk's identifier and the order of the rows are uncertain. Nothing
depends on it: `load_uci` compares the prepared matrix with the one made from the original files.
"""


def download(spec: UCISpec) -> tuple[Any, str]:
    """Fetch text cells under the columns of the original file, with y; the caller checks them.

    Columns are matched by position. Their names are not checked, because a wrong column would
    change the fingerprint of the matrix. The first of OpenML's names are returned for messages.
    """
    source = OPENML[spec.name]
    try:
        answer = _fetch(source)
    except (OSError, HTTPException, EOFError) as error:
        raise DatasetError(
            f"`{spec.name}` is not on this machine and OpenML (data set {source.data_id}) could "
            f"not be reached: {error}. Put `{spec.file}` ({spec.size} bytes) into "
            f"{str(cache_folder())!r}, or pass its folder as `data_home` or in the environment "
            f"variable {ENVIRONMENT_VARIABLE}."
        ) from error
    except (ValueError, KeyError, zlib.error) as error:
        raise unexpected(spec, f"an answer that could not be read ({error})") from error
    return _original_columns(answer, spec, source)


def unexpected(spec: UCISpec, got: str) -> DatasetError:
    """Return the error for an answer of OpenML that is not the expected data."""
    return DatasetError(
        f"OpenML's data set {OPENML[spec.name].data_id} must be `{spec.name}`, {spec.n_rows} rows "
        f"with {spec.n_positives} positives; got {got}. Put `{spec.file}` into a folder and pass "
        f"it as `data_home` or in the environment variable {ENVIRONMENT_VARIABLE}."
    )


def _fetch(source: OpenMLSpec) -> Any:
    # The pandas parser needs only pandas. Cells stay text, so that neither OpenML's column types
    # nor the parser's rounding matter. We cache our CSV, so scikit-learn's cache is temporary.
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        for retried in ("A network error occurred", "Invalid cache, redownloading"):
            warnings.filterwarnings("ignore", message=retried)
        return fetch_openml(
            data_id=source.data_id,
            data_home=folder,
            target_column=None,
            as_frame=True,
            parser="pandas",
            read_csv_kwargs={"dtype": str},
        ).data


def _original_columns(answer: Any, spec: UCISpec, source: OpenMLSpec) -> tuple[Any, str]:
    plain = {name: str(name).lower() for name in answer.columns}
    target = [name for name in plain if plain[name] == source.target.lower()]
    if not target:
        raise unexpected(spec, f"no class column {source.target!r} but {_listing(plain)}")
    dropped = {source.target.lower(), *source.identifiers}
    features = [name for name in plain if plain[name] not in dropped]
    if len(features) != len(spec.columns):
        raise unexpected(spec, f"{len(features)} feature columns: {_listing(features)}")
    frame = answer[features].apply(_bare).set_axis(list(spec.columns), axis="columns")
    positive = _bare(answer[target[0]]) == source.positive
    return frame.assign(y=np.where(positive, "1", "0")), _listing(features)


def _bare(column: Any) -> Any:
    bare = column.str.strip(" \t'")
    return bare.mask(bare == "?")


def _listing(names: Any) -> str:
    return listed(names, most=8, write=str)
