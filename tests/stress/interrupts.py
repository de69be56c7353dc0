"""Ctrl-C in a long call of every operator: KeyboardInterrupt within half a second, and a right result afterwards.

    stress interrupts [OPERATOR ...] [--seconds S] [--megabytes M] [--threads N]

The arguments are those of the operator's suite: many copies of its strings, and all of its bytes as one string. They are
doubled until a call takes two seconds, or the strings have 64 MB. Then a thread sends SIGINT in the middle of such a call.
The check fails if an exception comes late, or if no signal reached a long call, which would show nothing. A call that
cannot be made long is marked.
"""

import argparse
import faulthandler
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from support.errors import BAD_ARGUMENT
from support.harness import Call, OpSuite
from support.registry import all_suites, suite_of
from torch import Tensor

LATENCY = 0.5  # seconds
STRINGS = 500
ATTEMPTS = (
    3  # a call may end before the signal, as it may take far less time than the one before; the next comes sooner
)


@dataclass
class Outcome:
    seconds: float  # of the call, if nothing interrupts it
    latency: float  # from the signal to the exception
    cpu_latency: float  # the same in time of the CPU, as other processes may use the machine
    interrupted: bool


def scaled(suite: OpSuite, call: Call, shape: str, copies: int) -> tuple[list[Any], dict[str, Any]]:
    """A call on so many copies of the strings: each by itself ("many"), or all as one string ("one")."""
    args, kwargs = suite.tensors(call)
    for _, index in suite.string_pairs():
        data, offsets = args[index], args[index + 1]
        if not (isinstance(data, Tensor) and isinstance(offsets, Tensor)):
            continue
        size = data.numel()
        args[index] = data.repeat(copies)
        begins = torch.arange(copies, dtype=torch.int32) * size
        if shape == "one":
            args[index + 1] = torch.tensor([0, size * copies], dtype=torch.int32)
        elif offsets.dim() == 1:
            ends = begins.reshape(-1, 1) + offsets[1:]
            args[index + 1] = torch.cat([torch.zeros(1, dtype=torch.int32), ends.flatten()])
        else:
            shifted = begins.reshape(-1, *[1] * offsets.dim()) + offsets
            args[index + 1] = shifted.reshape(-1, *offsets.shape[1:])
    return args, kwargs


def string_bytes(suite: OpSuite, args: list[Any]) -> int:
    return max((args[i].numel() for _, i in suite.string_pairs() if isinstance(args[i], Tensor)), default=0)


def long_call(suite: OpSuite, shape: str, seconds: float, max_bytes: int) -> tuple[Callable[[], object], float]:
    """A call, and how long it takes: `seconds`, if the strings have fewer than `max_bytes` then."""
    drawn = suite.drawn(random.Random(suite.name), STRINGS)
    copies, best, before = 1, None, -1
    while True:
        args, kwargs = scaled(suite, drawn, shape, copies)
        began = time.monotonic()
        try:
            suite.overload(*args, **kwargs)
        except BAD_ARGUMENT:  # of sizes that do not fit, or results that are too large
            if best is None:
                raise
            return best
        took = time.monotonic() - began
        best = (lambda a=args, k=kwargs: suite.overload(*a, **k)), took
        size = string_bytes(suite, args)
        if took >= seconds or size <= before or size * 2 > max_bytes:
            return best
        before = size
        copies *= 2 if took > 0.05 else max(2, min(1024, max_bytes // (4 * size + 4)))


def interrupt(call: Callable[[], object], after: float) -> tuple[float, float, bool]:
    """Calls, and sends SIGINT after so many seconds. Returns the seconds from the signal to KeyboardInterrupt, also of
    the CPU, and whether the exception left the call, rather than came after it."""
    sent: list[tuple[float, float]] = []

    def send() -> None:
        time.sleep(after)
        sent.append((time.monotonic(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    returned = False
    try:
        sender.start()
        call()
        returned = True
        while True:  # the call was shorter: the signal is still to come
            time.sleep(0.001)
    except KeyboardInterrupt:
        latency, cpu_latency = time.monotonic() - sent[0][0], time.process_time() - sent[0][1]
    sender.join()
    return latency, cpu_latency, not returned


def check(suite: OpSuite, shape: str, seconds: float, max_bytes: int) -> Outcome | None:
    """None if the operator rejects such strings."""
    small = suite.small_call()
    want = suite.run(small)
    try:
        call, took = long_call(suite, shape, seconds, max_bytes)
    except BAD_ARGUMENT:
        return None
    interrupted = False
    for attempt in range(ATTEMPTS):
        if not interrupted:
            latency, cpu_latency, interrupted = interrupt(call, min(took / 3, 0.5) / 4**attempt)
    assert suite.run(small) == want, f"{suite.name}: another result after an interruption"
    return Outcome(took, latency, cpu_latency, interrupted)


def marks(outcome: Outcome, seconds: float) -> list[str]:
    """What is to be noted of an outcome. Words in capitals are failures."""
    found = ["LATE"] if min(outcome.latency, outcome.cpu_latency) > LATENCY else []
    is_short = outcome.seconds < seconds
    if not outcome.interrupted:
        found.append("never interrupted" if is_short else "NEVER INTERRUPTED")
    return [*found, "short"] if is_short else found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_intermixed_args()
    torch.set_num_threads(chosen.threads)
    failed = uninterrupted = 0
    for name in chosen.operators or all_suites():
        suite = suite_of(name)
        for shape in ("many", "one") if suite.string_pairs() and suite.can_draw() else ():
            faulthandler.dump_traceback_later(300, exit=True)
            outcome = check(suite, shape, chosen.seconds, chosen.megabytes << 20)
            faulthandler.cancel_dump_traceback_later()
            if outcome is None:
                continue
            found = marks(outcome, chosen.seconds)
            failed += any(mark.isupper() for mark in found)
            uninterrupted += not outcome.interrupted
            print(
                f"{name:34} {shape:5} {outcome.seconds:7.2f} s  left in {outcome.latency:.3f} s, "
                f"{outcome.cpu_latency:.3f} s of the CPU" + "".join(f"  {mark}" for mark in found),
                flush=True,
            )
    print(f"interrupts: {failed} failed, {uninterrupted} never interrupted")
    return 1 if failed else 0
