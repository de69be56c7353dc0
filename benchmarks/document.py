"""Writes docs/benchmarks.md, its plot and the CSV files of all figures; `full_text` is for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import overview, plot, report, tables
from benchmarks.measure import Figure, Ratio, Result
from benchmarks.ours import MEMCPY
from benchmarks.rows import Row

PLOT = "benchmarks.svg"


def merged(rows: Mapping[str, Row], earlier: Sequence[Result], later: Sequence[Result]) -> list[Result]:
    """The latest result of each row, in the order of `rows`. Results of removed rows are dropped."""
    found = {result.row: result for result in [*earlier, *later]}
    return [found[name] for name in rows if name in found]


def write(
    folder: Path,
    data: Path,
    results: Sequence[Result],
    failures: Mapping[str, str],
    env: Mapping[str, Any],
    rows: Mapping[str, Row],
) -> None:
    """Writes the page and the plot to `folder`, and the CSV files to `data`."""
    (folder / PLOT).write_text(plot.svg(results, f"{env['cpu']}, {env['date']}"), encoding="utf-8")
    text = overview.page(results, failures, env, rows, PLOT)
    (folder / "benchmarks.md").write_text(text, encoding="utf-8")
    tables.write(data, results, env, rows)


def full_text(
    results: Sequence[Result], failures: Mapping[str, str], env: dict[str, Any], rows: Mapping[str, Row]
) -> str:
    judged = list(verdicts(results))
    met = sum(bool(found.met) for _, found in judged)
    parts = [
        "# Benchmarks",
        f"**{met} of {len(judged)} targets met**, {len(results)} rows. {circumstances(results, env)}",
    ]
    parts += [f"**{row} failed**: {reason}" for row, reason in failures.items()]
    parts += ["## Missed targets and faster peers", missed([*not_met(results)], rows)]
    parts += ["## All targets", targets(judged), "## All rows"]
    parts += [row_section(result, env) for result in results]
    return "\n\n".join(parts).rstrip("\n") + "\n"


def circumstances(results: Sequence[Result], env: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {v or 'not installed'}" for name, v in env["versions"].items())
    busy = [line.busy for result in results for line in result.lines if line.busy is not None]
    scale = "" if env["scale"] == 1 else f" Workloads at {env['scale']:g} of their full size."
    return (
        f"{env['date']}, commit {env['commit']}, {env['cpu']}, {env['cores']} cores, {env['system']}.\n"
        f"{versions}.\n"
        f"CPU tier {env['tier']} and {counted(env['threads'], 'thread')} unless a row names others."
        f"{scale} Results were compared before timing.\n"
        f"A ratio is the peer's median time divided by ours, over interleaved rounds (for a limit, `<=`, ours divided "
        f"by the peer's); in brackets its 95 % bootstrap interval.\n"
        f"Times are {'processor time' if env['clock'] == 'cpu' else 'wall-clock time'}"
        + (f"; the process ran during {100 * median(busy):.0f} % of the timed time." if busy else ".")
    )


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def verdicts(results: Sequence[Result]) -> Iterator[tuple[str, Ratio | Figure]]:
    """The ratios and figures that have a target, with the names of their rows."""
    for result in results:
        found: list[Ratio | Figure] = [*result.ratios, *result.figures]
        yield from ((result.row, item) for item in found if item.met is not None)


def not_met(results: Sequence[Result]) -> Iterator[tuple[str, Ratio | Figure]]:
    """Missed targets, and, without a target, peers that are faster."""
    for result in results:
        ours_too = {line.name for line in result.lines if line.ours}
        for ratio in result.ratios:
            peer = ratio.peer not in ours_too and not ratio.peer.startswith(MEMCPY)
            if ratio.met is False or (ratio.met is None and peer and ratio.ratio.median < 1):
                yield result.row, ratio
        yield from ((result.row, figure) for figure in result.figures if figure.met is False)


def cells(row: str, found: Ratio | Figure) -> list[str]:
    """The cells of a table: row, peer, ours, target, measured."""
    if isinstance(found, Figure):
        return [row, found.name, "", report.target(found), f"{found.value:.4g}"]
    return [row, found.peer, found.target.ours, report.target(found), report.times(found.ratio)]


def missed(found_so: Sequence[tuple[str, Ratio | Figure]], rows: Mapping[str, Row]) -> str:
    lines: list[list[str]] = []
    above = tables.NO_REASON
    for row, found in found_so:
        why = tables.reason(rows.get(row), found)
        lines.append([*cells(row, found), "as above" if why == above != tables.NO_REASON else why])
        above = why
    if not lines:
        return "None."
    return report.table(["row", "peer", "ours", "target", "measured", "why"], lines)


def targets(judged: Sequence[tuple[str, Ratio | Figure]]) -> str:
    lines = [[*cells(row, found), report.verdict(found)] for row, found in judged]
    return report.table(["row", "peer", "ours", "target", "measured (95 % interval)", ""], lines)


def row_section(result: Result, env: dict[str, Any]) -> str:
    later = result.commit not in ("", env["commit"])
    return report.row_section(result) + (f"\n- measured at commit {result.commit}\n" if later else "")
