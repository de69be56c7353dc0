"""Coverage of csrc by lines and branches: builds with gcov's counters into build/coverage, next to the ordinary
build, runs the tests on it, and writes a table by file and a list of lines and branches that were not reached.

    coverage.py [ARGUMENTS OF PYTEST]   `make coverage`; without arguments, all tests that execute csrc
    coverage.py --more ARGUMENTS        adds to the counts of previous runs
    coverage.py --report                prints the table again

The tests are those that call operators and conversions, on every CPU tier of this machine, and the fuzz targets on
their stored inputs and mutations of them, which also change arguments between a kernel's passes.

Counted are lines with more than braces, and both ways of each branch of our own conditions: if, for, while, case, ?:,
&& and ||, and STRINGOPS_CHECK. Not counted are branches that the compiler adds (for exceptions, guards of static
variables, unoptimised intrinsics), and those of torch's macros, as tests cannot make torch's functions fail.
Instances of a template with the same branches count once. Optimisation and assertions are off: the former merges and
duplicates branches, and tests cannot take those of the latter.
"""

import collections
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from build_flags import COVERAGE

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "coverage"
# The tests that call operators and conversions; the others are about Python.
TESTS = ["ops", "interop", "tensor/test_every_operator.py", "tensor/test_vocabulary.py"]
CHECKS = [
    "allocation",
    "damaged_input",
    "hash_flooding",
    "limits",
    "malformed_arguments",
    "patterns",
    "threads",
]
TESTS += [f"stress/test_{check}.py" for check in CHECKS]
LINES, BRANCHES = 95, 90  # per cent
FUZZ: dict[str, list[str]] = {
    "fuzz": [],
    "full_blocks": ["BLOCKS="],
}  # folders, and the arguments of make for each

CONDITION = re.compile(r"\b(if|for|while|case|default|switch)\b|&&|\|\||\?|STRINGOPS_CHECK")
GOES_ON = re.compile(r"(&&|\|\||\?|:)\s*(//.*)?$")  # the condition continues on the next line
NO_CODE = re.compile(r"[\s{}();]*(//.*)?$")


def build() -> None:
    folders = ["--build-lib", str(BUILD / "lib"), "--build-temp", str(BUILD / "temp")]
    command = [sys.executable, "setup.py", "-q", "build", *folders]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"STRINGOPS_COVERAGE": "1"}, check=True)


def clear() -> None:
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()


def test(arguments: list[str]) -> int:
    settings = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    # Child processes find the tests in ROOT, but must not import the ordinary build there.
    path = os.pathsep.join([str(BUILD / "lib"), str(ROOT / "tests"), str(ROOT)])
    chosen = [str(ROOT / a) if (ROOT / a.split("::")[0]).exists() else a for a in arguments]
    command = [sys.executable, "-m", "pytest", *settings, "-q", *chosen]
    # In that folder, as Python searches the working folder first.
    return subprocess.run(command, cwd=BUILD / "lib", env=os.environ | {"PYTHONPATH": path}).returncode


def fuzz() -> int:
    """Runs the fuzz targets, built with counters instead of sanitizers."""
    sys.path.append(str(ROOT / "tests" / "fuzz"))
    import run  # type: ignore[import-not-found]

    failed = 0
    for name, settings in FUZZ.items():
        folder = BUILD / name
        run.build("asan", f"OUT={folder}", f"SANITIZE={' '.join(COVERAGE)}", "OPTIMIZE=-O0", *settings)
        for target in run.targets():
            command = [folder / "asan" / "replay", target, "1000", *run.stored(target)]
            failed |= subprocess.run(command, stdout=subprocess.DEVNULL).returncode
        failed |= subprocess.run([folder / "asan" / "threads", "damage", "5"]).returncode
    return failed


@cache
def source(name: str) -> list[str]:
    return (ROOT / name).read_text().splitlines()


def has_condition(lines: list[str], number: int) -> bool:
    before = lines[number - 2] if number > 1 else ""
    return bool(CONDITION.search(lines[number - 1].partition("//")[0]) or GOES_ON.search(before))


def read(counts: Path) -> list[tuple[str, dict[str, Any]]]:
    """gcov's data of the lines in csrc, for one object file."""
    command = ["gcov", "--json-format", "--stdout", "--branch-counts", "--branch-probabilities", str(counts)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, cwd=BUILD)
    found = json.loads(done.stdout)
    folder, result = Path(found["current_working_directory"]), []
    for file in found["files"]:
        path = Path(os.path.normpath(folder / file["file"]))
        if path.is_relative_to(ROOT / "csrc"):
            result += [(str(path.relative_to(ROOT)), line) for line in file["lines"]]
    return result


def collect() -> tuple[Any, Any]:
    """The counts of each (file, line), and of its branches, which are keyed by (branches of the line, index)."""
    lines: Any = collections.Counter()
    branches: Any = collections.defaultdict(collections.Counter)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(read, sorted(BUILD.rglob("*.gcda"))):
            for name, line in found:
                number = line["line_number"]
                if NO_CODE.match(source(name)[number - 1]):
                    continue
                lines[name, number] += line["count"]
                ours = [b["count"] for b in line["branches"] if not b["throw"]]
                if has_condition(source(name), number):
                    for index, count in enumerate(ours):
                        branches[name, number][len(ours), index] += count
    return lines, branches


def report() -> int:
    lines, branches = collect()
    files: Any = collections.defaultdict(lambda: [0, 0, 0, 0])
    missing = []
    for (name, number), count in sorted(lines.items()):
        taken = [c > 0 for _, c in sorted(branches.get((name, number), {}).items())]
        for total in (files[name], files["all"]):
            for i, n in enumerate((1, count > 0, len(taken), sum(taken))):
                total[i] += n
        if count == 0 or not all(taken):
            ways = "".join("-+"[t] for t in taken) if count else "never"
            missing.append(f"{name}:{number}: {ways}  {source(name)[number - 1].strip()}")
    (BUILD / "missing.txt").write_text("\n".join([*missing, ""]))

    def percent(part: int, whole: int) -> float:
        return 100 * part / whole if whole else 100.0

    print(f"{'':36}{'lines':>6}{'%':>7}{'branches':>10}{'%':>7}")
    files["all"] = files.pop("all")  # after the others
    for name, (count, ran, ways, took) in files.items():
        print(f"{name:36}{count:6}{percent(ran, count):7.1f}{ways:10}{percent(took, ways):7.1f}")
    print(f"coverage: lines and branches that no test reached are in {(BUILD / 'missing.txt').relative_to(ROOT)}")
    count, ran, ways, took = files["all"]
    enough = percent(ran, count) >= LINES and percent(took, ways) >= BRANCHES
    if not enough:
        print(f"coverage: expected {LINES} % of lines and {BRANCHES} % of branches")
    return not enough


def main() -> int:
    arguments = sys.argv[1:]
    if arguments == ["--report"]:
        return report()
    build()
    failed = 0
    if arguments[:1] == ["--more"]:
        failed = test(arguments[1:])
    elif arguments:
        clear()
        failed = test(arguments)
    else:
        clear()
        failed = fuzz() | test([str(p) for glob in TESTS for p in sorted(ROOT.glob(f"tests/{glob}"))])
    return report() or failed


if __name__ == "__main__":
    sys.exit(main())
