"""Private implementation, in the order in which a fit uses it.

- `rows` checks X, y and weights, and sums over rows in memory, on disk, on a device or in Dask;
- `losses` is one row's loss; `objective` its mean over rows, in whitened coordinates;
- `solvers` minimize smooth functions; `linear_fits` fits linear models and ridge paths with them;
- `parameters` checks constructor arguments; `extras`, `files`, `versions` and `progress` are tools.
"""
