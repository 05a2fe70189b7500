"""`unlabeled predict`: the same rows get the same scores, and what differs is named."""

from __future__ import annotations

import errno
import json
import os
import pickle
import zlib
from functools import partial

import numpy as np
import pandas as pd
import pytest

from unlabeled import PULogistic
from unlabeled.app import save_model, table_pipeline
from unlabeled.app.model_files import read_model
from unlabeled.app.run import _predict, sealed
from unlabeled.app.tables import read_like
from unlabeled.cli import _output
from unlabeled.engine.files import only_writer


@pytest.fixture(scope="module")
def scored(fitted, table):
    """What the model itself, in Python, says about the rows that it was fitted to."""
    pipeline, card = read_model(fitted)
    X = read_like(table, pipeline[0], card.id).frame
    found = {"score": pipeline[-1].positive_score(pipeline[0].transform(X))}
    found |= {"posterior": pipeline.predict_proba(X)[:, 1], "decision": pipeline.predict(X)}
    frame = pd.DataFrame(found)
    return frame.assign(rank=frame["score"].rank(method="min", ascending=False).astype(int))


@pytest.fixture
def predict(run, fitted, tmp_path):
    def scored_again(frame, name="new.csv", out="scored.csv", **how):
        path = tmp_path / name
        frame.to_parquet(path) if path.suffix == ".parquet" else frame.to_csv(path, index=False)
        result = run(
            "predict", fitted, path, "--out", tmp_path / out, "--force", *how.get("more", ())
        )
        assert result.exit_code == how.get("code", 0), result.stderr
        return result, tmp_path / out

    return scored_again


def same(found, scored, rows=slice(None)):
    expected = scored.iloc[rows].reset_index(drop=True)
    assert found["decision"].tolist() == expected["decision"].tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["posterior"], expected["posterior"], rtol=0, atol=1e-12)


def test_a_model_that_python_saved_scores_a_table(run, tmp_path, rng):
    frame = pd.DataFrame({"age": rng.normal(size=300), "ward": rng.choice(list("abc"), size=300)})
    labeled = (frame["age"] > 0.8) & (rng.random(300) < 0.5)
    model = table_pipeline(PULogistic()).fit(frame, labeled.to_numpy().astype(int))
    save_model(model, tmp_path / "model")
    frame.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "scored.csv"
    result = run("predict", tmp_path / "model", tmp_path / "new.csv", "--out", out)
    assert result.exit_code == 0, result.output
    scores = model[-1].positive_score(model[0].transform(frame))
    np.testing.assert_allclose(pd.read_csv(out)["score"], scores, rtol=1e-12)


def test_the_table_of_the_fit_gets_the_scores_of_the_model(predict, patients, scored):
    result, out = predict(patients)
    found = pd.read_csv(out)
    assert found.columns.tolist() == ["patient", "score", "posterior", "decision", "rank"]
    same(found, scored)
    assert found["rank"].tolist() == scored["rank"].tolist()
    assert result.stdout.startswith(f"{scored['decision'].sum()} of 600 rows are selected")
    reading, seen, extra = result.stderr.splitlines()
    assert reading.startswith("Reading ")  # on a terminal, the sign of life comes below it
    assert "fitted to" in seen
    assert "'treatment_date'" in extra


def test_permuted_columns_and_rows_get_the_same_scores(predict, patients, scored, rng):
    columns, rows = rng.permutation(patients.columns), rng.permutation(len(patients))
    result, out = predict(patients[columns].iloc[rows])
    same(pd.read_csv(out), scored, rows)
    assert "order" in result.stderr


def test_one_row_at_a_time_gets_the_same_scores(predict, patients, scored):
    gap = int(patients["bmi"].isna().argmax())
    for row in (0, 1, gap, len(patients) - 1):
        _, out = predict(patients.iloc[[row]])
        same(pd.read_csv(out), scored, [row])


