"""Makes docs/benchmarks.md: inputs and ratios to peers of each operation, and every peer that is faster."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from benchmarks import report, tables
from benchmarks.measure import Figure, Ratio, Result
from benchmarks.ours import MEMCPY
from benchmarks.rows import Row

DATA = "../benchmarks/results"
MAX_NAMES = 60  # letters of the names of inputs; longer lists are counted

HOW = f"""\
## How it was measured

- A row is an operation on an input. Every library gets the input in its own form, and results are compared before
  anything is timed. [benchmarks/README.md](../benchmarks/README.md) describes the measurement.
- Rounds of all libraries are interleaved on one core, with one thread each, unless a row names another number. A
  library that has several ways to do the work is measured by the fastest one that gives equal results.
- A peer is another library, or Python or torch itself, that does the same work. A number is the peer's median time
  divided by ours: 3.00 means that the peer takes three times as long, and below 1 the peer is faster (**bold**).
  `1.20-3.40` are the least and the greatest ratio over the inputs, for the way of each library in which it is fastest.
- All figures are in CSV files: [ratios.csv]({DATA}/ratios.csv) has 95 % bootstrap intervals, targets, and the reason
  of each one that is missed; [times.csv]({DATA}/times.csv) has quartiles; [rows.csv]({DATA}/rows.csv) says what each
  row measures, its commit and notes; [figures.csv]({DATA}/figures.csv) has memory,
  [skipped.csv]({DATA}/skipped.csv) the libraries that were left out of a row, and
  [environments.csv]({DATA}/environments.csv) the machines.
