"""`python -m benchmarks [ROW ...]`: writes tables to standard output, and progress to standard error.

Results are stored in build/bench/ as they are measured. An interrupted run is resumed if the same command is given
again with the same code, packages and options. A run that was completed starts over.
"""

import argparse
import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("rows", nargs="*", metavar="ROW", help="rows to run, by name or a part of it (default: all)")
    add("--list", action="store_true", help="name the rows and stop")
    add("--fresh", action="store_true", help="do not resume an interrupted run")
    document = "also write benchmarks.md there, and benchmarks/results/, if there are figures of all rows at full size"
    add("--document", type=Path, metavar="FOLDER", help=document)
    earlier = "measure only the given rows, or none, and read all others from benchmarks/results"
    add("--from", type=Path, metavar="FOLDER", dest="earlier", help=earlier)
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--rounds", type=int, help="rounds per contender (default: depends on --seconds)")
    add("--seconds", type=float, default=4.0, help="approximate timed seconds per row (default: 4)")
    add("--scale", type=float, default=1.0, help="size of the inputs (default: 1)")
    add("--threads", type=int, default=1, help="threads of torch_stringops and of every peer (default: 1)")
    add("--tier", choices=["scalar", "avx2", "avx512"], help="CPU tier of torch_stringops (default: the best)")
    add("--clock", choices=["cpu", "wall"], default="cpu", help="(default: cpu, see measure.py)")
    add("--store", type=Path, default=ROOT / "build" / "bench", help="folder of stored results (build/bench/)")
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
    from benchmarks import page, record, report, runner
    from benchmarks.measure import Options, pin
    from benchmarks.rows import Context, discover
    from benchmarks.store import Store

    rows = discover()
    if args.list:
        print("\n".join(rows))
        return 0
    selected = runner.chosen(rows, args.rows) if args.rows or not args.earlier else []
    cpus = tuple(sorted(os.sched_getaffinity(0)))
    clock = "wall" if args.threads > 1 else args.clock
    options = Options(seconds=args.seconds, rounds=args.rounds, clock=clock)
    context = Context(args.scale, cpus, args.threads, args.tier or torch_stringops.simd_tier())
    run = report.environment(options, context)
    earlier, runs = record.read(args.earlier) if args.earlier else ([], [])
    store = Store(args.store, run, options, selected)
    if args.fresh:
        store.forget()
    try:
        results, failures = runner.run(selected, context, options, store)
    except KeyboardInterrupt:
        done = f"stopped after {len(store.results())} of {len(selected)} rows"
        runner.log(f"\n{done}; the same command goes on from here")
        return 130
    finally:
        pin(set(cpus))
    if not failures:
        store.forget()
    measured = [dataclasses.replace(result, run=run["date"]) for result in results]
    if args.json:
        found = {"results": [dataclasses.asdict(result) for result in measured], "failures": failures}
        args.json.write_text(json.dumps(found))
    merged = {result.row: result for result in earlier}
    merged |= {r.row: r for r in measured if r.lines or r.figures or r.row not in merged}
    results = [merged[name] for name in rows if name in merged]
    runs = [*runs, run]
    complete = bool(earlier) or len(results) == len(rows)
    if args.document and complete and not failures and args.scale == 1:
        record.write(ROOT / "benchmarks" / "results", results, runs)
        results, runs = record.read(ROOT / "benchmarks" / "results")  # rounded
        (args.document / "benchmarks.md").write_text(page.page(results, runs), encoding="utf-8")
        runner.log(f"wrote {args.document}/benchmarks.md and benchmarks/results/")
    else:
        print(report.full_text(results, failures, run), end="")
        if args.document:
            runner.log(f"{args.document}/benchmarks.md stays: it takes figures of all rows at full size")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
