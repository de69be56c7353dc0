"""`python -m benchmarks.dataloader_memory`: memory that a text dataset takes in the workers of DataLoader.

A forked worker shares pages with its parent copy-on-write. Reading a Python object writes its reference count, so that
workers copy a `list[str]`; the two tensors of a StringTensor are never written. Each contender runs in its own process.
Private memory is read from smaps_rollup, and summed over the workers, after the first batch and after each epoch.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader

from torch_stringops import StringTensor

ROW_BYTES = 60


def rows(count: int) -> list[str]:
    """Distinct `str` objects of 60 bytes, cut from random words."""
    chance = random.Random(0)
    words = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz     ", k=1 << 20))
    starts = [chance.randrange(len(words) - ROW_BYTES) for _ in range(count)]
    return [words[start : start + ROW_BYTES] for start in starts]


def list_of_str(count: int) -> Any:
    return rows(count)


def string_tensor(count: int) -> Any:
    return StringTensor.from_list(rows(count))


CONTENDERS = {"list[str]": list_of_str, "StringTensor": string_tensor}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def private_bytes(pids: list[int]) -> int:
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                total += int(line.split()[1]) * 1024
    return total


def measure(name: str, args: argparse.Namespace) -> dict[str, Any]:
    torch.set_num_threads(1)
    dataset = CONTENDERS[name](args.rows)
    loader = DataLoader(
        dataset,
        batch_size=args.batch_size,
        shuffle=True,
        num_workers=args.workers,
        persistent_workers=True,
        multiprocessing_context=args.start_method,
    )
    private: list[int] = []
    begin = time.perf_counter()
    for epoch in range(args.epochs):
        seen = 0
        iterator = iter(loader)
        for batch in iterator:
            if not private:
                private.append(private_bytes([worker.pid for worker in iterator._workers]))
            seen += len(batch)
        assert seen == args.rows
        private.append(private_bytes([worker.pid for worker in iterator._workers]))
        grown = (private[-1] - private[0]) / 1e6
        say(f"{name}: epoch {epoch + 1} of {args.epochs}, workers +{grown:.0f} MB")
    return {"private": private, "rate": args.rows * args.epochs / (time.perf_counter() - begin)}


def table(results: dict[str, dict[str, Any]], args: argparse.Namespace) -> str:
    lines = [
        f"{args.rows:,} strings of {ROW_BYTES} bytes, {args.workers} workers ({args.start_method}), "
        f"batches of {args.batch_size:,}, shuffled; torch {torch.__version__}, Python {sys.version.split()[0]}",
        "",
        "| dataset | first batch | "
        + " | ".join(f"epoch {e + 1}" for e in range(args.epochs))
        + " | strings/s |",
        "|---|" + "---|" * (args.epochs + 2),
    ]
    for name, result in results.items():
        first, *later = (size / 1e6 for size in result["private"])
        grown = " | ".join(f"+{size - first:.0f} MB" for size in later)
        lines.append(f"| {name} | {first:.0f} MB | {grown} | {result['rate']:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dataloader_memory", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--start-method", choices=["fork", "forkserver", "spawn"], default="fork")
    parser.add_argument("--only", choices=list(CONTENDERS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        print(json.dumps(measure(args.only, args)))
        return
    results = {}
    for name in CONTENDERS:
        say(f"{name}: making {args.rows:,} strings")
        command = [sys.executable, "-m", "benchmarks.dataloader_memory", "--only", name, *sys.argv[1:]]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        results[name] = json.loads(done.stdout)
    print(table(results, args))


if __name__ == "__main__":
    main()
