"""What a report of a bug should begin with: the machine, and the versions on it."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
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
    "skops",
    "skrub",
    "tqdm",
)


def show_versions() -> None:
    """Print the system, Python, the dependencies and the libraries that compute in threads.

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
    yield from _section("Dependencies", {name: _version_of(name) for name in _NEEDED})
    yield from _section("Optional", {name: _version_of(name) for name in _OPTIONAL})
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


def _version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _thread_pools() -> dict[str, str]:
    import scipy.linalg  # noqa: F401  (only libraries that are loaded are found)
    from threadpoolctl import threadpool_info

    return {
        pool["filepath"]: f"{pool['internal_api']} {pool['version'] or '(no version)'}, "
        f"{pool['num_threads']} threads"
        for pool in threadpool_info()
    }
