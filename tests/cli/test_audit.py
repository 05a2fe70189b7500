"""`unlabeled audit` as somebody with a fit runs it: draw, check, read the answers."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import shutil
from functools import partial

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv as pa_csv

from unlabeled.app.run import _audit_answers
from unlabeled.app.run._audit_files import cells_of
from unlabeled.audit import Audit
from unlabeled.cli import _audit, _output
from unlabeled.cli._audit import _expectation
from unlabeled.engine.files import only_writer

from .conftest import QUICK

N = 1200
TEXTS = ["=1+1", "@home", "-", "-3.5", "Grüße", '<b>"x"</b>, y', "two\nlines"]


@pytest.fixture(scope="module")
def sites():
    """Labels follow the posterior, so labels alone say too few; the truth is known."""
    rng = np.random.default_rng(5)
    made = pd.DataFrame(rng.normal(size=(N, 3)).round(3), columns=["area", "depth", "ph"])
    chance = 1 / (1 + np.exp(0.8 - 1.2 * made["area"] - made["depth"]))
    truth = rng.random(N) < chance
    seen = truth & (rng.random(N) < 0.7 * chance)
    made.insert(0, "site", [f"S{k:04d}" for k in range(N)])
    made["notes"] = rng.choice(TEXTS, N)
    made["truth"] = rng.integers(0, 3, N)  # a column of theirs, named like ours
    made["built"] = pd.Timestamp("2001-02-03")
    made["visits"] = np.where(rng.random(N) < 0.1, np.nan, rng.integers(0, 9, N))
    made["bittern"] = np.where(seen, "seen", None)
    return made, pd.Series(truth.to_numpy(), index=made["site"])


@pytest.fixture(scope="module")
def table(sites, tmp_path_factory):
    path = tmp_path_factory.mktemp("sites") / "sites.csv"
    sites[0].to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def fitted_sites(run, table, tmp_path_factory):
    out = tmp_path_factory.mktemp("fits") / "marsh"
    words = ("--label", "bittern", "--id", "site", "--drop", "notes", "--out", out, *QUICK)
    assert run("fit", table, *words).exit_code == 0
    return out


@pytest.fixture
def marsh(fitted_sites, tmp_path):
    """A fit of one's own, which an audit may change."""
    return shutil.copytree(fitted_sites, tmp_path / "marsh")


@pytest.fixture
def draw(run, marsh, table, tmp_path):
    def drawn(name="check", *words, seed=1, of=None):
        out = tmp_path / name
        given = ("--table", of or table, "--out", out, "--seed", seed)
        result = run("audit", marsh, *given, *words)
        assert result.exit_code == 0, result.stderr
        return out

    return drawn


