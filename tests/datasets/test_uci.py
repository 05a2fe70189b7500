"""The nine sets: prepared as the paper did, from a folder or from the cache."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from reproduction.outcome._tables import PAPER_TABLE as PAPER
from unlabeled.datasets import DATASET_NAMES, DatasetError, load_uci
from unlabeled.datasets._files import fingerprint, parse_csv
from unlabeled.datasets._uci import prepare
from unlabeled.datasets._uci_table import SPECS, UCISpec

pd = pytest.importorskip("pandas")


def test_the_sets_are_those_of_the_papers_table():
    assert tuple(PAPER) == DATASET_NAMES


@pytest.mark.parametrize("name", DATASET_NAMES)
def test_sizes_and_fractions_are_those_of_the_papers_table(folder, name):
    data = load_uci(name, folder)
    assert (*data.X.shape, round(data.y_true.mean(), 2)) == PAPER[name]


@pytest.mark.parametrize("name", DATASET_NAMES)
def test_every_set_is_finite_named_and_has_its_sum(folder, name):
    data, spec = load_uci(name, folder), SPECS[name]
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.all(np.isfinite(data.X))
    assert data.y_true.dtype.kind == "i"
    assert set(np.unique(data.y_true)) == {0, 1}
    assert data.y_true.sum() == spec.n_positives
    assert data.y_true.mean() < 0.5
    assert len(set(data.feature_names)) == data.X.shape[1]
    assert (data.name, data.positive) == (name, spec.positive)
    assert fingerprint(data.X, data.y_true) == spec.matrix_sha256


def test_adult_has_the_papers_merged_levels_and_rank(folder):
    data = load_uci("adult", folder)
    counts = dict(zip(data.feature_names, data.X.sum(axis=0), strict=True))
    assert counts["education=Prof-school or rarer"] == 2488
    assert counts["occupation=Handlers-cleaners or rarer"] == 4099
    assert counts["native-country=Cuba or rarer"] == 1389
    assert sum(name.startswith("workclass=") for name in data.feature_names) == 8
    design = np.column_stack([np.ones(len(data.X)), data.X / np.abs(data.X).max(axis=0)])
    assert np.linalg.matrix_rank(design.T @ design) == 57


def test_credit_a_has_the_papers_levels_and_medians(folder):
    data = load_uci("credit-a", folder)
    counts = dict(zip(data.feature_names, data.X.sum(axis=0), strict=True))
    assert counts["A6=x or rarer"] == 106
    assert sum(name.startswith("A6=") for name in data.feature_names) == 10
    assert data.X[71, data.feature_names.index("A14")] == 160
    assert data.X[83, data.feature_names.index("A2")] == 28.46


def test_breast_w_fills_missing_cells_with_the_mean(folder):
    data = load_uci("breast-w", folder)
    nuclei = data.X[:, data.feature_names.index("Bare_nuclei")]
    filled = nuclei != np.round(nuclei)
    assert filled.sum() == 16
    np.testing.assert_allclose(nuclei[filled], nuclei[~filled].mean())


@pytest.mark.parametrize(
    ("name", "meant"), [("Adult", "adult"), ("spam", "spambase"), ("breast_w", "breast-w")]
)
def test_an_unknown_name_suggests_the_nearest_one(name, meant):
    with pytest.raises(ValueError, match=f"`name` must be .*got {name!r}.*{meant!r}"):
        load_uci(name)


@pytest.mark.parametrize("name", ["zzzzzz", None, 3])
def test_a_name_far_from_all_suggests_none(name):
    with pytest.raises(ValueError, match=r"`name` must be one of .*; got .*\.$"):
        load_uci(name)


def test_without_pandas_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'unlabeled\[datasets\]'"):
        load_uci("haberman", tmp_path)


@pytest.fixture
def cache(folder, monkeypatch, tmp_path) -> Path:
    """An empty cache, no data folder, and no network."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    made = tmp_path / "unlabeled"
    made.mkdir()
    return made


def test_an_original_file_in_the_cache_is_used(cache, folder):
    shutil.copy(folder / "haberman.csv", cache)
    assert load_uci("haberman").X.shape == (306, 3)


