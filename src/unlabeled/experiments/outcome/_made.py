"""How the records were made, from the manifest of their folder."""

from __future__ import annotations

from typing import Any

ELSEWHERE = ("studies", "runs", "datasets")
NAMES = {"cpus": "CPUs", "memory_gib": "GiB of memory:"}


def facts(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return names and texts of the manifest, of several runs the first and the last."""
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
