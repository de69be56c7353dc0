"""Damaged pickles, files, state_dicts and Arrow structures: an exception or a valid object, never a crash.

    stress damaged_input [--rounds N] [--seed S] [ENTRY POINT ...]

damage.py makes and reads the inputs, in a child process. `stress damaged_input --seed S --only NUMBER ENTRY_POINT` runs
a single case again.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
import warnings

from stress.damage import ENTRY_POINTS
from stress.damaged_tables import table_file
from support.programs import Children, report_position

ENTRY_POINTS = {**ENTRY_POINTS, "table_file": table_file}
MEMORY = 6 << 30  # a damaged size must fail, not swap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("entry_points", nargs="*", metavar="ENTRY POINT", help=", ".join(ENTRY_POINTS))
    parser.add_argument("--rounds", type=int, default=100_000, help="cases per entry point")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument("--progress", type=int, help="run in this process, and report to this file descriptor")
    chosen = parser.parse_intermixed_args()
    if chosen.progress is not None:
        run(chosen)
        return 0
    children = Children("damaged_input", *sys.argv[1:], show=True)
    children.run(resume=None)
    return 1 if children.crashes else 0


def run(chosen: argparse.Namespace) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for name in chosen.entry_points or ENTRY_POINTS:
        raised = valid = 0
        start = time.monotonic()
        for number in [chosen.only] if chosen.only is not None else range(chosen.rounds):
            report_position(chosen.progress, f"--seed {chosen.seed} --only {number} {name}")
            try:
                ENTRY_POINTS[name](random.Random(f"{chosen.seed}/{number}/{name}"))
                valid += 1
            except SystemError:
                raise
            except Exception:
                raised += 1
        passed = time.monotonic() - start
        print(f"{name}: {raised:,} rejected, {valid:,} valid, in {passed:.0f} s, seed {chosen.seed}", flush=True)
    print("SUMMARY")