def read_check(folder):
    with (folder / "check.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def answers_of(folder, truth, words=("no", "yes"), skip=0):
    """Return key and answer of every drawn row; the first `skip` are not sure."""
    header, *lines = read_check(folder)
    assert header[:2] == ["key", "site"]
    return [
        (line[0], "not sure" if k < skip else words[int(truth[line[1]])])
        for k, line in enumerate(lines)
    ]


def save(path, answers, header=("key", "truth"), delimiter=",", encoding="utf-8"):
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(header)
        writer.writerows(answers)
    return path


def files_in(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_swapped_answers_and_a_cut_that_selects_every_row_are_said(run, marsh, draw, sites):
    out = draw("check", "--rows", 200)
    answers = save(out / "answers.csv", answers_of(out, sites[1], words=("yes", "no")))
    result = run("audit", marsh, "--answers", answers)
    assert (
        "Warning (PU124): The checked rows that are positive score clearly below" in result.stdout
    )
    assert "Warning (PU110): The audited cut, by the rule f1, predicts every row" in result.stdout
    assert f"it selects all {N // 1000} {N % 1000} rows instead of" in result.stdout
    assert result.stderr == ""
    said = [
        one["code"] for one in json.loads((marsh / "summary.json").read_text())["audit"]["warnings"]
    ]
    assert said == ["PU124", "PU110"]
    assert "yes and no may be swapped" in (marsh / "report.html").read_text("utf-8")
    save(answers, answers_of(out, sites[1]))
    assert "PU124" not in run("audit", marsh, "--answers", answers).stdout


# The first run.


def test_check_has_three_files_and_shows_no_score_no_label_and_no_order(draw, sites, table):
    out = draw("check", "--rows", 60)
    assert sorted(os.listdir(out)) == ["audit.json", "check.csv", "check.html"]
    header, *lines = read_check(out)
    wanted = ["site", "area", "depth", "ph", "notes", "truth (table)", "built", "visits"]
    assert header == ["key", *wanted, "truth"]
    assert len(lines) == 60
    assert {line[-1] for line in lines} == {""}
    frame = sites[0].set_index("site")
    drawn = frame.loc[[line[1] for line in lines]]
    assert drawn["bittern"].isna().all()
    assert [float(line[2]) for line in lines] == drawn["area"].tolist()
    assert {line[7] for line in lines} == {"2001-02-03"}
    assert {line[8] for line in lines} <= {"", *map(str, range(9))}
    positions = [list(frame.index).index(line[1]) for line in lines]
    assert positions != sorted(positions)
    page = (out / "check.html").read_text("utf-8")
    for name in ("score", "posterior", "rank", "stratum"):
        assert name not in ",".join(header)
        assert f'"{name}"' not in page
    assert lines[0][1] in page


def test_a_fit_to_checked_rows_hides_their_answers_and_is_not_called_labels_alone(
    run, sites, tmp_path
):
    frame, truth = sites
    table, fit, out = (tmp_path / name for name in ("seen.csv", "fit", "check"))
    looked = np.where(np.arange(N) % 10 == 0, np.where(truth, "yes", "no"), None)
    looked = np.where(frame["bittern"] == "seen", None, looked)
    frame[["site", "area", "depth", "bittern"]].assign(looked=looked).to_csv(table, index=False)
    words = ("--label", "bittern", "--id", "site", "--checked", "looked", "--out", fit, *QUICK)
    said = run("fit", table, *words).stdout
    assert "Labels alone said a class prior" in said
    assert run("audit", fit, "--table", table, "--out", out, "--rows", 60).exit_code == 0
    assert read_check(out)[0] == ["key", "site", "area", "depth", "truth"]
    assert "looked" not in (out / "check.html").read_text("utf-8")
    answers = save(out / "answers.csv", answers_of(out, truth))
    said = run("audit", fit, "--answers", answers).stdout
    assert re.search(r"^ +the fit  checked rows ", said, flags=re.MULTILINE)
    assert "The fit claimed about" in said
    page = (fit / "report.html").read_text("utf-8")
    assert "about the fit, except for the" in page
    rest = page.partition("</style>")[2]
    for of_the_fit in ("Labels alone said a class prior", "more probable than by labels alone"):
        assert of_the_fit in rest
        rest = rest.replace(of_the_fit, "")
    assert "abels alone" not in said + rest


def test_cells_are_safe_in_a_spreadsheet_and_keys_survive_it(draw):
    _, *lines = read_check(draw("check", "--rows", 200))
    notes = {line[5] for line in lines}
    assert notes == {"'=1+1", "'@home", "'-", "-3.5", "Grüße", '<b>"x"</b>, y', "two\nlines"}
    keys = [line[0] for line in lines]
    assert len(set(keys)) == 200
    letters, _, number = keys[0].partition("-")
    assert letters.isalpha()
    assert not set(letters) & set("aeiouy")  # no word, no month, no exponent
    assert (number, keys[-1]) == ("001", f"{letters}-200")


def test_a_missing_cell_of_true_and_false_is_blank():
    frame = pd.DataFrame({"insured": pd.array([True, None, False], "boolean")})
    assert cells_of(frame) == [["true"], [""], ["false"]]


def test_the_design_is_in_check_and_in_the_fit_and_uses_held_out_scores(draw, marsh):
    out = draw()
    entry = json.loads((out / "audit.json").read_text())
    (copy,) = json.loads((marsh / "audits.json").read_text())["drawn"].values()
    assert {name: entry[name] for name in copy} == copy
    audit = Audit.from_dict(entry["audit"])
    scored = pa_csv.read_csv(marsh / "scored.csv")  # to the last bit, which pandas 2.2 does not
    held_out = scored["held_out_score"].to_numpy()
    np.testing.assert_array_equal(audit.score, held_out[audit.rows])
    assert entry["audit"]["held_out"]
    assert entry["table"]["fitted"]
    assert entry["made"]["seed"] == 1


def test_it_says_what_to_do_next_and_how_long_intervals_will_be(run, marsh, table, tmp_path):
    out = tmp_path / "check"
    result = run("audit", marsh, "--table", table, "--out", out)
    assert f"Run `unlabeled audit {marsh} --answers {out}`" in result.stdout
    assert re.search(r"100 of the 1 \d+ unlabeled rows of .*csv were drawn\.", result.stdout)
    lines = result.stdout.splitlines()
    sizes = [line.split()[0] for line in lines[-3:]]
    assert sizes == ["50", "100", "200"]
    assert lines[-4].split() == ["checked", "rows", "positives", "precision", "recall", "F1"]


def test_the_help_has_the_fewest_rows_that_can_be_drawn(run):
    assert "at least 10" in " ".join(run("audit", "--help").stdout.split())


def test_without_a_seed_two_draws_differ_and_with_one_they_agree(run, marsh, table, tmp_path):
    for name, words in (("a", ()), ("b", ()), ("c", ("--seed", 7)), ("d", ("--seed", 7))):
        words = ("--table", table, "--out", tmp_path / name, "--rows", 20, *words)
        assert run("audit", marsh, *words).exit_code == 0
        (marsh / "audits.json").unlink()  # the command does not draw the same rows twice
    sites_of = {name: [line[1] for line in read_check(tmp_path / name)] for name in "abcd"}
    assert sites_of["a"] != sites_of["b"]
    assert sites_of["c"] == sites_of["d"]


def test_json_of_a_draw(run, marsh, table, tmp_path):
    words = ("--table", table, "--out", tmp_path / "check", "--json", "--quiet")
    result = run("audit", marsh, *words)
    found = json.loads(result.stdout)
    assert (found["rows"], found["table"]["rows"], result.stderr) == (100, N, "")
    assert {one["size"] for one in found["expected_lengths"]} == {50, 100, 200}


def test_labeled_rows_can_be_drawn_as_well(draw, sites):
    lines = read_check(draw("check", "--rows", 30, "--labeled-rows", 12))[1:]
    labeled = sites[0].set_index("site").loc[[line[1] for line in lines], "bittern"].notna()
    assert (len(lines), labeled.sum()) == (42, 12)


@pytest.mark.parametrize("dropped", [True, False])
def test_the_check_page_never_has_a_column_that_gives_the_label_away(run, sites, tmp_path, dropped):
    """The column was left out of the fit, or a check warned of it; new rows have no label."""
    frame, _ = sites
    seen = frame["bittern"].notna()
    frame = frame[["site", "area", "depth", "bittern", "notes"]].assign(
        ringed=np.where(seen, [f"2024-05-{1 + k % 28:02d}" for k in range(N)], None)
    )
    table, new, fit = (tmp_path / name for name in ("birds.csv", "new.csv", "fit"))
    frame.to_csv(table, index=False)
    frame.drop(columns="bittern").assign(area=frame["area"] + 0.5).to_csv(new, index=False)
    drop = ("notes", "ringed") if dropped else ("notes",)
    words = [word for name in drop for word in ("--drop", name)]
    checks = (*QUICK, "--method", "naive") if dropped else QUICK[1:]
    run("fit", table, "--label", "bittern", "--id", "site", "--out", fit, *words, *checks)
    for of, labeled in ((table, 12), (new, 0)):
        out = tmp_path / f"check-{of.stem}"
        given = ("--table", of, "--out", out, "--rows", 30, "--labeled-rows", labeled)
        result = run("audit", fit, *given)
        assert result.exit_code == 0, result.stderr
        assert read_check(out)[0] == ["key", "site", "area", "depth", "notes", "truth"]
        for name in ("check.html", "check.csv"):
            text = (out / name).read_text("utf-8-sig")
            assert "ringed" not in text
            assert "2024-05" not in text
        said = "because it gives the label away: 'ringed'."
        assert said in result.stderr


# The second run.


def test_checked_labels_give_the_share_that_is_wrong(run, draw, marsh, sites):
    """One of four labels is called wrong; terminal, summary and report say so."""
    out = draw("check", "--rows", 30, "--labeled-rows", 60)
    labeled = sites[0].set_index("site")["bittern"].notna()
    truth = sites[1] & ~(labeled & (np.arange(N) % 4 == 0))
    save(out / "answers.csv", answers_of(out, truth))
    said = run("audit", marsh, "--answers", out).stdout
    found = json.loads((marsh / "summary.json").read_text())["audit"]["wrong_labels"]
    share = 1 - truth[labeled].mean()
    assert found["lower"] <= share <= found["upper"]
    assert f"Of the {labeled.sum()} labels, {found['estimate']:.0%} are wrong (" in said
    assert "by 60 labeled rows that were checked." in said
    page = " ".join((marsh / "report.html").read_text("utf-8").replace("\u202f", " ").split())
    assert f"Of the {labeled.sum()} labels," in page
    assert "They assume that the answers are right.</p>" in page  # not that the labels are
    assert "that were checked." in page


@pytest.mark.parametrize("n_yes", [0, 1, 2])
def test_with_fewer_than_two_missed_positives_the_cut_stays(run, draw, marsh, sites, n_yes):
    out = draw("check", "--rows", 40)
    before = json.loads((marsh / "summary.json").read_text())["cut"]["selected"]
    answers = answers_of(out, sites[1], words=("no", "no"))
    (marked,) = [json.loads((out / "audit.json").read_text())["audit"]["score"]]
    best = np.argsort(marked)[::-1][:n_yes]
    save(out / "answers.csv", [(key, "yes" if k in best else word)
                               for k, (key, word) in enumerate(answers)])  # fmt: skip
    said = run("audit", marsh, "--answers", out).stdout
    audit = json.loads((marsh / "summary.json").read_text())["audit"]
    page = (marsh / "report.html").read_text("utf-8")
    assert audit["cut"]["kept"] == (n_yes < 2)
    if n_yes == 2:
        assert "PU132" not in said
        assert "The audited cut, by f1:" in said
        return
    assert f"Warning (PU132): {['None', 'Only one'][n_yes]} of the checked unlabeled rows" in said
    assert "The audited cut, which is that of the fit: precision" in said
    assert "a little too good" not in said + page
    assert audit["cut"]["selected"] == before
    assert "It is the cut of the fit." in page
    assert "PU132" in page


def test_an_estimate_at_the_end_of_its_interval_is_explained(run, draw, marsh, sites):
    """In the terminal, the summary and the report: no checked row is positive."""
    out = draw("check", "--rows", 40)
    save(out / "answers.csv", answers_of(out, sites[1], words=("no", "no")))
    said = run("audit", marsh, "--answers", out).stdout
    audit = json.loads((marsh / "summary.json").read_text())["audit"]
    assert audit["count"]["estimate"] == audit["count"]["lower"]
    (why,) = audit["ends"]
    assert why.startswith("No checked row is positive, so the number of positives, ")
    assert why in said
    assert "No checked row is positive, so the number" in (marsh / "report.html").read_text()


def test_the_numbers_hold_the_truth_and_the_report_and_the_summary_have_them(
    run, draw, marsh, sites
):
    before = files_in(marsh)
    out = draw("check", "--rows", 150)
    save(out / "answers.csv", answers_of(out, sites[1], skip=3))
    result = run("audit", marsh, "--answers", out)
    assert result.exit_code == 0, result.stderr
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    truth = sites[1]
    assert (found["checked"], found["missing"]) == (147, 3)
    assert found["count"]["lower"] <= truth.sum() <= found["count"]["upper"]
    scored = pd.read_csv(marsh / "scored.csv").set_index("site")
    selected = scored["decision"] == 1
    assert found["precision"]["lower"] <= truth[selected].mean() <= found["precision"]["upper"]
    assert found["recall"]["lower"] <= selected[truth].mean() <= found["recall"]["upper"]
    assert found["claimed"]["count"] == pytest.approx(
        json.loads(before["summary.json"])["positives"]["estimate"]
    )
    assert found["range"]["count"]["lower"] <= found["count"]["lower"]
    assert found["scar"]["sentence"] in result.stdout
    assert found["verdict"] in result.stdout
    assert "147 rows were checked. 3 drawn rows have no answer." in result.stdout
    assert "--cut audited" in result.stdout
    assert 'id="audit"' in (marsh / "report.html").read_text()
    after = files_in(marsh)
    for name in ("model.skops", "model.json", "scored.csv"):
        assert after[name] == before[name]
    assert set(after) - set(before) == {"audited.csv", "audited.json", "audits.json"}


def test_a_mostly_blank_file_claims_no_more_than_holds_whatever_the_blanks_are(
    run, draw, marsh, sites, tmp_path
):
    answers = answers_of(draw(), sites[1])
    found = {word: [one for one in answers if one[1] == word] for word in ("yes", "no")}
    given = save(tmp_path / "given.csv", [*found["yes"][:15], *found["no"][:5]])
    result = run("audit", marsh, "--answers", given)
    assert result.exit_code == 0, result.stderr
    record = json.loads((marsh / "summary.json").read_text())["audit"]
    assert (record["checked"], record["missing"]) == (20, 80)
    wide, alike = (
        f"{round(one['lower'])} to {round(one['upper'])}"
        for one in (record["range"]["count"], record["count"])
    )
    said = result.stdout.replace("\u202f", " ").replace(" ", "")
    assert said.count(wide.replace(" ", "")) == 2  # the table and the verdict
    assert said.count(alike.replace(" ", "")) == 1  # with its condition
    assert record["range"]["count"]["lower"] <= sites[1].sum() <= record["range"]["count"]["upper"]
    cut = record["cut"]
    for name in ("precision", "recall", "f1"):
        ends = cut["range"][name]
        assert ends["lower"] < cut[name]["estimate"] == ends["estimate"] < ends["upper"]
        assert f"({ends['lower']:.2f} to {ends['upper']:.2f})" in result.stdout
    assert "takes rows without an answer to be like the others" in result.stdout


# The rows of the fit by the audited cut.


def test_the_rows_of_the_fit_are_listed_by_the_audited_cut_with_the_answers(
    run, draw, marsh, sites, table, tmp_path
):
    out = draw("check", "--rows", 80)
    answers = answers_of(out, sites[1], skip=3)
    save(out / "answers.csv", answers)
    result = run("audit", marsh, "--answers", out)
    assert str(marsh / "audited.csv") in result.stdout
    listed, scored = (pd.read_csv(marsh / f"{name}.csv") for name in ("audited", "scored"))
    names = ["site", "row", "labeled", "score", "posterior", "selected", "answer"]
    assert listed.columns.tolist() == names
    for name in ("site", "labeled", "score"):
        assert listed[name].tolist() == scored[name].tolist()
    assert listed["row"].tolist() == list(range(1, N + 1))
    cut = json.loads((marsh / "summary.json").read_text())["audit"]["cut"]
    assert listed["selected"].tolist() == (scored["score"] > cut["threshold"]).astype(int).tolist()
    assert (listed["selected"].sum(), cut["selected"]) == (cut["selected"],) * 2
    unlabeled = listed["selected"][listed["labeled"] == 0].sum()
    assert (unlabeled, cut["selected_unlabeled"]) == (cut["selected_unlabeled"],) * 2
    a, b = cut["posterior_line"]
    np.testing.assert_allclose(listed["posterior"], 1 / (1 + np.exp(-a - b * listed["score"])))
    site_of = {line[0]: line[1] for line in read_check(out)[1:]}
    expected = {site_of[key]: word for key, word in answers if word != "not sure"}
    assert listed.set_index("site")["answer"].dropna().to_dict() == expected
    assert len(expected) == 77
    told = run("predict", marsh, table, "--cut", "audited", "--out", tmp_path / "p.csv").stderr
    assert f"For these rows use {marsh / 'audited.csv'}: it has them by the audited cut" in told


def test_of_pooled_audits_every_answer_is_in_the_list_and_an_earlier_list_is_replaced(
    run, draw, marsh, sites
):
    for name, seed in (("first", 1), ("second", 2)):
        out = draw(name, "--rows", 60, seed=seed)
        save(out / "answers.csv", answers_of(out, sites[1]))
        assert run("audit", marsh, "--answers", out).exit_code == 0
    designs = json.loads((marsh / "audits.json").read_text())["drawn"].values()
    drawn = {row + 1 for one in designs for row in one["audit"]["rows"]}
    listed = pd.read_csv(marsh / "audited.csv")
    answered = listed[listed["answer"].notna()]
    assert set(answered["row"]) == drawn
    truth = sites[1][answered["site"]].map({True: "yes", False: "no"})
    assert answered["answer"].tolist() == truth.tolist()


def test_rows_without_an_id_are_numbered_and_odd_ids_stay_as_they_are(run, sites, tmp_path):
    made = sites[0].drop(columns="notes").assign(row=[f"{k:04d}" for k in range(N)])
    made.loc[3, "row"] = None
    made.to_csv(tmp_path / "t.csv", index=False)
    for name, words in (("by_row", ("--id", "row", "--drop", "site")), ("none", ("--drop", "row"))):
        fit, out = tmp_path / name, tmp_path / f"check-{name}"
        how = ("--label", "bittern", "--method", "naive", "--out", fit, *QUICK)
        assert run("fit", tmp_path / "t.csv", *how, *words).exit_code == 0
        given = ("--table", tmp_path / "t.csv", "--rows", 20, "--out", out, "--seed", 1)
        assert run("audit", fit, *given).exit_code == 0
        keys = [line[0] for line in read_check(out)[1:]]
        save(out / "answers.csv", [(key, ("no", "yes")[k % 2]) for k, key in enumerate(keys)])
        assert run("audit", fit, "--answers", out).exit_code == 0
    listed = pd.read_csv(tmp_path / "by_row" / "audited.csv", dtype=str)
    assert listed.columns.tolist()[:2] == ["id", "row"]
    assert listed["id"][:5].tolist()[:3] == ["0000", "0001", "0002"]
    assert listed["id"].isna().tolist() == [k == 3 for k in range(N)]
    listed = pd.read_csv(tmp_path / "none" / "audited.csv")
    assert listed.columns.tolist()[:2] == ["row", "labeled"]
    assert listed["row"].tolist() == list(range(1, N + 1))


def test_kept_columns_are_in_the_list_as_they_are_written(run, sites, tmp_path):
    made = sites[0].drop(columns="notes").assign(plot=[f"{k:04d}" for k in range(N)])
    made["answer"], made["remark"] = "maybe", "reed, tall\nand wet"
    made.loc[3, "plot"] = None
    made.to_csv(tmp_path / "t.csv", index=False)
    fit, out = tmp_path / "fit", tmp_path / "check"
    how = ("--label", "bittern", "--id", "site", "--method", "naive", "--out", fit, *QUICK)
    how += ("--drop", "plot", "--drop", "answer", "--drop", "remark")
    kept = ("--keep", "plot", "--keep", "answer", "--keep", "remark")
    assert run("fit", tmp_path / "t.csv", *how, *kept).exit_code == 0
    given = ("--table", tmp_path / "t.csv", "--rows", 20, "--out", out, "--seed", 1)
    assert run("audit", fit, *given).exit_code == 0
    save(out / "answers.csv", answers_of(out, sites[1]))
    assert run("audit", fit, "--answers", out).exit_code == 0
    listed = pd.read_csv(fit / "audited.csv", dtype=str)
    assert listed.columns.tolist()[-4:] == ["answer", "plot", "original_answer", "remark"]
    assert listed["plot"].fillna("").tolist() == made["plot"].fillna("").tolist()
    assert set(listed["original_answer"]) == {"maybe"}
    assert set(listed["remark"]) == {"reed, tall\nand wet"}
    assert listed["answer"].notna().sum() == 20
    scored = pd.read_csv(fit / "scored.csv", dtype=str)
    for changed in (
        scored.drop(columns="because"),
        scored.sort_values("score"),
        pd.concat([scored, scored["score"]], axis=1),
        pd.concat([scored, scored["plot"]], axis=1),
    ):
        changed.to_csv(fit / "scored.csv", index=False)
        result = run("audit", fit, "--answers", out)
        assert result.exit_code == 0
        assert "audited.csv was not written" in result.stdout
        assert not (fit / "audited.csv").exists()


def test_no_list_of_an_earlier_cut_stays_and_it_says_why_there_is_none(
    run, draw, marsh, sites, tmp_path
):
    out = draw()
    save(out / "answers.csv", answers_of(out, sites[1]))
    assert run("audit", marsh, "--answers", out).exit_code == 0
    assert (marsh / "audited.csv").exists()
    new = tmp_path / "new.csv"
    sites[0].drop(columns="bittern").iloc[:400].to_csv(new, index=False)
    fresh = draw("fresh", "--rows", 50, of=new)
    save(fresh / "answers.csv", answers_of(fresh, sites[1]))
    result = run("audit", marsh, "--answers", fresh, "--force")
    assert "audited.csv was not written: the checked rows are not those" in result.stdout
    assert f"unlabeled predict {marsh} new.csv --out FILE --cut audited" in result.stdout
    assert not (marsh / "audited.csv").exists()
    assert json.loads((marsh / "summary.json").read_text())["audit"]["file"] is None
    (marsh / "scored.csv").unlink()
    result = run("audit", marsh, "--answers", out, "--force")
    assert "scored.csv is missing or was changed" in result.stdout
    assert not (marsh / "audited.csv").exists()


def test_the_audited_cut_is_used_by_predict(run, draw, marsh, sites, table, tmp_path):
    out = draw()
    save(out / "answers.csv", answers_of(out, sites[1]))
    read = run("audit", marsh, "--answers", out, "--rule", "balanced_accuracy")
    assert read.exit_code == 0, read.stderr
    assert "its numbers are a little too good" in read.stdout
    cut = json.loads((marsh / "summary.json").read_text())["audit"]["cut"]
    assert cut["rule"] == "balanced_accuracy"
    scored = tmp_path / "scored.csv"
    result = run("predict", marsh, table, "--cut", "audited", "--out", scored)
    assert "by the audited cut, by balanced_accuracy" in result.stdout
    found = pd.read_csv(scored)
    np.testing.assert_array_equal(found["decision"], found["score"] > cut["threshold"])
    held_out = pd.read_csv(marsh / "scored.csv")["held_out_score"]
    assert (held_out > cut["threshold"]).sum() == cut["selected"]
    a, b = cut["posterior_line"]
    np.testing.assert_allclose(found["posterior"], 1 / (1 + np.exp(-a - b * found["score"])))


@pytest.mark.parametrize(
    ("words", "how"),
    [
        (("no", "yes"), {}),
        (("0", "1"), {"delimiter": ";", "encoding": "utf-8-sig"}),
        (("FALSE", "TRUE"), {"delimiter": "\t", "encoding": "utf-16"}),
        (("N", " Y "), {"delimiter": ";", "encoding": "cp1252"}),
        (("No", "Yes"), {"header": ("KEY", "Truth")}),
    ],
)
def test_a_file_that_a_spreadsheet_has_saved_gives_the_same_numbers(
    run, draw, marsh, sites, tmp_path, words, how
):
    out = draw()
    answers = answers_of(out, sites[1], words)
    save(out / "check.csv", answers_of(out, sites[1]))
    assert run("audit", marsh, "--answers", out).exit_code == 0
    expected = json.loads((marsh / "summary.json").read_text())["audit"]
    rng = np.random.default_rng(0)
    answers = [(f" {answers[k][0].upper()}", answers[k][1]) for k in rng.permutation(len(answers))]
    path = tmp_path / "from a spreadsheet.csv"
    header = how.pop("header", ("key", "truth"))
    if how.get("encoding") == "cp1252":
        answers = [(key, "Größe", word, "") for key, word in answers] + [("", "", "", "")]
        header = ("key", "notes", "truth", "mine")
    save(path, answers, header, **how)
    result = run("audit", marsh, "--answers", path)
    assert result.exit_code == 0, result.stderr
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    assert found | {"at": ""} == expected | {"at": ""}


def test_a_line_that_names_the_separator_is_skipped(run, draw, marsh, sites, tmp_path):
    out = draw()
    path = save(tmp_path / "a.csv", answers_of(out, sites[1]), delimiter=";")
    path.write_bytes(b"sep=;\r\n" + path.read_bytes())
    assert run("audit", marsh, "--answers", path).exit_code == 0


def test_later_answers_to_the_same_rows_join_the_earlier_ones(run, draw, marsh, sites, tmp_path):
    lines = answers_of(draw(), sites[1])
    first = save(tmp_path / "first.csv", lines[:60])
    second = save(tmp_path / "second.csv", lines[50:])
    assert run("audit", marsh, "--answers", first).exit_code == 0
    result = run("audit", marsh, "--answers", second)
    assert "50 are kept, and 0 are replaced" in result.stderr
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    assert (found["checked"], found["audits"]) == (100, [lines[0][0][:5]])
    alone = run("audit", marsh, "--answers", second, "--force", "--json")
    assert json.loads(alone.stdout)["checked"] == 50
    both = run("audit", marsh, "--answers", first, "--answers", second, "--force", "--json")
    assert json.loads(both.stdout)["checked"] == 100


def test_a_changed_answer_replaces_the_earlier_one(run, draw, marsh, sites, tmp_path):
    out = draw()
    lines = answers_of(out, sites[1])
    assert run("audit", marsh, "--answers", save(tmp_path / "a.csv", lines)).exit_code == 0
    key, word = lines[0]
    changed = save(tmp_path / "b.csv", [(key, "no" if word == "yes" else "yes")])
    assert (
        "99 are kept, and 1 is replaced by another answer"
        in run("audit", marsh, "--answers", changed).stderr
    )


def test_the_same_seed_does_not_draw_the_same_rows_twice(run, draw, marsh, table, tmp_path):
    draw("first", seed=5)
    words = ("--table", table, "--seed", 5, "--out", tmp_path / "second")
    again = run("audit", marsh, *words)
    assert (again.exit_code, "has drawn these rows before" in again.stderr) == (2, True)
    assert not (tmp_path / "second").exists()


def test_marking_only_the_positives_is_refused(refused, checked):
    with (checked / "check.csv").open(encoding="utf-8", newline="") as file:
        _, *answers = csv.reader(file)
    save(checked / "check.csv", [(key, word if word == "yes" else "") for key, word in answers])
    refused("must say no for rows that are not positive", "--answers", checked)


def test_two_audits_of_one_table_are_pooled_or_the_second_replaces_the_first(
    run, draw, marsh, sites
):
    folders = [draw("first", seed=1), draw("second", "--rows", 60, seed=2)]
    for out in folders:
        save(out / "answers.csv", answers_of(out, sites[1]))
        result = run("audit", marsh, "--answers", out)
        assert result.exit_code == 0, result.stderr
    assert "The answers to 2 audits are pooled." in result.stdout
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    assert (found["checked"], len(found["audits"])) == (160, 2)
    assert found["count"]["lower"] <= sites[1].sum() <= found["count"]["upper"]
    assert run("audit", marsh, "--answers", folders[1], "--force").exit_code == 0
    alone = json.loads((marsh / "summary.json").read_text())["audit"]
    assert (alone["checked"], len(alone["audits"])) == (60, 1)


def test_new_rows_are_audited_on_their_own(run, draw, marsh, sites, tmp_path):
    new = tmp_path / "new.csv"
    sites[0].drop(columns="bittern").iloc[:400].to_csv(new, index=False)
    result = run("audit", marsh, "--table", new, "--out", tmp_path / "fresh", "--rows", 50)
    assert "TABLE is not the table of the fit" in result.stderr
    assert "not pooled with an audit of the fit's table" in result.stderr
    assert "pass sites.csv as it was fitted" in result.stderr
    assert "TABLE has no column 'bittern', so no row counts as labeled." in result.stderr
    out = tmp_path / "fresh"
    save(out / "answers.csv", answers_of(out, sites[1]))
    result = run("audit", marsh, "--answers", out)
    assert result.exit_code == 0, result.stderr
    assert "These numbers are about new.csv" in result.stdout
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    assert found["table"] == {"name": "new.csv", "rows": 400, "fitted": False}
    assert "not about the table of the fit" in (marsh / "report.html").read_text()
    of_fitted = draw()
    save(of_fitted / "answers.csv", answers_of(of_fitted, sites[1]))
    refused = run("audit", marsh, "--answers", of_fitted)
    assert (refused.exit_code, "an audit of another table" in refused.stderr) == (2, True)
    assert run("audit", marsh, "--answers", of_fitted, "--force").exit_code == 0


def test_without_held_out_scores_the_test_of_scar_is_not_made(run, draw, marsh, sites):
    lines = (marsh / "scored.csv").read_text().splitlines()
    (marsh / "scored.csv").write_text("\n".join(lines[:-1]))  # a row is lost
    out = draw("check", "--rows", 150)
    assert not json.loads((out / "audit.json").read_text())["audit"]["held_out"]
    (marsh / "scored.csv").unlink()
    save(out / "answers.csv", answers_of(out, sites[1]))
    result = run("audit", marsh, "--answers", out)
    assert result.exit_code == 0, result.stderr
    assert "at random was not tested" in result.stdout
    found = json.loads((marsh / "summary.json").read_text())["audit"]
    assert found["scar"] is None
    assert found["cut"]["selected"] is None


def test_a_report_with_rows_loses_them_and_it_says_so(run, draw, marsh, sites):
    assert run("report", marsh, "--include-rows").exit_code == 0
    out = draw()
    save(out / "answers.csv", answers_of(out, sites[1]))
    result = run("audit", marsh, "--answers", out)
    assert "The report shows no rows any more" in result.stderr
    assert "any more" not in run("audit", marsh, "--answers", out).stderr


def test_json_of_the_answers_is_what_the_summary_has(run, draw, marsh, sites):
    out = draw()
    save(out / "answers.csv", answers_of(out, sites[1]))
    said = run("audit", marsh, "--answers", out, "--json")
    assert json.loads(said.stdout) == json.loads((marsh / "summary.json").read_text())["audit"]
    assert run("audit", marsh, "--answers", out, "--quiet").output == ""


def test_the_report_is_made_again_with_the_section_and_a_new_fit_is_without(
    run, draw, marsh, sites, table
):
    out = draw()
    save(out / "answers.csv", answers_of(out, sites[1]))
    assert run("audit", marsh, "--answers", out).exit_code == 0
    page = (marsh / "report.html").read_bytes()
    assert run("report", marsh).exit_code == 0
    assert (marsh / "report.html").read_bytes() == page
    words = ("--label", "bittern", "--id", "site", "--drop", "notes", "--out", marsh, *QUICK)
    assert run("fit", table, *words, "--force").exit_code == 0
    assert not (marsh / "audited.json").exists()
    assert not (marsh / "audited.csv").exists()
    assert 'id="audit"' not in (marsh / "report.html").read_text()


# What cannot be used: one sentence, exit code 2, and nothing is written.


@pytest.fixture
def refused(run, marsh, tmp_path):
    def run_and_expect(said, *words, code=2):
        before, there = files_in(marsh), sorted(os.listdir(tmp_path))
        result = run("audit", marsh, *words)
        assert result.exit_code == code, result.output
        assert said in " ".join(result.stderr.split()), result.stderr
        assert "Traceback" not in result.stderr
        assert files_in(marsh) == before
        assert sorted(os.listdir(tmp_path)) == there

    return run_and_expect


@pytest.fixture
def checked(draw, sites):
    """A folder CHECK with good answers."""
    out = draw()
    save(out / "check.csv", answers_of(out, sites[1]))
    return out


def change(folder, *changes):
    """Replace the answers of some lines of `check.csv`, or add lines."""
    header, *lines = read_check(folder)
    for change_of in changes:
        lines = change_of(lines)
    save(folder / "check.csv", lines, header)


def test_answers_about_rows_that_were_not_drawn_are_refused(refused, checked):
    (key, _), *_ = read_check(checked)[1:]
    change(checked, lambda lines: [*lines, (f"{key[:5]}-999", "yes")])
    refused(f"rows that were drawn from DIR; got '{key[:5]}-999'", "--answers", checked)
    change(checked, lambda lines: [*lines[:-1], ("P0001", "yes")])
    refused("rows that were drawn from DIR; got 'p0001'", "--answers", checked)


def test_different_answers_for_one_row_are_refused_and_equal_ones_are_not(
    refused, run, marsh, checked
):
    (key, word), *_ = read_check(checked)[1:]
    change(checked, lambda lines: [*lines, (key, word), (key, "not sure")])
    assert run("audit", marsh, "--answers", checked).exit_code == 0
    change(checked, lambda lines: [*lines, (key, "no" if word == "yes" else "yes")])
    refused(f"one answer per row; got yes and no for '{key}'", "--answers", checked)


def test_the_page_and_the_spreadsheet_may_share_the_rows_but_not_differ(
    refused, run, marsh, draw, sites
):
    out = draw()
    answers = answers_of(out, sites[1])
    save(out / "check.csv", answers[:50])
    save(out / "answers.csv", answers[50:])
    assert run("audit", marsh, "--answers", out).exit_code == 0
    assert json.loads((marsh / "summary.json").read_text())["audit"]["checked"] == 100
    key, word = answers[0]
    save(out / "answers.csv", [(key, "no" if word == "yes" else "yes")])
    refused("one answer per row", "--answers", out)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("", "at least one yes or no; got only 'not sure' and blank cells"),
        ("not sure", "at least one yes or no; got only 'not sure' and blank cells"),
        ("perhaps", "must have yes, no or not sure in 'truth'; got 'perhaps'"),
        ("2", "must have yes, no or not sure in 'truth'; got '2'"),
    ],
)
def test_no_answer_and_other_words_are_refused(refused, checked, word, said):
    change(checked, lambda lines: [(key, word) for key, _ in lines])
    refused(said, "--answers", checked)


