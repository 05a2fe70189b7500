"""What a hundred checked rows are worth: coverage, length, cuts and tests, cell by cell."""
