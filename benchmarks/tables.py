"""Writes all figures as CSV files, and reads them: rows, times, ratios, other figures, what was skipped, machines."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.measure import Figure, Measured, Ratio, Result, Skipped, Spread, Target
from benchmarks.rows import Row

NO_REASON = "Cause unknown."

HEADERS = {
    "rows.csv": ("row", "measures", "commit", "input bytes", "notes"),
    "times.csv": (
        "row",
        "contender",
        "ours",
        "median",
        "low quartile",
        "high quartile",
        "unit",
        "rounds",
    ),
    "ratios.csv": ("row", "peer", "way of", "ours", "ratio", "low", "high", "is", "target", "met", "reason"),
    "figures.csv": ("row", "figure", "value", "target", "met", "reason"),
    "skipped.csv": ("row", "contender", "reason"),
    "environments.csv": (
        "commit",
        "date",
        "cpu",
        "cores",
        "system",
        "tier",
        "threads",
        "scale",
        "clock",
        "versions",
    ),
}


def write(folder: Path, results: Sequence[Result], env: Mapping[str, Any], rows: Mapping[str, Row]) -> None:
    """Writes the results of one environment, or of several: `env` is the first, and `env["later"]` has the others."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = {
        "rows.csv": [row_cells(r, env) for r in results],
        "times.csv": [line for r in results for line in times(r)],
        "ratios.csv": [[r.row, *ratio_cells(x, rows.get(r.row))] for r in results for x in r.ratios],
        "figures.csv": [[r.row, *figure_cells(x, rows.get(r.row))] for r in results for x in r.figures],
        "skipped.csv": [[r.row, s.name, s.reason] for r in results for s in r.skipped],
        "environments.csv": [environment_cells(e) for e in environments(env)],
    }
    for name, header in HEADERS.items():
        write_csv(folder / name, [header, *lines[name]])


def write_csv(path: Path, lines: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def environments(env: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [env, *env.get("later", ())]


def row_cells(result: Result, env: Mapping[str, Any]) -> list[str]:
    commit = result.commit or env["commit"]
    return [result.row, result.title, commit, str(result.input_bytes), "; ".join(result.notes)]


def environment_cells(env: Mapping[str, Any]) -> list[str]:
    versions = ", ".join(f"{name} {version}" for name, version in env["versions"].items() if version)
    return [*(str(env[name]) for name in HEADERS["environments.csv"][:-1]), versions]


def times(result: Result) -> list[list[str]]:
    found = []
    for line in result.lines:
        unit, factor = report.unit(line.seconds)
        seconds = (line.seconds.median, line.seconds.low, line.seconds.high)
        spread = [f"{value * factor:.2f}" for value in seconds]
        found.append([result.row, line.name, yes(line.ours), *spread, unit, str(line.rounds)])
    return found


def ratio_cells(found: Ratio, row: Row | None) -> list[str]:
    spread = [f"{value:.2f}" for value in (found.ratio.median, found.ratio.low, found.ratio.high)]
    kind = "peer / ours" if found.target.at_most is None else "ours / peer"
    return [
        found.peer,
        found.target.name,
        found.target.ours,
        *spread,
        kind,
        report.target(found),
        *judged(found, row),
    ]


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


def read(folder: Path) -> tuple[list[Result], dict[str, Any]]:
    """The inverse of `write`, to the digits that the files have."""
    ratios, figures, lines, skipped = (
        by_row(folder / name) for name in ("ratios.csv", "figures.csv", "times.csv", "skipped.csv")
    )
    results = [
        Result(
            row["row"],
            row["measures"],
            int(row["input bytes"]),
            [measured(cells) for cells in lines.get(row["row"], ())],
            [ratio(cells) for cells in ratios.get(row["row"], ())],
            [figure(cells) for cells in figures.get(row["row"], ())],
            [Skipped(cells["contender"], cells["reason"]) for cells in skipped.get(row["row"], ())],
            [row["notes"]] if row["notes"] else [],
            row["commit"],
        )
        for row in read_csv(folder / "rows.csv")
    ]
    first, *later = map(environment, read_csv(folder / "environments.csv"))
    return results, {**first, "later": later}


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def by_row(path: Path) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for cells in read_csv(path):
        found.setdefault(cells["row"], []).append(cells)
    return found


def measured(cells: Mapping[str, str]) -> Measured:
    factor = {"ms": 1e3, "us": 1e6}[cells["unit"]]
    spread = Spread(*(float(cells[name]) / factor for name in ("median", "low quartile", "high quartile")))
    return Measured(cells["contender"], cells["ours"] == "yes", spread, None, int(cells["rounds"]))


def ratio(cells: Mapping[str, str]) -> Ratio:
    kind, _, bound = cells["target"].rstrip("x").partition(" ")
    bounds = {name: float(bound) for name, sign in (("at_least", ">="), ("at_most", "<=")) if kind == sign}
    spread = Spread(float(cells["ratio"]), float(cells["low"]), float(cells["high"]))
    return Ratio(Target(cells["ours"], cells["way of"], **bounds), cells["peer"], spread)


def figure(cells: Mapping[str, str]) -> Figure:
    bound = cells["target"].removeprefix("<= ")
    return Figure(cells["figure"], float(cells["value"]), float(bound) if bound else None)


def environment(cells: Mapping[str, str]) -> dict[str, Any]:
    versions = dict(text.rsplit(" ", 1) for text in cells["versions"].split(", "))
    numbers = {"cores": int(cells["cores"]), "threads": int(cells["threads"]), "scale": float(cells["scale"])}
    return {**cells, **numbers, "versions": versions}