def test_all_wrong_words_are_named_at_once(refused, checked):
    odd = {1: "yess", 4: "nope"}
    change(checked, lambda rows: [(row[0], odd.get(k, row[-1])) for k, row in enumerate(rows)])
    refused("got 'yess' for ", "--answers", checked)
    refused(", 'nope' for ", "--answers", checked)


def test_a_fresh_check_has_no_answers(refused, draw):
    refused("at least one yes or no", "--answers", draw())


def test_an_answer_without_a_key_and_files_that_are_no_answers_are_refused(
    refused, checked, tmp_path
):
    change(checked, lambda lines: [("", "yes"), *lines])
    refused("a key for every answer", "--answers", checked)
    (tmp_path / "empty.csv").write_text("")
    refused("the columns 'key' and 'truth'", "--answers", tmp_path / "empty.csv")
    (tmp_path / "header.csv").write_text("key,truth\n")
    refused("rows with our keys; got none", "--answers", tmp_path / "header.csv")
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04")
    refused("which is a workbook. Save it as CSV", "--answers", tmp_path / "a.xlsx")
    refused("which does not exist", "--answers", tmp_path / "nowhere")
    refused("which has neither", "--answers", tmp_path / "marsh")


def test_another_table_is_refused(refused, checked, sites, tmp_path):
    other = tmp_path / "other.csv"
    sites[0].iloc[::-1].to_csv(other, index=False)
    refused("the table that the rows were drawn from", "--answers", checked, "--table", other)
    refused("does not exist", "--answers", checked, "--table", tmp_path / "no.csv")
    sites[0].drop(columns="area").to_csv(other, index=False)
    out = tmp_path / "new"
    refused("TABLE must have the columns of the fit", "--table", other, "--out", out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rows", 5000), "`--rows` must be a whole number from 10 to"),
        (("--rows", 3), "`--rows` must be a whole number from 10 to"),
        (("--labeled-rows", 5000), "`--labeled-rows` must be a whole number from 0 to"),
        (("--rows", "many"), "Invalid value for '--rows'"),
        (("--rule", "f1"), "`--rule` must go with `--answers`"),
        (("--force",), "`--force` must go with `--answers`"),
    ],
)
def test_wrong_options_of_the_draw_are_refused(refused, table, tmp_path, words, said):
    refused(said, "--table", table, "--out", tmp_path / "new", *words)


