"""The operators themselves, torch and Python around them, under ASan and UBSan.

    asan.py [PYTEST ARGUMENT ...]

Builds the package with sanitizers into build/asan, beside the usual build, and runs the table of malformed arguments and
then pytest (tests/ops, if nothing else is said) on that one. The compiler's libasan is loaded before the interpreter.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "asan"
# Torch and Python free little at their end. What an attribute asks for in vain must fail as it does elsewhere.
OPTIONS = (
    "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=12000:detect_stack_use_after_return=0"
)


def preload() -> str:
    """The sanitizers' libraries of the compiler that builds; libstdc++ too, whose __cxa_throw ASan must find."""
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


def main() -> int:
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
        STRINGOPS_TABLE_LIMIT="0",
        PYTHONPATH=os.pathsep.join([str(library), str(ROOT / "tests")]),
        PYTHONMALLOC="malloc",
    )
    # From `library`, whose package comes first then, not the one in the checkout.
    print("asan: every operator on every form of every argument", flush=True)
    table = subprocess.run(
        [sys.executable, str(ROOT / "tests/hostile/table.py")], cwd=library, env=environment
    )
    if table.returncode:
        return table.returncode
    # Pytest runs in `library` too, where paths of the caller's folder mean nothing.
    given = [
        str(Path(argument).resolve()) if Path(argument).exists() else argument for argument in sys.argv[1:]
    ]
    chosen = given or [str(ROOT / "tests" / "ops")]
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    return subprocess.run(
        [*command, "-c", str(ROOT / "pyproject.toml"), *chosen], cwd=library, env=environment
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
