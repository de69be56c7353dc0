"""Damaged pickles, files, state_dicts and Arrow structures: an exception or a valid object, never a crash.

    stress damaged_input [--rounds N] [--seed S] [ENTRY POINT ...]

The inputs are made by damage.py, in a child process. A case is named by entry point, seed and number:
`stress damaged_input --seed S --only NUMBER ENTRY_POINT` runs it alone.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from stress.damage import ENTRY_POINTS, Finding
from support.programs import stress_command

MEMORY = 6 << 30  # a damaged size must fail, not swap


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("entry_points", nargs="*", metavar="ENTRY POINT", help=", ".join(ENTRY_POINTS))
    parser.add_argument("--rounds", type=int, default=100_000, help="cases an entry point")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="run this case alone")
    parser.add_argument(
        "--progress", type=Path, help="run in this process, and write there which case it is at"
    )
    chosen = parser.parse_intermixed_args()
    return run(chosen) if chosen.progress else guard(sys.argv[1:])


def guard(arguments: list[str]) -> int:
    """Run the same in a child, and say which case it died of."""
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder) / "progress"
        done = subprocess.run(stress_command("damaged_input", *arguments, "--progress", str(progress)))
        if done.returncode:
            case = progress.read_text() if progress.exists() else "the start"
            print(f"damaged_input: exit status {done.returncode} at {case}", flush=True)
    return done.returncode


def run(chosen: argparse.Namespace) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    progress = os.open(chosen.progress, os.O_WRONLY | os.O_CREAT)
    for name in chosen.entry_points or ENTRY_POINTS:
        raised = valid = 0
        start = time.monotonic()
        for number in [chosen.only] if chosen.only is not None else range(chosen.rounds):
            os.pwrite(progress, f"--seed {chosen.seed} --only {number} {name}    ".encode(), 0)
            try:
                ENTRY_POINTS[name](random.Random(f"{chosen.seed}/{number}/{name}"))
                valid += 1
            except (Finding, SystemError):
                print(f"damaged_input: --seed {chosen.seed} --only {number} {name}", flush=True)
                raise
            except Exception:
                raised += 1
        passed = time.monotonic() - start
        print(
            f"{name}: {raised:,} refused, {valid:,} valid, in {passed:.0f} s, seed {chosen.seed}", flush=True
        )
    return 0
