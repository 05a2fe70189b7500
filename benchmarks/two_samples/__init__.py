"""Positives from one place, a sample of the population from another: what is reported is right."""
