"""Formats results as text, tables and JSON, with the environment: machine, versions, commit."""

import dataclasses
import json
import os
import platform
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure import Figure, Measured, Options, Ratio, Result, Skipped, Spread, Target
from benchmarks.rows import Context

PACKAGES = ["torch", "numpy", "pyarrow", "polars", "onnxruntime", "openvino-tokenizers", "tensorflow"]
PACKAGES += ["tokenizers", "pandas"]
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


def duration(spread: Spread) -> str:
    name, factor = unit(spread)
    return f"{spread.median * factor:.2f} {name} ({spread.low * factor:.2f}-{spread.high * factor:.2f})"


def speed(result: Result, line: Measured) -> str:
    """GB of input per second."""
    return f"{result.input_bytes / line.seconds.median / 1e9:.2f}" if result.input_bytes else ""


def verdict(found: Ratio | Figure) -> str:
    return {None: "", True: "met", False: "**missed**"}[found.met]


def target(found: Ratio | Figure) -> str:
    if isinstance(found, Figure):
        return "" if found.at_most is None else f"<= {found.at_most:g}"
    if found.target.at_most is not None:
        return f"<= {found.target.at_most:g}x"
    return "" if found.target.at_least is None else f">= {found.target.at_least:g}x"


def sentence(ratio: Ratio) -> str:
    """`5.1x (4.9-5.3) ours, ragged`, or for a limit `ours, ragged takes 1.9x (1.8-2.0)`."""
    if ratio.target.at_most is not None:
        return f"{ratio.target.ours} takes {times(ratio.ratio)}"
    return f"{times(ratio.ratio)} {ratio.target.ours}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    escaped = ([cell.replace("|", "\\|") for cell in cells] for cells in rows)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, ["---"] * len(header), *escaped])


def row_section(result: Result) -> str:
    """A table of the times of the contenders, and of the ratios of their comparisons."""
    rows = []
    for line in result.lines:
        ratios = [r for r in result.ratios if r.peer == line.name]
        name = f"**{line.name}**" if line.ours else line.name
        rows.append(
            [
                name,
                duration(line.seconds),
                speed(result, line),
                "<br>".join(map(sentence, ratios)),
                "<br>".join(map(target, ratios)),
                "<br>".join(map(verdict, ratios)),
                str(line.rounds),
            ]
        )
    rows += [[f.name, "", "", f"{f.value:.4g}", target(f), verdict(f), ""] for f in result.figures]
    rows += [[s.name, "", "", f"skipped: {s.reason}", "", "", ""] for s in result.skipped]
    header = ["contender", "median (quartiles)", "GB/s of input", "ratio", "target", ""]
    notes = "".join(f"\n- {note}" for note in result.notes)
    text = f"### {result.row}\n{result.title}\n\n{table([*header, 'rounds'], rows)}\n"
    return text + (f"{notes}\n" if notes else "")


def result_from(found: dict[str, Any]) -> Result:
    """The inverse of `as_json`, for one result."""
    lines = [Measured(**{**line, "seconds": Spread(**line["seconds"])}) for line in found["lines"]]
    ratios = [Ratio(Target(**r["target"]), r["peer"], Spread(**r["ratio"])) for r in found["ratios"]]
    figures = [Figure(**figure) for figure in found["figures"]]
    skipped = [Skipped(**contender) for contender in found["skipped"]]
    return Result(**{**found, "lines": lines, "ratios": ratios, "figures": figures, "skipped": skipped})


def read(path: Path) -> tuple[list[Result], dict[str, Any]]:
    """Reads the results and the environment from a file of `as_json`."""
    answer = json.loads(path.read_text())
    return [result_from(result) for result in answer["results"]], answer["environment"]


def with_later(earlier: dict[str, Any], env: dict[str, Any]) -> dict[str, Any]:
    """The environment of results of which some were measured later, in `env`."""
    others = [known for known in earlier.get("later", ()) if known["commit"] != env["commit"]]
    return {**earlier, "later": [*others, env]}


def as_json(results: Sequence[Result], failures: dict[str, str], env: dict[str, Any]) -> dict[str, Any]:
    return {"environment": env, "results": [dataclasses.asdict(r) for r in results], "failures": failures}
