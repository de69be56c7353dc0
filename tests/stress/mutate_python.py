"""Mutation testing of the Python package: faults are put into torch_stringops, one at a time; do tests notice?

    stress mutate_python [--faults N] [--seed S] [--jobs J] [--list] [FILE ...]     FILE: a part of a path
    stress mutate_python --again REPORT     tests the survivors in the report of another run

A fault is one edit (mutation/faults.py): another comparison, operator or constant, a condition that is always or
never met, an operand, argument, decorator or statement removed. The tests that execute its line (mutation/lines.py)
run in a forked child that imports the package with the fault (mutation/workers.py): first those in files that are
named after the module or have noticed most faults, the fastest first. A failure, a crash or the time limit notices
it. Parameters of one test function alternate with other tests, and tests of at most --budget seconds run; the report
says how many.

build/mutation/report.txt has every result. A survivor needs a test, or changes nothing that a test could see:
mutation/survivors_python.md lists such survivors with the reasons, and they are counted separately.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from stress.mutation import report
from stress.mutation.faults import Fault, faults
from stress.mutation.lines import OTHER_PYTHON, LineMap, TracedTest, line_map
from stress.mutation.workers import BROKEN, BUILD, Done, Task, prepare, pytest_in, run_all, serve

REPORT = BUILD / "report.txt"
EQUIVALENT = Path(__file__).parent / "mutation" / "survivors_python.md"
# CPU time in addition to the usual time of the tests, as a fault may cause an endless loop.
SECONDS = 60
IMPORT = "the import"
NO_TESTS = 5  # pytest's exit status
FIRST = 3  # files of tests that run before all others
BUDGET = 120.0


class Chosen:
    """A pytest plugin that runs the given tests in the given order, and notes the current one."""

    def __init__(self, tests: list[str], note: Path) -> None:
        self.order = {name: number for number, name in enumerate(tests)}
        self.note = note

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = sorted((i for i in items if i.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.note.write_text(nodeid)


def in_order(tests: Iterable[TracedTest]) -> list[TracedTest]:
    """The fastest tests first, and parameters of different test functions alternate."""
    turns: Counter[str] = Counter()
    ordered = []
    for test in sorted(tests, key=lambda t: (t.seconds, t.name)):
        ordered.append((turns[test.function()], test))
        turns[test.function()] += 1
    # Each turn takes twice as many, as otherwise a function with a thousand parameters would take a thousand turns.
    return [t for _, t in sorted(ordered, key=lambda pair: (pair[0].bit_length(), pair[1].seconds, pair[1].name))]


def within(tests: list[TracedTest], budget: float) -> list[TracedTest]:
    taken, seconds = [], 0.0
    for test in tests:
        if not taken or seconds + test.seconds <= budget:
            taken.append(test)
            seconds += test.seconds
    return taken


def tests_of(fault: Fault, lines: LineMap, budget: float) -> tuple[list[TracedTest], int]:
    """The tests to run, and the number of tests that reach the fault."""
    able = lines.reaching(fault)
    return within(in_order(able), budget), len(able)


def in_chunks(fault: Fault, tests: list[TracedTest], noticed_by: Counter[str]) -> list[list[str]]:
    """The tests of a few files, then all others, as importing all files takes longer than most tests."""
    files = Counter(t.file() for t in tests)
    stem = fault.path.stem.strip("_").split("_")[0]
    ranked = sorted(files, key=lambda f: (stem not in f, -noticed_by[f], -files[f], f))
    first = set(ranked[:FIRST])
    chunks = [[t.name for t in tests if (t.file() in first) is wanted] for wanted in (True, False)]
    return [chunk for chunk in chunks if chunk]


def run_tests(fault: Fault | None, chunks: list[list[str]], note: Path) -> int:
    """pytest's exit status for the package with the fault; each chunk of tests runs in its own process."""
    for tests in chunks:
        if (pid := os.fork()) == 0:
            status = BROKEN
            try:
                if fault:
                    serve(fault)
                # Doctests are collected with their package, as otherwise it would be imported under another name.
                names = [t.split("/")[0] if t.startswith("torch_stringops") else t.split("::")[0] for t in tests]
                status = pytest_in(["-x", *dict.fromkeys(names)], Chosen(tests, note))
                sys.stdout.flush()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status not in (0, NO_TESTS):
            return status if status > 0 else 128 - status
    return 0


