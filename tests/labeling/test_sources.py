"""Labels from several sources: chances, count, limits, sensitivity, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from unlabeled.codes import caught_warnings
from unlabeled.labeling import LabelSources
from unlabeled.labeling._sources import CaptureFit, ChanceBySources, less_likely, of_any
from unlabeled.scores import NOT_AT_ALL, LabeledScore


def registers(seed, n=4000, slopes=(1.0, 1.0)):
    """Two registers whose chances follow the second column, and the true logit of a label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    posterior = expit(1.5 * X[:, 0] - 1)
    y_true = rng.random(n) < posterior
    each = np.column_stack([expit(-0.7 + slope * X[:, 1]) for slope in slopes])
    sources = (y_true[:, None] & (rng.random(each.shape) < each)).astype(float)
    return X, y_true, sources, logit(posterior * of_any(each))


def known_of(X, sources, score, **others):
    def design(columns):
        return X if columns is None else X[:, columns]

    return LabeledScore(score, sources.max(axis=1), design, sources, **others)


def told(labeling, known):
    with caught_warnings() as warned:
        found = labeling.missed(known)
    return found, {code for code, _ in warned}


@pytest.mark.parametrize("slopes", [(1.0, 1.0), (1.0, -1.0), (0.0, 0.0), (1.0, 0.5, -0.5)])
def test_named_columns_give_the_count(slopes):
    X, y_true, sources, score = registers(1, slopes=slopes)
    found, codes = told(LabelSources([1]), known_of(X, sources, score))
    lower, upper = found.density.interval(confidence_level=0.999)
    assert lower < y_true.mean() < upper
    assert upper - lower < 0.17
    assert codes == set()
    assert found.found.n_shared == (sources.sum(axis=1) > 1).sum()


def test_without_the_column_sources_that_prefer_the_same_rows_hide_positives():
    X, y_true, sources, score = registers(2)
    named, _ = told(LabelSources([1]), known_of(X, sources, score))
    none, codes = told(LabelSources([]), known_of(X, sources, score))
    assert none.density.interval().upper < y_true.mean() < named.density.interval().upper
    assert codes == set()


def test_without_names_the_count_is_not_identified():
    X, _, sources, score = registers(3)
    found, codes = told(LabelSources(), known_of(X, sources, score))
    assert codes == {"PU128"}
    assert found.density.identified == NOT_AT_ALL
    named, _ = told(LabelSources([1]), known_of(X, sources, score))
    assert named.density.identified != NOT_AT_ALL


def test_two_sources_without_columns_are_lincoln_and_petersen():
    both, first, second = 30, 50, 90
    sources = np.array([[1.0, 1]] * both + [[1.0, 0]] * first + [[0.0, 1]] * second)
    fit = CaptureFit(np.ones((len(sources), 1)), sources, 1.0)
    levels, _, _ = fit.fit()
    petersen = (both + first) * (both + second) / both
    assert len(sources) / of_any(expit(levels)) == pytest.approx(petersen, rel=5e-3)
    chance = ChanceBySources(levels[None, :, None], np.ones(1)).at(np.empty((3, 0)))
    np.testing.assert_allclose(chance, of_any(expit(levels)))


def test_derivatives_of_the_fit_are_those_of_its_value():
    X, _, sources, _ = registers(4, n=300, slopes=(1.0, 0.5, -0.5))
    there = sources.any(axis=1)
    fit = CaptureFit(np.column_stack([np.ones(300), X])[there], sources[there], 2.0)
    point, h = np.random.default_rng(0).normal(size=9), 1e-5
    _, gradient, hessian = fit.value_gradient_hessian(point)
    for k in range(9):
        up, down = (fit.value_gradient(point + sign * h * np.eye(9)[k]) for sign in (1, -1))
        assert (up[0] - down[0]) / (2 * h) == pytest.approx(gradient[k], rel=1e-5, abs=1e-8)
        np.testing.assert_allclose((up[1] - down[1]) / (2 * h), hessian[k], rtol=1e-5, atol=1e-8)
    assert np.linalg.eigvalsh(hessian).min() > 0


