"""Records kept as they are made, one a line, so that a study can be interrupted."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from .measure import Draw, Record

FILE = "records.jsonl"


class Records:
    """The records of a folder; a last line that was cut off is made again."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._records: dict[Draw, Record] = {}
        if self._file.exists():
            self._read()

    def __contains__(self, draw: Draw) -> bool:
        return draw in self._records

    def __getitem__(self, draw: Draw) -> Record:
        return self._records[draw]

    def add(self, record: Record) -> None:
        """Keep a record and write it down."""
        self._records[record.draw] = record
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")

    def _read(self) -> None:
        text = self._file.read_text("utf-8")
        whole, _, cut_off = text.rpartition("\n")
        for line in whole.splitlines():
            values = json.loads(line)
            draw = Draw(**values.pop("draw"))
            self._records[draw] = Record(draw, **values)
        if cut_off:
            self._file.write_text(whole + "\n" if whole else "", encoding="utf-8")
