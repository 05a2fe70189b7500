"""Numbers that a page takes from another are on the page it links to."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.pages import Share
from tests.docs.pages import load, text_of
from unlabeled.diagnostics import CHECKS, STATES

DOCS = Path(__file__).parents[2] / "docs"
LINK = re.compile(r":doc:`(?:[^`<]*<)?/(?!auto_examples)([\w/-]+)>?`")  # examples are built
NUMBER = re.compile(r"(?<![\w.])[+−]?\.\d+|\b\d+ of \d+\b|\b\d+(?:\.\d+)? %|\b1\.000\b")
LEVELS = {"5 %", "95 %"}


def pieces(page: str) -> list[str]:
    """Return the paragraphs, list items and table rows of a page."""
    text = (DOCS / f"{page}.rst").read_text("utf-8")
    return re.split(r"\n\s*\n|\n(?=\* )|\n(?=   \* - )", text)


def measured(piece: str) -> list[str]:
    """Return the numbers of a piece that are somebody's measurements."""
    settings = re.sub(r"c = \.\d+", "", piece)
    return [number for number in NUMBER.findall(settings) if number not in LEVELS]


def linked_text(piece: str) -> str:
    """Return the text of the linked pages, with plain spaces."""
    pages = [(DOCS / f"{page}.rst").read_text("utf-8") for page in LINK.findall(piece)]
    return re.sub(r"\s+", " ", "\n".join(pages))


@pytest.mark.parametrize("page", ["trust/index", "choose/index", "choose/class_prior"])
def test_every_number_is_on_the_page_that_its_paragraph_links_to(page):
    wrong, found = [], 0
    for piece in pieces(page):
        source = linked_text(piece)
        for number in measured(piece):
            found += 1
            if not re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", source):
                wrong.append((number, piece.strip()[:60]))
    assert wrong == []
    assert found > 0


def test_the_table_of_methods_has_the_numbers_of_the_comparison():
    source = (DOCS / "field" / "tables.rst").read_text("utf-8")
    all_sets = source.split("**All 9 sets**")[1].split("**The 7 sets")[0]
    rows = dict(re.findall(r'^   "([^"]+)", (.*)$', all_sets, re.MULTILINE))
    names = {  # as they begin, and the row of the comparison, which is in brackets
        "``PULogistic``": "PULogistic, F1 rule",
        "``PUThresholdClassifier`` over a forest": "Forest, F1 rule",
        "``EnhancedLogistic``": "Enhanced",
        "``JointLogistic``": "JOINT, converged",
        "``WeightedLogistic`` with TIcE, ridge by cross-validation": "TIcE, converged",
        "``NaiveLogistic``": "Naive",
        "an ordinary logistic fit to the true classes": "Oracle",
    }
    page = (DOCS / "choose" / "methods.rst").read_text("utf-8")
    table = re.findall(
        r"   \* - (.+) \((.+)\)\n     - (\.\d+)\n     - (\.\d+)\n     - (\.\d+)\n", page
    )
    assert {row[0]: row[1] for row in table} == names
    for method, _, *means in table:
        at_c = re.findall(r'"(\.\d+) \(', rows[names[method]])
        assert means == [at_c[0], at_c[2], at_c[3]]


def test_the_verdicts_on_the_paper_are_those_of_the_run():
    table = DOCS / "reproduction" / "tables" / "claims.csv"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    counts = []
    for setting in ("published", "converged"):
        verdicts = {r["claim"]: r["claim_verdict"] for r in rows if r["setting"] in ("-", setting)}
        count = Counter(verdicts.values())
        counts.append([count[name] for name in ("holds", "does not hold", "cannot be told")])
    page = " ".join((DOCS / "reproduce.rst").read_text("utf-8").split())
    said = re.search(
        r"Of (\d+) claims (\d+) hold, (\d+) do not hold and (\d+) cannot be told with "
        r"competitors as published; (\d+), (\d+) and (\d+) with competitors converged",
        page,
    )
    assert said is not None
    assert [int(number) for number in said.groups()] == [sum(counts[0]), *counts[0], *counts[1]]
    places = {
        "Section IV-A, Synthetic data": 200,
        "Section IV-B, Real datasets": 200,
        "Section V, Conclusion": 50,
        "Section IV-B, training times": 20,
    }
    for place, repeats in places.items():
        assert {int(row["repeats"]) for row in rows if row["place"] == place} == {repeats}
    said = (
        "200 repeats of the simulated data and of the real sets, 50 of robustness, 20 of training"
    )
    assert said in page