def test_a_cached_file_may_differ_in_bytes_but_not_in_numbers(cache, folder):
    content = (folder / "haberman.csv").read_bytes()
    (cache / "haberman.csv").write_bytes(content.replace(b"\n", b"\r\n"))
    assert load_uci("haberman").y_true.sum() == 81


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda content: content[: len(content) // 2], "got (15[0-9] rows|a file that could not)"),
        (lambda content: content.replace(b"30,64,1,0", b"31,64,1,0"), "other values"),
        (lambda content: content.replace(b"30,64,1,0", b"old,64,1,0"), "could not be read"),
        (lambda content: content.replace(b"age,", b"Age,"), "could not be read"),
        (lambda content: b"", "could not be read"),
    ],
)
def test_a_spoiled_copy_is_rejected_by_name(cache, folder, spoil, words):
    path = cache / "haberman.csv"
    path.write_bytes(spoil((folder / "haberman.csv").read_bytes()))
    with pytest.raises(DatasetError, match=words) as caught:
        load_uci("haberman")
    assert str(path) in str(caught.value)


def test_a_cut_off_gzip_copy_is_rejected_by_name(cache, folder):
    (cache / "adult.csv.gz").write_bytes((folder / "adult.csv.gz").read_bytes()[:5000])
    with pytest.raises(DatasetError, match=r"adult\.csv\.gz.*could not be read"):
        load_uci("adult")


def test_data_that_cannot_be_kept_are_returned_with_a_warning(cache, folder, monkeypatch):
    def full(*_args):
        raise OSError("disk full")

    spec = SPECS["haberman"]
    frame = parse_csv((folder / spec.file).read_bytes(), spec)
    monkeypatch.setattr("unlabeled.datasets._uci.download", lambda _spec: (frame, ""))
    monkeypatch.setattr("unlabeled.datasets._uci.write_whole", full)
    with pytest.warns(UserWarning, match="haberman.csv.*disk full"):
        assert load_uci("haberman").X.shape == (306, 3)


pd = pytest.importorskip("pandas")


def small_spec(columns, categorical=(), *, file="small.csv", **options) -> UCISpec:
    return UCISpec(
        name="small",
        file=file,
        size=0,
        sha256="",
        matrix_sha256="",
        n_rows=0,
        n_features=0,
        n_positives=0,
        positive="",
        columns=columns,
        categorical=categorical,
        **options,
    )


def levels_of(counts: dict[str | None, int]):
    return pd.DataFrame({"a": [level for level, n in counts.items() for _ in range(n)]})


@pytest.mark.parametrize(("fill", "expected"), [("median", 2.0), ("mean", 4.0)])
def test_missing_numbers_take_the_median_or_the_mean(fill, expected):
    frame = pd.DataFrame({"a": ["1", "2", None, "9"]})
    X, names = prepare(frame, small_spec(("a",), fill=fill))
    assert X[2, 0] == expected
    assert names == ("a",)


def test_numbers_come_first_and_the_first_level_is_the_reference():
    frame = pd.DataFrame({"k": ["b", "a", "c"], "x": ["1", "2.0", "3"]})
    X, names = prepare(frame, small_spec(("k", "x"), ("k",)))
    assert names == ("x", "k=b", "k=c")
    assert X.tolist() == [[1, 1, 0], [2, 0, 0], [3, 0, 1]]


def test_missing_is_a_level_and_the_reference():
    frame = pd.DataFrame({"k": ["b", np.nan, "a"]})
    X, names = prepare(frame, small_spec(("k",), ("k",)))
    assert names == ("k=a", "k=b")
    assert X.tolist() == [[0, 1], [0, 0], [1, 0]]


def test_ten_levels_are_all_kept():
    frame = levels_of({f"l{i}": 1 for i in range(10)})
    _, names = prepare(frame, small_spec(("a",), ("a",)))
    assert names == tuple(f"a=l{i}" for i in range(1, 10))


def test_rarer_levels_are_merged_into_the_tenth_with_ties_by_name():
    frame = levels_of({f"l{i:02d}": 5 if i < 9 else 1 for i in range(12)})
    X, names = prepare(frame, small_spec(("a",), ("a",)))
    assert names[-1] == "a=l09 or rarer"
    assert len(names) == 9
    assert X[:, -1].sum() == 3


@pytest.mark.parametrize(("counts", "columns"), [(True, 9), (False, 10)])
def test_missing_counts_toward_the_ten_levels_or_not(counts, columns):
    frame = levels_of({**{f"l{i:02d}": 20 - i for i in range(12)}, None: 15})
    X, names = prepare(frame, small_spec(("a",), ("a",), missing_counts_as_level=counts))
    assert X.shape[1] == len(names) == columns
    assert np.sum(X.sum(axis=1) == 0) == 15


def test_a_rare_missing_level_stays_the_reference_when_it_does_not_count():
    frame = levels_of({**{f"l{i:02d}": 20 - i for i in range(12)}, None: 1})
    X, _ = prepare(frame, small_spec(("a",), ("a",), missing_counts_as_level=False))
    assert np.sum(X.sum(axis=1) == 0) == 1
