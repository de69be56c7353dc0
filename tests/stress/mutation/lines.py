"""Which tests execute which lines of the package: a trace of the test suite, by test file, stored in build/.

Lines come from `sys.settrace`, and from torch.compile, which traces functions without running them. Child processes of
tests are not traced and would import the package without the fault, so tests that start Python are left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
import time
import traceback
from functools import partial
from multiprocessing import popen_forkserver, popen_spawn_posix
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from stress.mutation.faults import PACKAGE, ROOT, Fault
from stress.mutation.workers import BUILD, Task, pytest_in, run_all

OTHER_PYTHON = "starts another Python process"
# These inspect signatures, docstrings and registrations, and execute few lines.
OF_IMPORTS = ("tests/test_registry.py", "tests/test_docs.py")
MAP = BUILD / "lines.json"
SECONDS = 3600  # per test file
# Fixtures that select native code; Python code is the same, so their first value is enough.
NATIVE_CHOICES = ("tier", "path", "reading")
EXAMPLES = 20  # per property; more examples hardly execute other lines
# Folders and files whose tests run native code or child processes, not the package in this process.
LEFT_OUT = ("bench", "packaging", "stress", "test_aoti.py", "test_examples.py")
KEPT = ("stress/mutation/test_limits.py", "stress/test_chains.py", "stress/test_malformed_arguments.py")


class Tracer:
    """A pytest plugin that records the lines that each test executes, and its duration."""

    def __init__(self) -> None:
        self.tests: dict[str, float] = {}
        self.lines: dict[str, set[tuple[str, int]]] = {}
        self.left_out: dict[str, str] = {}
        self._now: set[tuple[str, int]] = set()
        self._files: dict[CodeType, str | None] = {}

    def file_of(self, code: CodeType) -> str | None:
        """The package's file that has this code, or None."""
        try:
            return self._files[code]
        except KeyError:
            path = os.path.abspath(code.co_filename)
            ours = path.startswith(str(PACKAGE) + os.sep)
            self._files[code] = os.path.relpath(path, ROOT) if ours else None
            return self._files[code]

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = self.file_of(frame.f_code)
        if name is None:
            return None

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            self._now.add((name, frame.f_lineno))
            return line

        return line(frame, event, argument)

    def pytest_sessionstart(self) -> None:
        from hypothesis import settings
        from hypothesis.errors import InvalidArgument
        from torch._dynamo.symbolic_convert import InstructionTranslatorBase

        with contextlib.suppress(InvalidArgument):  # doctests do not load tests/conftest.py
            settings.register_profile("traced", settings.get_profile("repeatable"), max_examples=EXAMPLES)
            settings.load_profile("traced")
        usual = InstructionTranslatorBase.starts_line

        def starts_line(translator: Any, number: int) -> None:
            if name := self.file_of(translator.f_code):
                self._now.add((name, number))
            usual(translator, number)

        InstructionTranslatorBase.starts_line = starts_line

        self._note_processes()

    def _note_processes(self) -> None:
        """Notes tests that start Python, as that process would import the package without the fault."""

        def noting(usual: Any) -> Any:
            def start(process: Any, command: Any, *rest: Any, **options: Any) -> None:
                words = [command] if isinstance(command, str) else command
                callers = (frame.f_code.co_filename for frame, _ in traceback.walk_stack(None))
                # torch's compiler runs Python to find out the features of the processor.
                if not isinstance(words, (list, tuple)) or (
                    sys.executable in words and not any("_inductor" in name for name in callers)
                ):
                    self.left_out[self._test] = OTHER_PYTHON
                usual(process, command, *rest, **options)

            return start

        subprocess.Popen.__init__ = noting(subprocess.Popen.__init__)
        for kind in (popen_spawn_posix.Popen, popen_forkserver.Popen):
            kind._launch = noting(kind._launch)

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        def native(item: Any) -> dict[str, Any]:
            spec = getattr(item, "callspec", None)
            return {n: v for n, v in spec.indices.items() if n in NATIVE_CHOICES} if spec else {}

        items[:] = [i for i in items if not any(native(i).values())]

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._test, self._now, self._start = nodeid, set(), time.process_time()
        sys.settrace(self._call)
        threading.settrace(self._call)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if not report.passed:
            self.left_out.setdefault(report.nodeid, report.outcome)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        threading.settrace(None)
        self.tests[nodeid] = round(time.process_time() - self._start, 4)
        self.lines[nodeid] = self._now

    def result(self) -> dict[str, Any]:
        tests = [t for t in self.tests if t not in self.left_out]
        files: dict[str, dict[int, list[int]]] = {}
        for number, test in enumerate(tests):
            for name, line in self.lines[test]:
                files.setdefault(name, {}).setdefault(line, []).append(number)
        return {"tests": [(t, self.tests[t]) for t in tests], "lines": files, "left_out": self.left_out}


