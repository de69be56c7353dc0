"""Runs what concerns one family of operators: python tests/family.py FAMILY [ARGUMENT OF PYTEST ...]

1. The types of the family's modules, by mypy, if it is installed.
2. The fuzz targets, on its operators and in files that include its kernels: stored inputs and mutations of them, under
   ASan and UBSan.
3. Its suites in tests/ops, the doctests of its modules, and the tests that are parametrized by operators, for its own.
"""

import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
PACKAGE = ROOT / "torch_stringops"
# Tests that are parametrized by operators or overloads, of which `--family` keeps those of the family.
OF_OPERATORS = ["test_registry.py", "test_suites.py", "tensor/test_every_operator.py"]


def fuzz_targets(family: str) -> list[str]:
    """The target of all operators, for those of the family, and those in files that include a kernel of it."""
    from fuzz.run import targets_of
    from support import registry

    includes = re.compile(rf'#include "(?:kernels|driver)/{family}[_.]')
    files = sorted((TESTS / "fuzz").glob("*.cpp"))
    own = [op for op in registry.OPERATORS if registry.family(op) == family]
    return [
        f"operators:{','.join(own)}",
        *(name for file in files if includes.search(file.read_text(encoding="utf-8")) for name in targets_of(file)),
    ]


@cache
def operators_of(family: str) -> re.Pattern[str]:
    from support import registry

    own = (op for op in registry.OPERATORS if registry.family(op) == family)
    return re.compile(rf"\b({'|'.join(own)})\b")


def is_of_family(family: str, path: Path, test: str) -> bool:
    """Whether a test is in a file of the family, or is parametrized by one of its operators."""
    is_own = path.stem.removeprefix("test_").startswith(family)
    return is_own or operators_of(family).search(test.partition("[")[2]) is not None


def run(what: str, *command: str | Path) -> None:
    print(f"family: {what}", flush=True)
    done = subprocess.run([sys.executable, *command], cwd=ROOT)
    if done.returncode:
        sys.exit(f"family: failed: {what}")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    family, *arguments = sys.argv[1:]
    suites = sorted((TESTS / "ops").glob(f"test_{family}*.py"))
    if not suites:
        sys.exit(f"family: expected the name of a family, as in tests/ops/test_<family>.py, got {family!r}")
    modules = [
        path for folder in ("ops", "methods", "functions") for path in sorted(PACKAGE.glob(f"{folder}/{family}*.py"))
    ]
    if find_spec("mypy"):
        run(f"types of {len(modules)} modules", "-m", "mypy", *modules)
    targets = fuzz_targets(family)
    runner = TESTS / "fuzz" / "run.py"
    run(f"fuzz targets {' '.join(targets)}", runner, "replay", "--quick", "--mutations", "1000", *targets)
    others = [TESTS / name for name in OF_OPERATORS]
    run("tests", "-m", "pytest", "--family", family, *suites, *modules, *others, *arguments)


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS)]
    main()
