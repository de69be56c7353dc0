"""Measurement of contenders: checks that results are equal, then times interleaved rounds on one core.

A round runs each contender at most once, in rotating order. A slow contender runs in fewer rounds, which are spread
evenly, so that all contenders are subject to the same load of the machine. Inputs are created before the timed region,
and outputs are freed after it; the garbage collector is disabled.

The default clock is the processor time of the process, of all threads, user and system. On an idle machine it equals
wall-clock time. On a busy machine, wall-clock time favors short calls: a call of 0.5 ms mostly runs within one time
slice, whereas a call of 20 ms is interrupted by other processes.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.canonical import Canonical, difference, differing_rows, num_rows, of

Log = Callable[[str], None]

# Minimum seconds of a slow call, which needs fewer rounds, since its ratio is large.
SLOW = 0.3

# Maximum share of rows in which a contender may differ, if it says why.
MAX_DIFFERING = 0.01


def as_it_is(out: Any) -> Any:
    return out


class ResultsDiffer(Exception):
    """The result of a contender differs from that of the first one."""


@dataclass
class Contender:
    """An implementation of the work of a row.

    `call` is timed; its argument is the result of `prepare`, if given. `read` converts the output to a form that
    `canonical.of` knows; with None, the result is not compared (memcpy). `differs` says why a few rows may differ.
    `calls` is the number of calls that are timed together. Of the contenders of a `group`, which are the alternatives
    of one peer, only the fastest is measured. It runs in at most `max_rounds` rounds, if that is not 0. One that is
    `optional` is left out if it differs.
    """

    name: str
    call: Callable[..., Any]
    read: Callable[[Any], Any] | None = as_it_is
    prepare: Callable[[], Any] | None = None
    differs: str = ""
    ours: bool = False
    calls: int = 1
    group: str = ""
    max_rounds: int = 0
    optional: bool = False


@dataclass(frozen=True)
class Skipped:
    """A contender that cannot run on this machine, and the reason."""

    name: str
    reason: str
    group: str = ""


@dataclass(frozen=True)
class Target:
    """A ratio to show: the time of `name` (a contender or a group), divided by that of `ours`.

    With `at_most` it is a limit instead: `ours` must take at most `at_most` times as long as `name`.
    """

    ours: str
    name: str
    at_most: float | None = None


@dataclass(frozen=True)
class Figure:
    """A measured value that is not a time, and its limit."""

    name: str
    value: float
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        return None if self.at_most is None else self.value <= self.at_most


@dataclass
class Comparison:
    """The contenders and targets of a row. `figures` measures other values than times; the row needs `cpus` cores."""

    title: str
    contenders: Sequence[Contender | Skipped] = ()
    targets: Sequence[Target] = ()
    input_bytes: int = 0
    figures: Callable[[], list[Figure]] | None = None
    cpus: int = 1
    max_rounds: int = 60


@dataclass(frozen=True)
class Spread:
    """A median with its spread: the quartiles of times, or a bootstrap interval of ratios."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        low, median, high = np.quantile(np.asarray(values), [0.25, 0.5, 0.75]).tolist()
        return cls(median, low, high)


@dataclass(frozen=True)
class Options:
    seconds: float = 4.0  # of timed work per row, approximately
    rounds: int | None = None  # instead of `seconds`
    clock: str = "cpu"  # or "wall", which rows that need several cores always use
    min_rounds: int = 7
    min_rounds_if_slow: int = 3


def pin(cpus: set[int]) -> None:
    """Pins every thread of this process, including those of thread pools of peers."""
    for task in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(task), cpus)


def run_once(contender: Contender) -> tuple[Any, float, float]:
    """Returns the output, and wall-clock and processor seconds per call."""
    arguments = () if contender.prepare is None else (contender.prepare(),)
    call = contender.call
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(contender.calls):
        out = call(*arguments)
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    return out, wall / 1e9 / contender.calls, cpu / 1e9 / contender.calls


def check_equal(contenders: Sequence[Contender]) -> tuple[list[Contender], list[str]]:
    """Compares all results with the first. Returns the contenders to time, and notes for the table.

    A contender that differs is an error, unless another contender of its group does not.
    """
    notes: list[str] = []
    kept: list[Contender] = []
    unequal: list[tuple[Contender, str]] = []
    reference: tuple[str, Canonical] | None = None
    for contender in contenders:
        if contender.read is None:
            kept.append(contender)
            continue
        result = of(contender.read(run_once(contender)[0]))
        reference = reference or (contender.name, result)
        problem = difference(reference[1], result)
        if problem and contender.differs:
            rows, of_rows = differing_rows(reference[1], result), num_rows(result)
            if rows <= MAX_DIFFERING * of_rows:
                notes.append(f"{contender.name}: {rows} of {of_rows} rows differ: {contender.differs}")
                problem = ""
        if problem:
            unequal.append((contender, f"{contender.name} differs from {reference[0]}: {problem}"))
        else:
            kept.append(contender)
    for contender, problem in unequal:
        if contender.optional:
            notes.append(f"left out: {problem}")
        elif not contender.group or all(c.group != contender.group for c in kept):
            raise ResultsDiffer(problem)
    return kept, notes


