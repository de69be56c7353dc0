"""What a run has found so far, on disk, so that it can go on after it was stopped; and how long rows take.

A run's file is named by a hash of all that its figures depend on: the rows, commit and code, packages, processor and
options. So figures of different code never meet in one table. It goes when the run has ended.
"""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch_stringops
from benchmarks import report
from benchmarks.measure import Options, Result
from benchmarks.rows import Row

CODE = (Path(__file__).parent, Path(torch_stringops.__file__).parent)


def code_hash() -> str:
    """Of what is measured and what measures: commits and file times say less."""
    found = hashlib.sha256()
    for path in sorted(p for folder in CODE for p in folder.rglob("*") if p.suffix in (".py", ".so")):
        found.update(path.read_bytes())
    return found.hexdigest()


class Store:
    """The file of one run in `folder`, next to `last.json`, the figures of the last run of all rows."""

    def __init__(self, folder: Path, env: dict[str, Any], options: Options, rows: Sequence[Row]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        same = {name: value for name, value in env.items() if name != "date"}
        parts = [same, dataclasses.asdict(options), [row.name for row in rows], code_hash()]
        name = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
        self.path = folder / f"unfinished-{name}.jsonl"
        self.last = folder / "last.json"
        self._seconds = folder / "seconds.json"
        self._kind = f"scale {env['scale']:g}, {options.seconds:g} s, rounds {options.rounds}"

    def results(self) -> dict[str, Result]:
        """By row. A line that was cut when the run was killed does not count."""
        found: dict[str, Result] = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                with suppress(ValueError):
                    result = report.result_from(json.loads(line))
                    found[result.row] = result
        return found

    def add(self, result: Result, seconds: float) -> None:
        with self.path.open("a") as file:
            file.write("\n" + json.dumps(dataclasses.asdict(result)))
        known = self._read_seconds()
        known.setdefault(self._kind, {})[result.row] = round(seconds, 2)
        self._seconds.write_text(json.dumps(known, indent=1))

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)

    def seconds(self) -> dict[str, float]:
        """What rows took when they were last run like this."""
        return self._read_seconds().get(self._kind, {})

    def _read_seconds(self) -> dict[str, dict[str, float]]:
        with suppress(OSError, ValueError):
            found: dict[str, dict[str, float]] = json.loads(self._seconds.read_text())
            return found
        return {}
