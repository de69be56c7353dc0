"""How contenders are compared: equal results first, then interleaved rounds on one core, ratios of medians.

A round runs each contender at most once, in an order that rotates. A slow contender takes part in fewer of
the rounds, spread evenly, so that all of them see the same minutes of the machine. Inputs are made before and
outputs are freed after the timed region; the garbage collector is off in it.

The clock is by default the process's own processor time, of all its threads, user and system. On a quiet
machine it is the wall's. On a machine in use the wall's would favour whatever is short: a call of 0.5 ms
mostly runs within one time slice, and a call of 20 ms waits while others run.
"""

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.canonical import Canonical, difference

Log = Callable[[str], None]

# Below this share of the time on its core, a process was not alone: wall times say little.
QUIET = 0.95

# Seconds of a call that is slow: its ratio is so large that fewer rounds say enough.
SLOW = 0.3

# An excuse for more rows than this leaves nothing to compare.
MOST_EXCUSED = 0.01


class ResultsDiffer(Exception):
    """A contender computes something else than the first one: its time would mean nothing."""


@dataclass(frozen=True)
class Excuse:
    """Rows in which a contender rightly differs, because it promises something else there."""

    rows: NDArray[np.bool_]
    reason: str


@dataclass
class Contender:
    """One way to do the work of a row.

    `call` is what is timed; it gets what `prepare` returned, if there is one. `canonical` brings its output
    to the form in which results are compared; without one there is nothing to compare (memcpy).
    `calls` of a sample are timed together. Of the contenders of one `group` only the fastest is measured: the
    ways one peer has to do the work. It takes part in at most `max_rounds`, if that is not 0.
    """

    name: str
    call: Callable[..., Any]
    canonical: Callable[[Any], Canonical] | None = None
    prepare: Callable[[], Any] | None = None
    excuse: Excuse | None = None
    ours: bool = False
    calls: int = 1
    group: str = ""
    note: str = ""
    max_rounds: int = 0


@dataclass(frozen=True)
class Skipped:
    """A contender that cannot run here, and why."""

    name: str
    reason: str
    group: str = ""


@dataclass(frozen=True)
class Target:
    """`name` (a contender or a group) must take at least `at_least` times as long as `ours`.

    With `at_most` it is a limit instead: `ours` must take at most so many times as long as `name`. With
    neither the ratio is shown and nothing is required.
    """

    ours: str
    name: str
    at_least: float | None = None
    at_most: float | None = None


@dataclass(frozen=True)
class Figure:
    """A figure that is measured once and is not a time: `value` of what `name` says, and its limit."""

    name: str
    value: float
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        return None if self.at_most is None else self.value <= self.at_most


@dataclass
class Comparison:
    """What one row compares. `figures` are measurements other than times; `cpus` are the cores that the row needs."""

    title: str
    contenders: Sequence[Contender | Skipped] = ()
    targets: Sequence[Target] = ()
    input_bytes: int = 0
    figures: Callable[[], list[Figure]] | None = None
    cpus: int = 1
    max_rounds: int = 60
    notes: list[str] = field(default_factory=list)


@dataclass
class Timing:
    """Seconds a call in each round that the contender took part in; `cpu` is what the process got of them."""

    wall: dict[int, float] = field(default_factory=dict)
    cpu: dict[int, float] = field(default_factory=dict)

    def add(self, round_: int, wall: float, cpu: float) -> None:
        self.wall[round_], self.cpu[round_] = wall, cpu


@dataclass(frozen=True)
class Spread:
    """A median, and what it varies between: of times the quartiles, of ratios a bootstrap interval."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        low, median, high = np.quantile(np.asarray(values), [0.25, 0.5, 0.75]).tolist()
        return cls(median, low, high)


@dataclass(frozen=True)
class Options:
    seconds: float = 4.0  # of timed work a row, about
    rounds: int | None = None  # instead of `seconds`
    clock: str = "cpu"  # or "wall"; rows that need several cores always take wall
    min_rounds: int = 7
    min_rounds_if_slow: int = 3


def pin(cpus: set[int]) -> None:
    """Confine every thread of this process, those of the peers' pools too."""
    for task in os.listdir("/proc/self/task"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(task), cpus)


