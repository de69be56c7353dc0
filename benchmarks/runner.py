"""Runs rows, with cores, threads and CPU tier set for each, and logs progress to standard error."""

import dataclasses
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

import torch_stringops
from benchmarks import ours, report
from benchmarks.measure import Comparison, Contender, Options, Result, ResultsDiffer, Skipped, compare, pin
from benchmarks.rows import Context, Row
from benchmarks.store import Store


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def chosen(rows: dict[str, Row], patterns: Sequence[str]) -> list[Row]:
    """The rows whose names contain a pattern, which may have the wildcards `*` and `?`; all rows without a pattern."""
    names = set() if patterns else set(rows)
    for pattern in patterns:
        found = [pattern] if pattern in rows else fnmatch.filter(rows, f"*{pattern}*")
        if not found:
            raise SystemExit(f"benchmarks: no row is named {pattern}; --list names them")
        names.update(found)
    return [row for name, row in rows.items() if name in names]


def run(rows: Sequence[Row], context: Context, options: Options, store: Store) -> tuple[list[Result], dict[str, str]]:
    """Returns the results, including those in `store`, and the errors of rows that failed."""
    results = store.results()
    failures: dict[str, str] = {}
    left = [row for row in rows if row.name not in results]
    if results:
        log(f"going on where a run was stopped: {len(results)} of {len(rows)} rows are there (--fresh starts over)")
    began = time.monotonic()
    while left:
        times = progress(began, left, store.seconds())
        row = left.pop(0)
        log(f"[{len(rows) - len(left)}/{len(rows)}] {row.name}{times}")
        row_began = time.monotonic()
        try:
            result = measure(row, context, options)
        except Exception as error:  # the other rows still run
            known = isinstance(error, ResultsDiffer | ours.Missing)
            failures[row.name] = str(error) if known else f"{type(error).__name__}: {error}"
            log(f"  FAILED: {failures[row.name]}" + ("" if known else f"\n{traceback.format_exc()}"))
            continue
        seconds = time.monotonic() - row_began
        store.add(result, seconds)
        results[row.name] = result
        show(result)
        log(f"  {seconds:.1f} s")
    return [results[row.name] for row in rows if row.name in results], failures


def progress(began: float, left: Sequence[Row], known: Mapping[str, float]) -> str:
    """`; 1 min 5 s gone, about 3 min 10 s to go`, from the last time of each row, or the mean for a new one."""
    if not known:
        return ""
    typical = sum(known.values()) / len(known)
    to_go = sum(known.get(row.name, typical) for row in left)
    return f"; {minutes(time.monotonic() - began)} gone, about {minutes(to_go)} to go"


def minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


def show(result: Result) -> None:
    for ratio in result.ratios:
        log(f"  {ratio.peer}: {report.sentence(ratio)}")
    for figure in result.figures:
        log(f"  {figure.name}: {figure.value:.4g} {report.verdict(figure)}")


def measure(row: Row, context: Context, options: Options) -> Result:
    threads = len(context.cpus) if row.all_threads else context.threads
    here = row.environment.items() <= os.environ.items() and threads == context.threads
    if here:
        return run_here(row, context, options)
    return run_apart(row, dataclasses.replace(context, threads=threads), options)


def run_here(row: Row, context: Context, options: Options) -> Result:
    torch.set_num_threads(context.threads)  # the previous row may have changed both
    torch_stringops.set_simd_tier(context.tier)
    pin(set(context.cpus[: context.threads]))
    try:
        comparison = row.build(context)
    except ImportError as error:  # the package of its input, or the file of its model
        comparison = Comparison(row.name, [Skipped("the row", f"not installed ({error})")])
    check(comparison)
    pin(set(context.cpus[: max(context.threads, comparison.cpus)]))
    return compare(row.name, comparison, options, log)


def check(comparison: Comparison) -> None:
    """Checks that there is a memcpy contender."""
    able = [c for c in comparison.contenders if isinstance(c, Contender)]
    if able and not any(c.name.startswith(ours.MEMCPY) for c in able):
        raise ValueError("the row has no memcpy of equal traffic")


def run_apart(row: Row, context: Context, options: Options) -> Result:
    """Runs the row in a subprocess, for settings that must be made before a process starts."""
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [sys.executable, "-m", "benchmarks", row.name, "--json", str(found), "--store", folder]
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
