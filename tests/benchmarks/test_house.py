"""The ruler of the house: sizes of sources, and the walk of a call."""

from __future__ import annotations

import importlib
import sys

import pytest

from benchmarks.house.sizes import measure_sizes, sources_in
from benchmarks.house.walks import Walk, recorded

FIRST = '''"""A module."""

from walked import second


def f():
    """Count the signature and the code, not this."""

    # Nor this.
    return [second.g(k) for k in range(3)]
'''
SECOND = """def g(k):
    return h(k) if k else k


def h(k):
    return max(k, 0)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "walked"
    (folder / "tests").mkdir(parents=True)
    sources = {"__init__": "", "first": FIRST, "second": SECOND, "tests/test_first": "x = 1\n"}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("walked.first")
    yield sys.modules["walked"]
    for name in ("walked", "walked.first", "walked.second"):
        del sys.modules[name]


def test_a_walk_has_files_functions_depth_and_calls(package):
    with recorded(package) as recorder:
        package.first.f()
    functions = 3 + (sys.version_info < (3, 12))  # a comprehension was a function
    depth, calls = functions - 1, functions + 3  # g is called three times, h twice
    assert recorder.walk() == Walk(files=2, functions=functions, depth=depth, calls=calls)


def test_sizes_count_code_of_functions_and_leave_tests_out(package, tmp_path):
    sources = sources_in(tmp_path / "walked")
    assert sorted(sources) == ["__init__.py", "first.py", "second.py"]
    sizes = measure_sizes(sources)
    assert (sizes["files"], sizes["lines"], sizes["functions"]) == ("3", "16", "3")
    assert (sizes["file: longest"], sizes["function: longest"]) == ("10", "2")