def test_typed_files_get_the_same_scores(predict, patients, scored):
    typed = patients.assign(visit=pd.to_datetime(patients["visit"]))
    _, out = predict(typed, "new.parquet", "scored.parquet")
    same(pd.read_parquet(out), scored)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_every_format_can_be_written(predict, patients, scored, ending):
    _, out = predict(patients, out=f"scored.{ending}")
    readers = {"parquet": pd.read_parquet, "arrow": pd.read_feather}
    found = readers.get(ending, lambda path: pd.read_csv(path, sep=None, engine="python"))(out)
    assert found["decision"].tolist() == scored["decision"].tolist()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_are_kept_stand_behind_the_scores_as_they_are_written(
    predict, patients, ending
):
    new = patients.assign(rank="007", code=["00731", "NA"] * 300)
    _, out = predict(new, out=f"scored.{ending}", more=("--keep", "code", "--keep", "rank"))
    read = {"parquet": pd.read_parquet}.get(ending, partial(pd.read_csv, dtype=str, na_filter=0))
    found = read(out)
    names = ["patient", "score", "posterior", "decision", "rank", "code", "original_rank"]
    assert found.columns.tolist() == names
    assert found["code"].tolist() == new["code"].tolist()
    assert set(found["original_rank"]) == {"007"}
    _, out = predict(new.drop(columns="patient"), more=("--keep-all",))
    found = pd.read_csv(out, dtype=str)
    kept = [name if name != "rank" else "original_rank" for name in new.columns[1:]]
    assert found.columns.tolist() == ["row", *names[1:5], *kept]


def test_typed_columns_that_are_kept_keep_their_type(predict, patients):
    typed = patients.assign(visit=pd.to_datetime(patients["visit"]))
    _, out = predict(typed, "new.parquet", "scored.parquet", more=("--keep", "visit"))
    assert pd.read_parquet(out)["visit"].tolist() == typed["visit"].tolist()


def test_a_column_to_keep_that_is_not_there_is_refused(predict, patients):
    result, out = predict(patients, more=("--keep", "Wards"), code=2)
    assert "`--keep` must be a column of the table; got 'Wards'" in result.stderr
    assert not out.exists()


def test_what_is_different_is_named(predict, patients):
    changed = patients.assign(height=1.8).drop(columns=["patient", "treatment_date"])
    changed.loc[3, "ward"] = "77"
    changed.loc[[4, 5], "seen"] = "soon"
    result, out = predict(changed)
    _, *lines = result.stderr.splitlines()
    expected = [("'patient'",), ("'height'",), ("'ward'", "1 row", "'77'")]
    expected.append(("'seen'", "2 rows", "'soon'"))
    assert len(lines) == len(expected)
    for line, names_and_values in zip(lines, expected, strict=True):
        assert all(one in line for one in names_and_values), line
    assert pd.read_csv(out)["row"].tolist() == list(range(1, len(patients) + 1))


def test_numbers_far_outside_those_of_the_fit_are_told(predict, patients):
    new = patients.copy()
    new["age"] *= 12  # months
    result, _ = predict(new)
    assert "600 rows have values of 'age'" in result.stderr


def test_a_missing_column_and_a_wrong_type_are_refused(predict, patients, tmp_path):
    result, out = predict(patients.drop(columns="age"), code=2)
    assert "TABLE must have the columns of the fit; got new.csv without 'age'" in result.stderr
    changed = patients.astype({"age": object})
    changed.loc[7, "age"] = "old"
    result, out = predict(changed, code=2)
    assert "TABLE must have a number" in result.stderr
    assert "'age'" in result.stderr
    assert not out.exists()


def test_json_has_counts_and_remarks(predict, patients, scored):
    result, _ = predict(patients, more=("--json", "--quiet"))
    found = json.loads(result.stdout)
    assert (found["rows"], found["selected"]) == (600, scored["decision"].sum())
    seen, extra = found["remarks"]
    assert "fitted to" in seen
    assert "'treatment_date'" in extra
    assert result.stderr == ""


