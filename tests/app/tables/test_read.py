"""Every format gives the same frame; a file that is not a table is rejected with the reason."""

from __future__ import annotations

import gzip
import resource
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from unlabeled.app.tables import MISSING, TableError, TableFeatures, read_table

TEXT = "id,weight,visit,note,ill\n1,61.5,2023-01-05,tired,yes\n2,,2023-02-07,,\n3,70,,ok,no\n"


def write(path, text):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def rejection(path):
    with pytest.raises(TableError) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def expected(tmp_path):
    return read_table(write(tmp_path / "expected.csv", TEXT)).frame


def test_text_numbers_and_dates_are_distinguished_and_blanks_are_missing(expected):
    assert expected["weight"].tolist()[::2] == [61.5, 70]
    assert expected["visit"].dtype.kind == "M"
    assert expected["note"].isna().tolist() == [False, True, False]
    assert expected["ill"].isna().sum() == 1


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz", "t.tsv", "t.tsv.gz"])
def test_delimited_text_gives_the_same_frame(tmp_path, expected, name):
    text = TEXT.replace(",", "\t") if "tsv" in name else TEXT
    read = read_table(write(tmp_path / name, text))
    pd.testing.assert_frame_equal(read.frame, expected)


def test_semicolons_are_noticed_with_points_or_commas_in_numbers(tmp_path, expected):
    text = TEXT.replace(",", ";")
    for numbers in (text, text.replace("61.5", "61,5")):
        read = read_table(write(tmp_path / "t.csv", numbers))
        pd.testing.assert_frame_equal(read.frame, expected)