def test_a_stronger_ridge_has_less_evidence_where_slopes_are_large():
    X, _, sources, _ = registers(5, slopes=(1.5, -1.5))
    there = sources.any(axis=1)
    columns = np.column_stack([np.ones(there.sum()), X[there, 1:]])
    weak, strong = (CaptureFit(columns, sources[there], one).fit()[2] for one in (1.0, 64.0))
    assert weak > strong + 3


def test_odds_ratios_multiply_what_all_sources_miss():
    chance = np.array([0.2, 0.5, 0.9])
    seen = less_likely(chance, 2.0)
    np.testing.assert_allclose(1 / seen - 1, 2 * (1 / chance - 1))
    X, _, sources, score = registers(6)
    found, _ = told(LabelSources([1]), known_of(X, sources, score))
    by_ratio = found.found.by_odds_ratio
    assert by_ratio[0.5] < by_ratio[1.0] < by_ratio[2.0] < by_ratio[4.0]
    assert by_ratio[1.0] == pytest.approx(found.density.mean * len(X), rel=0.01)
    seen = sources.any(axis=1).sum()
    assert (by_ratio[2.0] - seen) / (by_ratio[1.0] - seen) == pytest.approx(2, rel=0.15)
    assert f"{by_ratio[2.0]:.0f} at 2" in " ".join(found.said)


def test_missed_links_are_sources_that_look_apart():
    X, y_true, sources, score = registers(7, n=20_000, slopes=(0.0, 0.0))
    shared = np.flatnonzero(sources.sum(axis=1) == 2)
    lost = shared[::10]  # a tenth of the rows of both look as if the second had them elsewhere
    apart = sources.copy()
    apart[lost, 1] = 0
    extra = np.flatnonzero(~sources.any(axis=1) & ~y_true)[: len(lost)]
    apart[extra, 1] = 1
    found, _ = told(LabelSources([]), known_of(X, apart, score))
    mended = found.found.by_missed_links[0.1]
    assert found.density.mean * len(X) > 1.05 * y_true.sum()
    assert mended == pytest.approx(y_true.sum(), rel=0.05)


def test_few_shared_rows_are_said_and_fewer_refused():
    X, _, sources, score = registers(8, n=600)
    shared = np.flatnonzero(sources.sum(axis=1) == 2)
    few = sources.copy()
    few[shared[7:], 1] = 0
    found, codes = told(LabelSources([1]), known_of(X, few, score))
    assert codes == {"PU127"}
    assert found.density.identified == NOT_AT_ALL
    few[shared[4:], 1] = 0
    with pytest.raises(ValueError, match="at least 5 rows that two sources share; got 4"):
        LabelSources([1]).missed(known_of(X, few, score))


def test_new_rows_follow_their_named_columns():
    X, _, sources, score = registers(9)
    known = known_of(X, sources, score)
    found, _ = told(LabelSources([1]), known)
    new = found.new_rows.at(score, known.design)
    np.testing.assert_allclose(new.posterior, found.of_rows.posterior, atol=1e-12)
    np.testing.assert_allclose(new.missed, found.of_rows.missed, atol=1e-12)


def test_a_frame_names_the_sources():
    X, _, sources, score = registers(10)
    frame = pd.DataFrame(sources.astype(int), columns=["registry", "hospital"])
    known = LabeledScore(score, sources.max(axis=1), lambda columns: X[:, columns], frame)
    found, _ = told(LabelSources(1), known)
    assert found.found.sources == ("registry", "hospital")
    assert f"hospital {int(sources[:, 1].sum())}" in " ".join(found.said)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda table: None, "`history` must have a column for each"),
        (lambda table: table[:, :1], "`history` must have a column for each"),
        (lambda table: 2 * table, "`history` must hold 1 and 0"),
        (lambda table: np.where(table == 1, 1, np.nan), "Fill in 0"),
        (lambda table: np.column_stack([table[:, 0], 0 * table[:, 1]]), "`y` must mark"),
        (lambda table: np.column_stack([table, 0 * table[:, 1]]), "'source 3' has none"),
        (lambda table: table[:-1], "one row for each"),
    ],
)
def test_impossible_sources_are_rejected(spoil, words):
    X, _, sources, score = registers(11, n=300)
    known = known_of(X, sources, score)
    spoiled = LabeledScore(score, known.s, known.design, spoil(sources))
    with pytest.raises(ValueError, match=words):
        LabelSources([1]).missed(spoiled)
