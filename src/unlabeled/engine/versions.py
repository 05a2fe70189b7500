"""Versions of packages, and `show_versions`, whose output should be part of every bug report."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version

from .._version import __version__

_NEEDED = ("numpy", "scipy", "scikit-learn", "click", "joblib", "threadpoolctl")
_OPTIONAL = (
    "dask",
    "distributed",
    "jinja2",
    "markupsafe",
    "matplotlib",
    "onnx",
    "pandas",
    "pyarrow",
    "python-calamine",
    "skops",
    "tqdm",
)


def versions_of(packages: Iterable[str], missing: str | None = None) -> dict[str, str]:
    """Return the version of each package.

    Packages that are not installed get the text `missing`, or are left out if it is None.
    """
    versions = {}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            if missing is not None:
                versions[package] = missing
    return versions


def show_versions() -> None:
    """Print the versions of Python, the dependencies and the libraries that run threads.

    Examples
    --------
    >>> import unlabeled
    >>> unlabeled.show_versions()
    unlabeled ...
    """
    print(*_lines(), sep="\n")  # noqa: T201


def _lines() -> Iterator[str]:
    yield f"unlabeled {__version__}"
    yield from _section("System", _system())
    yield from _section("Dependencies", versions_of(_NEEDED, missing="not installed"))
    yield from _section("Optional", versions_of(_OPTIONAL, missing="not installed"))
    yield from _section("Libraries with threads", _thread_pools())


def _section(title: str, facts: dict[str, str]) -> Iterator[str]:
    yield ""
    yield title
    width = max(map(len, facts), default=0)
    yield from (f"  {name:{width}}  {fact}" for name, fact in facts.items())


def _system() -> dict[str, str]:
    return {
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "machine": platform.platform(),
    }


def _thread_pools() -> dict[str, str]:
    import scipy.linalg  # noqa: F401  (threadpoolctl finds only libraries that are loaded)
    from threadpoolctl import threadpool_info

    return {
        pool["filepath"]: f"{pool['internal_api']} {pool['version'] or '(no version)'}, "
        f"{pool['num_threads']} threads"
        for pool in threadpool_info()
    }
