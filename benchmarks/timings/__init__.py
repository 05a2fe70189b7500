"""Timings and memory, printed as ratios within one run: `make bench`."""
