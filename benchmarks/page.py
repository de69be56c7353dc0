"""Writes docs/benchmarks.md: the ratios to peers of each operation first, how and where they were measured last."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks import report
from benchmarks.measure import Figure, Ratio, Result
from benchmarks.ours import MEMCPY
from benchmarks.reasons import reason

DATA = "../benchmarks/results"
MAX_NAMES = 60  # letters of the names of inputs; longer lists are counted
FIRST = """\
A number is another library's median time divided by ours: 3.00 means that it takes three times as long. `1.20-3.40` are
the least and the greatest ratio over the inputs, each for the fastest way of the library. In **bold** ranges the other
library is faster on some input. Each library uses one thread unless a row says otherwise, calls are interleaved, and
results are compared before anything is timed."""
INPUTS = """\
Text that nobody tuned to, from installed packages: `messages`, Django's translations into about 100 languages;
`metadata` and `records`, lines of METADATA and of RECORD (CSV) of installed packages; `JSON`, documents with HTML in
strings, and `pages`, HTML documentation of 14 KB in the median, both of botocore; `log`, the lines of pip's log of an
installation; W6, the source lines of Python's standard library, 12 MB, and W7, its English paragraphs.

Generated from a fixed seed: W1, 100,000 ASCII strings of 60 bytes; W1p, W1 with one row of 200 words; W2, 10,000
paragraphs of 2 KB; W3, 100,000 UTF-8 strings of five scripts; W4, 100,000 lines of 20 fields separated by `,`; W5, one
string of 64 MB of log text. "Words of" an input are its words as strings of their own."""
GROWTH = """\
![Nanoseconds a byte by the length of a string and by a count of a pattern](growth.svg)

Nanoseconds a byte, on one thread: first by the length of a string, of HTML of 2 MB in all or of one string; then
`regex_count` by a count in the pattern. Both axes of the first are logarithmic. [growth.csv](growth.csv) has the
figures, which `python -m benchmarks.growth` writes."""
HOW = f"""\
- A row is an operation on an input. [benchmarks/README.md](../benchmarks/README.md) describes the measurement:
  interleaved rounds on one core, medians, and the processor's time instead of the wall's.
- [ratios.csv]({DATA}/ratios.csv) has every ratio with its 95 % bootstrap interval, [times.csv]({DATA}/times.csv) the
  quartiles, [rows.csv]({DATA}/rows.csv) what each row measures, its run and notes, [figures.csv]({DATA}/figures.csv)
  memory, [skipped.csv]({DATA}/skipped.csv) what was left out, and [runs.csv]({DATA}/runs.csv) the machines.
