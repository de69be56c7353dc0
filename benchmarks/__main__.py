"""`python -m benchmarks [ROW ...]`: tables go to standard output, progress to standard error."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

# One thread for everyone, before any library counts cores.
for _variable in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[_variable] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch_stringops  # noqa: E402
from benchmarks import report  # noqa: E402
from benchmarks.measure import Options, pin  # noqa: E402
from benchmarks.rows import Context, discover  # noqa: E402
from benchmarks.runner import chosen, run  # noqa: E402


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="rows to run, by name or a part of it (default: all)"
    )
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
        "--clock", choices=["cpu", "wall"], default="cpu", help="default: cpu, see measure.py"
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    args = parse(arguments)
    rows = discover()
    if args.list:
        print("\n".join(rows))
        return 0
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    selected = chosen(rows, [*args.rows, *args.row])
    clock = "wall" if args.threads > 1 else args.clock
    options = Options(seconds=args.seconds, rounds=args.rounds, clock=clock)
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
