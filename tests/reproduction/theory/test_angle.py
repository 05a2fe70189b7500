"""Angles between directions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.theory import direction_angle


@pytest.mark.parametrize(
    ("a", "b", "degrees"),
    [
        ([1, 0], [1, 0], 0),
        ([1, 0], [1, 1], 45),
        ([1, 0], [0, 3], 90),
        ([1, 0], [-2, 0], 180),
        ([[1, 0, 0]], [0, 1, 1], 90),
        ([2.0], [5.0], 0),
    ],
)
def test_known_angles(a, b, degrees):
    assert direction_angle(a, b) == pytest.approx(degrees, abs=1e-12)
    assert direction_angle(a, b, degrees=False) == pytest.approx(math.radians(degrees), abs=1e-14)


@pytest.mark.parametrize("angle", [1e-12, 1e-9, 1e-6, 1e-3])
def test_tiny_angles_keep_their_digits(angle):
    found = direction_angle([1.0, 0.0], [math.cos(angle), math.sin(angle)], degrees=False)
    assert found == pytest.approx(angle, rel=1e-6, abs=0)
    turned = direction_angle([1.0, 0.0], [-math.cos(angle), math.sin(angle)], degrees=False)
    assert math.pi - turned == pytest.approx(angle, abs=5e-16)


def test_angle_is_symmetric_and_free_of_scale():
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(2, 7))
    angle = direction_angle(a, b)
    assert direction_angle(b, a) == pytest.approx(angle, abs=1e-12)
    for scale in (1e-320, 1e-200, 1e-3, 1e200):
        tolerance = 1e-2 if scale == 1e-320 else 1e-10  # subnormal numbers have few digits
        assert direction_angle(scale * a, b) == pytest.approx(angle, abs=tolerance)
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert angle == pytest.approx(np.degrees(np.arccos(cosine)))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0, 0], [1, 0], r"`a` must not be the zero vector; got 2 zeros\."),
        ([1, 0], [0, 0], r"`b` must not be the zero vector"),
        ([1, 0], [1, 0, 0], r"`b` must have as many entries as `a`, 2; got 3\."),
        ([[1, 0], [0, 1]], [1, 0], r"`a` must be one direction, .* got shape \(2, 2\)\."),
        ([], [1], r"`a` must be one direction"),
        ([np.nan, 1], [1, 0], r"`a` must be finite; got NaN or inf\."),
    ],
)
def test_vectors_without_a_direction_are_refused(a, b, message):
    with pytest.raises(ValueError, match=message):
        direction_angle(a, b)
