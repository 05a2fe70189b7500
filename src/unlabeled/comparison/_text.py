"""The record of a comparison as a table, in plain text and in HTML."""

from __future__ import annotations

from html import escape
from typing import Any

from ._reading import with_error

TITLES = {
    "f1_pu": "F1_PU",
    "recall": "recall",
    "share": "share",
    "gain": "gain",
    "precision": "precision",
    "f1": "F1",
    "label_frequency": "c",
    "class_prior": "prior",
    "seconds": "seconds",
}
_MOST_OF_A_FAILURE = 300


def as_text(record: dict[str, Any]) -> str:
    """Lay a record out in columns, with warnings, failures and agreement below."""
    blocks = ["\n".join([_title(record), *aligned(method_cells(record))])]
    if len(record["methods"]) > 1:
        blocks.append("\n".join([_agreement_title(), *aligned(agreement_cells(record))]))
    told = remarks(record)
    blocks += ["\n".join(told)] * bool(told)
    return "\n\n".join(blocks)


def as_html(record: dict[str, Any]) -> str:
    """Write the same as tables and a list."""
    tables = _html_table(_title(record), method_cells(record))
    if len(record["methods"]) > 1:
        tables += _html_table(_agreement_title(), agreement_cells(record))
    lines = [*remarks(record), *record["reading"]]
    return tables + "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def method_cells(record: dict[str, Any]) -> list[list[str]]:
    """Cells of the table of methods, the heading first."""
    rest = [measure for measure in record["measures"] if measure not in ("f1_pu", "seconds")]
    cells = [["", "F1_PU", "to the best", *(TITLES[measure] for measure in rest), "seconds"]]
    for one in record["methods"]:
        is_best = one["name"] == record["best"]
        cells.append(
            [
                one["name"],
                with_error(one["f1_pu"]),
                "best" if is_best else with_error(one["to_best"], "difference", "+"),
                *(with_error(one[measure]) for measure in rest),
                with_error({"mean": one["seconds"]["mean"], "error": None}),
            ]
        )
    return cells


def agreement_cells(record: dict[str, Any]) -> list[list[str]]:
    """Cells of the table of agreement: decisions below the diagonal, ranks above."""
    names = record["agreement"]["methods"]
    alike = record["agreement"]["decide_alike"]["mean"]
    ranks = record["agreement"]["rank_correlation"]["mean"]
    cells = [["", *(str(k + 1) for k in range(len(names)))]]
    for i, name in enumerate(names):
        row = [f"{i + 1} {name}"]
        for j in range(len(names)):
            value = alike[i][j] if j < i else ranks[i][j]
            row.append("." if i == j else "-" if value is None else f"{value:.2f}")
        cells.append(row)
    return cells


def remarks(record: dict[str, Any]) -> list[str]:
    """Say which warnings were given, what failed, and which rows were used."""
    of_all = f"of {record['repeats']} splits"
    told = []
    sources = [(one["name"], one["warnings"]) for one in record["methods"]]
    for name, codes in [*sources, ("prepare", record["prepare"]["warnings"])]:
        listed = ", ".join(f"{code} on {n}" for code, n in codes.items())
        told += [f"{name} warned: {listed} {of_all}."] * bool(codes)
    for one in record["methods"]:
        if one["failed"]:
            first = " ".join(next(iter(one["failures"])).split())
            shown = (
                first if len(first) <= _MOST_OF_A_FAILURE else first[:_MOST_OF_A_FAILURE] + "..."
            )
            told.append(f"{one['name']} failed on {one['failed']} {of_all}: {shown}")
    return [*told, *_too_precise(record)]


def _too_precise(record: dict[str, Any]) -> list[str]:
    """Say where a given class prior and the labels contradict each other."""
    if record["class_prior"] is None:
        return []
    above = [one["name"] for one in record["methods"] if (one["precision"]["mean"] or 0) > 1]
    return [
        f"precision is above 1 for {', '.join(above)}: the class prior {record['class_prior']:g} "
        "and the recall of labelled rows cannot both be right."
    ] * bool(above)


def aligned(cells: list[list[str]]) -> list[str]:
    """Names to the left, numbers to the right."""
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return [
        "  ".join(
            f"{cell:<{width}}" if k == 0 else f"{cell:>{width}}"
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in cells
    ]


def _title(record: dict[str, Any]) -> str:
    rows = record["rows"]
    title = (
        f"{record['repeats']} splits: fitted to {rows['fitted_to']} rows, judged on "
        f"{rows['held_out']} others; mean ± standard error"
    )
    return title if record["note"] is None else f"{title}\n({record['note']})"


def _agreement_title() -> str:
    return "Share of rows decided alike (lower left), rank correlation of scores (upper right)"


def _html_table(title: str, cells: list[list[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in cells[0])
    body = "".join(
        f"<tr><th>{escape(row[0])}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in cells[1:]
    )
    caption = escape(title).replace("\n", "<br>")
    return (
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )
