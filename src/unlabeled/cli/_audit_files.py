"""The files of an audit: the folder CHECK, and what an audit adds to the folder of a fit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from ._errors import BadInput

AUDITED = "audited.json"
FORMAT = 1


def read_audited(folder: Path, model: str) -> dict[str, Any]:
    """Read what an audit found out about a fit; `model` is the checksum of the fit's model."""
    file = folder / AUDITED
    try:
        found = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise BadInput(
            f"`--cut audited` needs {file}, which does not exist. Check some rows first: "
            f"`unlabeled audit {folder} --help` says how."
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(file, type(error).__name__) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _damaged(file, "no known format")
    if found.get("model") != model:
        raise BadInput(
            f"{file} must belong to the model beside it; got one of an earlier model. Run "
            "`unlabeled audit` again, or use `--cut original`."
        )
    line = found.get("posterior_line")
    numbers = [found.get("threshold"), *(line if isinstance(line, list) else [])]
    if len(numbers) != 3 or not all(map(_is_number, numbers)):
        raise _damaged(file, "no threshold, or no line of the posterior")
    return found


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _damaged(file: Path, why: str) -> BadInput:
    return BadInput(
        f"{file} is damaged or was changed ({why}). Run `unlabeled audit` with `--answers` again."
    )
