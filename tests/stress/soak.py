"""Soak test: memory, handles and threads must not grow in an hour of mixed calls.

    stress soak [--seconds S]

Operators, conversions, pickles, vocabularies and errors alternate, on several Python threads and torch's own.
Resident memory is read sixty times, after a warm-up of a tenth of the time (at most five minutes). Readings vary
by 1 %, so the exit code is 1 if the median of the last sixth is 1 % or more above that of the first sixth, or if there
are more handles or threads than at the beginning.
"""

import gc
import os
import pickle
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from stress.differential import operators
from support.draws import flatten, strings
from support.programs import options
from support.registry import suite_of
from support.threads import in_parallel

import torch_stringops as so

CALLS_OF_EACH = 20
PYTHON_THREADS = 2
READINGS = 60


@dataclass(frozen=True)
class Usage:
    resident: int  # bytes
    handles: int
    threads: int


def usage() -> Usage:
    gc.collect()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    resident = int(status["VmRSS"].split()[0]) * 1024
    return Usage(resident, len(os.listdir("/proc/self/fd")), int(status["Threads"]))


def operator_calls() -> list[Callable[[], object]]:
    calls: list[Callable[[], object]] = []
    for name in operators():
        suite = suite_of(name)
        for seed in range(CALLS_OF_EACH):
            drawn = suite.drawn(random.Random(f"{name} {seed}"), 200)
            args, kwargs = suite.tensors(drawn)
            calls.append(lambda suite=suite, args=args, kwargs=kwargs: suite.overload(*args, **kwargs))
    return calls


def public_calls() -> list[Callable[[], object]]:
    rng = random.Random(0)
    calls: list[Callable[[], object]] = []
    for _ in range(CALLS_OF_EACH):
        words = flatten(strings(rng, 200, utf8=True))
        text = so.StringTensor.from_list(words)
        calls += [
            lambda words=words: so.StringTensor.from_list(words).tolist(),
            lambda text=text: pickle.loads(pickle.dumps(text)),
            lambda text=text: so.StringTensor.from_arrow(text).numpy(),
            lambda text=text: so.Vocabulary.from_strings(text).split_encode(text, ","),
            lambda text=text: torch.cat([text, text[::2]]) == "a",
            lambda text=text: rejected(text),
        ]
    return calls


def rejected(text: so.StringTensor) -> None:
    try:
        torch.ops.stringops.string_split(text.data, text.offsets.flip(0) - 1, ",")
    except (ValueError, RuntimeError):  # RuntimeError since torch 2.15
        return
    raise AssertionError("invalid offsets were accepted")


def run(calls: Sequence[Callable[[], object]], until: float, seed: int) -> int:
    rng = random.Random(seed)
    made = 0
    while time.monotonic() < until:
        for _ in range(100):
            rng.choice(calls)()
        made += 100
    return made


def run_on_threads(calls: Sequence[Callable[[], object]], seconds: float) -> int:
    until = time.monotonic() + seconds
    return sum(in_parallel(lambda seed: run(calls, until, seed), range(PYTHON_THREADS)))


def main() -> int:
    seconds = options(__doc__, seconds=3600.0).seconds
    calls = operator_calls() + public_calls()
    made = run_on_threads(calls, min(seconds / 10, 300))
    before = usage()
    print(f"{made:,} calls to warm up: {before.resident / 1e6:.1f} MB resident", flush=True)
    resident: list[int] = []
    for step in range(READINGS):
        made += run_on_threads(calls, seconds / READINGS)
        now = usage()
        resident.append(now.resident)
        print(
            f"{(step + 1) * seconds / READINGS:6.0f} s  {made:12,} calls  {now.resident / 1e6:.1f} MB  "
            f"{now.handles} handles  {now.threads} threads",
            flush=True,
        )
    sixth = READINGS // 6
    grown = statistics.median(resident[-sixth:]) / statistics.median(resident[:sixth]) - 1
    print(f"soak: {grown:+.2%} of resident memory")
    return 1 if grown >= 0.01 or now.handles > before.handles or now.threads > before.threads else 0
