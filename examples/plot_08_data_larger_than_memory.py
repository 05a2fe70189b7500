"""
Data larger than memory
=======================

A fit reads the rows several times and needs only small sums of them. So they need not be in memory:
a file or Dask chunks are enough. We fit to both, and measure the memory of a fit.
"""

# %%
# A file
# ------
# Half a million rows of fifty columns in single precision, written block by block to a folder that
# is deleted in the end. It has only 100 MB, so that this page builds quickly; nothing below depends
# on the size. About one row in five is positive, and half of the positives are labeled.

import tempfile
import tracemalloc
from pathlib import Path

import dask
import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from numpy.lib.format import open_memmap

from unlabeled import PULogistic

folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
path = Path(folder.name) / "X.npy"
n, p, block = 500_000, 50, 25_000
rng = np.random.default_rng(0)
coef = np.zeros(p)
coef[:3] = 2.0, 1.0, -1.0
y_true = np.zeros(n, dtype=bool)

written = open_memmap(path, mode="w+", dtype=np.float32, shape=(n, p))
for start in range(0, n, block):
    rows = rng.standard_normal((block, p), dtype=np.float32)
    y_true[start : start + block] = rng.random(block) < 1 / (1 + np.exp(2.5 - rows @ coef))
    written[start : start + block] = rows
del written, rows
s = (y_true & (rng.random(n) < 0.5)).astype(np.int8)
size = path.stat().st_size / 1e6
print(f"{size:.0f} MB, {y_true.mean():.1%} of the rows positive, {s.mean():.1%} labeled")

# %%
# Three ways to the same coefficients
# -----------------------------------
# ``np.load`` reads the file. With ``mmap_mode`` the system reads what is needed when it is needed.
# Dask reads chunk by chunk, here in one thread. (``da.from_array`` of a mapped file works only for
# small files: Dask may copy it.) ``tracemalloc`` counts the memory that Python and NumPy allocate
# from then on. It does not count pages of a mapped file: the system keeps as many as fit, and drops
# them if it needs the memory.


def load():
    """Return all rows, in memory."""
    return np.load(path)


def map_file():
    """Return the mapped file, as an array."""
    return np.load(path, mmap_mode="r")


def read(start):
    """Read a block of rows."""
    return np.array(map_file()[start : start + block])


def chunk():
    """Return chunks of 5 MB, each read when it is needed."""
    parts = [dask.delayed(read)(start) for start in range(0, n, block)]
    return da.concatenate([da.from_delayed(part, (block, p), np.float32) for part in parts])


def measure(open_rows, labels):
    """Fit, and return the classifier with the peak of memory in MB."""
    tracemalloc.start()
    model = PULogistic().fit(open_rows(), labels)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return model, peak


fits = {"in memory": measure(load, s), "mapped file": measure(map_file, s)}
with dask.config.set(scheduler="synchronous"):
    fits["Dask"] = measure(chunk, da.from_array(s, chunks=block))
in_memory = fits["in memory"][0].coef_
for name, (model, peak) in fits.items():
    apart = np.linalg.norm(model.coef_ - in_memory) / np.linalg.norm(in_memory)
    print(f"{name:11} {peak:4.0f} MB at the peak, coefficients {apart:.0e} apart")

# %%
# The last two stay below the size of the data for different reasons. A mapped file needs a few
# numbers per row, and nothing that grows with the columns. Dask needs a few chunks and a part of
# the rows to choose on, and hardly anything that grows with the rows.

fig, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.barh(list(fits), [peak for _, peak in fits.values()], color="#0072B2")
ax.axvline(size, color="black", ls="--", label="size of the data")
ax.set(xlabel="peak memory of a fit, MB")
ax.invert_yaxis()
ax.legend()
plt.show()

# %%
# What comes out
# --------------
# Predictions for chunks are chunks: nothing is computed until it is needed.

probability = fits["Dask"][0].predict_proba(chunk())[:, 1]
print(probability)
print(f"share of positives {probability.mean().compute():.3f}, in truth {y_true.mean():.3f}")

# %%
# What was chosen on a part
# -------------------------
# :class:`~unlabeled.PULogistic` tries many strengths of the ridge, on a part of the rows. The
# coefficients, the number of positives and the cut come from all of them.

model = fits["Dask"][0]
interval = model.class_prior_interval()
print(f"C = {model.C_:.2g} was chosen on a part of the {n} rows")
print(f"class prior from all rows: {interval.lower:.3f} to {interval.upper:.3f}")
folder.cleanup()
