"""Every format gives the same frame; a file that is not a table is rejected with the reason."""

from __future__ import annotations

import gzip
import resource
import sqlite3
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from unlabeled.app.tables import (
    ENDINGS,
    MISSING,
    Batches,
    TableError,
    TableFeatures,
    prepare,
    read_table,
    read_two_files,
)

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
    # The ending alone makes no two names alike.
    (tmp_path / "polish.csv").write_text("a\n1\n")
    assert "does not exist. Check its name" in rejection(tmp_path / "nosuch.csv")
    assert f"folder {tmp_path / 'nowhere'} " in rejection(tmp_path / "nowhere" / "patients.csv")


def test_a_folder_is_rejected(tmp_path):
    (tmp_path / "t.csv").mkdir()
    for folder in (tmp_path, tmp_path / "t.csv"):
        assert f"`path` must be a file; got the folder {folder}" in rejection(folder)


def test_an_unknown_ending_is_rejected(tmp_path):
    assert "one of .csv, .csv.gz" in rejection(write(tmp_path / "t.txt", TEXT))


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
        (
            b"a,b\n1,caf\x81\n",
            "neither that throughout nor Windows-1252 (line 2, column 'b': 'caf�')",
        ),
        (b"a,b\n1,caf\xe9\n\xc3\xbc,2\n", "Windows-1252 (line 2, column 'b': 'café')"),
        (b"a,caf\x81\n1,2\n", "Windows-1252 (line 1: 'caf�')"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv, which is UTF-16. Save it again as UTF-8"),
    ],
)
def test_bad_text_is_rejected_with_the_reason(tmp_path, text, reason):
    assert reason in rejection(write(tmp_path / "t.csv", text))


def test_the_cell_that_is_not_utf8_is_found_across_pieces(tmp_path):
    before = b"a,b\n" + "1,é\n".encode() * 40_000
    path = write(tmp_path / "t.csv", before + b"2,\xff\n")
    assert "(line 40 002, column 'b': 'ÿ')" in rejection(path)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_windows_text_is_read_and_the_remark_says_so(tmp_path, name):
    text = "größe;stadt\n61;Köln\n62;München\n63;„Spaß“\n" + "64;Düren\n" * 30
    path = tmp_path / name
    data = text.encode("cp1252")
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    read = read_table(path)
    assert read.columns == ("größe", "stadt")
    assert read.frame["stadt"].tolist()[:3] == ["Köln", "München", "„Spaß“"]
    assert read.remarks == (
        f"{name} is not UTF-8; it is read as Windows-1252 (line 1: 'größe'). If letters are wrong, "
        "save it as UTF-8.",
    )


def test_files_of_a_pattern_may_be_encoded_differently(tmp_path):
    (tmp_path / "1.csv").write_bytes("größe,stadt\n1,Köln\n".encode())
    (tmp_path / "2.csv").write_bytes("größe,stadt\n2,Zürich\n".encode("cp1252"))
    read = read_table(tmp_path / "*.csv")
    assert read.frame["stadt"].tolist() == ["Köln", "Zürich"]
    assert [remark[:18] for remark in read.remarks] == ["2.csv is not UTF-8"]
    (remark,) = Batches.of(tmp_path / "*.csv").remarks
    assert remark == read.remarks[0]


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


# More formats.


def book(path, *sheets):
    """Write a workbook with sheets of text and numbers, by hand, in the folders that Excel uses.

    In other folders, python-calamine 0.2.3 does not know a sheet.
    """
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheet = "worksheets/sheet"

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    numbered = list(enumerate(sheets, 1))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override '
            f'PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            + "".join(
                f'<Override PartName="/xl/{sheet}{k}.xml" ContentType="{kind}.worksheet+xml"/>'
                for k, _ in numbered
            )
            + "</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">'
            + "".join(
                f'<Relationship Id="r{k}" Type="{office}/worksheet" Target="{sheet}{k}.xml"/>'
                for k, _ in numbered
            )
            + "</Relationships>",
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
            + "".join(
                f'<sheet name="{name}" sheetId="{k}" r:id="r{k}"/>' for k, (name, _) in numbered
            )
            + "</sheets></workbook>",
        )
        for k, (_, rows) in numbered:
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            archive.writestr(
                f"xl/{sheet}{k}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
            )
    return path


