"""The page: one self-contained HTML file with claims, figures and tables."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ._drawing import Drawing
from ._judge import Finding, Judgement
from ._left_open import CERTAINTIES, LEFT_OPEN
from ._names import ONE_SETTING, SETTINGS
from ._table import Table
from ._table_claims import RULE, count_verdicts
from ._verdict import FAILS, HOLDS, UNTOLD, VERDICTS, Verdict
from ._words import measured, subject, verdict_text, wanted

TEMPLATES = Path(__file__).parent / "templates"
MARKS = {HOLDS: ("✓", "holds"), FAILS: ("✗", "fails"), UNTOLD: ("?", "open")}


def render_page(
    judgements: tuple[Judgement, ...],
    figures: list[tuple[Drawing, Path]],
    tables: list[Table],
    made: list[tuple[str, str]],
    missing: list[str],
) -> str:
    """Return the page.

    Parameters
    ----------
    judgements : tuple of Judgement
    figures : list of (Drawing, Path)
        Figures and their SVG files, which become part of the page.
    tables : list of Table
        The first one is that of the studies.
    made : list of (str, str)
        How the records were made.
    missing : list of str
        Studies that the records lack.

    Returns
    -------
    str
        HTML that needs nothing but itself; all texts are escaped.
    """
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    return environment.get_template("page.html.j2").render(
        claims=_claims(judgements),
        counts={setting: count_verdicts(judgements, setting) for setting in SETTINGS},
        words=VERDICTS,
        rule=RULE,
        settings=SETTINGS,
        figures=[{"drawing": drawing, "source": _embedded(svg)} for drawing, svg in figures],
        studies=tables[0],
        tables=tables[1:],
        made=made,
        missing=missing,
        left_open=LEFT_OPEN,
        certainties=CERTAINTIES,
    )


def _claims(judgements: tuple[Judgement, ...]) -> list[dict[str, Any]]:
    by_claim: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_claim.setdefault(judgement.claim.id, []).append(judgement)
    return [_claim(of_one) for of_one in by_claim.values()]


def _claim(of_one: list[Judgement]) -> dict[str, Any]:
    parts = zip(*(judgement.findings for judgement in of_one), strict=True)
    return {
        "claim": of_one[0].claim,
        "badges": [_badge(judgement.verdict, judgement.setting) for judgement in of_one],
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
    needed = verdict_text(finding.verdict).removeprefix(finding.verdict.word).strip(" ()")
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


def _embedded(svg: Path) -> str:
    return "data:image/svg+xml;base64," + b64encode(svg.read_bytes()).decode("ascii")