- `make bench` measures all rows in one run, and writes this page and the files.
  `make bench ARGS="--from benchmarks/results ROW"` measures some rows, and keeps the others."""


def page(results: Sequence[Result], runs: Sequence[Mapping[str, Any]]) -> str:
    slower = [(r.row, x) for r in results for x in peers_of(r) if x.ratio.median < 1]
    found = [(r.row, x) for r in results for x in [*r.ratios, *r.figures] if x.met is not None]
    missed = [(row, x) for row, x in found if not x.met]
    parts = [
        "# Benchmarks",
        FIRST,
        "## Other libraries",
        by_operation(results),
        "## Where another library is faster",
        "Ratios below 1, with their 95 % intervals and the reason.",
        by_reason(slower),
        "## Within the library",
        "Our time divided by that of another call, which is a limit where the row has one.\n"
        f"{len(found) - len(missed)} of {len(found)} limits of time and memory are met; the others:",
        by_reason(missed),
        within(results),
        "## How time grows",
        GROWTH,
        "## Inputs",
        INPUTS,
        "## How and where it was measured",
        HOW,
        machines(results, runs),
    ]
    return escaped("\n\n".join(parts)) + "\n"


def machines(results: Sequence[Result], runs: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for run in runs:
        count = sum(result.run == run["date"] for result in results)
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
        machine = f"{run['cpu']}, {run['cores']} cores, {run['system']}, tier {run['tier']}"
        if count:
            lines.append([run["date"], str(count), run["commit"], machine, versions])
    return report.table(["date", "rows", "commit", "machine", "versions"], lines)


def escaped(text: str) -> str:
    """Text in which `<br />`, the name of an input, is not HTML. Code between backticks stays."""
    return re.sub(r"(`[^`]*`)|<(?=[\w/])", lambda match: match[1] or "&lt;", text)


def library(peer: str) -> str:
    """`polars.Series` -> `polars`; `Python sorted` -> `Python`."""
    return re.split(r"[ .:,]", peer)[0]


def span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low}-{high}"


def bold(values: Sequence[float]) -> str:
    return f"**{span(values)}**" if min(values) < 1 else span(values)


def grouped(results: Sequence[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.row.split("/")[0], []).append(result)
    return found


def peers_of(result: Result) -> list[Ratio]:
    """The ratios to other libraries."""
    ours = {line.name for line in result.lines if line.ours}
    return [r for r in result.ratios if r.met is None and r.peer not in ours and not r.peer.startswith(MEMCPY)]


def by_operation(results: Sequence[Result]) -> str:
    lines = []
    for name, of_name in grouped(results).items():
        ratios: dict[str, list[float]] = {}
        for result in of_name:
            fastest: dict[str, float] = {}
            for found in peers_of(result):
                peer = library(found.peer)
                fastest[peer] = min(found.ratio.median, fastest.get(peer, found.ratio.median))
            for peer, value in fastest.items():
                ratios.setdefault(peer, []).append(value)
        if ratios:
            cells = [f"{peer} {bold(values)}" for peer, values in sorted(ratios.items())]
            lines.append([f"`{name}`", inputs(of_name), ", ".join(cells)])
    return report.table(["operation", "inputs", "other library's time / ours"], lines)


def inputs(results: Sequence[Result]) -> str:
    names = ", ".join(result.row.partition("/")[2] for result in results)
    return names if len(names) <= MAX_NAMES else f"{len(results)} inputs"


def by_reason(lost: Sequence[tuple[str, Ratio | Figure]]) -> str:
    """An item for each reason, with its rows and their ratios."""
    reasons: dict[str, dict[str, list[str]]] = {}
    for row, found in lost:
        why = reason(row, found.name if isinstance(found, Figure) else found.peer)
        reasons.setdefault(why, {}).setdefault(row, []).append(described(found))
    lines = []
    for why, rows in reasons.items():
        shown = "; ".join(f"`{row}` {', '.join(texts)}" for row, texts in rows.items())
        lines.append(f"- {shown}: {why}")
    return "\n".join(lines) or "None."


def described(found: Ratio | Figure) -> str:
    if isinstance(found, Figure):
        return f"{found.name} {found.value:.4g}, limit {found.at_most:g}"
    if found.target.at_most is None:
        return f"{found.peer} {report.times(found.ratio)}"
    return f"{found.target.ours} / {found.peer} {report.times(found.ratio)}, limit {found.target.at_most:g}x"


def within(results: Sequence[Result]) -> str:
    """Our time to that of our other contenders, and to limits."""
    lines = []
    for name, of_name in grouped(results).items():
        ratios: dict[str, list[float]] = {}
        for result in of_name:
            others = peers_of(result)
            for found in result.ratios:
                if found not in others:
                    value = found.ratio.median
                    ratios.setdefault(found.peer, []).append(1 / value if found.met is None else value)
        cells = [f"{span(values)} of {peer}" for peer, values in ratios.items()]
        figures = [x for result in of_name for x in result.figures if x.met is not None]
        if figures:
            cells.append(f"{sum(bool(x.met) for x in figures)} of {len(figures)} limits are met")
        if cells:
            lines.append([f"`{name}`", inputs(of_name), "; ".join(cells)])
    return report.table(["row", "inputs", "our time"], lines) if lines else "None."
