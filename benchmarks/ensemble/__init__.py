"""Studies of the ensemble: beside the line and a forest, its choices, its cost."""
