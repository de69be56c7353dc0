"""Which lines and branches of csrc the test suite executes: builds with gcov's counters into build/coverage, beside the
ordinary build, runs the suite on it, and writes a table by file.

    coverage.py [ARGUMENTS OF PYTEST]     `make coverage`; without arguments, what exercises csrc
    coverage.py --report                  the table of the last run again

Branches are counted without those that only an exception takes, which gcov sees at every call that may throw, and
without what the compiler put in (gcovr's --exclude-throw-branches and --exclude-unreachable-branches). Assertions are
off: no test can take their branches. The CPU tiers are those of this machine.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
# What calls operators and conversions; the rest of the suite is about Python.
TESTS = ("ops", "test_interop_*.py", "test_every_operator.py", "test_damaged_input.py", "test_vocabulary.py")
LINES, BRANCHES = 95, 90  # per cent


def build() -> None:
    folders = ["--build-lib", str(BUILD / "lib"), "--build-temp", str(BUILD / "temp")]
    command = [sys.executable, "setup.py", "-q", "build", *folders]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"STRINGOPS_COVERAGE": "1"}, check=True)


def test(arguments: list[str]) -> int:
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    tests = [str(path) for pattern in TESTS for path in sorted((ROOT / "tests").glob(pattern))]
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    path = os.pathsep.join(
        filter(None, (str(BUILD / "lib"), str(ROOT / "tests"), os.environ.get("PYTHONPATH")))
    )
    # From there, as Python looks for packages in the working folder first.
    return subprocess.run(
        [sys.executable, "-m", "pytest", *settings, "-q", *(arguments or tests)],
        cwd=BUILD / "lib",
        env=os.environ | {"PYTHONPATH": path},
    ).returncode


def report() -> int:
    options = [
        "--root",
        str(ROOT),
        "--filter",
        "csrc/",
        "--exclude-throw-branches",
        "--exclude-unreachable-branches",
    ]
    files = ["--txt", str(BUILD / "lines.txt"), "--html-details", str(BUILD / "index.html")]
    branches = ["--txt-metric", "branch", "--txt", str(BUILD / "branches.txt")]
    gcovr = [sys.executable, "-m", "gcovr", *options]
    subprocess.run([*gcovr, *branches, str(BUILD / "temp")], cwd=ROOT, check=True)
    limits = [f"--fail-under-line={LINES}", f"--fail-under-branch={BRANCHES}", "--print-summary"]
    done = subprocess.run([*gcovr, *files, *limits, str(BUILD / "temp")], cwd=ROOT)
    print((BUILD / "lines.txt").read_text())
    print(f"coverage: {BUILD}/lines.txt, branches.txt and index.html")
    return done.returncode


def main() -> int:
    if sys.argv[1:] == ["--report"]:
        return report()
    build()
    failed = test(sys.argv[1:])
    return report() or failed


if __name__ == "__main__":
    sys.exit(main())
