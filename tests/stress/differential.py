"""Operators compared with their oracles, on a million random strings each.

    stress differential [OPERATOR ...] [--strings N] [--seed S]

Tiers, memory layouts and thread counts alternate. The first difference is printed with the seed of its batch, and ends
the run with code 1; `--seed` of that batch with `--strings 1` reproduces it.
"""

import argparse
import random
import sys
import time

import torch
from support.harness import OpSuite
from support.registry import all_suites, suite_of
from support.strings import LAYOUTS
from support.threads import divide_small_work

import torch_stringops

BATCH = 500


def operators() -> list[str]:
    """Overloads that can be called with random strings."""
    return [name for name, suite in all_suites().items() if suite.can_draw()]


def batch_differs(suite: OpSuite, name: str, seed: str, strings: int = BATCH) -> str | None:
    rng = random.Random(seed)
    drawn = suite.drawn(rng, strings)
    layout = rng.choice(list(LAYOUTS))
    torch.set_num_threads(rng.choice([1, 2, 4]))
    divide_small_work(rng.choice([True, False]))
    want = suite.reference(*drawn.args, **drawn.kwargs)
    for tier in torch_stringops.simd_tiers():
        torch_stringops.set_simd_tier(tier)
        got = suite.run(drawn, layout)
        if got != want:
            return f"{name} differs from its oracle: batch {seed}, tier {tier}, layout {layout}"
    return None


def compare(name: str, strings: int, first_seed: int) -> str | None:
    suite = suite_of(name)
    began = time.monotonic()
    batches = -(-strings // BATCH)
    for i in range(batches):
        differs = batch_differs(suite, name, f"{name} {first_seed + i}")
        if differs:
            return differs
        if sys.stderr.isatty() and i % 20 == 0:
            print(f"\r{name}: {i * BATCH:,} of {strings:,} strings", end="", file=sys.stderr, flush=True)
    seconds = time.monotonic() - began
    print(f"{name:30} {batches * BATCH:10,} strings, no difference, {seconds:.0f} s", flush=True)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", default=operators(), metavar="OPERATOR")
    parser.add_argument("--strings", type=int, default=1_000_000, help="per operator (default: 1,000,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch (default: 0)")
    args = parser.parse_args()
    failed = [f for f in (compare(name, args.strings, args.seed) for name in args.operators) if f]
    print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0
