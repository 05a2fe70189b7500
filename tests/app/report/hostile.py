"""Text that would do harm if it were not escaped, and every place of a summary it can be in."""

from __future__ import annotations

from typing import Any

ATTACKS = [
    "<script>window.pwned=1</script>",
    "</script><img src=x onerror=window.pwned=1>",
    "\"><svg onload=window.pwned=1>'",
    "{{ 7 * 7 }}{% raw %}",
    "]]><!--",
    "\u202egnp.exe\u202c שלום",
    "bell \x07 nul \x00 escape \x1b[31m \x9b",
    "line\u2028separator\u2029 and\r\nbreaks",
    "lone \ud800 surrogate",
    "x" * 5000,
    "javascript:alert(1)",
]


def everywhere(summary: dict[str, Any], text: str) -> dict[str, Any]:
    """Put a text of the table wherever text of the table can go."""
    summary["table"]["name"] = text
    summary["label"].update(column=text, positive=text, sentence=text, other_values={text: 1})
    summary["columns"] = {"used": [text], "not_used": {text: text}, "id": text}
    summary["remarks"] = [text]
    summary["made"].update(command=text, at=text, versions={text: text}, seconds={text: 1.0})
    summary["method"].update({"name": text, "class": text, "cut": text, "rule": text})
    summary["curve"]["source"] = text
    summary["rules"][0]["name"] = text
    summary["coefficients"].update(scale=text, interval=text)
    for row in summary["coefficients"]["rows"]:
        row.update(feature=text, column=text, words={"large": [text], "small": [text]})
    summary["findings"] = [
        {"check": text, "code": text, "state": state, "message": text}
        for state in ("serious", "warning", "note", "fine", "not applicable", text)
    ]
    summary["warnings"] = [{"code": text, "message": text}, {"code": None, "message": text}]
    summary["comparison"] = {
        "methods": [
            {"name": text, text: {"mean": 1.0, "error": 0.1}, "note": text, "warnings": {text: 1}}
        ],
        "note": text,
        "reading": [text],
    }
    summary["notes"] = {"checks": text, "comparison": text}
    summary["class_prior"]["method"] = text
    return summary