def test_output_that_cannot_be_written_gets_exit_code_3(run, fitted, table, tmp_path, monkeypatch):
    def refused(out):
        result = run("predict", fitted, table, "--out", out)
        assert result.exit_code == 3
        return result.stderr

    (tmp_path / "there.csv").write_text("mine")
    assert "there.csv, which exists" in refused(tmp_path / "there.csv")
    wrong = run("predict", fitted, table, "--out", tmp_path / "scored.xlsx")
    assert (wrong.exit_code, "must end in one of .csv, .tsv" in wrong.stderr) == (2, True)
    assert "`--out` must be in a folder" in refused(tmp_path / "no" / "scored.csv")

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_predict, "scored_writer", full)
    assert "could not be written (No space left on device)" in refused(tmp_path / "new.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["there.csv"]
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_a_file_that_another_command_writes_is_refused(run, fitted, table, tmp_path, monkeypatch):
    monkeypatch.setattr(_output, "only_writer", partial(only_writer, wait=0))
    out = tmp_path / "scored.csv"
    with only_writer(out):
        result = run("predict", fitted, table, "--out", out)
    assert result.exit_code == 3
    assert "scored.csv is being written by another command" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_something_else_than_a_model_is_refused(run, table, tmp_path):
    result = run("predict", tmp_path, table, "--out", tmp_path / "scored.csv")
    assert result.exit_code == 2
    assert "MODEL must be a folder with model.skops and model.json" in result.stderr
    (tmp_path / "model.skops").write_bytes(b"not a model")
    (tmp_path / "model.json").write_text("{}")
    result = run("predict", tmp_path, table, "--out", tmp_path / "scored.csv")
    assert result.exit_code == 2
    assert not (tmp_path / "scored.csv").exists()


@pytest.fixture(scope="module")
def summary(fitted):
    return json.loads((fitted / "summary.json").read_text())


@pytest.mark.parametrize(
    ("rows", "cut", "said"),
    [
        (1, "-1e9", "1 of 1 row is selected by "),
        (1, "1e9", "0 of 1 row is selected by "),
        (2, "1e9", "0 of 2 rows are selected by "),
    ],
)
def test_few_rows_are_told_in_good_english(predict, patients, rows, cut, said):
    result, _ = predict(patients.head(rows), more=("--cut", cut))
    assert said in result.stdout
    assert f"has {'the row' if rows == 1 else 'all 2 rows'}." in result.stdout


def test_a_cut_that_is_given_decides_and_the_output_says_so(predict, patients, scored):
    threshold = float(np.sort(scored["score"])[-100])
    result, out = predict(patients, more=("--cut", repr(threshold)))
    found = pd.read_csv(out)
    assert found["decision"].sum() == 99
    np.testing.assert_allclose(found["posterior"], scored["posterior"], rtol=0, atol=1e-12)
    assert f"99 of 600 rows are selected by the cut {threshold!r}, as given." in result.stdout
    result, out = predict(patients, more=("--cut", "original"))
    assert pd.read_csv(out)["decision"].tolist() == scored["decision"].tolist()
    assert "rows are selected by the cut of the fit." in result.stdout
    assert "Select those above" not in result.stderr


@pytest.mark.parametrize("rule", ["f1", "balanced_accuracy", "mcc"])
def test_a_rule_gives_the_cut_that_the_report_shows_for_it(
    predict, patients, fitted, summary, rule
):
    result, _ = predict(patients, more=("--rule", rule, "--json"))
    found = json.loads(result.stdout)
    (place,) = [one["index"] for one in summary["rules"] if one["name"] == rule]
    assert found["cut"] == {
        "name": f"the cut by {rule}",
        "threshold": summary["curve"]["threshold"][place],
    }
    held_out = pd.read_csv(fitted / "scored.csv")["score"]
    assert summary["curve"]["selected"][place] == (held_out > found["cut"]["threshold"]).sum()


def test_a_rule_with_a_number_finds_the_cut_that_satisfies_it(predict, patients, summary):
    result, _ = predict(patients, more=("--rule", "recall_at_least(0.9)", "--json"))
    threshold = json.loads(result.stdout)["cut"]["threshold"]
    curve = summary["curve"]
    place = curve["threshold"].index(threshold)
    assert curve["recall"][place] >= 0.9 > curve["recall"][place - 1]


AUDITED = {"format": 1, "rule": "f1", "threshold": 0.25, "posterior_line": [-1.0, 0.5]}


@pytest.fixture
def audited(fitted):
    """Write an `audited.json` into the fit, and take it away again."""
    path = fitted / "audited.json"

    def write(**changed):
        model = json.loads((fitted / "model.json").read_text())["sha256"]
        path.write_text(sealed(AUDITED | {"model": model} | changed))
        return path

    yield write
    path.unlink()


def test_the_audited_cut_brings_its_posterior(predict, patients, scored, audited):
    audited()
    result, out = predict(patients, more=("--cut", "audited"))
    found = pd.read_csv(out)
    assert found["decision"].tolist() == (scored["score"] > 0.25).astype(int).tolist()
    expected = 1 / (1 + np.exp(1.0 - 0.5 * scored["score"]))
    np.testing.assert_allclose(found["posterior"], expected, rtol=0, atol=1e-12)
    assert "rows are selected by the audited cut, by f1." in result.stdout
    assert "scored.csv: its scores are by fits" in result.stderr
    assert "Select those above 0.25." in result.stderr
    result, out = predict(patients)
    same(pd.read_csv(out), scored)
    assert "`--cut audited` uses it" in result.stderr
    result, out = predict(patients, more=("--cut", "original"))
    same(pd.read_csv(out), scored)
    assert "--cut audited" not in result.stderr


def test_an_audited_json_that_is_not_of_the_model_or_was_changed_is_refused(
    predict, patients, audited
):
    def refused():
        result, out = predict(patients, more=("--cut", "audited"), code=2)
        assert not out.exists()
        return result.stderr

    audited(model="0" * 64)
    assert "got one of another model" in refused()
    audited(format=2)
    assert "audited.json is damaged or was changed" in refused()
    path = audited()
    path.write_text(path.read_text().replace("0.25", "0.75"))
    assert "audited.json is damaged or was changed" in refused()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cut", "f1"), "`--cut` must be original, audited or a number; got 'f1'"),
        (("--cut", "nan"), "`--cut` must be original, audited or a number; got 'nan'"),
        (("--cut", "audited"), "`--cut audited` needs"),
        (("--rule", "best"), "`--rule` must be one of"),
        (("--rule", "share(2)"), "`--rule`"),
        (("--cut", "1", "--rule", "f1"), "`--cut` and `--rule` must not be given together"),
    ],
)
def test_a_wrong_cut_or_rule_is_refused(predict, patients, words, said):
    result, out = predict(patients, more=words, code=2)
    assert said in result.stderr
    assert not out.exists()


