"""The nine sets from OpenML: through scikit-learn's own client, the same matrices as the files.

No network is used: `urlopen` is replaced by one that answers as OpenML does, with JSON and ARFF
made of the original files. Column names, types, tokens and identifier columns are OpenML's.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest

from unlabeled.datasets import DATASET_NAMES, DatasetError, load_uci
from unlabeled.datasets._openml import OPENML
from unlabeled.datasets._uci_table import SPECS

pytest.importorskip("pandas")

ADULT = [
    "age",
    "workclass",
    "fnlwgt:",
    "education:",
    "education-num:",
    "marital-status:",
    "occupation:",
    "relationship:",
    "race:",
    "sex:",
    "capital-gain:",
    "capital-loss:",
    "hours-per-week:",
    "native-country:",
]
BREAST_W = [
    "Clump_Thickness",
    "Cell_Size_Uniformity",
    "Cell_Shape_Uniformity",
    "Marginal_Adhesion",
    "Single_Epi_Cell_Size",
    "Bare_Nuclei",
    "Bland_Chromatin",
    "Normal_Nucleoli",
    "Mitoses",
]
HABERMAN = [
    "Age_of_patient_at_time_of_operation",
    "Patients_year_of_operation",
    "Number_of_positive_axillary_nodes_detected",
]


@dataclass(frozen=True)
class Stored:
    """How OpenML stores one set; by default with the columns of the original file."""

    data_id: int
    target: str
    tokens: tuple[str, str]
    names: list[str] | None = None
    nominal: tuple[str, ...] = ()
    identifier: str | None = None
    identifier_declared: bool = False


STORED = {
    "adult": Stored(
        1119,
        "class",
        ("<=50K", ">50K"),
        ADULT,
        tuple(ADULT[i] for i in (1, 3, 5, 6, 7, 8, 9, 13)),
        identifier="ID",
        identifier_declared=True,
    ),
    "banknote": Stored(1462, "Class", ("1", "2"), ["V1", "V2", "V3", "V4"]),
    "breast-w": Stored(15, "Class", ("benign", "malignant"), BREAST_W),
    "credit-a": Stored(
        29, "class", ("-", "+"), nominal=("A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13")
    ),
    "diabetes": Stored(37, "class", ("tested_negative", "tested_positive")),
    "haberman": Stored(43, "Survival_status", ("1", "2"), HABERMAN, (HABERMAN[1],)),
    "ionosphere": Stored(59, "class", ("g", "b")),
    "musk": Stored(1116, "class", ("0", "1"), nominal=("ID",), identifier="ID"),
    "spambase": Stored(44, "class", ("0", "1")),
}


class Answer(io.BytesIO):
    """What `urlopen` returns: bytes with headers."""

    def info(self) -> dict[str, str]:
        return {"Content-Encoding": "gzip"}


class FakeOpenML:
    """Answers the four requests scikit-learn makes for one data set."""

    def __init__(self, name: str, rows: list[list[str]], stored: Stored) -> None:
        self.name, self.stored = name, stored
        self.requests: list[str] = []
        names = list(stored.names or rows[0][:-1])
        cells = [[cell or "?" for cell in row[:-1]] for row in rows[1:]]
        if stored.identifier:
            names.insert(0, stored.identifier)
            cells = [[f"{i}", *row] for i, row in enumerate(cells)]
        if name == "credit-a":  # as in the WEKA file: A14 has leading zeros
            for row in cells:
                row[13] = row[13].zfill(5) if row[13] != "?" else "?"
        self.names = [*names, stored.target]
        self.cells = [
            [*row, stored.tokens[int(given[-1])]]
            for row, given in zip(cells, rows[1:], strict=True)
        ]
        self.arff = self._arff()

    def _arff(self) -> bytes:
        kinds = {name: self._kind(name) for name in self.names}
        types = {"nominal": "{a,b}", "numeric": "real"}
        head = [f"@attribute '{name}' {types[kind]}" for name, kind in kinds.items()]
        data = [",".join(row) for row in self.cells]
        return "\n".join(["% comment", "@relation x", *head, "@data", "%", *data, ""]).encode()

    def _kind(self, name: str) -> str:
        return "nominal" if name in (*self.stored.nominal, self.stored.target) else "numeric"

    def _feature(self, index: int, name: str) -> dict[str, str]:
        declared = name == self.stored.identifier and self.stored.identifier_declared
        return {
            "index": str(index),
            "name": name,
            "data_type": self._kind(name),
            "is_target": str(name == self.stored.target).lower(),
            "is_ignore": "false",
            "is_row_identifier": str(declared).lower(),
            "number_of_missing_values": "0",
        }

    def _body(self, url: str) -> bytes:
        number = self.stored.data_id
        if re.search(rf"/json/data/features/{number}$", url):
            listed = [self._feature(i, name) for i, name in enumerate(self.names)]
            return json.dumps({"data_features": {"feature": listed}}).encode()
        if re.search(rf"/json/data/qualities/{number}$", url):
            quality = [{"name": "NumberOfInstances", "value": f"{len(self.cells)}.0"}]
            return json.dumps({"data_qualities": {"quality": quality}}).encode()
        if re.search(rf"/json/data/{number}$", url):
            return json.dumps({"data_set_description": self._description()}).encode()
        assert "/data/v1/download/" in url, url
        return self.arff

    def _description(self) -> dict[str, str]:
        return {
            "id": str(self.stored.data_id),
            "name": self.name,
            "version": "1",
            "description": "recorded",
            "format": "ARFF",
            "file_id": "77",
            "url": "https://www.openml.org/data/v1/download/77/x.arff",
            "status": "active",
            "md5_checksum": hashlib.md5(self.arff).hexdigest(),
        }

    def __call__(self, request, *_args, **_kwargs) -> Answer:
        url = request if isinstance(request, str) else request.full_url
        self.requests.append(url)
        return Answer(gzip.compress(self._body(url), 1))


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    """Make the cache an empty folder and name no data folder."""
    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "unlabeled"


@pytest.fixture
def answer(monkeypatch):
    """Let scikit-learn's client talk to `opener` in place of the network."""

    def install(opener):
        monkeypatch.setattr("sklearn.datasets._openml.urlopen", opener)
        monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda _seconds: None)
        return opener

    return install


