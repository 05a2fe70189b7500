"""What a hundred checked rows are worth: coverage, length, cuts, class priors and tests."""