def test_options_of_one_run_are_refused_in_the_other(refused, checked, table, tmp_path):
    refused("`--rows` must not go with `--answers`", "--answers", checked, "--rows", 100)
    refused("`--out` and `--seed` must", "--answers", checked, "--out", "x", "--seed", 1)
    refused("needs `--table` and `--out` to draw rows, or `--answers`")
    refused("needs `--out` to draw", "--table", table)
    refused("`--rule` must be one of", "--answers", checked, "--rule", "best")
    refused("No threshold satisfies", "--answers", checked, "--rule", "precision_at_least(0.99999)")
    refused("which has other files in it", "--table", table, "--out", tmp_path, code=3)
    refused("which holds rows that were drawn", "--table", table, "--out", checked, code=3)


def test_a_folder_without_a_fit_is_refused(run, checked, table, tmp_path):
    for words in (("--answers", checked), ("--table", table, "--out", tmp_path / "new")):
        for folder in (tmp_path / "nowhere", tmp_path):
            result = run("audit", folder, *words)
            assert result.exit_code == 2
            assert "DIR must be" in result.stderr
    assert sorted(os.listdir(tmp_path)) == ["check", "marsh"]


def test_the_fit_may_be_the_folder_one_is_in(run, marsh, sites, table, tmp_path, monkeypatch):
    monkeypatch.chdir(marsh)
    drawn = run("audit", ".", "--table", table, "--out", tmp_path / "check")
    assert drawn.exit_code == 0, drawn.stderr
    answers = save(tmp_path / "answers.csv", answers_of(tmp_path / "check", sites[1]))
    read = run("audit", ".", "--answers", answers)
    assert read.exit_code == 0, read.stderr


