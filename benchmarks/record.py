"""The recorded figures, as CSV files: rows, times, ratios, other figures, what was skipped, and the runs."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.measure import Figure, Measured, Ratio, Result, Skipped, Spread, Target

HEADERS = {
    "rows.csv": ("row", "measures", "run", "input bytes", "notes"),
    "times.csv": ("row", "contender", "ours", "median", "low quartile", "high quartile", "unit", "rounds"),
    "ratios.csv": ("row", "peer", "ours", "ratio", "low", "high", "limit"),
    "figures.csv": ("row", "figure", "value", "limit"),
    "skipped.csv": ("row", "contender", "reason"),
    "runs.csv": ("date", "commit", "cpu", "cores", "system", "tier", "threads", "scale", "clock", "versions"),
}


def write(folder: Path, results: Sequence[Result], runs: Sequence[Mapping[str, Any]]) -> None:
    """Writes results, and the runs that measured any of them."""
    used = {result.run for result in results}
    lines: dict[str, list[list[Any]]] = {
        "rows.csv": [[r.row, r.title, r.run, r.input_bytes, "; ".join(r.notes)] for r in results],
        "times.csv": [[r.row, *time_cells(line)] for r in results for line in r.lines],
        "ratios.csv": [[r.row, *ratio_cells(x)] for r in results for x in r.ratios],
        "figures.csv": [[r.row, x.name, f"{x.value:.4g}", limit(x.at_most)] for r in results for x in r.figures],
        "skipped.csv": [[r.row, x.name, x.reason] for r in results for x in r.skipped],
        "runs.csv": [run_cells(run) for run in runs if run["date"] in used],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, header in HEADERS.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *lines[name]])


def limit(at_most: float | None) -> str:
    return "" if at_most is None else f"{at_most:g}"


def time_cells(line: Measured) -> list[Any]:
    unit, factor = report.unit(line.seconds)
    spread = (f"{x * factor:.2f}" for x in (line.seconds.median, line.seconds.low, line.seconds.high))
    return [line.name, "yes" if line.ours else "no", *spread, unit, line.rounds]


def ratio_cells(found: Ratio) -> list[Any]:
    spread = (f"{x:.2f}" for x in (found.ratio.median, found.ratio.low, found.ratio.high))
    return [found.peer, found.target.ours, *spread, limit(found.target.at_most)]


def run_cells(run: Mapping[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    return [*(str(run[name]) for name in HEADERS["runs.csv"][:-1]), versions]


def read(folder: Path) -> tuple[list[Result], list[dict[str, Any]]]:
    """The inverse of `write`, to the digits that the files have."""
    ratios, figures, times, skipped = (
        by_row(folder / name) for name in ("ratios.csv", "figures.csv", "times.csv", "skipped.csv")
    )
    results = [
        Result(
            row["row"],
            row["measures"],
            int(row["input bytes"]),
            [measured(cells) for cells in times.get(row["row"], ())],
            [ratio(cells) for cells in ratios.get(row["row"], ())],
            [Figure(c["figure"], float(c["value"]), number(c["limit"])) for c in figures.get(row["row"], ())],
            [Skipped(c["contender"], c["reason"]) for c in skipped.get(row["row"], ())],
            [row["notes"]] if row["notes"] else [],
            row["run"],
        )
        for row in read_csv(folder / "rows.csv")
    ]
    return results, [run_of(cells) for cells in read_csv(folder / "runs.csv")]


def read_csv(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_row(path: Path) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for cells in read_csv(path):
        found.setdefault(cells["row"], []).append(cells)
    return found


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def measured(cells: Mapping[str, str]) -> Measured:
    factor = {"ms": 1e3, "us": 1e6}[cells["unit"]]
    spread = Spread(*(float(cells[name]) / factor for name in ("median", "low quartile", "high quartile")))
    return Measured(cells["contender"], cells["ours"] == "yes", spread, int(cells["rounds"]))


def ratio(cells: Mapping[str, str]) -> Ratio:
    target = Target(cells["ours"], cells["peer"], number(cells["limit"]))
    return Ratio(target, cells["peer"], Spread(float(cells["ratio"]), float(cells["low"]), float(cells["high"])))


def run_of(cells: Mapping[str, str]) -> dict[str, Any]:
    versions = dict(text.rsplit(" ", 1) for text in cells["versions"].split(", "))
    numbers = {"cores": int(cells["cores"]), "threads": int(cells["threads"]), "scale": float(cells["scale"])}
    return {**cells, **numbers, "versions": versions}