ROWS = [["zip", "age", "ill"], ["007", 61, "yes"], ["012", 47.5, ""], ["100", "NA", "no"]]


def test_the_first_sheet_of_a_workbook_is_read_and_the_others_are_named(tmp_path):
    path = book(tmp_path / "t.xlsx", ("patients", ROWS), ("notes", [["a"]]), ("more", [["b"]]))
    table = read_table(path)
    assert table.frame["zip"].tolist() == ["007", "012", "100"]
    assert table.frame["age"].tolist()[:2] == ["61", "47.5"]  # beside a word, all are text
    assert table.frame["ill"].isna().tolist() == [False, True, False]
    (remark,) = table.remarks
    assert "the sheet 'patients' of t.xlsx. 'notes', 'more' are not read" in remark


def test_numbers_of_a_workbook_are_numbers(tmp_path):
    path = book(tmp_path / "t.xlsx", ("s", [["age", "ill"], [61, "yes"], [47.5, "no"]]))
    assert read_table(path).frame["age"].tolist() == [61, 47.5]
    path = book(tmp_path / "t.xlsx", ("s", [["age", "age"], [61, 1]]))
    assert "got 'age' more than once" in rejection(path)


def test_a_workbook_without_its_reader_names_the_extra(tmp_path, monkeypatch):
    path = book(tmp_path / "t.xlsx", ("s", ROWS))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "pip install 'unlabeled[excel]'" in rejection(path)


def test_a_zipped_table_is_read(tmp_path, expected):
    path = tmp_path / "t.csv.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/t.csv", "x")
        archive.writestr("folder/t.csv", TEXT)
    pd.testing.assert_frame_equal(read_table(path).frame, expected)


def test_a_zip_archive_with_several_files_is_rejected_with_their_names(tmp_path):
    path = tmp_path / "t.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", TEXT)
        archive.writestr("b.csv", TEXT)
    assert "2 files ('a.csv', 'b.csv'). Unpack it" in rejection(path)


@pytest.mark.parametrize("name", ["t.ndjson", "t.jsonl"])
def test_json_lines_are_read(tmp_path, name):
    lines = '{"age": 61, "ill": "yes"}\n{"age": null, "ill": "?"}\n{"ill": null}\n'
    frame = read_table(write(tmp_path / name, lines)).frame
    assert frame["age"].tolist()[0] == 61
    assert frame.isna().sum().tolist() == [2, 2]


def test_json_lines_of_two_kinds_are_rejected(tmp_path):
    path = write(tmp_path / "t.ndjson", '{"a": 1, "b": 1}\n{"a": "x", "b": 1}\n')
    assert "one JSON object per line" in rejection(path)


def database(path, *tables):
    with sqlite3.connect(path) as connection:
        for name in (one.replace('"', '""') for one in tables):
            connection.execute(f'create table "{name}" (age, ill)')
            connection.execute(f"insert into \"{name}\" values (61, 'yes'), (null, null)")
    connection.close()
    return path


def test_the_only_table_of_a_database_is_read(tmp_path):
    frame = read_table(database(tmp_path / "t.sqlite", 'the "patients"')).frame
    assert frame["age"].tolist()[0] == 61
    assert frame["ill"].isna().tolist() == [False, True]


def test_a_database_with_several_tables_is_rejected_with_their_names(tmp_path):
    assert "with 2 ('a', 'b'). Write the one" in rejection(database(tmp_path / "t.db", "a", "b"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"%PDF-1.4", "a PDF document"),
        (b"\n <!DOCTYPE HTML><html>", "an HTML page. It is perhaps a login page"),
        (b"\x89PNG\r\n", "a picture"),
        (b"\x80\x04\x95", "a pickle. It could run any code"),
        (b"\x1f\x8b\x08", "compressed by gzip. Rename it to end in .csv.gz"),
        (b"PAR1", "a Parquet file. Rename it to end in .parquet"),
        (b"PK\x03\x04", "a zip archive"),
        (b"SQLite format 3\x00", "an SQLite database"),
        (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
        (b'{"age": 1}', "JSON. Rename it to end in .ndjson"),
    ],
)
def test_a_file_of_another_kind_than_its_name_says_is_named(tmp_path, data, words):
    assert f"got t.csv, which is {words}" in rejection(write(tmp_path / "t.csv", data))


