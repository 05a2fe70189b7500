"""Label histories: positives counted from how labels came about, on simulated tables."""