def run_once(contender: Contender) -> tuple[Any, float, float]:
    """The output, and wall and processor seconds a call."""
    arguments = () if contender.prepare is None else (contender.prepare(),)
    call = contender.call
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(contender.calls):
        out = call(*arguments)
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    return out, wall / 1e9 / contender.calls, cpu / 1e9 / contender.calls


def check_equal(contenders: Sequence[Contender]) -> tuple[list[Contender], list[str]]:
    """Compare all results with the first. Returns the contenders to time, and notes for the table.

    A contender that differs is an error, unless its group has one that does not.
    """
    notes: list[str] = []
    kept: list[Contender] = []
    unequal: list[tuple[Contender, str]] = []
    reference: tuple[str, Canonical] | None = None
    for contender in contenders:
        if contender.canonical is None:
            kept.append(contender)
            continue
        result = contender.canonical(run_once(contender)[0])
        if reference is None:
            reference = contender.name, result
        problem = compare_results(reference[1], result, contender.excuse)
        if problem:
            unequal.append((contender, f"{contender.name} differs from {reference[0]}: {problem}"))
            continue
        kept.append(contender)
        if contender.note:
            notes.append(f"{contender.name}: {contender.note}")
        if contender.excuse is not None and contender.excuse.rows.any():
            count, reason = contender.excuse.rows.sum(), contender.excuse.reason
            notes.append(f"{contender.name}: {count} rows not compared: {reason}")
    for contender, problem in unequal:
        if not contender.group or all(c.group != contender.group for c in kept):
            raise ResultsDiffer(problem)
    return kept, notes


def compare_results(expected: Canonical, got: Canonical, excuse: Excuse | None) -> str:
    if excuse is None or not excuse.rows.any():
        return difference(expected, got)
    if excuse.rows.mean() > MOST_EXCUSED:
        return f"{excuse.rows.sum()} of {len(excuse.rows)} rows would have to be left out: {excuse.reason}"
    return difference(expected, got, excuse.rows)


def keep_fastest(contenders: Sequence[Contender]) -> list[tuple[Contender, float]]:
    """One contender a group, the fastest, and its seconds a call."""
    best: dict[str, tuple[Contender, float]] = {}
    for contender in contenders:
        key = contender.group or f"={contender.name}"
        seconds = probe(contender)
        if key not in best or seconds < best[key][1]:
            best[key] = (contender, seconds)
    return list(best.values())


def probe(contender: Contender) -> float:
    """Seconds a call, about: the better of two, unless it is slow."""
    first = run_once(contender)[1]
    return first if first > SLOW else min(first, run_once(contender)[1])


def plan_rounds(seconds: Sequence[float], options: Options, most: int) -> list[int]:
    """In how many rounds each contender takes part: equal shares of the time, within the limits."""
    if options.rounds is not None:
        return [options.rounds] * len(seconds)
    share = options.seconds / len(seconds)
    least = [options.min_rounds if s < SLOW else options.min_rounds_if_slow for s in seconds]
    return [int(np.clip(share / s, few, most)) for s, few in zip(seconds, least, strict=True)]