def test_how_often_pu119_is_raised_is_as_recorded():
    drawn = pd.read_csv(DOCS / "audit" / "relabeled.csv")
    counts = {}
    for kind in ("honest", "top"):
        warned, fell = (drawn[f"{kind}_{word}"].dropna() for word in ("warned", "fell"))
        counts[kind] = int(warned.sum()), len(warned), int(fell.sum())
        assert all(warned[fell == 1] == 1)
    page = " ".join(text_of("checks").split())
    assert "it was raised in {} of {} refits. After the positives".format(*counts["honest"]) in page
    assert "it was raised in {} of {} refits, among them all {}".format(*counts["top"]) in page


def test_how_often_the_verdict_of_a_comparison_is_right_is_as_recorded():
    drawn = pd.read_csv(DOCS / "choose" / "verdicts.csv")
    page = (DOCS / "decisions" / "0010-comparison.rst").read_text("utf-8")
    for truth, words in {
        "linear, c = .4": "a logistic curve along a line, c = .4",
        "interaction, c = .4": "an interaction of two features, c = .4",
        "linear, balanced, c = .95": "a line, balanced classes, c = .95",
    }.items():
        own = drawn[drawn["truth"] == truth]
        assert len(own) == 40
        row = page.split(f"* - {words}")[1].split("   * - ")[0]
        said = re.findall(r"- (1?\.\d\d) \((\.\d\d)\)", row)
        for (share, error), right in zip(said, (own["right"], own["auto_right"]), strict=True):
            assert float(share) == pytest.approx(right.mean(), abs=0.0051)
            assert float(error) == pytest.approx(Share(right.sum(), 40).error, abs=0.0051)
    wrong = drawn[(drawn["truth"] == "linear, balanced, c = .95") & (drawn["right"] == 0)]
    said = f"``naive-cut`` in {wrong['naive-cut'].sum():.0f} of {len(wrong)} tables"
    assert said in " ".join(page.split())


def test_the_sections_are_ordered_by_how_often_the_checks_fire():
    rates = how_often()
    said = load("written").HOW_OFTEN
    assert said == {code: pytest.approx(rate, abs=0.005) for code, (rate, _) in rates.items()}
    page = text_of("checks")
    order = re.findall(r"^(PU2\d+): .*\n-+$", page, re.MULTILINE)
    assert order[: len(rates)] == sorted(rates, key=lambda code: -rates[code][0])
    for code, shares in rates.items():
        row = page.split(f"* - :ref:`{code}`")[1].split("\n   * - ")[0]
        assert [float(one) for one in re.findall(r"- (\.\d\d)", row)] == [
            pytest.approx(share, abs=0.005) for share in shares
        ]


def how_often() -> dict[str, tuple[float, float]]:
    """Return the shares of draws with a note or worse and with a warning or worse, if not 0."""
    draws = pd.read_csv(DOCS / "check_rates" / "draws.csv")
    note, warning = STATES.index("note"), STATES.index("warning")
    rates = {}
    for name, check in CHECKS.items():
        if name in draws and check.code.startswith("PU2"):
            applied = draws[name][draws[name] != STATES.index("not applicable")]
            rates[check.code] = (applied >= note).mean(), (applied >= warning).mean()
    rejected = (pd.read_csv(DOCS / "coverage" / "real.csv")["p_value"] <= 0.05).mean()
    followed = pd.read_csv(DOCS / "check_rates" / "followed.csv")
    at_random = followed[followed["labeling"].str.startswith("random")]
    of_lines = at_random["scar"][at_random["scar"] != STATES.index("not applicable")]
    rates["PU201"] = rejected, (of_lines >= warning).mean()
    speaks = (at_random["p_value"].dropna() <= 0.05).mean()
    rates["PU208"] = speaks, speaks
    return {code: shares for code, shares in rates.items() if shares[0] > 0}


def test_how_often_fits_warn_is_as_recorded():
    records = [*DOCS.glob("reproduction/records/*.parquet"), *DOCS.glob("field/records/*.parquet")]
    codes = pd.concat([pd.read_parquet(one, columns=["warning_codes"]) for one in records])
    page = " ".join(text_of("checks").split())
    said = re.search(r"by the fits of all our studies: (.*?), nearly all", page)[1]
    for code, percent in re.findall(r"(PU\d+) in (\d+) %", said):
        share = codes["warning_codes"].fillna("").str.contains(code).mean()
        assert int(percent) == round(100 * share)