def test_a_byte_order_mark_and_quoted_line_ends_are_read(tmp_path):
    read = read_table(write(tmp_path / "t.csv", b'\xef\xbb\xbfa,b\n"two\nlines",1\n"x,y",2\n'))
    assert read.columns == ("a", "b")
    assert read.frame["a"].tolist() == ["two\nlines", "x,y"]


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather", "stream.arrow"])
def test_parquet_and_arrow_give_the_same_frame(tmp_path, expected, name):
    table, path = pa.Table.from_pandas(expected), str(tmp_path / name)
    if name.endswith("parquet"):
        parquet.write_table(table, path)
    elif name.startswith("stream"):
        with pa.OSFile(path, "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    else:
        feather.write_feather(table, path)
    frame = read_table(path).frame
    # In a column of text pandas 2 has None where others have NaN.
    pd.testing.assert_frame_equal(frame.where(frame.notna()), expected)


def test_booleans_decimals_and_dictionaries_become_what_pandas_knows(tmp_path):
    table = pa.table(
        {
            "flag": [True, None, False],
            "price": pa.array([1, 2, None], pa.decimal128(9, 2)),
            "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    frame = read_table(tmp_path / "t.parquet").frame
    assert [str(dtype) for dtype in frame.dtypes] == ["boolean", "float64", "category"]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow"])
def test_text_that_says_missing_is_missing_in_every_format(tmp_path, ending):
    words = ["a", *MISSING, "b"]
    frame = pd.DataFrame({"text": words, "kind": pd.Categorical(words), "x": range(len(words))})
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path) if ending == "parquet" else frame.to_feather(path)
    read = read_table(path).frame
    assert read["text"].dropna().tolist() == read["kind"].dropna().tolist() == ["a", "b"]


def test_numbers_with_gaps_are_numbers(tmp_path):
    read = read_table(write(tmp_path / "t.csv", "a,b\n1,?\n2,5\n3,none\n"))
    assert read.frame["b"].dtype.kind == "f"


def test_a_time_of_day_is_hours(tmp_path):
    read = read_table(write(tmp_path / "t.csv", "at,b\n09:30,1\n,2\n17:45,3\n"))
    assert read.frame["at"].tolist()[::2] == [9.5, 17.75]
    assert read.frame["at"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("zone", ["+02:00", "-03:30", "Europe/Warsaw", "UTC"])
@pytest.mark.parametrize("zone_of_the_fit", ["+01:00", "Europe/Warsaw"])
def test_the_same_times_in_another_time_zone_are_the_same_to_a_fit(tmp_path, zone_of_the_fit, zone):
    def read(name):
        at = pa.array(range(0, 10**9, 10**7), pa.timestamp("s", name))
        parquet.write_table(pa.table({"x": range(100), "at": at}), tmp_path / "t.parquet")
        return read_table(tmp_path / "t.parquet").frame

    features = TableFeatures().fit(read(zone_of_the_fit))
    expected = features.transform(read(zone_of_the_fit))
    assert "at (days)" in features.get_feature_names_out()
    np.testing.assert_array_equal(features.transform(read(zone)), expected)


def test_a_column_without_a_name_gets_one_and_a_remark(tmp_path):
    read = read_table(write(tmp_path / "t.csv", ",a\n0,5\n1,6\n"))
    assert read.columns == ("column 1", "a")
    assert len(read.remarks) == 1
    assert "'column 1'" in read.remarks[0]


def test_a_file_that_does_not_exist_gets_the_nearest_name(tmp_path):
    write(tmp_path / "patients.csv", TEXT)
    assert "does not exist. Did you mean 'patients.csv'?" in rejection(tmp_path / "patient.csv")
    assert "does not exist. Check its name" in rejection(tmp_path / "zzz.csv")
    assert f"folder {tmp_path / 'nowhere'} " in rejection(tmp_path / "nowhere" / "patients.csv")


def test_a_folder_is_rejected(tmp_path):
    (tmp_path / "t.csv").mkdir()
    for folder in (tmp_path, tmp_path / "t.csv"):
        assert f"`path` must be a file; got the folder {folder}" in rejection(folder)


def test_an_unknown_ending_is_rejected(tmp_path):
    assert "one of .csv, .csv.gz" in rejection(write(tmp_path / "t.xlsx", TEXT))


def test_a_file_that_may_not_be_read_is_rejected(tmp_path, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = write(tmp_path / "t.csv", TEXT)
    monkeypatch.setattr(Path, "open", denied)
    assert f"got {path} (Permission denied)" in rejection(path)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty (0 bytes)"),
        ("\n\na,b\n1,2\n", "The first line of t.csv is blank"),
        ("a\n1\n2\n", "with 1 column, 'a'."),
        ("a,b\n", "only a header"),
        ("a,b", "only a header"),
        ("a,b,a,c,c\n1,2,3,4,5\n", "got 'a', 'c' more than once in t.csv"),
        ("a,b\n1,2\n3,4,5\n", "2; got 3 in row 3 of t.csv"),
        ("a,b\n1,2\n3\n", "2; got 1 in row 3 of t.csv"),
        (b"a,b\n1,caf\xe9\n", "byte 9 is not UTF-8"),
        (b"a,caf\xe9\n1,2\n", "byte 5 is not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "byte 0 is not UTF-8"),
    ],
)
def test_bad_text_is_rejected_with_the_reason(tmp_path, text, reason):
    assert reason in rejection(write(tmp_path / "t.csv", text))


def test_the_byte_that_is_not_utf8_is_found_across_pieces(tmp_path):
    before = b"a,b\n" + "1,é\n".encode() * 40_000
    path = write(tmp_path / "t.csv", before + b"2,\xff\n")
    assert f"byte {len(before) + 2:,} is not UTF-8".replace(",", " ") in rejection(path)


def test_a_giant_line_is_rejected_before_it_is_read(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.truncate(2 * 2**30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert "10 MB; got t.csv with a longer first line" in rejection(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_a_giant_line_further_down_is_rejected(tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(50 * 2**20)
    assert "10 MB; got t.csv with a longer line" in rejection(path)


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather"])
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_a_columnar_file_cut_short_is_rejected(tmp_path, name, kept):
    table, path = pa.table({"a": range(1000), "b": ["x"] * 1000}), tmp_path / name
    parquet.write_table(table, path) if "parquet" in name else feather.write_feather(table, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    assert f"{name} is incomplete" in rejection(path)


def test_gzip_cut_short_or_not_gzip_is_rejected(tmp_path):
    path = write(tmp_path / "t.csv.gz", TEXT * 100)
    path.write_bytes(path.read_bytes()[:-20])
    assert "t.csv.gz is incomplete" in rejection(path)
    path.write_bytes(TEXT.encode())
    assert "t.csv.gz is incomplete" in rejection(path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_names_of_rows_are_kept_to_the_letter(tmp_path, ending):
    names = ["00017", "NA", "1E5", "null", str(2**70), "2024-01-01", " x"]
    frame = pd.DataFrame({"id": names, "age": range(len(names))})
    path = tmp_path / f"t.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, index=False)
    assert read_table(path, id="id").frame["id"].tolist() == names


def test_whole_numbers_that_name_rows_do_not_go_through_floating_point(tmp_path):
    names = pd.array([2**60 + 1, None, 2**60 + 3], dtype="Int64")
    pd.DataFrame({"id": names, "age": [1, 2, 3]}).to_parquet(tmp_path / "t.parquet")
    found = read_table(tmp_path / "t.parquet", id="id").frame["id"]
    assert found[[0, 2]].tolist() == [str(2**60 + 1), str(2**60 + 3)]
    assert found.isna().tolist() == [False, True, False]


def test_lists_cannot_name_rows(tmp_path):
    pd.DataFrame({"id": [[1], [2]], "age": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="`id` must be .*'id' of type list"):
        read_table(tmp_path / "t.parquet", id="id")


def test_a_column_to_keep_as_text_must_be_in_the_table(tmp_path):
    path = write(tmp_path / "t.csv", TEXT)
    with pytest.raises(TableError, match="`as_text` must be .*'weigt'. Did you mean 'weight'"):
        read_table(path, as_text=["weigt"])