class TracedTest(NamedTuple):
    name: str
    seconds: float  # of this process's CPU time, traced: other load changes it little

    def file(self) -> str:
        return self.name.split("::")[0]

    def function(self) -> str:
        return self.name.split("[")[0]


class LineMap:
    """The tests of a line."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.left_out = {t: why for part in parts.values() for t, why in part["left_out"].items()}
        self.tests: set[TracedTest] = set()
        self._lines: dict[tuple[str, int], set[TracedTest]] = {}
        for part in parts.values():
            tests = [TracedTest(*t) for t in part["tests"]]
            self.tests.update(tests)
            for name, lines in part["lines"].items():
                for line, numbers in lines.items():
                    self._lines.setdefault((name, int(line)), set()).update(tests[n] for n in numbers)

    def reaching(self, fault: Fault) -> set[TracedTest]:
        """The tests that can see a fault."""
        found = set().union(*(self._lines.get((fault.name(), line), ()) for line in fault.reach))
        if fault.at_import:
            found |= {test for test in self.tests if test.file() in OF_IMPORTS}
        return found


def test_files() -> list[Path]:
    """All files that pytest collects except those in LEFT_OUT; the package for its doctests."""
    tests = ROOT / "tests"
    found = sorted(tests.rglob("test_*.py"))
    return [
        PACKAGE,
        *(path for path in found if not set(path.relative_to(tests).parts) & set(LEFT_OUT)),
        *(tests / name for name in KEPT),
    ]


def _hash(paths: list[Path]) -> str:
    return hashlib.sha256(b"\0".join(p.read_bytes() for p in paths)).hexdigest()[:16]


def trace(tests: str, result: Path) -> int:
    """Runs tests, and stores which lines they execute; returns pytest's exit status."""
    tracer = Tracer()
    status = pytest_in([tests], tracer)
    result.write_text(json.dumps(tracer.result()))
    return status


def line_map(jobs: int) -> LineMap:
    """The stored map, after tracing the test files that are new or have changed; all of them if the package has.

    Without jobs, nothing is traced.
    """
    shared = [*PACKAGE.rglob("*.py"), *(ROOT / "tests" / "support").rglob("*.py")]
    package = _hash(sorted([*shared, *(ROOT / "tests" / "reference").rglob("*.py"), ROOT / "tests" / "conftest.py"]))
    stored = {}
    with contextlib.suppress(OSError, ValueError):
        stored = json.loads(MAP.read_text())
    known = stored.get("files", {}) if stored.get("package") == package else {}
    files = {p.relative_to(ROOT).as_posix(): p for p in test_files()}
    hashes = {name: package if path.is_dir() else _hash([path]) for name, path in files.items()}
    parts = {n: known[n] for n in files if n in known and known[n]["hash"] == hashes[n]}
    missing = [n for n in files if n not in parts] if jobs else []
    start = time.monotonic()
    results = {n: BUILD / f"{n.replace('/', '-')}.json" for n in missing}
    tasks = [Task(n, partial(trace, n, results[n]), SECONDS) for n in missing]
    for number, (task, done) in enumerate(run_all(tasks, max(1, jobs)), 1):
        where = f"[{number}/{len(missing)}] {task.name}"
        if done.status in (0, 1, 5) and results[task.name].exists():
            parts[task.name] = json.loads(results[task.name].read_text()) | {"hash": hashes[task.name]}
            results[task.name].unlink()
            new = MAP.with_suffix(".new")
            new.write_text(json.dumps({"package": package, "files": parts}))
            new.replace(MAP)
            part = parts[task.name]
            print(f"mutate: traced {where}: {len(part['tests'])} tests, {done.seconds:.0f} s", flush=True)
        else:
            print(f"mutate: not traced {where}: status {done.status}\n{done.output[-2000:]}", flush=True)
    if missing:
        print(f"mutate: {len(missing)} test files traced in {time.monotonic() - start:.0f} s", flush=True)
    return LineMap(parts)