def test_a_rule_needs_the_summary(run, fitted, table, tmp_path):
    for name in ("model.skops", "model.json"):
        (tmp_path / name).write_bytes((fitted / name).read_bytes())
    words = ("predict", tmp_path / "model.skops", table, "--out", tmp_path / "new.csv")
    assert run(*words).exit_code == 0
    result = run(*words, "--force", "--rule", "f1")
    assert result.exit_code == 2
    assert "`--rule` needs the summary.json of the fit" in result.stderr


SEEN = ("fitted to", "too confidently", "unlabeled rows too low", "labeled rows too high")


def seen_before(result):
    """Whether the command says that these are the rows of the fit."""
    lines = [line for line in result.stderr.splitlines() if SEEN[0] in line]
    assert all(words in line for line in lines for words in SEEN)
    return len(lines) == 1


@pytest.mark.parametrize("words", [(), ("--method", "naive", "--rule", "f1")], ids=" ".join)
def test_the_rows_of_the_fit_are_recognized(run, patients, tmp_path, words):
    made = patients[["patient", "age", "sex", "bmi", "diagnosis"]]
    made.to_csv(tmp_path / "made.csv", index=False)
    fit = ("fit", tmp_path / "made.csv", "--label", "diagnosis", "--id", "patient", "--no-checks")
    folder = tmp_path / "fit"
    assert run(*fit, "--no-compare", "--quiet", *words, "--out", folder).exit_code == 0

    def predicted(frame, name, model=folder):
        frame.to_parquet(tmp_path / name) if "parquet" in name else frame.to_csv(tmp_path / name)
        out = ("--out", tmp_path / "scored.csv", "--force")
        return run("predict", model, tmp_path / name, *out)

    # The features count: neither the type of the file, nor the label, nor other columns do.
    result = predicted(made.drop(columns="diagnosis"), "new.parquet")
    assert seen_before(result)
    assert str(folder / "scored.csv") in result.stderr
    again = pd.read_csv(tmp_path / "scored.csv")
    of_fit = pd.read_csv(folder / "scored.csv")
    np.testing.assert_array_equal(of_fit["score"], of_fit["held_out_score"])
    assert (of_fit["score"] != again["score"]).mean() > 0.9
    labeled = of_fit["labeled"] == 1
    too_high = again["score"] - of_fit["score"]
    assert too_high[labeled].mean() > 0 > too_high[~labeled].mean()

    assert not seen_before(predicted(made.iloc[::-1], "new.csv"))
    assert not seen_before(predicted(made.iloc[1:], "new.csv"))
    changed = made.assign(age=made["age"].where(made.index != 7, 55.0))
    assert not seen_before(predicted(changed, "new.csv"))

    (tmp_path / "moved").mkdir()
    for name in ("model.skops", "model.json"):
        (tmp_path / "moved" / name).write_bytes((folder / name).read_bytes())
    result = predicted(made, "new.csv", tmp_path / "moved")
    assert seen_before(result)
    assert "scored.csv of the fit" in result.stderr


