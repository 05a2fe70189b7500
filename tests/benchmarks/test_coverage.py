"""The coverage studies: their populations, their records and their page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binom

from benchmarks.coverage.designs import DESIGNS, draw, naive_aim, population
from benchmarks.coverage.elsewhere import elsewhere_table
from benchmarks.coverage.page import PAGE, write_page
from benchmarks.coverage.studies import INTERVALS, LEVEL, PEER, POWER
from benchmarks.coverage.tables import Cell, cells_of, mechanism_in_words, outside
from benchmarks.pages import Share
from benchmarks.study import measure_missing, repeated
from reproduction.studies.draw import seed_of
from reproduction.theory import class_prior, ruud_projection


def test_the_paper_s_population_is_the_one_of_the_theory():
    assert population("paper").class_prior == pytest.approx(
        class_prior(beta0=-1, mean=-1, var=3), abs=1e-5
    )
    aim = naive_aim("paper", 0.3)
    projection = ruud_projection(beta0=-1, mean=-1, var=3, c=0.3)
    np.testing.assert_allclose(aim[:3], projection.slope * np.array([-1, 1, 1]), atol=1e-4)
    assert aim[3] == pytest.approx(projection.intercept, abs=1e-4)


@pytest.mark.parametrize("design", DESIGNS)
def test_labels_have_their_frequency(design):
    sample = draw(design, 40_000, 0.4, seed=1)
    share = 0.4 * population(design).class_prior
    error = np.sqrt(share * (1 - share) / 40_000)
    assert sample.s.mean() == pytest.approx(share, abs=4 * error)
    assert sample.X.shape == (40_000, DESIGNS[design].n_features)


@pytest.mark.parametrize("mechanism", ["x1:1.5", "y^1", "y^2"])
def test_other_mechanisms_have_the_same_mean_frequency_and_depend_on_x(mechanism):
    sample = draw("paper", 40_000, 0.3, seed=2, mechanism=mechanism)
    posterior = expit(-1 + sample.X @ [-1, 1, 1])
    share = 0.3 * population("paper").class_prior
    assert sample.s.mean() == pytest.approx(share, abs=0.004)
    # Under SCAR, labeled rows have the mean posterior of positives.
    of_positives = float((posterior**2).sum() / posterior.sum())
    labeled = posterior[sample.s == 1].mean()
    moved = sample.X[sample.s == 1, 0].mean() - np.average(sample.X[:, 0], weights=posterior)
    assert abs(labeled - of_positives) > 0.02 or moved > 0.3


def test_the_peer_sees_our_samples():
    key = ("paper", 1000, 0.3, "y^1", 7)
    seen = [
        replace(records.measure, function=lambda seed, **of: (seed, of))(*key)
        for records in (POWER, PEER)
    ]
    arguments = dict(zip(PEER.names[:-1], key[:-1], strict=True))
    assert seen == [(seed_of("scar-paper-1000-0.3-y1", 7), arguments)] * 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("coverage")
    for records, cells in ((INTERVALS, 2), (LEVEL, 1)):
        plan = dict.fromkeys(key[:-1] for key in records.plan() if key[1] == 1000)
        measure_missing(records, place, repeated(list(plan)[:cells], 2))
    write_page(place)
    return place


@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_the_page_is_made_of_what_is_there(folder):
    text = (folder / PAGE).read_text("utf-8")
    assert "n = 1000, c = .6" in text
    assert "in 2 samples per column" in text
    assert "{{" not in text
    assert "nan" not in text


def test_a_coverage_outside_is_listed(folder):
    cells = cells_of(folder, INTERVALS)
    cells[0].records["naive.x1"] = 0.0
    lines = outside(cells[:1], {"naive.x1": "naive, x1"})
    assert lines == ["naive, x1 (paper, n = 1000, c = 0.3): .000 (.192)"]


def test_shares_have_the_error_of_two_more_samples_of_each_outcome():
    share = Share(19, 20)
    assert share.value == 0.95
    assert share.error == pytest.approx(np.sqrt(21 / 24 * 3 / 24 / 24))
    assert Share(40, 40).error == pytest.approx(np.sqrt(2 * 42 / 44**3))
    assert Share(0, 40).error == pytest.approx(Share(40, 40).error)
    assert np.isnan(Share(0, 0).value)


def test_a_share_of_one_is_outside_only_if_the_samples_show_it():
    arguments = {"design": "paper", "n": 1000, "c": 0.3}
    few, many = (Cell(arguments, pd.DataFrame({"held": np.ones(n)})) for n in (40, 200))
    assert outside([few], {"held": "all"}) == []
    assert outside([many], {"held": "all"}) == ["all (paper, n = 1000, c = 0.3): 1.000 (.007)"]


@pytest.mark.parametrize(("limit", "n"), [(0.92, 1000), (0.97, 200), (0.92, 2000), (0.97, 500)])
def test_a_share_is_beyond_a_limit_where_a_binomial_seldom_is(limit, n):
    """Two errors of a share at the limit: one sample in 24 to 64 is beyond, counted exactly."""
    happened = np.arange(n + 1)
    law = binom(n, limit)
    below = [k for k in happened if Share(k, n).is_below(limit)]
    above = [k for k in happened if Share(k, n).is_above(limit)]
    assert 1 / 64 < law.cdf(max(below)) < 1 / 24
    assert 1 / 64 < law.sf(min(above) - 1) < 1 / 24


def test_mechanisms_have_words():
    assert [mechanism_in_words(m) for m in ("scar", "x1:1.5", "y^1", "y^2")] == [
        "SCAR",
        "e = σ(a + 1.5 x1)",
        "e ∝ y",
        "e ∝ y²",
    ]


def test_intervals_of_other_pages_are_counted_cell_by_cell(tmp_path):
    (tmp_path / "count").mkdir()
    held = [(0.1, 0.3)] * 15 + [(0.3, 0.4)] * 5 + [(0.15, 0.25)] * 20 + [(0.3, 0.4)] * 4
    pd.DataFrame(
        {
            "dataset": ["adult"] * 20 + ["musk"] * 20 + ["too few"] * 4,
            "c": 0.3,
            "truth": 0.2,
            "lower": [lower for lower, _ in held],
            "upper": [upper for _, upper in held],
            "line_lower": np.nan,
            "line_upper": np.nan,
        }
    ).assign(line_lower=[0.1] * 39 + [np.nan] * 5, line_upper=0.3).to_csv(
        tmp_path / "count" / "nine_sets.csv", index=False
    )
    ensemble, line = elsewhere_table(tmp_path).to_dict("records")
    errors = [Share(15, 20).error, Share(20, 20).error]
    assert ensemble["coverage"] == f".875 (.{1000 * np.hypot(*errors) / 2:03.0f})"
    assert ensemble["worst cell"] == ".750 (adult, 0.3)"
    assert (ensemble["cells"], ensemble["draws"]) == ("2", "40")
    assert line["draws"] == "39"  # a draw without an interval does not count
    assert line["coverage"] == "1.000 (.041)"
