"""Writes all figures as CSV files: rows, times, ratios, other figures, and what was skipped."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.measure import Figure, Ratio, Result
from benchmarks.rows import Row

NO_REASON = "Cause unknown."

HEADERS = {
    "rows.csv": ("row", "measures", "commit", "notes"),
    "times.csv": (
        "row",
        "contender",
        "ours",
        "median",
        "low quartile",
        "high quartile",
        "unit",
        "GB/s of input",
        "rounds",
    ),
    "ratios.csv": ("row", "peer", "ours", "ratio", "low", "high", "is", "target", "met", "reason"),
    "figures.csv": ("row", "figure", "value", "target", "met", "reason"),
    "skipped.csv": ("row", "contender", "reason"),
}


def write(folder: Path, results: Sequence[Result], env: Mapping[str, Any], rows: Mapping[str, Row]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = {
        "rows.csv": [[r.row, r.title, r.commit or env["commit"], "; ".join(r.notes)] for r in results],
        "times.csv": [line for r in results for line in times(r)],
        "ratios.csv": [[r.row, *ratio_cells(x, rows.get(r.row))] for r in results for x in r.ratios],
        "figures.csv": [[r.row, *figure_cells(x, rows.get(r.row))] for r in results for x in r.figures],
        "skipped.csv": [[r.row, s.name, s.reason] for r in results for s in r.skipped],
    }
    for name, header in HEADERS.items():
        write_csv(folder / name, [header, *lines[name]])


def write_csv(path: Path, lines: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def times(result: Result) -> list[list[str]]:
    found = []
    for line in result.lines:
        unit, factor = report.unit(line.seconds)
        seconds = (line.seconds.median, line.seconds.low, line.seconds.high)
        spread = [f"{value * factor:.2f}" for value in seconds]
        speed = report.speed(result, line)
        found.append([result.row, line.name, yes(line.ours), *spread, unit, speed, str(line.rounds)])
    return found


def ratio_cells(found: Ratio, row: Row | None) -> list[str]:
    spread = [f"{value:.2f}" for value in (found.ratio.median, found.ratio.low, found.ratio.high)]
    kind = "peer / ours" if found.target.at_most is None else "ours / peer"
    return [found.peer, found.target.ours, *spread, kind, report.target(found), *judged(found, row)]


def figure_cells(found: Figure, row: Row | None) -> list[str]:
    return [found.name, f"{found.value:.4g}", report.target(found), *judged(found, row)]


def judged(found: Ratio | Figure, row: Row | None) -> list[str]:
    """Whether the target is met, and the reason of what is missed, or of a faster peer."""
    met = "" if found.met is None else yes(found.met)
    return [met, reason(row, found) if lost(found) else ""]


def lost(found: Ratio | Figure) -> bool:
    """Whether a target is missed, or, without a target, the peer is faster."""
    if found.met is not None:
        return not found.met
    return isinstance(found, Ratio) and found.ratio.median < 1


def yes(value: bool) -> str:
    return "yes" if value else "no"


def reason(row: Row | None, found: Ratio | Figure) -> str:
    """The reason in the declaration of the row."""
    if isinstance(found, Figure):
        names = [found.name, found.name.split(":")[0]]  # `call: peak / 12.3 MB of outputs`
    else:
        names = [found.target.ours, found.target.name]
    written = {} if row is None else row.reasons
    return next((written[name] for name in names if name in written), NO_REASON)