def original_rows(folder: Path, name: str) -> list[list[str]]:
    content = (folder / SPECS[name].file).read_bytes()
    text = gzip.decompress(content) if SPECS[name].file.endswith(".gz") else content
    return list(csv.reader(io.StringIO(text.decode())))


def small_answer(**changes) -> FakeOpenML:
    rows = [["a", "b", "c", "y"], *([str(i), "60", "1", str(i % 2)] for i in range(306))]
    return FakeOpenML("haberman", rows, replace(STORED["haberman"], **changes))


@pytest.mark.parametrize("name", DATASET_NAMES)
def test_openml_cache_and_folder_give_one_matrix(folder, cache, answer, name):
    expected = load_uci(name, folder)
    opener = answer(FakeOpenML(name, original_rows(folder, name), STORED[name]))
    downloaded = load_uci(name)
    assert len(opener.requests) == 4
    assert [path.name for path in cache.iterdir()] == [SPECS[name].file]
    cached = load_uci(name)
    assert len(opener.requests) == 4
    for data in (downloaded, cached):
        np.testing.assert_array_equal(data.X, expected.X)
        np.testing.assert_array_equal(data.y_true, expected.y_true)
        assert data.feature_names == expected.feature_names


def test_quoted_cells_are_read_as_bare_ones(folder, cache, answer):
    fake = FakeOpenML("credit-a", original_rows(folder, "credit-a"), STORED["credit-a"])
    fake.cells = [
        [f"'{cell}'" if cell.isalpha() or cell in "+-" else f" {cell} " for cell in row]
        for row in fake.cells
    ]
    fake.arff = fake._arff()
    answer(fake)
    np.testing.assert_array_equal(load_uci("credit-a").X, load_uci("credit-a", folder).X)


def test_one_changed_cell_is_rejected_and_not_cached(folder, cache, answer):
    rows = original_rows(folder, "haberman")
    rows[5][0] = str(int(rows[5][0]) + 1)
    answer(FakeOpenML("haberman", rows, STORED["haberman"]))
    with pytest.raises(DatasetError, match="OpenML's data set 43 must be `haberman`.*other values"):
        load_uci("haberman")
    assert not cache.exists()


