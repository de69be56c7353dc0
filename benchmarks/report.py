"""Formats results as text, tables and JSON, with the environment: machine, versions, commit."""

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, Measured, Options, Ratio, Result, Skipped, Spread, Target
from benchmarks.rows import Context

PACKAGES = ["torch", "numpy", "pyarrow", "polars", "onnxruntime", "openvino-tokenizers", "tensorflow"]
PACKAGES += ["tokenizers", "pandas", "rapidfuzz", "tiktoken", "sentencepiece", "django", "botocore"]
# Paths whose changes can affect results; others do not change the reported commit.
MEASURED = ["csrc", "torch_stringops", "benchmarks", "setup.py"]


def environment(options: Options, context: Context) -> dict[str, Any]:
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "commit": commit(),
        "versions": {name: version(name) for name in PACKAGES},
        "tier": context.tier,
        "threads": context.threads,
        "scale": context.scale,
        "clock": options.clock,
    }


def cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    fields = {key.strip(): value.strip() for key, value in fields.items()}
    known = {"avx2", "avx512bw", "avx512_vbmi2"} & set(fields.get("flags", "").split())
    return f"{fields.get('model name', platform.machine())} ({', '.join(sorted(known)) or 'no AVX2'})"


def version(package: str) -> str | None:
    """The version of a package, or of its build for the CPU."""
    for name in (package, f"{package}-cpu"):
        with suppress(metadata.PackageNotFoundError):
            return metadata.version(name)
    return None


def commit() -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(Path(__file__).parent.parent), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED)
        return git("rev-parse", "--short", "HEAD") + (" with local changes" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def times(spread: Spread) -> str:
    """`5.1x (4.9-5.3)`."""
    return f"{spread.median:.2f}x ({spread.low:.2f}-{spread.high:.2f})"


def unit(spread: Spread) -> tuple[str, float]:
    """The unit in which a time is written, and how many of it a second has."""
    return ("ms", 1e3) if spread.median >= 1e-4 else ("us", 1e6)


def verdict(found: Ratio | Figure) -> str:
    """The limit, and whether it is met."""
    limit = found.at_most if isinstance(found, Figure) else found.target.at_most
    return "" if limit is None else f"<= {limit:g} {'met' if found.met else '**missed**'}"


def sentence(ratio: Ratio) -> str:
    """`5.1x (4.9-5.3) ours`, or for a limit `ours takes 1.9x (1.8-2.0)`."""
    if ratio.target.at_most is not None:
        return f"{ratio.target.ours} takes {times(ratio.ratio)} {verdict(ratio)}"
    return f"{times(ratio.ratio)} {ratio.target.ours}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in rows)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *escaped])


def row_section(result: Result) -> str:
    """A table of the times of the contenders, and of the ratios of their comparisons."""
    rows = []
    for line in result.lines:
        name, factor = unit(line.seconds)
        low, median, high = (x * factor for x in (line.seconds.low, line.seconds.median, line.seconds.high))
        ratios = "<br>".join(sentence(ratio) for ratio in result.ratios if ratio.peer == line.name)
        shown = f"**{line.name}**" if line.ours else line.name
        rows.append([shown, f"{median:.2f} {name} ({low:.2f}-{high:.2f})", ratios, str(line.rounds)])
    rows += [[f.name, "", f"{f.value:.4g} {verdict(f)}", ""] for f in result.figures]
    rows += [[s.name, "", f"skipped: {s.reason}", ""] for s in result.skipped]
    notes = "".join(f"\n- {note}" for note in result.notes)
    header = ["contender", "median (quartiles)", "ratio", "rounds"]
    return f"### {result.row}\n{result.title}\n\n{table(header, rows)}\n{notes}"


def full_text(results: Sequence[Result], failures: Mapping[str, str], run: Mapping[str, Any]) -> str:
    """All results, for the terminal."""
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items() if version)
    scale = "" if run["scale"] == 1 else f" Inputs at {run['scale']:g} of their full size."
    clock = "processor time" if run["clock"] == "cpu" else "wall-clock time"
    parts = [
        "# Benchmarks",
        f"{run['date']}, commit {run['commit']}, {run['cpu']}, {run['cores']} cores, {run['system']}, {versions}.\n"
        f"CPU tier {run['tier']}, threads: {run['threads']} unless a row names others.{scale} Times are {clock}.",
        *(f"**{row} failed**: {why}" for row, why in failures.items()),
        *(row_section(result) for result in results),
    ]
    return "\n\n".join(parts).rstrip("\n") + "\n"


def result_from(found: dict[str, Any]) -> Result:
    """The inverse of `dataclasses.asdict`."""
    lines = [Measured(**{**line, "seconds": Spread(**line["seconds"])}) for line in found["lines"]]
    ratios = [Ratio(Target(**r["target"]), r["peer"], Spread(**r["ratio"])) for r in found["ratios"]]
    figures = [Figure(**figure) for figure in found["figures"]]
    skipped = [Skipped(**contender) for contender in found["skipped"]]
    return Result(**{**found, "lines": lines, "ratios": ratios, "figures": figures, "skipped": skipped})