def test_rows_of_a_fit_without_held_out_scores_get_no_remark(run, patients, tmp_path):
    path, folder = tmp_path / "made.csv", tmp_path / "fit"
    patients[["age", "bmi", "diagnosis"]].to_csv(path, index=False)
    words = ("--label", "diagnosis", "--method", "naive", "--no-checks", "--no-compare", "--quiet")
    assert run("fit", path, *words, "--out", folder).exit_code == 0
    out = tmp_path / "scored.csv"
    assert not seen_before(run("predict", folder, path, "--out", out))
    np.testing.assert_array_equal(
        pd.read_csv(out)["score"], pd.read_csv(folder / "scored.csv")["score"]
    )


def test_a_new_table_is_read_as_the_table_of_the_fit(run, patients, tmp_path):
    made = patients[["age", "ward", "diagnosis"]].copy()
    made["age"] = made["age"].where(made.index % 7 > 0, -999)
    made["diagnosis"] = made["diagnosis"].mask(made.index % 5 == 0, "Y")
    made.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "fit"
    asked = ("--label", "diagnosis", "--missing", "-999", "--method", "naive", "--out", out)
    asked = (*asked, "--no-checks", "--no-compare")
    fitted = run("fit", tmp_path / "t.csv", *asked)
    assert fitted.exit_code == 0, fitted.stderr
    card = json.loads((out / "model.json").read_text())
    assert card["reading"]["missing"] == ["-999"]
    assert card["columns"]["ward"] == "category"
    assert set(card["positives"]) == {"yes", "Y"}
    made.assign(age=made["age"].where(made["age"] > 0)).to_csv(tmp_path / "blank.csv", index=False)
    for name in ("t", "blank"):
        result = run("predict", out, tmp_path / f"{name}.csv", "--out", tmp_path / f"{name}-p.csv")
        assert result.exit_code == 0, result.stderr
    assert (tmp_path / "t-p.csv").read_bytes() == (tmp_path / "blank-p.csv").read_bytes()


def test_swapped_arguments_and_other_files_are_named(run, fitted, table, tmp_path):
    result = run("predict", table, fitted, "--out", tmp_path / "p.csv")
    assert result.exit_code == 2
    assert "swap them" in result.stderr
    result = run("predict", table, fitted / "model.skops", "--out", tmp_path / "p.csv")
    assert "swap them" in result.stderr
    (tmp_path / "model.joblib").write_bytes(zlib.compress(pickle.dumps({})))
    result = run("predict", tmp_path / "model.joblib", table, "--out", tmp_path / "p.csv")
    assert result.exit_code == 2
    assert "which is a pickle. It could run any code" in result.stderr
