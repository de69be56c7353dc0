"""`python -m benchmarks [ROW ...]`: tables go to standard output, progress to standard error."""

import argparse
import fnmatch
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# One thread for everyone, before any library counts cores.
for _variable in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch  # noqa: E402

import torch_stringops  # noqa: E402
from benchmarks import ours, report  # noqa: E402
from benchmarks.measure import Options, Result, ResultsDiffer, compare, pin  # noqa: E402
from benchmarks.rows import Context, Row, discover  # noqa: E402


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run, * and ? match (default: all)")
    parser.add_argument("--row", action="append", default=[], help="the same, as an option")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures here")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables here")
    parser.add_argument("--rounds", type=int, help="rounds of every contender (default: by time)")
    parser.add_argument("--seconds", type=float, default=4.0, help="timed work a row, about (default: 4)")
    parser.add_argument(
        "--scale", type=float, default=1.0, help="size of the workloads (default: 1, as in the targets)"
    )
    parser.add_argument("--threads", type=int, default=1, help="our threads; peers keep one (default: 1)")
    parser.add_argument(
        "--tier", choices=["scalar", "avx2", "avx512"], help="our CPU tier (default: the best)"
    )
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="cpu: processor time, steadier on a machine in use",
    )
    return parser.parse_args(arguments)


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def chosen(rows: dict[str, Row], patterns: Sequence[str]) -> list[Row]:
    if not patterns:
        return list(rows.values())
    for pattern in patterns:
        if not fnmatch.filter(rows, pattern):
            raise SystemExit(f"benchmarks: no row is named {pattern}; --list names them")
    return [row for name, row in rows.items() if any(fnmatch.fnmatch(name, p) for p in patterns)]


def run(rows: Sequence[Row], context: Context, options: Options) -> tuple[list[Result], dict[str, str]]:
    results: list[Result] = []
    failures: dict[str, str] = {}
    for i, row in enumerate(rows, 1):
        began = time.monotonic()
        torch.set_num_threads(context.threads)  # a row may have changed both
        torch_stringops.set_simd_tier(context.tier)
        log(f"[{i}/{len(rows)}] {row.name}")
        try:
            pin(set(context.cpus[: context.threads]))
            comparison = row.build(context)
            pin(set(context.cpus[: max(context.threads, comparison.cpus)]))
            results.append(compare(row.name, comparison, options, log))
        except (ResultsDiffer, ours.Missing) as error:
            failures[row.name] = str(error)
            log(f"  FAILED: {error}")
            continue
        for ratio in results[-1].ratios:
            log(f"  {ratio.peer}: {report.sentence(ratio)} {report.target(ratio)} {report.verdict(ratio)}")
        for figure in results[-1].figures:
            log(f"  {figure.name}: {figure.value:.4g} {report.target(figure)} {report.verdict(figure)}")
        log(f"  {time.monotonic() - began:.1f} s")
    return results, failures


def main(arguments: Sequence[str] | None = None) -> int:
    args = parse(arguments)
    rows = discover()
    if args.list:
        print("\n".join(rows))
        return 0
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    selected = chosen(rows, [*args.rows, *args.row])
    options = Options(seconds=args.seconds, rounds=args.rounds, clock=args.clock)
    context = Context(args.scale, cpus, args.threads, args.tier or torch_stringops.simd_tier())
    try:
        results, failures = run(selected, context, options)
    finally:
        pin(set(cpus))
    env = report.environment(options, context)
    text = report.markdown(results, failures, env)
    print(text)
    if args.markdown:
        args.markdown.write_text(text)
    if args.json:
        args.json.write_text(json.dumps(report.as_json(results, failures, env), indent=1))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
