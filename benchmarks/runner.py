"""Runs rows one after the other: cores, threads and tier set for each, progress on standard error."""

import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import torch

import torch_stringops
from benchmarks import ours, report
from benchmarks.measure import Options, Result, ResultsDiffer, compare, pin
from benchmarks.rows import Context, Row


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def chosen(rows: dict[str, Row], patterns: Sequence[str]) -> list[Row]:
    """Rows by name, or by a part of it in which `*` and `?` match; all of them without a pattern."""
    names = set() if patterns else set(rows)
    for pattern in patterns:
        found = [pattern] if pattern in rows else fnmatch.filter(rows, f"*{pattern}*")
        if not found:
            raise SystemExit(f"benchmarks: no row is named {pattern}; --list names them")
        names.update(found)
    return [row for name, row in rows.items() if name in names]


def run(rows: Sequence[Row], context: Context, options: Options) -> tuple[list[Result], dict[str, str]]:
    """The results, and for each row that has none the reason."""
    results: list[Result] = []
    failures: dict[str, str] = {}
    for i, row in enumerate(rows, 1):
        began = time.monotonic()
        log(f"[{i}/{len(rows)}] {row.name}")
        try:
            here = row.environment.items() <= os.environ.items()
            result = run_here(row, context, options) if here else run_apart(row, context, options)
        except (ResultsDiffer, ours.Missing) as error:
            failures[row.name] = str(error)
            log(f"  FAILED: {error}")
            continue
        results.append(result)
        for ratio in result.ratios:
            log(f"  {ratio.peer}: {report.sentence(ratio)} {report.target(ratio)} {report.verdict(ratio)}")
        for figure in result.figures:
            log(f"  {figure.name}: {figure.value:.4g} {report.target(figure)} {report.verdict(figure)}")
        log(f"  {time.monotonic() - began:.1f} s")
    return results, failures


def run_here(row: Row, context: Context, options: Options) -> Result:
    torch.set_num_threads(context.threads)  # the row before may have changed both
    torch_stringops.set_simd_tier(context.tier)
    pin(set(context.cpus[: context.threads]))
    comparison = row.build(context)
    pin(set(context.cpus[: max(context.threads, comparison.cpus)]))
    return compare(row.name, comparison, options, log)


def run_apart(row: Row, context: Context, options: Options) -> Result:
    """The row in a process of its own, for what can only be set before a process begins."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [sys.executable, "-m", "benchmarks", row.name, "--json", str(found)]
        command += ["--seconds", str(options.seconds), "--clock", options.clock, "--tier", context.tier]
        command += ["--scale", str(context.scale), "--threads", str(context.threads)]
        command += [] if options.rounds is None else ["--rounds", str(options.rounds)]
        environment = {**os.environ, **row.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        pin(set(context.cpus))
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if not found.exists():
            raise RuntimeError(f"{row.name} ended with code {done.returncode}:\n{done.stderr}")
        answer = json.loads(found.read_text())
    if answer["failures"]:
        raise ResultsDiffer(answer["failures"][row.name])
    return report.result_from(answer["results"][0])