def test_a_check_of_another_fit_is_refused(run, refused, checked, marsh, table, tmp_path):
    words = ("--label", "bittern", "--id", "site", "--drop", "notes", "--drop", "ph", *QUICK)
    assert run("fit", table, *words, "--out", marsh, "--force").exit_code == 0
    refused("drawn from another fit than the one in", "--answers", checked)
    refused("rows that were drawn from DIR", "--answers", checked / "check.csv")


@pytest.mark.parametrize("name", ["check/audit.json", "marsh/audits.json", "marsh/audited.json"])
@pytest.mark.parametrize("damage", ["half", "changed", "other"])
def test_a_damaged_file_is_refused(run, refused, marsh, checked, tmp_path, name, damage):
    assert run("audit", marsh, "--answers", checked).exit_code == 0
    path = tmp_path / name
    text = path.read_text()
    changed = {"half": text[: len(text) // 2], "other": "[]"}
    changed["changed"] = text.replace('"drawn": [', '"drawn": [1, ', 1)
    path.write_text(changed[damage])
    refused(f"{path.name} is damaged or was changed", "--answers", checked)


def test_ctrl_c_during_the_draw_leaves_nothing(marsh, table, tmp_path, stopped):
    before = files_in(marsh)
    stopped("Reading", "audit", marsh, "--table", table, "--out", tmp_path / "new")
    assert files_in(marsh) == before
    assert os.listdir(tmp_path) == ["marsh"]


def test_a_folder_that_another_command_writes_is_left_alone(
    refused, checked, marsh, table, tmp_path, monkeypatch
):
    monkeypatch.setattr(_output, "only_writer", partial(only_writer, wait=0))
    with only_writer(marsh):
        refused("marsh is being written by another command", "--answers", checked, code=3)
        words = ("--table", table, "--out", tmp_path / "new")
        refused("marsh is being written by another command", *words, code=3)


def test_a_fit_that_cannot_be_written_is_said_without_an_option_for_it(
    run, marsh, checked, monkeypatch
):
    def read_only(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(_output, "only_writer", read_only)
    result = run("audit", marsh, "--answers", checked)
    assert result.exit_code == 3
    assert "could not be written (Read-only file system)" in result.stderr
    assert "--out" not in result.stderr


def test_ctrl_c_leaves_everything_as_it_was(run, marsh, checked, table, tmp_path, monkeypatch):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    before = files_in(marsh)
    monkeypatch.setattr(_audit, "sealed", pressed)
    monkeypatch.setattr(_audit_answers, "sealed", pressed)
    for words in (("--answers", checked), ("--table", table, "--out", tmp_path / "new")):
        result = run("audit", marsh, *words)
        assert result.exit_code == 130
        assert "Stopped; nothing was written." in result.stderr
    assert files_in(marsh) == before
    assert sorted(os.listdir(tmp_path)) == ["check", "marsh"]


def test_columns_of_large_counts_stay_apart():
    lengths = [
        {"size": 50, "measure": "count", "shortest": 1_234_567.0, "longest": 12_345_678.0},
        {"size": 50, "measure": "precision", "shortest": 0.1, "longest": 0.2},
    ]
    _, head, row = _expectation(lengths)
    assert len(head) == len(row)
    assert row.split("  ")[-1].strip() == "0.10 to 0.20 wide"
    assert "50  1 234 567 to 12 345 678 wide" in row
