"""The page, figures and tables of an incomplete run: all there, escaped, numbers right."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from itertools import product

import numpy as np
import pandas as pd
import pytest

from reproduction.outcome import CLAIMS, write_outcome, write_outcome_from
from reproduction.outcome._judge import VERDICTS
from reproduction.studies.paper_plans import STUDIES
from reproduction.studies.records import Record, to_table, write_manifest
from reproduction.studies.store import write_part

EVIL = "<script>alert('x')</script> | & \"quoted\""
METHODS = [(m, "-") for m in ("oracle", "naive", "enhanced")]
METHODS += [(m, s) for m in ("joint", "mm", "en", "tice") for s in ("published", "converged")]
MANIFEST = {
    "package_version": "1.0",
    "studies": {"real": {"plan": {"repeats": 200}}},
    "datasets": {"adult": {"size": 9, "features": 57, "fraction": 0.24}},
    "runs": [
        {"command": f"python -m reproduction {EVIL}", "machine": {"cpus": 2}, "finished": None}
    ],
}


def records(study: str, sets: tuple[str, ...], cs: tuple[float, ...], repeats=4) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = [
        {
            "study": study,
            "dataset": name,
            "mechanism": "scar",
            "n": 2000,
            "c": c,
            "method": method,
            "setting": setting,
            "repeat": repeat,
            "f1": rng.random(),
            "balanced_accuracy": rng.random(),
            "angle": 10 * rng.random(),
            "label_frequency": math.nan,
            "class_prior": math.nan,
            "fit_seconds": 1 + rng.random(),
            "converged": method != "en",
            "warning_codes": "",
            "error": "",
        }
        for name, c, (method, setting), repeat in product(sets, cs, METHODS, range(repeats))
    ]
    return pd.DataFrame(rows)


def part_of_a_run() -> pd.DataFrame:
    """No robustness study; an unfinished repeat; failed fits, one with markup in its error."""
    real = records("real", ("musk", "adult"), (0.1, 0.5))
    real = real[~((real["repeat"] == 3) & (real["dataset"] == "adult"))]
    failed = (real["method"] == "tice") & (real["repeat"] == 0) & (real["dataset"] == "musk")
    real.loc[failed, ["f1", "balanced_accuracy", "angle"]] = math.nan
    real.loc[failed, "error"] = f"ValueError: {EVIL}"
    synthetic = records("synthetic", ("paper_gaussian",), (0.3, 0.6))
    return pd.concat([real, synthetic, records("timing", ("adult",), (0.5,))])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outcome")
    write_outcome_from(part_of_a_run(), MANIFEST, folder)
    return folder


@pytest.fixture(scope="module")
def page(folder) -> str:
    return (folder / "index.html").read_text("utf-8")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.found.append((tag, dict(attrs)))


def tags(page: str) -> list[tuple[str, dict[str, str]]]:
    parser = Tags()
    parser.feed(page)
    return parser.found


def test_the_page_loads_nothing_from_the_network(page):
    assert not re.search(r"https?://|//[a-z]+\.[a-z]|@import|url\(", page)
    for _, attributes in tags(page):
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "figures/"))


def test_what_comes_from_the_data_is_escaped(page, folder):
    assert "script" not in {tag for tag, _ in tags(page)}
    assert "&lt;script&gt;alert" in page
    markdown = (folder / "tables" / "fits.md").read_text("utf-8")
    assert "<script" not in markdown
    assert "\\| &amp;" in markdown


def test_every_figure_is_there_with_a_text(page, folder):
    images = [attributes for tag, attributes in tags(page) if tag == "img"]
    names = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert names == {f"figure-{k}-{s}" for k in (1, 2, 3) for s in ("published", "converged")}
    assert {image["src"] for image in images} == {f"figures/{name}.svg" for name in names}
    assert all(len(image["alt"]) > 40 for image in images)


def test_every_claim_is_there_with_its_words_and_verdicts_as_text(page):
    articles = [attributes["id"] for tag, attributes in tags(page) if tag == "article"]
    assert articles == [f"claim-{claim.id}" for claim in CLAIMS]
    badges = re.findall(r'class="badge \w+">.*?</span> ([^<]+)</span>', page)
    assert len(badges) > len(CLAIMS)
    assert all(badge.startswith(VERDICTS) for badge in badges)
    assert any(re.search(r"[\d,]+ repeats", badge) for badge in badges)


def test_a_missing_study_is_listed_as_missing(page):
    for study in ("ensemble", "robustness"):
        assert f"Missing:</strong> {STUDIES[study].title}".split(" (")[0] in page
    assert len(re.findall('class="missing"', page)) == 2


def test_the_page_fits_phones_and_dark_mode(page):
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert "prefers-color-scheme: dark" in page


def test_the_tables_are_csv_and_markdown(folder):
    names = {path.stem for path in (folder / "tables").glob("*.md")}
    assert names >= {
        "claims",
        "datasets",
        "differences",
        "times",
        "ranks",
        "real-f1",
        "synthetic-angle",
        "fits",
    }
    assert {path.stem for path in (folder / "tables").glob("*.csv")} == names


def test_failed_fits_are_counted_in_the_tables(folder):
    fits = pd.read_csv(folder / "tables" / "fits.csv")
    failed = fits[fits["failed"] > 0]
    assert failed[["dataset", "method", "failed"]].values.tolist() == [["musk", "tice", 2]] * 2
    assert "†1" in (folder / "tables" / "real-f1.md").read_text("utf-8")
    studies = pd.read_csv(folder / "tables" / "studies.csv").set_index("study")
    assert studies.loc["real", ["failed", "repeats", "complete_repeats", "planned"]].tolist() == [
        *(4, 4, 3, 200),
    ]
    assert studies.loc["robustness", "fits"] == 0


def test_the_table_of_times_has_ratios_to_the_oracle(folder):
    times = pd.read_csv(folder / "tables" / "times.csv").set_index(["method", "setting"])
    timed = records("timing", ("adult",), (0.5,)).groupby(["method", "setting"])["fit_seconds"]
    means = timed.mean()
    expected = means["mm", "converged"] / means["oracle", "-"]
    assert times.loc[("mm", "converged"), "ratio"] == pytest.approx(expected, rel=1e-7)
    assert times.loc[("mm", "converged"), "paper_ratio"] == pytest.approx(4020)
    assert times.loc[("oracle", "-"), "ratio"] == 1


def test_the_table_of_data_sets_has_ours_beside_the_papers(folder):
    sets = pd.read_csv(folder / "tables" / "datasets.csv").set_index("name")
    assert sets.loc["adult", ["paper_size", "our_size"]].tolist() == [32561, 9]  # the manifest's
    assert sets.loc["credit-a", "paper_features"] == 38
    assert sets["our_features"].drop("adult").isna().all()  # these are not in the records
    assert set(sets.index[sets["in_records"]]) == {"adult", "musk"}


def test_the_table_of_differences_has_both_settings(folder):
    found = pd.read_csv(folder / "tables" / "differences.csv")
    assert len(found) == 2 * 2 * 4 * 2  # measures, data sets, competitors, settings
    real = part_of_a_run().query("study == 'real' and dataset == 'musk'")
    means = real.groupby(["method", "setting"])["f1"].mean()
    own = found.query("measure == 'f1' and dataset == 'musk' and competitor == 'joint'")
    expected = means["enhanced", "-"] - means["joint"][["published", "converged"]]
    assert own["difference"].tolist() == pytest.approx(expected.tolist(), abs=1e-7)


def test_ranks_are_means_over_cells(folder):
    ranks = pd.read_csv(folder / "tables" / "ranks.csv")
    for _, own in ranks.groupby(["measure", "setting"]):
        assert len(own) == 6
        assert own["mean_rank"].sum() == pytest.approx(21)
        assert set(own["cells"]) == {4}


def test_without_records_the_page_lists_every_study_as_missing(tmp_path):
    write_outcome_from(part_of_a_run().iloc[:0], {}, tmp_path)
    page = (tmp_path / "index.html").read_text("utf-8")
    assert page.count('class="missing"') == len(STUDIES)
    assert "no manifest" in page


def test_one_record_and_its_manifest_are_read_from_the_folder_and_enough_for_a_page(tmp_path):
    fit = Record("real", "musk", "scar", 100, 0.5, "naive", "-", repeat=0, seed=1, f1=0.125)
    key = "real-musk-0000"
    write_part(tmp_path / "parts" / f"{key}.parquet", to_table([fit]), {key: 1})
    write_manifest(tmp_path, MANIFEST)
    write_outcome(tmp_path)
    scores = pd.read_csv(tmp_path / "tables" / "real-f1.csv")
    assert scores["mean"].tolist() == [0.125]
    assert (tmp_path / "figures" / "figure-2-published.svg").exists()
    assert "python -m reproduction" in (tmp_path / "index.html").read_text("utf-8")
