"""Kernels and operators under AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer and libFuzzer.

    stress sanitizers address [--runs N] [TARGET ...]    kernels under ASan and UBSan: stored inputs, N mutations per
                                                         target, and arguments that another thread writes
    stress sanitizers thread [--runs N]                  kernels on 16 threads under ThreadSanitizer, N calls per thread
    stress sanitizers fuzz [--runs N] [TARGET ...]       libFuzzer, N executions per target
    stress sanitizers operators [PYTEST ARGUMENT ...]    operators inside torch under ASan and UBSan: malformed arguments,
                                                         then pytest (default: tests/ops)

The first three need nothing but a compiler (tests/fuzz/run.py). The last builds the package with sanitizers into
build/asan, next to the usual build; the compiler's libasan is loaded before the interpreter.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from pathlib import Path

from support.programs import stress_command

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "asan"
# torch and Python do not free all memory at exit. An allocation that is too large must fail as without sanitizers.
OPTIONS = "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=12000:detect_stack_use_after_return=0"
RUNS = {"address": 50_000, "thread": 100_000, "fuzz": 100_000}


def kernels(kind: str, runs: int, targets: list[str]) -> int:
    """Actions of tests/fuzz/run.py, one after the other until one fails."""
    actions = {
        "address": [
            ["replay", "--mutations", str(runs), *targets],
            ["replay", "--mutations", str(runs), "--full-blocks", *targets],
            ["damage", "--seconds", "60"],
        ],
        "thread": [["threads", "--calls", str(runs)]],
        "fuzz": [["fuzz", "--runs", str(runs), *targets]],
    }
    program = [sys.executable, str(ROOT / "tests" / "fuzz" / "run.py")]
    return next((status for action in actions[kind] if (status := subprocess.run([*program, *action]).returncode)), 0)


def preload() -> str:
    """The compiler's sanitizer libraries, and libstdc++, whose __cxa_throw ASan must find."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    names = ("libasan.so", "libubsan.so", "libstdc++.so.6")
    paths = [
        subprocess.run(
            [*compiler, f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()
        for name in names
    ]
    missing = [path for path in paths if not Path(path).is_absolute()]
    if missing:
        raise SystemExit(f"the compiler has no {', '.join(missing)}")
    return " ".join(paths)


def operators(arguments: list[str]) -> int:
    build = dict(os.environ, STRINGOPS_SANITIZE="address,undefined")
    print("asan: building the operators with sanitizers", flush=True)
    library = BUILD / "lib"
    folders = ["--build-lib", str(library), "--build-temp", str(BUILD / "temp")]
    command = [sys.executable, "setup.py", "-q", "build", *folders]
    subprocess.run(command, cwd=ROOT, env=build, stdout=subprocess.DEVNULL, check=True)

    environment = dict(
        os.environ,
        LD_PRELOAD=preload(),
        ASAN_OPTIONS=OPTIONS,
        UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1",
        STRINGOPS_STRESS_LIMIT="0",
        PYTHONPATH=os.pathsep.join([str(library), str(ROOT / "tests")]),
        PYTHONMALLOC="malloc",
    )
    # Runs in `library`, so that its package is imported, not the one in the checkout.
    print("asan: every operator on every malformed argument", flush=True)
    table = subprocess.run(stress_command("malformed_arguments"), cwd=library, env=environment)
    if table.returncode:
        return table.returncode
    # pytest runs in `library` too, so relative paths are resolved first.
    given = [str(Path(argument).resolve()) if Path(argument).exists() else argument for argument in arguments]
    chosen = given or [str(ROOT / "tests" / "ops")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    return subprocess.run(
        [*command, "-c", str(ROOT / "pyproject.toml"), *chosen], cwd=library, env=environment
    ).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=[*RUNS, "operators"])
    parser.add_argument("--runs", type=int)
    options, rest = parser.parse_known_args()
    if options.kind == "operators":
        return operators(rest)
    return kernels(options.kind, options.runs or RUNS[options.kind], rest)
