"""Lengths of files and functions, counted in one way for every code base."""

from __future__ import annotations

import ast
import io
import statistics
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Function:
    """A function or method, and the lines of it that hold code."""

    file: str
    name: str
    n_lines: int


@dataclass(frozen=True)
class Sizes:
    """What was counted in a code base: lines of each file, code lines of each function."""

    files: dict[str, int]
    functions: tuple[Function, ...]

    @property
    def n_lines(self) -> int:
        """All lines of all files."""
        return sum(self.files.values())

    def file_lines(self) -> tuple[float, float, int]:
        """Return the median, the nine-tenths quantile and the maximum of file lengths."""
        return _spread(list(self.files.values()))

    def function_lines(self) -> tuple[float, float, int]:
        """Return the median, the nine-tenths quantile and the maximum of function lengths."""
        return _spread([function.n_lines for function in self.functions])


def measure(sources: dict[str, str]) -> Sizes:
    """Count the lines of sources given by their path."""
    functions = [
        function for file, source in sources.items() for function in _functions_of(file, source)
    ]
    return Sizes({file: source.count("\n") for file, source in sources.items()}, tuple(functions))


def sources_in(folder: Path) -> dict[str, str]:
    """Return every source file below a folder that is no test."""
    return {
        str(file.relative_to(folder)): file.read_text("utf-8")
        for file in sorted(folder.rglob("*.py"))
        if not _NOT_OURS_TO_COUNT & set(file.relative_to(folder).parts)
    }


def _functions_of(file: str, source: str) -> Iterable[Function]:
    code = _code_lines(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            yield Function(file, node.name, len(own & code - _docstring_lines(node)))


def _code_lines(source: str) -> set[int]:
    """Return the numbers of the lines that hold more than blanks and comments."""
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }


def _docstring_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    if ast.get_docstring(function, clean=False) is None:
        return set()
    docstring = function.body[0]
    return set(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))


def _spread(counts: Sequence[int]) -> tuple[float, float, int]:
    """Return the median, the nine-tenths quantile and the maximum."""
    if len(counts) < 2:
        raise ValueError(f"A spread needs at least two counts; got {len(counts)}.")
    tenths = statistics.quantiles(counts, n=10, method="inclusive")
    return statistics.median(counts), tenths[-1], max(counts)
