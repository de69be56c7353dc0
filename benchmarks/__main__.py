"""`python -m benchmarks [ROW ...]`: writes tables to standard output, and progress to standard error.

Results are stored in build/bench/ as they are measured. An interrupted run is resumed if the same command is given
again with the same code, packages and options. A run that was completed starts over.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="rows to run, by name or a part of it (default: all)"
    )
    parser.add_argument("--row", action="append", default=[], help="the same, as an option")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--fresh", action="store_true", help="do not resume an interrupted run")
    parser.add_argument(
        "--document",
        type=Path,
        metavar="FOLDER",
        help="also write benchmarks.md and benchmarks.svg there, and benchmarks/results/, if there are figures of "
        "all rows at full size",
    )
    parser.add_argument(
        "--from",
        type=Path,
        metavar="FILE",
        dest="earlier",
        help="measure only the given rows, or none, and read all others from the --json file of an earlier run, "
        "or from the CSV files of a folder: benchmarks/results",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    parser.add_argument("--rounds", type=int, help="rounds per contender (default: depends on --seconds)")
    parser.add_argument(
        "--seconds", type=float, default=4.0, help="approximate timed seconds per row (default: 4)"
    )
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="size of the workloads (default: 1, for which targets are defined)",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="threads of torch_stringops and of every peer (default: 1)"
    )
    parser.add_argument(
        "--tier", choices=["scalar", "avx2", "avx512"], help="CPU tier of torch_stringops (default: the best)"
    )
    parser.add_argument(
        "--clock", choices=["cpu", "wall"], default="cpu", help="(default: cpu, see measure.py)"
    )
    parser.add_argument(
        "--store",
        type=Path,
        default=ROOT / "build" / "bench",
        metavar="FOLDER",
        help="folder of stored results (default: build/bench/)",
    )
    return parser.parse_args(arguments)


def configure_libraries(threads: int) -> None:
    """Sets environment variables that libraries read when they are imported. Must be called before."""
    for variable in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = str(threads)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


def main(arguments: Sequence[str] | None = None) -> int:
    args = parse(arguments)
    configure_libraries(args.threads)

    import torch_stringops
    from benchmarks import document, report, runner, tables
    from benchmarks.measure import Options, pin
    from benchmarks.rows import Context, discover
    from benchmarks.store import Store

    rows = discover()
    if args.list:
        print("\n".join(rows))
        return 0
    named = [*args.rows, *args.row]
    selected = runner.chosen(rows, named) if named or not args.earlier else []
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    clock = "wall" if args.threads > 1 else args.clock
    options = Options(seconds=args.seconds, rounds=args.rounds, clock=clock)
    context = Context(args.scale, cpus, args.threads, args.tier or torch_stringops.simd_tier())
    env = report.environment(options, context)
    earlier, earlier_env = [], env
    if args.earlier:
        earlier, earlier_env = (tables if args.earlier.is_dir() else report).read(args.earlier)
    if earlier and selected:
        earlier_env = report.with_later(earlier_env, env)
    store = Store(args.store, env, options, selected)
    if args.fresh:
        store.forget()
    try:
        results, failures = runner.run(selected, context, options, store)
    except KeyboardInterrupt:
        runner.log(
            f"\nstopped after {len(store.results())} of {len(selected)} rows; the same command goes on from here"
        )
        return 130
    finally:
        pin(set(cpus))
    if not failures:
        store.forget()
    results = document.merged(rows, earlier, results)
    figures = json.dumps(report.as_json(results, failures, earlier_env), indent=1)
    if args.json:
        args.json.write_text(figures)
    complete = len(results) + len(failures) == len(rows) and earlier_env["scale"] == 1
    if complete:
        store.last.write_text(figures)
    if complete and args.document:
        document.write(args.document, ROOT / "benchmarks" / "results", results, failures, earlier_env, rows)
        runner.log(
            f"wrote {args.document}/benchmarks.md, {args.document}/{document.PLOT} and benchmarks/results/"
        )
    else:
        print(document.full_text(results, failures, earlier_env, rows))
        if args.document:
            runner.log(f"{args.document}/benchmarks.md stays: it takes figures of all rows at full size")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