def keep_fastest(contenders: Sequence[Contender]) -> list[tuple[Contender, float]]:
    """The fastest contender of each group, and its seconds per call."""
    best: dict[str, tuple[Contender, float]] = {}
    for contender in contenders:
        key = contender.group or f"={contender.name}"
        seconds = probe(contender)
        if key not in best or seconds < best[key][1]:
            best[key] = (contender, seconds)
    return list(best.values())


def probe(contender: Contender) -> float:
    """Approximate seconds per call: the minimum of two calls, or a single call if it is slow."""
    first = run_once(contender)[1]
    return first if first > SLOW else min(first, run_once(contender)[1])


def plan_rounds(seconds: Sequence[float], options: Options, max_rounds: int) -> list[int]:
    """The number of rounds of each contender: equal shares of the time, within limits."""
    if options.rounds is not None:
        return [options.rounds] * len(seconds)
    share = options.seconds / len(seconds)
    min_rounds = [options.min_rounds if s < SLOW else options.min_rounds_if_slow for s in seconds]
    return [int(np.clip(share / s, low, max_rounds)) for s, low in zip(seconds, min_rounds, strict=True)]


def time_rounds(
    probed: Sequence[tuple[Contender, float]], options: Options, max_rounds: int, log: Log
) -> list[list[tuple[float, float]]]:
    """The wall-clock and processor seconds of each contender in each of its rounds."""
    if not probed:
        return []
    contenders = [contender for contender, _ in probed]
    plan = plan_rounds([seconds * contender.calls for contender, seconds in probed], options, max_rounds)
    plan = [min(p, c.max_rounds or p) for p, c in zip(plan, contenders, strict=True)]
    rounds = max(plan)
    timings: list[list[tuple[float, float]]] = [[] for _ in contenders]
    shown = time.monotonic()
    for round_ in range(rounds):
        for turn in range(len(contenders)):
            i = (round_ + turn) % len(contenders)
            # Runs in the rounds in which its share of the rounds so far reaches the next integer.
            if (round_ + 1) * plan[i] // rounds == round_ * plan[i] // rounds:
                continue
            out, wall, cpu = run_once(contenders[i])
            timings[i].append((wall, cpu))
            del out
        if time.monotonic() - shown > 2:
            shown = time.monotonic()
            log(f"  round {round_ + 1} of {rounds}")
    return timings


@contextmanager
def no_garbage_collector() -> Iterator[None]:
    """Disables it, since it would traverse the millions of objects of a peer during the calls of others."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass(frozen=True)
class Measured:
    """The line of a contender in a table."""

    name: str
    ours: bool
    seconds: Spread
    rounds: int


@dataclass(frozen=True)
class Ratio:
    """The ratio of the time of a peer to ours; for a limit, of our time to that of the peer."""

    target: Target
    peer: str
    ratio: Spread

    @property
    def met(self) -> bool | None:
        return None if self.target.at_most is None else self.ratio.median <= self.target.at_most


@dataclass(frozen=True)
class Result:
    """The result of a row."""

    row: str
    title: str
    input_bytes: int
    lines: list[Measured]
    ratios: list[Ratio]
    figures: list[Figure]
    skipped: list[Skipped]
    notes: list[str]
    run: str = ""  # its date


def compare(row: str, comparison: Comparison, options: Options, log: Log) -> Result:
    able = [c for c in comparison.contenders if isinstance(c, Contender)]
    skipped = [c for c in comparison.contenders if isinstance(c, Skipped)]
    with no_garbage_collector():
        equal, notes = check_equal(able)
        probed = keep_fastest(equal)
        timings = time_rounds(probed, options, comparison.max_rounds, log)
    able = [contender for contender, _ in probed]
    clock = "wall" if comparison.cpus > 1 else options.clock
    seconds = [[wall if clock == "wall" else cpu for wall, cpu in rounds] for rounds in timings]
    lines = [Measured(c.name, c.ours, Spread.of(s), len(s)) for c, s in zip(able, seconds, strict=True)]
    ratios = []
    for target in comparison.targets:
        a = next((i for i, c in enumerate(able) if c.name == target.ours), None)
        b = next((i for i, c in enumerate(able) if target.name in (c.name, c.group)), None)
        if a is not None and b is not None:
            above, below = (a, b) if target.at_most is not None else (b, a)
            ratio = ratio_of(seconds[above], seconds[below])
            ratios.append(Ratio(target, able[b].name, ratio))
    figures = comparison.figures() if comparison.figures else []
    return Result(row, comparison.title, comparison.input_bytes, lines, ratios, figures, skipped, notes)


def ratio_of(above: Sequence[float], below: Sequence[float]) -> Spread:
    """The ratio of the medians, and its 95 % bootstrap interval."""
    rng = np.random.default_rng(0)

    def medians(values: Sequence[float]) -> NDArray[np.float64]:
        return np.asarray(np.median(rng.choice(np.asarray(values), (500, len(values))), axis=1))

    low, high = np.quantile(medians(above) / medians(below), [0.025, 0.975]).tolist()
    return Spread(float(np.median(above) / np.median(below)), low, high)