def verdict_of(done: Done, note: Path, run: int, able: int) -> str:
    last = note.read_text() if note.exists() else IMPORT
    note.unlink(missing_ok=True)
    if able == 0:
        return "survived (no test executes it)"
    if done.status == 0:
        return f"survived ({run} tests)" if run == able else f"survived ({run} of {able} tests)"
    if done.status == BROKEN:
        return f"not judged ({done.output.strip().splitlines()[-1]})"
    # pytest's message if conftest.py or a test file cannot be imported.
    where = IMPORT if done.status in (2, 4) else last
    how = {None: " (time)", 128 + signal.SIGXCPU: " (time)", 1: "", 2: "", 4: ""}.get(
        done.status, f" (status {done.status})"
    )
    return f"noticed by {where}{how}"


def judge(faults: list[Fault], lines: LineMap, jobs: int = 1, budget: float = BUDGET) -> Iterator[tuple[Fault, str]]:
    """Yields the result of each fault when it is done: "noticed by ..." or "survived ..."."""
    noticed_by: Counter[str] = Counter()  # files of tests
    chosen: dict[str, tuple[Fault, Path, int, int]] = {}

    def tasks() -> Iterator[Task]:
        for number, fault in enumerate(faults):
            tests, able = tests_of(fault, lines, budget)
            chunks, note = in_chunks(fault, tests, noticed_by), BUILD / "tmp" / f"{number}.note"
            chosen[str(number)] = fault, note, len(tests), able
            run = partial(run_tests, fault, chunks, note)
            yield Task(str(number), run, SECONDS + 5 * sum(t.seconds for t in tests))

    for task, done in run_all(tasks(), jobs):
        fault, note, run, able = chosen[task.name]
        verdict = verdict_of(done, note, run, able)
        if verdict.startswith("noticed"):
            noticed_by[verdict.split()[2].split("::")[0]] += 1
        yield fault, verdict


def unsound(tests: set[str], lines: LineMap) -> list[str]:
    """Tests that noticed faults, but also fail without a fault if they run in another order."""
    failing = []
    known = in_order([t for t in lines.tests if t.name in tests])
    while known:
        note = BUILD / "tmp" / "unsound.note"
        run = partial(run_tests, None, [[t.name for t in known]], note)
        ((_, done),) = run_all([Task("", run, SECONDS + 5 * sum(t.seconds for t in known))], 1)
        last = note.read_text() if note.exists() else ""
        note.unlink(missing_ok=True)
        if done.status == 0 or last not in tests:
            break
        failing.append(last)
        known = [t for t in known if t.name not in failing]
    return failing


def main() -> int:
    parser = report.parser(__doc__, 100)
    parser.add_argument(
        "--budget", type=float, default=BUDGET, help="seconds of tests per fault, in CPU time while tracing"
    )
    parser.add_argument(
        "--stored", action="store_true", help="trace nothing, and use only tests that were traced before"
    )
    options = parser.parse_intermixed_args()
    every = list(faults(options.files))
    picked = report.pick(every, options)
    if options.list:
        print(*picked, sep="\n")
        return 0
    report.unknown(EQUIVALENT, faults([]))
    BUILD.mkdir(parents=True, exist_ok=True)
    prepare()
    lines = line_map(0 if options.stored else options.jobs)
    for test, why in sorted(lines.left_out.items()):
        if why not in ("skipped", OTHER_PYTHON):
            print(f"mutate: skipped, as it fails while it is traced: {test}")
    judged = judge(picked, lines, options.jobs, options.budget)
    verdicts = report.write(REPORT, EQUIVALENT, judged, len(picked), len(every), options)
    noticed = (v.removeprefix("noticed by ").split(" (")[0] for v in verdicts if v.startswith("noticed"))
    for test in unsound(set(noticed), lines):
        print(f"mutate: noticed a fault, but also fails without one: {test}")
    return 0
