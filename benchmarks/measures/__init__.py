"""Bias and coverage of every metric, on populations whose truth is known."""
