"""A table in batches: the cells, the features and the errors of a table read as a whole."""

from __future__ import annotations

import gzip
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose

from unlabeled.app.tables import (
    Batches,
    FilesSeen,
    TableError,
    TableFeatures,
    conform,
    conformed_rows,
    draw_table,
    label_column,
    prepare,
    read_table,
)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(Batches, "rows_in_a_batch", 40)
    monkeypatch.setattr("unlabeled.app.tables._formats.LONGEST_LINE", 4000)


@pytest.fixture(scope="module")
def frame():
    """Cells that leave open what they are, with gaps."""
    rng, n = np.random.default_rng(0), 300
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    made = pd.DataFrame(
        {
            "key": [f"{k:05d}" for k in range(n)],
            "age": rng.integers(20, 90, n).astype(object),
            "price": [f"{x:.2f}".replace(".", ",") for x in rng.gamma(2, 9, n)],
            "zip": rng.choice(["007", "011", "123"], n),
            "on": day.strftime("%Y-%m-%d"),
            "seen": day.strftime("%d.%m.%Y"),
            "well": rng.choice(["true", "false"], n),
            "town": rng.choice(["Bonn", "Kiel", "Ulm, old town", None], n),
            "s": rng.choice(["Yes", "yes", "no", ""], n, p=[0.2, 0.1, 0.3, 0.4]),
        }
    )
    made.loc[rng.random(n) < 0.1, "age"] = "NA"
    return made


def written(frame, folder, ending, parts=2):
    for k, rows in enumerate(np.array_split(np.arange(len(frame)), parts)):
        part, path = frame.iloc[rows].reset_index(drop=True), folder / f"p{k}.{ending}"
        if ending == "parquet":
            part.astype(object).to_parquet(path)
        elif ending == "arrow":
            with pa.OSFile(str(path), "wb") as file:
                table = pa.Table.from_pandas(part.astype("category"), preserve_index=False)
                with pa.ipc.new_stream(file, table.schema) as stream:
                    stream.write_table(table)
        else:
            text = part.to_csv(index=False, sep=";").encode()
            path.write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    return folder / f"p*.{ending}"


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_batches_have_the_features_of_the_whole(frame, tmp_path, small_batches, ending):
    path = written(frame.astype({"age": str}), tmp_path, ending)
    table = read_table(path, id="key")
    batches = Batches.of(path)
    drawn = draw_table(batches, "s", max_rows=10_000, folder=tmp_path, id="key")
    assert drawn.is_whole
    assert str(drawn.labels) == str(label_column(table, "s"))
    assert (drawn.labels.s == label_column(table, "s").s).all()
    prepared = prepare(table, "s", id="key")
    assert prepare(drawn.table, "s", id="key", of_rows=300).remarks == prepared.remarks
    features = TableFeatures().fit(prepared.X)
    whole = features.transform(conform(table, features).X)
    reading = table.reading.to_dict()
    parts = [
        features.transform(conformed_rows(one, features))
        for one, _ in batches.read_like(features, "key", reading)
    ]
    assert len(parts) > 1
    assert_allclose(np.concatenate(parts), whole, atol=1e-9)


def test_the_draw_depends_on_the_seed_alone(frame, tmp_path, monkeypatch):
    path = written(frame.astype({"age": str}), tmp_path, "parquet")
    drawn = []
    for rows, seed in ((300, 0), (7, 0), (300, 1)):
        monkeypatch.setattr(Batches, "rows_in_a_batch", rows)
        batches = Batches.of(path)
        drawn.append(draw_table(batches, "s", max_rows=50, folder=tmp_path, id="key", seed=seed))
    one, same, other = drawn
    assert len(one.table) == len(one.rows) == 50
    assert (one.rows == same.rows).all()
    assert (one.rows != other.rows).any()
    assert (np.diff(one.rows) > 0).all()
    assert one.table.frame["key"].tolist() == [f"{row:05d}" for row in one.rows]


def test_every_row_is_drawn_equally_often(tmp_path, monkeypatch):
    monkeypatch.setattr(Batches, "rows_in_a_batch", 13)
    n = 60
    pd.DataFrame({"x": np.arange(n), "s": np.arange(n) % 2}).to_parquet(tmp_path / "t.parquet")
    batches, times = Batches.of(tmp_path / "t.parquet"), np.zeros(n)
    for seed in range(400):
        rows = draw_table(batches, "s", max_rows=15, folder=tmp_path, seed=seed).rows
        times[rows] += 1
    expected, spread = 100, np.sqrt(400 * 0.25 * 0.75)
    assert np.abs(times - expected).max() < 4.5 * spread