def test_a_workbook_renamed_to_csv_is_named(tmp_path):
    path = book(tmp_path / "t.csv", ("s", ROWS))
    assert "which is an Excel workbook. Rename it to end in .xlsx" in rejection(path)
    assert ".xlsx" in ENDINGS


# What a file leaves open.


def test_leading_zeros_stay_text_and_are_counted(tmp_path):
    path = write(tmp_path / "t.csv", "zip,n,ill\n00731,1,yes\n12345,2,\n?,30,\n")
    table = read_table(path)
    assert table.frame["zip"].tolist()[:2] == ["00731", "12345"]
    assert table.frame["zip"].isna()[2]
    assert table.frame["n"].tolist() == [1, 2, 30]
    (zeros, missing) = prepare(table, "ill").remarks
    assert "leading zeros: 'zip' (1 cell, such as 00731)" in zeros
    assert "`as_number`" in zeros
    assert missing == "1 cell is missing: 1 '?'."
    numbers = read_table(path, as_number=["zip"])
    assert numbers.frame["zip"].tolist()[:2] == [731, 12345]
    assert len(prepare(numbers, "ill").remarks) == 1


def test_leading_zeros_of_typed_files_stay_text(tmp_path):
    pd.DataFrame({"zip": ["007", "100"], "n": [1, 2]}).to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.reading.as_text == ("zip",)
    assert TableFeatures().fit(table.frame).kinds_["zip"] == "category"


@pytest.mark.parametrize("mark", ["-", ";", "\t"])
def test_decimal_commas_are_read_where_nothing_else_fits(tmp_path, mark):
    sep = "," if mark == "-" else mark
    cells = ["1,37", "0,123", "2", "?", "-1,234"]
    rows = [sep.join((f'"{cell}"', "yes" if k else "no")) for k, cell in enumerate(cells)]
    table = read_table(write(tmp_path / "t.csv", "\n".join((f"bmi{sep}ill", *rows))))
    np.testing.assert_array_equal(table.frame["bmi"], [1.37, 0.123, 2, np.nan, -1.234])
    assert table.reading.decimal_comma == ("bmi",)
    commas, _ = prepare(table, "ill").remarks
    assert "'bmi' is read with decimal commas" in commas
    assert "`as_text`" in commas


@pytest.mark.parametrize("sep", [",", ";", "\t"])
def test_numbers_that_could_be_thousands_are_never_guessed(tmp_path, sep):
    rows = [f'"{k},{200 + k}"{sep}{"yes" if k < 9 else ""}' for k in range(1, 40)]
    table = read_table(write(tmp_path / "t.csv", "\n".join((f"pay{sep}ill", *rows))))
    with pytest.raises(TableError, match="'pay' .*1,201 could be 1201 or 1.201"):
        prepare(table, "ill")


def test_points_in_a_file_of_decimal_commas_are_rejected(tmp_path):
    rows = [f"{k},5;{k}.{200 + k};{'yes' if k < 9 else ''}" for k in range(1, 40)]
    table = read_table(write(tmp_path / "t.csv", "\n".join(("a;pay;ill", *rows))))
    assert table.frame["a"].dtype.kind == "f"
    with pytest.raises(TableError, match="'pay' .*1.201 could be 1201 or 1.201"):
        prepare(table, "ill")
    assert prepare(table, "ill", drop=["pay"]).features == ("a",)
    as_decimals = read_table(tmp_path / "t.csv", as_number=["pay"])
    assert as_decimals.frame["pay"].tolist()[:2] == [1.201, 2.202]


@pytest.mark.parametrize("mark", ["-", ";", "\t"])
def test_points_between_thousands_are_read_with_decimal_commas(tmp_path, mark):
    sep = "," if mark == "-" else mark
    cells = ["3.271,50", "0,5", "-1.234.567,125", "?", "1.000", "12"]
    rows = [sep.join((f'"{cell}"', "yes" if k else "no")) for k, cell in enumerate(cells)]
    table = read_table(write(tmp_path / "t.csv", "\n".join((f"pay{sep}ill", *rows))))
    expected = [3271.5, 0.5, -1234567.125, np.nan, 1000, 12]
    np.testing.assert_array_equal(table.frame["pay"], expected)
    assert table.reading.points == table.reading.decimal_comma == ("pay",)
    said, _ = prepare(table, "ill").remarks
    assert "1.234 is 1234" in said
    assert "`as_text`" in said


