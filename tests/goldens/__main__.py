"""Compute the goldens and compare them with those of 0.2.0: `make goldens`."""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

from ._cases import cases, numbers_of
from ._changes import CHANGED, GONE, RENAMED, SOLVER
from ._flatten import flatten

NUMBERS = Path(__file__).parent / "numbers.json.gz"
MOVED, SOLVED = 1e-10, 1e-6


def main() -> int:
    """Record or compare; the exit code is 1 if a number differs that should not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the numbers, do not compare")
    parser.add_argument("--only", default="", help="the cases whose name contains this")
    parser.add_argument("--show", type=int, default=25, help="how many differences to print")
    arguments = parser.parse_args()
    chosen = {name: case for name, case in cases().items() if arguments.only in name}
    computed = {name: _compute(name, case) for name, case in chosen.items()}
    if arguments.record:
        known = _read() if NUMBERS.exists() and arguments.only else {}
        text = json.dumps(known | computed, indent=0)
        NUMBERS.write_bytes(gzip.compress(text.encode(), mtime=0))
        print(f"{sum(map(len, computed.values()))} numbers and words of {len(computed)} cases.")
        return 0
    return _compare(_read(), computed, arguments.show)


def _read() -> dict[str, dict[str, Any]]:
    return json.loads(gzip.decompress(NUMBERS.read_bytes()))


def _compute(name: str, case: Any) -> dict[str, Any] | None:
    start = time.perf_counter()
    try:
        found = {
            key: value for path, result in numbers_of(case) for key, value in flatten(path, result)
        }
    except ModuleNotFoundError as error:
        print(f"{name}: left out, {error}.")
        return None
    except Exception as error:
        print(f"{name}: FAILED, {type(error).__name__}: {error}", flush=True)
        return {"failed": type(error).__name__}
    print(f"{time.perf_counter() - start:6.1f} s  {len(found):6d}  {name}", flush=True)
    return found


def _compare(known: dict[str, Any], computed: dict[str, Any], show: int) -> int:
    largest, compared, intended, wrong = 0.0, 0, {}, []
    for name, found in computed.items():
        if found is None:
            continue
        before = known.get(name, {})
        for key, value in before.items():
            if any(one in f"{name}: {key}" for one in GONE):
                continue
            now = found.get(_new_name(key), "(missing)")
            compared += 1
            difference = _difference(value, now)
            reason = next((why for one, why in CHANGED.items() if one in f"{name}: {key}"), None)
            allowed = SOLVED if any(one in f"{name}: {key}" for one in SOLVER) else MOVED
            if difference <= allowed:
                largest = max(largest, difference)
            elif reason is not None:
                intended[reason] = intended.get(reason, 0) + 1
            else:
                wrong.append((name, key, value, now, difference))
        if not before:
            wrong.append((name, "", "(no golden)", "", math.inf))
    print(f"\n{compared} numbers and words of {len(computed)} cases; the largest difference that "
          f"is allowed: {largest:.2g}.")  # fmt: skip
    for reason, count in intended.items():
        print(f"  {count} differ as intended: {reason}")
    for name, key, value, now, difference in wrong[:show]:
        print(f"  DIFFERS {difference:.2g}  {name}: {key}: {value!r} -> {now!r}")
    print(f"{len(wrong)} differ that should not." if wrong else "All agree.")
    return 1 if wrong else 0


def _new_name(key: str) -> str:
    for old, new in RENAMED.items():
        if key == old or key.startswith((f"{old}.", f"{old}[", f"{old}#")):
            return new + key[len(old) :]
        if old.startswith(".") and old in key:
            return key.replace(old, new)
    return key


def _difference(before: Any, now: Any) -> float:
    """Return the distance relative to the larger of 1 and the number."""
    if not (isinstance(before, float) and isinstance(now, float)):
        return 0.0 if before == now else math.inf
    if before == now or (math.isnan(before) and math.isnan(now)):
        return 0.0
    if not (math.isfinite(before) and math.isfinite(now)):
        return math.inf
    return abs(before - now) / max(1.0, abs(before))


if __name__ == "__main__":
    sys.exit(main())
