"""The page: one HTML file with claims, tables and provenance, and its figures beside it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ._figures import Drawing
from ._judge import FAILS, HOLDS, UNDECIDED, VERDICTS, Finding, Judgment, Verdict
from ._records import ONE_SETTING, SETTINGS
from ._tables import RULE, Table, count_verdicts
from ._unstated_choices import CERTAINTIES, UNSTATED_CHOICES
from ._words import measured, repeats_needed, subject, verdict_text, wanted

FIGURES = "figures"
TEMPLATES = Path(__file__).parent / "templates"
MARKS = {HOLDS: ("✓", "holds"), FAILS: ("✗", "fails"), UNDECIDED: ("?", "open")}
ELSEWHERE = ("studies", "runs", "datasets")
NAMES = {"cpus": "CPUs", "memory_gib": "GiB of memory:"}


def render_page(
    judgments: tuple[Judgment, ...],
    figures: list[Drawing],
    tables: list[Table],
    provenance: list[tuple[str, str]],
    missing: list[str],
) -> str:
    """Return the page.

    Parameters
    ----------
    judgments : tuple of Judgment
        The verdicts on the claims.
    figures : list of Drawing
        Figures, whose files lie in the folder `FIGURES` beside the page.
    tables : list of Table
        The table of the studies comes first.
    provenance : list of (str, str)
        How the records were made, by the function `provenance`.
    missing : list of str
        Studies that the records lack.

    Returns
    -------
    str
        HTML that refers to no other file but the figures; all text is escaped.
    """
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            claims=_claims(judgments),
            counts={setting: count_verdicts(judgments, setting) for setting in SETTINGS},
            words=VERDICTS,
            rule=RULE,
            settings=SETTINGS,
            figures=[
                {"drawing": drawing, "source": f"{FIGURES}/{drawing.slug}.svg"}
                for drawing in figures
            ],
            studies=tables[0],
            tables=tables[1:],
            provenance=provenance,
            missing=missing,
            unstated_choices=UNSTATED_CHOICES,
            certainties=CERTAINTIES,
        )
    )


@cache
def _environment() -> Environment:
    """Return the templates, which are compiled once."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )


def _claims(judgments: tuple[Judgment, ...]) -> list[dict[str, Any]]:
    by_claim: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_claim.setdefault(judgment.claim.id, []).append(judgment)
    return [_claim(in_settings) for in_settings in by_claim.values()]


def _claim(in_settings: list[Judgment]) -> dict[str, Any]:
    parts = zip(*(judgment.findings for judgment in in_settings), strict=True)
    return {
        "claim": in_settings[0].claim,
        "badges": [_badge(judgment.verdict, judgment.setting) for judgment in in_settings],
        "parts": [
            {
                "subject": subject(findings[0].part, findings[0].cells),
                "wanted": wanted(findings[0].part),
                "results": [_result(finding) for finding in findings],
            }
            for findings in parts
        ],
    }


def _result(finding: Finding) -> dict[str, Any]:
    needed = repeats_needed(finding.verdict)
    notes = [f"{finding.estimate.repeats} repeats", needed, *finding.notes]
    return {
        "measured": measured(finding.part, finding.estimate),
        "badge": _badge(Verdict(finding.verdict.word)),
        "notes": "; ".join(note for note in notes if note),
    }


def _badge(verdict: Verdict, setting: str = ONE_SETTING) -> dict[str, str]:
    mark, kind = MARKS[verdict.word]
    before = "" if setting == ONE_SETTING else setting
    return {"setting": before, "mark": mark, "kind": kind, "text": verdict_text(verdict)}


def provenance(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how the records were made, as names and texts: the manifest, first and last run."""
    rows = _described({key: manifest[key] for key in manifest if key not in ELSEWHERE})
    runs = manifest.get("runs", [])
    if len(runs) > 1:
        rows.append(("runs", f"{len(runs)}; the first and the last follow"))
        rows += _described(runs[0], "first run: ")
    if runs:
        rows += _described(runs[-1], "last run: " if len(runs) > 1 else "")
    return rows


def _described(table: dict[str, Any], before: str = "") -> list[tuple[str, str]]:
    return [(before + _named(key), _text(value)) for key, value in table.items()]


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{_named(key)} {_text(entry)}" for key, entry in value.items())
    if isinstance(value, list):
        return "; ".join(map(str, value)) or "none"
    return "–" if value is None else str(value)


def _named(key: object) -> str:
    return NAMES.get(str(key), str(key).replace("_", " "))