- `make bench` measures everything again and writes this page and the files;
  `make bench ARGS="--from benchmarks/results ROW"` measures some rows, and keeps the others."""

INPUTS = """\
W1: 100,000 ASCII strings of 60 bytes; W1p: W1 with one row of 200 words; W2: 10,000 paragraphs of 2 KB;
W3: 100,000 UTF-8 strings of five scripts; W4, W4m: 100,000 lines of 20 fields separated by `,` and `::`;
W5: one string of 64 MB of log text; W6: the source lines of Python's standard library, 12 MB. "Words of" an input are
its words as strings of their own."""


class Lost(NamedTuple):
    """A peer that is faster, or a missed limit."""

    row: str
    found: Ratio | Figure
    reason: str


def page(
    results: Sequence[Result],
    failures: Mapping[str, str],
    env: Mapping[str, Any],
    rows: Mapping[str, Row],
    plot_file: str,
) -> str:
    lost = [
        Lost(r.row, x, tables.reason(rows.get(r.row), x))
        for r in results
        for x in [*r.ratios, *r.figures]
        if tables.lost(x) and not is_copy(x)
    ]
    slower = [x for x in lost if is_speed(x.found) and x.found.ratio.median < 1]
    limits = [x for x in lost if not is_speed(x.found)]
    parts = [
        "# Benchmarks",
        machine("Measured", env),
        *(machine(f"{rows_of(later, results)} were measured", later) for later in env.get("later", ())),
        "[A plot](#every-ratio-that-has-a-target) ends this page.",
        *(f"**{row} failed**: {why}" for row, why in failures.items()),
        HOW,
        "## Other libraries",
        INPUTS,
        by_operation(results),
        "## Where another way is faster",
        "Each of these ratios is below 1, with its 95 % interval and the reason.",
        by_reason(slower),
        "## Missed limits",
        "A limit is the most time or memory that an operation may take, compared with the library itself, with torch\n"
        "or with a copy of the bytes: here a ratio is our time divided by theirs.",
        by_reason(limits),
        targets(results),
        "## Within the library",
        within(results),
        "## Every ratio that has a target",
        f"[![Bars of the ratios to each peer, with their targets]({plot_file})]({plot_file})",
    ]
    return escaped("\n\n".join(parts)) + "\n"


def rows_of(env: Mapping[str, Any], results: Sequence[Result]) -> str:
    """The number and the operations of the rows that were measured in an environment."""
    found = grouped([result for result in results if result.commit == env["commit"]])
    return f"{sum(map(len, found.values()))} rows of {', '.join(f'`{name}`' for name in found)}"


def machine(what: str, env: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in env["versions"].items() if version)
    first = textwrap.fill(f"{what} on {env['date']} at commit {env['commit']}:", 120)
    return (
        f"{first}\n{env['cpu']}, {env['cores']} cores, {env['system']}, CPU tier {env['tier']},\n{versions}."
    )


def escaped(text: str) -> str:
    """Text in which `<pad>`, the name of an input, is not HTML. Code between backticks stays."""
    return re.sub(r"(`[^`]*`)|<(?=\w)", lambda match: match[1] or "&lt;", text)


def is_speed(found: Ratio | Figure) -> TypeGuard[Ratio]:
    """Whether a figure is a ratio of speeds, and not a limit."""
    return isinstance(found, Ratio) and found.target.at_most is None


def is_copy(found: Ratio | Figure) -> bool:
    """Whether a ratio without a target is to a copy of the bytes, which does not do the work."""
    return isinstance(found, Ratio) and found.met is None and found.peer.startswith(MEMCPY)


def family(row: str) -> str:
    return row.split("/")[0]


def library(peer: str) -> str:
    """`polars.Series` -> `polars`; `Python sorted` -> `Python`."""
    return re.split(r"[ .:,]", peer)[0]


def span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}-{high}"


def grouped(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(family(result.row), []).append(result)
    return found


def by_operation(results: Sequence[Result]) -> str:
    lines = []
    for name, of_name in grouped(results).items():
        ratios: dict[str, list[float]] = {}
        for result in of_name:
            for peer, value in fastest(result).items():
                ratios.setdefault(peer, []).append(value)
        if ratios:
            cells = [f"{peer} {bold(values)}" for peer, values in sorted(ratios.items())]
            lines.append([f"`{name}`", inputs(of_name), ", ".join(cells)])
    return report.table(["operation", "inputs", "peer's time / ours"], lines)


def fastest(result: Result) -> dict[str, float]:
    """For each other library, the least ratio: its fastest way, to the slowest of ours."""
    found: dict[str, float] = {}
    ours = {line.name for line in result.lines if line.ours}
    for ratio in result.ratios:
        if ratio.peer in ours or ratio.peer.startswith(MEMCPY) or ratio.target.at_most is not None:
            continue
        name = library(ratio.peer)
        found[name] = min(ratio.ratio.median, found.get(name, ratio.ratio.median))
    return found


def bold(values: Sequence[float]) -> str:
    return f"**{span(values)}**" if min(values) < 1 else span(values)


def inputs(results: Sequence[Result]) -> str:
    names = ", ".join(result.row.partition("/")[2] for result in results)
    return names if len(names) <= MAX_NAMES else f"{len(results)} inputs"


def by_reason(lost: Sequence[Lost]) -> str:
    reasons: dict[str, list[Lost]] = {}
    for item in lost:
        reasons.setdefault(item.reason, []).append(item)
    lines = [f"- {'; '.join(merged(items))}: {why}" for why, items in reasons.items()]
    return "\n".join(lines) or "None."


def merged(lost: Sequence[Lost]) -> list[str]:
    """`` `row`: peer 0.96x (0.87-1.02), peer 0.9x (0.8-1.0)``, a text for each row."""
    found: dict[str, list[str]] = {}
    for item in lost:
        found.setdefault(item.row, []).append(described(item.found))
    return [f"`{row}` {', '.join(texts)}" for row, texts in found.items()]


def described(found: Ratio | Figure) -> str:
    if isinstance(found, Figure):
        return f"{found.name} {found.value:.4g}, limit {found.at_most:g}"
    if found.target.at_most is None:
        return f"{found.peer} {report.times(found.ratio)}"
    limit = f"limit {found.target.at_most:g}x"
    return f"{found.target.ours} / {found.peer} {report.times(found.ratio)}, {limit}"


def targets(results: Sequence[Result]) -> str:
    found = [x for result in results for x in [*result.ratios, *result.figures] if x.met is not None]
    met = sum(bool(x.met) for x in found)
    close = [x for x in found if is_speed(x) and not x.met and x.ratio.median >= 1]
    return (
        f"Targets judge most ratios as well: {met} of {len(found)} are met in {len(results)} rows. Of the others,\n"
        f"{len(close)} are ratios to a slower peer, below the target; "
        f"[ratios.csv]({DATA}/ratios.csv) lists them with reasons."
    )


def within(results: Sequence[Result]) -> str:
    """Ratios to our own contenders, and limits."""
    lines = []
    for name, of_name in grouped(results).items():
        shorter: dict[str, list[float]] = {}
        longer: dict[str, list[float]] = {}
        for result in of_name:
            ours = {line.name for line in result.lines if line.ours}
            for ratio in result.ratios:
                if ratio.target.at_most is not None:
                    longer.setdefault(ratio.peer, []).append(ratio.ratio.median)
                elif ratio.peer in ours:
                    shorter.setdefault(ratio.peer, []).append(ratio.ratio.median)
        cells = [f"{span(values)} times as fast as {peer}" for peer, values in shorter.items()]
        cells += [f"{span(values)} times the time of {peer}" for peer, values in longer.items()]
        figures = [x for result in of_name for x in result.figures if x.met is not None]
        if figures:
            cells.append(
                f"{sum(bool(x.met) for x in figures)} of {len(figures)} limits of memory and time are met"
            )
        if cells:
            lines.append([f"`{name}`", inputs(of_name), "; ".join(cells)])
    return report.table(["row", "inputs", "ratios"], lines) if lines else "None."
