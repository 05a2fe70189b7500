"""The house measured: its sizes, how far a reader walks, and which part imports which."""
