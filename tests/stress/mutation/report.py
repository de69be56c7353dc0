"""The command line and the report of mutation testing: the selected faults, and the result of each.

A result is "noticed by ...", "survived ...", or a reason why a fault does not count. Survivors in the list of those
that change nothing are reported as "equivalent".
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar


class Change(Protocol):
    """One edit of a source file. Its text is `<path>:<line>: <what it changes>`."""

    @property
    def line(self) -> int: ...

    def key(self) -> tuple[str, str]:
        """Path and changed line, which identify it even if lines have moved."""


AnyChange = TypeVar("AnyChange", bound=Change)


def parser(doc: str, faults: int) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    made.add_argument("files", nargs="*", help="files whose path contains this (default: all)")
    made.add_argument("--faults", type=int, default=faults)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    made.add_argument("--again", type=Path, metavar="REPORT", help="test the survivors of a report instead")
    made.add_argument("--list", action="store_true", help="list the selected faults and stop")
    return made


def pick(every: Sequence[AnyChange], options: argparse.Namespace) -> list[AnyChange]:
    if options.again:
        return survivors(options.again, every)
    return random.Random(options.seed).sample(every, min(options.faults, len(every)))


def survivors(report: Path, every: Iterable[AnyChange]) -> list[AnyChange]:
    """The changes that survived in a report of another run, even if their lines have moved since."""
    by_text: dict[tuple[str, str], list[AnyChange]] = {}
    for change in every:
        path, _, what = str(change).split(":", 2)
        by_text.setdefault((path, what), []).append(change)
    again = []
    for path, line, what in re.findall(r"\] survived.*?: (\S+?):(\d+):(.*)", report.read_text()):
        if same := by_text.get((path, what)):
            again.append(min(same, key=lambda change: abs(change.line - int(line))))
        else:
            print(f"mutate: its line does not exist any more: {path}:{what}")
    return again


def equivalent(listed: Path) -> set[tuple[str, str]]:
    """Keys of the changes in a list of survivors."""
    found = re.findall(r"^- `([^`]+)`: (`+) ?(.+?) ?\2(?:[:.]|$)", listed.read_text(), re.M)
    return {(name, after) for name, _, after in found}


def unknown(listed: Path, every: Iterable[Change]) -> None:
    for name, after in equivalent(listed) - {change.key() for change in every}:
        print(f"mutate: not a possible fault any more, though {listed.name} has it: {name}: {after}")


def write(
    report: Path,
    listed: Path,
    verdicts: Iterable[tuple[Change, str]],
    picked: int,
    possible: int,
    options: argparse.Namespace,
) -> list[str]:
    """Writes and prints each result, and a summary; returns the results."""
    known, start = equivalent(listed), time.monotonic()
    count: Counter[str] = Counter()
    found = []
    with open(report, "w") as file:
        for number, (change, verdict) in enumerate(verdicts, 1):
            if verdict.startswith("survived") and change.key() in known:
                verdict = f"equivalent, {verdict}"
            found.append(verdict)
            kind = verdict.split()[0].strip(",")
            count[kind] += 1
            count["time"] += kind == "noticed" and verdict.endswith("(time)")
            print(f"[{number}/{picked}] {verdict}: {change}", file=file, flush=True)
            if kind == "survived":
                print(f"mutate: {verdict}: {change}", flush=True)
            if number % 10 == 0:
                spent = time.monotonic() - start
                print(
                    f"mutate: {number} of {picked}: {count['noticed']} noticed, {count['equivalent']} equivalent, "
                    f"{count['survived']} survived; {spent:.0f} s, about "
                    f"{spent / number * (picked - number) / 60:.0f} minutes more",
                    flush=True,
                )
    noticed, same, survived = count["noticed"], count["equivalent"], count["survived"]
    total = noticed + same + survived
    print(
        f"mutate: {noticed} of {total} noticed ({100 * noticed / max(1, total):.0f} %), {count['time']} of them by the time "
        f"limit; {same} equivalent by {listed.name} ({100 * noticed / max(1, noticed + survived):.0f} % without them), "
        f"{survived} survived; of {possible} possible, "
        f"{f'from {options.again}' if options.again else f'seed {options.seed}'}; {picked - total} not counted; "
        f"{time.monotonic() - start:.0f} s"
    )
    return found