def test_a_number_with_point_and_comma_tells_of_all_numbers_of_the_file(tmp_path):
    text = "pay;pieces;size;ill\n3.271,50;1.408;1,5;yes\n-;9.305;2;\n980,00;17;3,25;\n"
    table = read_table(write(tmp_path / "t.csv", text), missing=["-"])
    assert table.frame["pieces"].tolist() == [1408, 9305, 17]
    assert table.frame["size"].tolist() == [1.5, 2, 3.25]
    assert table.reading.points == ("pay", "pieces")


@pytest.mark.parametrize("cells", [["1.234", "2.500"], ["3,271.50", "1,5"], ["3.27,50", "1,5"]])
def test_other_points_are_never_taken_for_thousands(tmp_path, cells):
    rows = "".join(f'"{cell}",{k}\n' for k, cell in enumerate(cells))
    table = read_table(write(tmp_path / "t.csv", f"pay,ill\n{rows}"))
    assert table.reading.points == ()
    if table.frame["pay"].dtype.kind == "f":
        assert table.frame["pay"].tolist() == [float(cell) for cell in cells]


@pytest.mark.parametrize("mark", ["#NV", "#N/D", "#N/A"])
def test_errors_of_a_spreadsheet_are_missing_cells_and_counted(tmp_path, mark):
    table = read_table(write(tmp_path / "t.csv", f"a,ill\n1.5,1\n{mark},0\n2,0\n"))
    assert table.frame["a"].isna().tolist() == [False, True, False]
    assert table.marks == {"a": {mark: 1}}


def test_marks_of_missing_cells_may_be_given(tmp_path):
    path = write(tmp_path / "t.csv", "a,b,c,ill\n-999,999,x,1\n1,2,unknown,0\n,999,-999,0\n")
    table = read_table(path, missing=["-999", "b=999", "unknown"])
    assert table.frame.isna().sum().tolist() == [2, 2, 2, 0]
    assert table.marks == {"a": {"-999": 1}, "b": {"999": 2}, "c": {"unknown": 1, "-999": 1}}
    with pytest.raises(TableError, match="`missing` must be a value.*'-99'"):
        read_table(path, missing=["-99"])


def test_a_column_of_numbers_and_a_mark_is_numbers(tmp_path):
    path = write(tmp_path / "t.csv", "a,ill\n1.5,1\nunknown,0\n2,0\n")
    assert read_table(path, missing=["unknown"]).frame["a"].dtype.kind == "f"


def test_dates_are_read_with_the_day_first_if_asked(tmp_path):
    path = write(tmp_path / "t.csv", "seen,ill\n03/04/2025,1\n05/06/2025,0\n")
    table = read_table(path, day_first=["seen"])
    assert table.frame["seen"].dt.month.tolist() == [4, 6]
    (remark,) = prepare(read_table(path), "ill").remarks
    assert "'seen': no date tells days from months (such as 03/04/2025)" in remark
    assert "`day_first`" in remark
    assert prepare(table, "ill").remarks == ()


def test_dates_that_tell_need_no_remark(tmp_path):
    path = write(tmp_path / "t.csv", "seen,ill\n13/04/2025,1\n05/06/2025,0\n")
    assert prepare(read_table(path), "ill").remarks == ()
    with pytest.raises(TableError, match="`day_first` must be .*'age'"):
        read_table(write(tmp_path / "t.csv", "age,ill\nold,1\nnew,0\n"), day_first=["age"])


def test_two_files_read_a_column_alike(tmp_path):
    zips = [f"{k:03d}" for k in range(100, 140)]
    write(tmp_path / "cases.csv", "zip,x\n" + "".join(f"{z},{k}\n" for k, z in enumerate(zips)))
    rows = "".join(f"{z},{k + 0.5}\n" for k, z in enumerate(["007", *zips]))
    write(tmp_path / "population.csv", "zip,x\n" + rows)
    files = read_two_files(tmp_path / "cases.csv", tmp_path / "population.csv")
    assert "zip" in files.table.reading.as_text
    assert set(files.prepared.X["zip"]) == {"007", *zips}
