"""What no user imports: rows, losses, objective, solvers and fits of linear models."""
