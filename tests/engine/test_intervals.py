"""An interval holds its estimate, whatever it is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unlabeled.engine.intervals import Interval, Intervals

KNOWN = Interval(0.3, 0.2, 0.5, 0.95, "counted")


def test_it_unpacks_as_its_ends():
    lower, upper = KNOWN
    assert (lower, upper) == (0.2, 0.5)


def test_it_is_printed_in_short():
    assert str(KNOWN) == "0.3, 0.2 to 0.5 (95% confidence)"
    count = Interval(7980.4, 12.34, 12345.6, 0.9, "")
    assert str(count) == "7980, 12.3 to 12346 (90% confidence)"
    assert "without the upper end" in str(replace(KNOWN, upper=1.0, without_upper=True))


@pytest.mark.parametrize("wrong", [{"lower": 0.4}, {"upper": 0.25}, {"estimate": 0.6}])
def test_an_estimate_outside_is_rejected(wrong):
    with pytest.raises(ValueError, match="its estimate between the ends"):
        replace(KNOWN, **wrong)
    three = (np.array([0.3, wrong.get(name, getattr(KNOWN, name))]) for name in THREE)
    with pytest.raises(ValueError, match="its estimate between the ends"):
        Intervals(*three, 0.95, "counted")


THREE = ("estimate", "lower", "upper")


@pytest.mark.parametrize("unknown", [{"lower": np.nan}, {"estimate": np.nan}, {"upper": np.nan}])
def test_what_is_not_known_is_nan(unknown):
    made = replace(KNOWN, **unknown)
    assert sum(map(np.isnan, (made.estimate, *made))) == 1
    again = made.with_estimate(made.estimate)
    np.testing.assert_array_equal([*again], [*made])


def test_another_estimate_widens_it():
    assert tuple(KNOWN.with_estimate(0.6)) == (0.2, 0.6)
    assert tuple(KNOWN.with_estimate(0.1)) == (0.1, 0.5)
    assert tuple(Interval.around(0.6, (0.2, 0.5), 0.95, "")) == (0.2, 0.6)


def test_a_falling_function_turns_the_ends_around():
    odds = KNOWN.map(lambda value: 1 / value)
    assert tuple(odds) == (2.0, 5.0)
    assert odds.estimate == 1 / 0.3
    both = Intervals(np.array([0.3]), np.array([0.2]), np.array([0.5]), 0.95, "")
    assert both.map(lambda value: 1 / value)[0] == replace(odds, method="")


def test_an_end_can_be_left_out():
    edge = replace(KNOWN, upper=1.0)
    assert 1.0 in edge
    without = replace(edge, without_upper=True)
    assert 1.0 not in without
    assert np.nextafter(1.0, 0.0) in without
    assert 0.1 not in edge


def test_many_are_a_sequence_of_single_ones():
    many = Intervals(np.array([0.3, 1.0]), np.array([0.2, -1.0]), np.array([0.5, 2.0]), 0.95, "n")
    assert len(many) == 2
    assert many[0] == replace(KNOWN, method="n")
    assert [tuple(one) for one in many[1:]] == [(-1.0, 2.0)]
    np.testing.assert_array_equal(many[[1, 0]].lower, [-1.0, 0.2])
    assert list(many.to_frame()) == ["estimate", "lower", "upper"]