def test_another_row_order_is_rejected(folder, cache, answer):
    rows = original_rows(folder, "haberman")
    answer(FakeOpenML("haberman", [rows[0], *rows[:0:-1]], STORED["haberman"]))
    with pytest.raises(DatasetError, match="or another order"):
        load_uci("haberman")


def test_swapped_columns_are_rejected(folder, cache, answer):
    rows = [[b, a, c, y] for a, b, c, y in original_rows(folder, "haberman")]
    names = [HABERMAN[1], HABERMAN[0], HABERMAN[2]]
    answer(FakeOpenML("haberman", rows, replace(STORED["haberman"], names=names)))
    with pytest.raises(DatasetError, match="Patients_year_of_operation, Age_of_patient"):
        load_uci("haberman")


def test_missing_rows_are_rejected(folder, cache, answer):
    answer(FakeOpenML("haberman", original_rows(folder, "haberman")[:-2], STORED["haberman"]))
    with pytest.raises(DatasetError, match="306 rows with 81 positives; got 304 rows with 79"):
        load_uci("haberman")


def test_other_class_tokens_are_rejected(cache, answer):
    answer(small_answer(tokens=("survived", "died")))
    with pytest.raises(DatasetError, match="got 306 rows with 0 positives"):
        load_uci("haberman")


def test_another_class_column_is_rejected(cache, answer):
    answer(small_answer(target="outcome"))
    with pytest.raises(DatasetError, match="no class column 'Survival_status' but Age_of_patient"):
        load_uci("haberman")


def test_an_extra_column_is_rejected(cache, answer):
    answer(small_answer(identifier="extra"))
    with pytest.raises(DatasetError, match="got 4 feature columns: extra, Age_of_patient"):
        load_uci("haberman")


def test_text_in_a_numeric_column_is_rejected(cache, answer):
    fake = small_answer()
    fake.cells[0][0] = "old"
    fake.arff = fake._arff()
    answer(fake)
    with pytest.raises(DatasetError, match="got values that are not numbers"):
        load_uci("haberman")


def test_a_damaged_download_is_rejected(cache, answer):
    fake = small_answer()
    description = fake._description()
    fake._description = lambda: {**description, "md5_checksum": "0" * 32}
    answer(fake)
    with pytest.raises(DatasetError, match="an answer that could not be read.*md5"):
        load_uci("haberman")


@pytest.mark.parametrize(
    "failure", [URLError("no route to host"), TimeoutError("timed out"), ConnectionResetError()]
)
def test_without_a_network_the_error_says_where_to_put_what(cache, answer, failure):
    def unreachable(*_args, **_kwargs):
        raise failure

    answer(unreachable)
    with pytest.raises(DatasetError, match=r"OpenML \(data set 1119\) could not be reached") as got:
        load_uci("adult")
    message = str(got.value)
    assert "Put `adult.csv.gz` (394208 bytes) into" in message
    assert repr(str(cache)) in message
    assert "`data_home`" in message
    assert "UNLABELED_DATA" in message


def test_adult_is_named_as_in_scikit_learns_recorded_answer():
    recorded = files("sklearn") / "datasets/tests/data/openml/id_1119/api-v1-jdf-1119.json.gz"
    if not recorded.is_file():
        pytest.skip("this scikit-learn was installed without its recorded OpenML answers")
    listed = json.loads(gzip.decompress(recorded.read_bytes()))["data_features"]["feature"]
    assert [feature["name"] for feature in listed] == ["ID", *ADULT, "class"]
    assert listed[0]["is_row_identifier"] == "true"
    assert OPENML["adult"].positive in listed[-1]["nominal_value"]


def test_the_table_agrees_with_the_recorded_kind_of_answer():
    assert tuple(OPENML) == DATASET_NAMES
    for name, stored in STORED.items():
        source = OPENML[name]
        assert (source.data_id, source.target) == (stored.data_id, stored.target)
        assert source.positive == stored.tokens[1]