def test_a_counter_of_rows_is_no_feature_of_drawn_rows_either(tmp_path):
    rng, n = np.random.default_rng(0), 4000
    frame = pd.DataFrame(
        {"claim": rng.permutation(n) + 7, "x": rng.normal(size=n), "s": rng.integers(0, 2, n)}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    batches = Batches.of(tmp_path / "t.parquet")
    drawn = draw_table(batches, "s", max_rows=1000, folder=tmp_path)
    assert prepare(drawn.table, "s", of_rows=n).features == ("x",)


def test_a_column_that_hardly_marks_rows_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr("unlabeled.app.tables._drawn.MOST_VALUES", 20)
    pd.DataFrame({"x": range(50), "s": range(50)}).to_csv(tmp_path / "t.csv", index=False)
    batches = Batches.of(tmp_path / "t.csv")
    with pytest.raises(TableError, match="'s' with more than 20 different values"):
        draw_table(batches, "s", max_rows=10, folder=tmp_path)


def test_files_without_a_last_line_end_are_joined(tmp_path):
    (tmp_path / "a1.csv").write_bytes(b"x,s\r\n1,yes\r\n2,")
    (tmp_path / "a2.csv").write_bytes(b"x,s\n3,\n4,yes")
    table = read_table(tmp_path / "a*.csv")
    assert table.frame["x"].tolist() == [1, 2, 3, 4]
    batches = Batches.of(tmp_path / "a*.csv")
    assert [row for one in batches.read(["x"]) for row in one["x"].to_pylist()] == list("1234")


def test_columns_of_text_in_another_order_are_rejected(tmp_path):
    (tmp_path / "a1.csv").write_text("x,s\n1,yes\n")
    (tmp_path / "a2.csv").write_text("s,x\n,3\n")
    with pytest.raises(TableError, match=r"a2.csv.*order of a1.csv"):
        read_table(tmp_path / "a*.csv")


def test_columns_of_parquet_in_another_order_and_type_are_taken_by_name(tmp_path):
    pd.DataFrame({"x": [1, 2], "s": ["yes", None]}).to_parquet(tmp_path / "a1.parquet")
    pd.DataFrame({"s": ["yes", None], "x": [0.5, 4.0]}).to_parquet(tmp_path / "a2.parquet")
    assert read_table(tmp_path / "a*.parquet").frame["x"].tolist() == [1, 2, 0.5, 4]
    batches = Batches.of(tmp_path / "a*.parquet")
    assert [x for one in batches.read() for x in one["x"].to_pylist()] == [1, 2, 0.5, 4]


def test_text_in_one_file_and_numbers_in_another_are_rejected(tmp_path):
    pd.DataFrame({"x": [1, 2], "s": ["yes", None]}).to_parquet(tmp_path / "a1.parquet")
    pd.DataFrame({"x": ["a", "b"], "s": ["yes", None]}).to_parquet(tmp_path / "a2.parquet")
    with pytest.raises(TableError, match="same kind of values in a column of every file"):
        read_table(tmp_path / "a*.parquet")


@pytest.mark.parametrize("change", ["grow", "touch", "replace", "remove", "add"])
def test_a_change_of_a_file_is_noticed(tmp_path, change):
    for name in ("a1.csv", "a2.csv"):
        (tmp_path / name).write_text("x,s\n1,yes\n2,\n")
    seen = FilesSeen.of(tmp_path / "a*.csv")
    seen.check()
    file = tmp_path / "a2.csv"
    if change == "grow":
        file.write_text("x,s\n1,yes\n2,\n3,\n")
    elif change == "touch":
        os.utime(file, ns=(1, 1))
    elif change == "replace":
        state = file.stat()
        (tmp_path / "new").write_text("x,s\n9,yes\n2,\n")
        os.replace(tmp_path / "new", file)
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    elif change == "remove":
        file.unlink()
    else:
        file = tmp_path / "a3.csv"
        file.write_text("x,s\n")
    with pytest.raises(TableError, match=file.name):
        seen.check()


def test_the_memory_of_a_whole_table_is_estimated_alike_for_text_and_parquet(tmp_path):
    rng, n = np.random.default_rng(0), 30_000
    frame = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(5)})
    frame["kind"], frame["s"] = rng.choice(["a", "b"], n), rng.integers(0, 2, n)
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    one, other = (Batches.of(tmp_path / f"t.{end}").bytes_in_memory for end in ("parquet", "csv"))
    assert one == n * (6 * 40 + 420)
    assert 0.9 < one / other < 1.1
