"""A table with semicolons and decimal commas: every file for people is written the same way."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.run import _memory, _table

READ = {"sep": ";", "decimal": ",", "encoding": "utf-8-sig"}
FIT = ("--label", "diagnosis", "--id", "patient", "--method", "pu-logistic", "--no-checks")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The same table with points and with commas, by the names of their files."""
    rng, n = np.random.default_rng(3), 400
    age, pay = rng.normal(55, 12, n).round(1), np.exp(rng.normal(7, 1, n)).round(2)
    ill = rng.random(n) < 1 / (1 + np.exp(-0.15 * (age - 55)))
    frame = pd.DataFrame(
        {
            "patient": [f"Pü;{k}" for k in range(n)],
            "age": age,
            "pay": pay,
            "diagnosis": np.where(ill & (rng.random(n) < 0.5), "yes", None),
        }
    )
    folder = tmp_path_factory.mktemp("commas")
    frame.to_csv(folder / "points.csv", index=False)
    swapped = str.maketrans(",.", ".,")
    frame["pay"] = [f"{one:,.2f}".translate(swapped) for one in pay]
    frame.to_csv(folder / "commas.csv", index=False, sep=";", decimal=",")
    return folder


@pytest.fixture(scope="module")
def fits(run, tables):
    """What the command says of both, by name."""
    said = {}
    for name in ("points", "commas"):
        out = tables / name
        said[name] = run("fit", f"{out}.csv", *FIT, "--keep", "pay", "--out", out)
        assert said[name].exit_code == 0, said[name].stderr
    return said


def test_scored_csv_is_written_as_the_table_and_the_command_says_so(tables, fits):
    assert "scored.csv has semicolons and decimal commas, like commas.csv." in fits["commas"].stderr
    assert "semicolons" not in fits["points"].stderr
    remarks = json.loads((tables / "commas" / "summary.json").read_text("utf-8"))["remarks"]
    said = "'pay' is read with points between thousands and decimal commas"
    assert any(said in one and "name the column in `--as-text`" in one for one in remarks)
    points = pd.read_csv(tables / "points" / "scored.csv", dtype=str)
    commas = pd.read_csv(tables / "commas" / "scored.csv", dtype=str, **READ)
    assert [*commas] == [*points]
    assert commas["pay"].str.contains(r"^\d\.\d{3},\d+$").any()  # as it was written
    for name in points.columns.drop(["patient", "because", "pay"]):  # all digits are there
        assert commas[name].str.replace(",", ".").equals(points[name]), name
    data = (tables / "commas" / "scored.csv").read_bytes()
    assert data.startswith('\ufeff"patient";"labeled";"score"'.encode())
    assert '"Pü;0"' in data.decode()


def test_predict_writes_it_so_and_tab_separated_text_as_ever(run, tables, fits, tmp_path):
    found = {}
    for name in ("points", "commas"):
        out = tmp_path / f"{name}.csv"
        result = run("predict", tables / name, tables / f"{name}.csv", "--out", out)
        assert result.exit_code == 0, result.stderr
        is_said = "commas.csv has semicolons and decimal commas, like commas.csv." in result.stderr
        assert is_said == (name == "commas")
        found[name] = pd.read_csv(out, **(READ if name == "commas" else {}))
    pd.testing.assert_frame_equal(found["points"], found["commas"], rtol=1e-14)
    result = run("predict", tables / "commas", tables / "commas.csv", "--out", tmp_path / "t.tsv")
    assert "semicolons" not in result.stderr
    plain = pd.read_csv(tmp_path / "t.tsv", sep="\t")
    pd.testing.assert_frame_equal(plain, found["points"], rtol=1e-14)


def test_what_reads_the_scores_again_reads_them_with_commas(run, tables, fits, tmp_path):
    lists, audited = {}, {}
    for name in ("points", "commas"):
        fit, check = tables / name, tmp_path / name
        page = tmp_path / f"{name}.html"
        assert run("report", fit, "--include-rows", "--out", page).exit_code == 0
        page = page.read_text("utf-8")
        lists[name] = (
            page[page.index("data-rows=shown>") :].split("<tbody>")[1].split("</tbody>")[0]
        )
        drawn = run("audit", fit, "--table", f"{fit}.csv", "--out", check, "--seed", 1)
        assert drawn.exit_code == 0, drawn.stderr
        assert "held-out scores of these rows, so" not in drawn.stderr  # scored.csv was read
        text = (check / "check.csv").read_text("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text), delimiter=";" if name == "commas" else ","))
        truth = ["yes" if float(row["age"].replace(",", ".")) > 60 else "no" for row in rows]
        answers = ["key;truth", *(f"{r['key']};{t}" for r, t in zip(rows, truth, strict=True))]
        (tmp_path / "answers.csv").write_text("\n".join(answers))
        result = run("audit", fit, "--answers", tmp_path / "answers.csv")
        assert result.exit_code == 0, result.stderr
        audited[name] = (fit / "audited.csv").read_text("utf-8-sig").splitlines()[0]
    assert lists["points"] == lists["commas"]
    assert audited["commas"] == audited["points"].replace(",", ";")


def test_in_parts_too(run, tables, fits, tmp_path, monkeypatch):
    monkeypatch.setattr(_memory, "needed_for", lambda batches: 10**12)
    monkeypatch.setattr(_table, "MOST_DRAWN", 10**6)
    out = tmp_path / "parts"
    result = run("fit", tables / "commas.csv", *FIT, "--no-group", "--out", out)
    assert result.exit_code == 0, result.stderr
    parts = pd.read_csv(out / "scored.csv", **READ)
    whole = pd.read_csv(tables / "commas" / "scored.csv", **READ)
    np.testing.assert_allclose(parts["score"], whole["score"], rtol=1e-3, atol=1e-3)
    result = run("predict", out, tables / "commas.csv", "--out", tmp_path / "new.csv")
    assert "new.csv has semicolons and decimal commas, like commas.csv." in result.stderr
    assert "'pay' is read with points between thousands" in result.stderr
    assert pd.read_csv(tmp_path / "new.csv", **READ)["posterior"].between(0, 1).all()
