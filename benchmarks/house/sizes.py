"""Sizes of files and functions, counted the same way for every code base."""

from __future__ import annotations

import ast
import io
import statistics
import tokenize
from collections.abc import Iterator
from pathlib import Path

_NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}
_NOT_OURS_TO_COUNT = {"tests", "test", "_build", "externals", "_vendor"}


def sources_in(folder: Path) -> dict[str, str]:
    """Return every source file below a folder that is not a test."""
    return {
        file.relative_to(folder).as_posix(): file.read_text("utf-8")
        for file in sorted(folder.rglob("*.py"))
        if not _NOT_OURS_TO_COUNT & set(file.relative_to(folder).parts)
    }


def measure_sizes(sources: dict[str, str]) -> dict[str, str]:
    """Return a row of the table of sizes.

    Lines of a file are all its lines. Lines of a function are those that hold code: its
    signature counts; its docstring, comments and blank lines do not.
    """
    files = [source.count("\n") for source in sources.values()]
    functions = [lines for source in sources.values() for lines in _function_lines(source)]
    counts = {
        "files": len(files),
        "lines": sum(files),
        "functions": len(functions),
        **{f"file: {name}": number for name, number in _spread(files).items()},
        **{f"function: {name}": number for name, number in _spread(functions).items()},
    }
    return {name: f"{number:.0f}" for name, number in counts.items()}


def _spread(counts: list[int]) -> dict[str, float]:
    return {
        "median": statistics.median(counts),
        "nine tenths": statistics.quantiles(counts, n=10, method="inclusive")[-1],
        "longest": max(counts),
    }


def _function_lines(source: str) -> Iterator[int]:
    code = _code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield len(_lines_of(node) & code - _docstring_lines(node))


def _code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold more than blanks and comments."""
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }


def _docstring_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    has_docstring = ast.get_docstring(function, clean=False) is not None
    return _lines_of(function.body[0]) if has_docstring else set()


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