def time_rounds(
    probed: Sequence[tuple[Contender, float]], options: Options, most: int, log: Log
) -> list[Timing]:
    if not probed:
        return []
    contenders = [contender for contender, _ in probed]
    plan = plan_rounds([seconds * contender.calls for contender, seconds in probed], options, most)
    plan = [min(p, c.max_rounds or p) for p, c in zip(plan, contenders, strict=True)]
    rounds = max(plan)
    timings = [Timing() for _ in contenders]
    shown = time.monotonic()
    for round_ in range(rounds):
        for turn in range(len(contenders)):
            i = (round_ + turn) % len(contenders)
            # Takes part when its share of the rounds so far reaches the next whole number.
            if (round_ + 1) * plan[i] // rounds == round_ * plan[i] // rounds:
                continue
            out, wall, cpu = run_once(contenders[i])
            timings[i].add(round_, wall, cpu)
            del out
        if time.monotonic() - shown > 2:
            shown = time.monotonic()
            log(f"  round {round_ + 1} of {rounds}")
    return timings


@contextmanager
def no_garbage_collector() -> Iterator[None]:
    """It would walk the millions of objects that a peer returns, in whichever call comes next."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@dataclass(frozen=True)
class Measured:
    """One contender's line of a table."""

    name: str
    ours: bool
    seconds: Spread
    busy: float  # processor time / wall time
    rounds: int


@dataclass(frozen=True)
class Ratio:
    """How many times as long as ours a peer takes; for a limit, how many times as long as it ours takes."""

    target: Target
    peer: str
    ratio: Spread

    @property
    def met(self) -> bool | None:
        if self.target.at_most is not None:
            return self.ratio.median <= self.target.at_most
        return None if self.target.at_least is None else self.ratio.median >= self.target.at_least


@dataclass(frozen=True)
class Result:
    """What one row found."""

    row: str
    title: str
    input_bytes: int
    lines: list[Measured]
    ratios: list[Ratio]
    figures: list[Figure]
    skipped: list[Skipped]
    notes: list[str]
    commit: str = ""


def compare(row: str, comparison: Comparison, options: Options, log: Log) -> Result:
    able = [c for c in comparison.contenders if isinstance(c, Contender)]
    skipped = [c for c in comparison.contenders if isinstance(c, Skipped)]
    with no_garbage_collector():
        equal, notes = check_equal(able)
        probed = keep_fastest(equal)
        timings = time_rounds(probed, options, comparison.max_rounds, log)
    able = [contender for contender, _ in probed]
    clock = "wall" if comparison.cpus > 1 else options.clock
    seconds = [t.wall if clock == "wall" else t.cpu for t in timings]
    lines = [
        Measured(
            c.name,
            c.ours,
            Spread.of([*s.values()]),
            sum(t.cpu.values()) / max(sum(t.wall.values()), 1e-9),
            len(s),
        )
        for c, t, s in zip(able, timings, seconds, strict=True)
    ]
    ratios = []
    for target in comparison.targets:
        a = next((i for i, c in enumerate(able) if c.name == target.ours), None)
        b = next((i for i, c in enumerate(able) if target.name in (c.name, c.group)), None)
        if a is not None and b is not None:
            x, y = [*seconds[a].values()], [*seconds[b].values()]
            ratio = ratio_of(x, y) if target.at_most is not None else ratio_of(y, x)
            ratios.append(Ratio(target, able[b].name, ratio))
    notes = [*comparison.notes, *notes]
    if clock == "wall" and lines and lines[0].busy < QUIET:
        notes.append(
            f"the machine was in use, the figures mean little: a thread ran {lines[0].busy:.0%} of the time"
        )
    figures = comparison.figures() if comparison.figures else []
    return Result(row, comparison.title, comparison.input_bytes, lines, ratios, figures, skipped, notes)


def ratio_of(above: Sequence[float], below: Sequence[float]) -> Spread:
    """Ratio of the medians, and the interval that holds it in 95 of 100 bootstrap samples."""
    rng = np.random.default_rng(0)

    def medians(values: Sequence[float]) -> NDArray[np.float64]:
        return np.asarray(np.median(rng.choice(np.asarray(values), (500, len(values))), axis=1))

    low, high = np.quantile(medians(above) / medians(below), [0.025, 0.975]).tolist()
    return Spread(float(np.median(above) / np.median(below)), low, high)
