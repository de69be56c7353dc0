"""Counts the instructions of the cases of the kernels, and compares them with the recorded counts.

make instructions                                  fails if a count changed by more than 3 %
make instructions ARGS=--record                    records the changed counts
make instructions ARGS="'string_split*'"           only cases with matching names
make instructions ARGS="--file build/before.txt --record"     before a change (any compiler), and
make instructions ARGS="--file build/before.txt"              after it
"""

import argparse
import time
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.instructions import counting, record
from benchmarks.instructions.record import Counts, Record


def say(text: str) -> None:
    print(f"instructions: {text}", flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make instructions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases to count, * and ? allowed")
    parser.add_argument("--record", action="store_true", help="write counts that changed by more than 3 %% to the file")
    parser.add_argument("--file", type=Path, default=record.PATH, help="the recorded counts (%(default)s)")
    arguments = parser.parse_args()
    if arguments.record and arguments.names:
        parser.error("--record counts every case: leave the names out")
    return arguments


def read(path: Path) -> Record:
    return record.parse_record(path.read_text()) if path.exists() else Record("nothing", {})


def count_and_print(program: Path, cases: list[str], recorded: Counts) -> Counts:
    """Prints a line for each case as soon as it is counted."""
    counted: Counts = {}
    print(f"{'case':<42}" + "".join(f"{tier:>12}{'change':>9}" for tier in counting.TIERS))
    for case, by_tier in counting.count_all(program, cases):
        line = f"{case:<42}"
        for tier, now in by_tier.items():
            before = recorded.get((case, tier))
            line += f"{now:>12,}" + (f"{now / before - 1:>+9.1%}" if before else f"{'new':>9}")
            counted[case, tier] = now
        print(line, flush=True)
    return counted


def judge(old: Record, new: Record) -> int:
    if old.made_by != new.made_by:
        say(f"recorded with {old.made_by}, counted with {new.made_by}: not comparable, nothing is judged")
        return 0
    found = record.problems(old.counts, new.counts)
    for problem in found:
        say(problem)
    say(record.advice(found) if found else "every count is as recorded")
    return 1 if found else 0


def main() -> int:
    arguments = parse_arguments()
    start = time.monotonic()
    reason = counting.unavailable_reason()
    if reason:
        say(f"nothing counted: {reason}")
        return 1
    from benchmarks.instructions.cases import CASES

    cases = list(CASES)
    program = counting.build(counting.ROOT / "build" / "instructions")
    made_by = counting.describe(program)
    names = arguments.names or ["*"]
    chosen = [case for case in cases if any(fnmatch(case, name) for name in names)]
    if not chosen:
        say(f"no case has such a name; there are {', '.join(cases)}")
        return 1
    old = read(arguments.file)
    new = Record(made_by, count_and_print(program, chosen, old.counts))
    say(f"counted in {time.monotonic() - start:.0f} s")

    tiers = {tier for _, tier in new.counts}
    missing = [tier for tier in counting.TIERS if tier not in tiers]
    if missing:
        say(f"{', '.join(missing)} does not run here and is not judged")
    if arguments.record:
        if missing:
            say("recorded nothing, since not all was counted")
            return 1
        arguments.file.write_text(record.format_record(record.update(old, new)))
        say(f"recorded in {arguments.file}")
        return 0
    judged = {key: n for key, n in old.counts.items() if key[1] in tiers and (key[0] in chosen or not arguments.names)}
    return judge(Record(old.made_by, judged), new)


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except counting.Failed as failure:
        raise SystemExit(f"instructions: {failure}") from None
