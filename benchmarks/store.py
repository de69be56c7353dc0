"""Stores the results of a run on disk, so that it can be resumed, and the durations of rows.

The name of the file is a hash of everything that results depend on: rows, commit, code, packages, processor and
options. A table therefore never has results of different code. The file is deleted when the run is completed.
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
    """A hash of the files of the package and the benchmarks, which also detects uncommitted changes."""
    found = hashlib.sha256()
    for path in sorted(p for folder in CODE for p in folder.rglob("*") if p.suffix in (".py", ".so")):
        found.update(path.read_bytes())
    return found.hexdigest()


class Store:
    """The file of a run in `folder`, which also has `seconds.json`."""

    def __init__(self, folder: Path, env: dict[str, Any], options: Options, rows: Sequence[Row]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        same = {name: value for name, value in env.items() if name != "date"}
        key = [same, dataclasses.asdict(options), [row.name for row in rows], code_hash()]
        name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
        self.path = folder / f"unfinished-{name}.jsonl"
        self._seconds = folder / "seconds.json"
        self._kind = f"scale {env['scale']:g}, {options.seconds:g} s, rounds {options.rounds}"

    def results(self) -> dict[str, Result]:
        """Returns the results by row. Ignores a line that is incomplete because the run was killed."""
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
        """Returns the durations of rows in the last run with the same options."""
        return self._read_seconds().get(self._kind, {})

    def _read_seconds(self) -> dict[str, dict[str, float]]:
        with suppress(OSError, ValueError):
            found: dict[str, dict[str, float]] = json.loads(self._seconds.read_text())
            return found
        return {}
