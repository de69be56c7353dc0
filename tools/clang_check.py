"""Reads csrc and the fuzz targets with clang++ and the warnings of the build, which are errors (`make clang-check`).

    clang_check.py [FILE ...]

It generates no code. `CXX=clang++ make build` builds the libraries.
"""

import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from build_flags import flags
from system_packages import clang
from torch.utils.cpp_extension import include_paths

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("csrc", "tests/fuzz")


def check(path: Path) -> str:
    """Returns clang's messages on a file."""
    foreign = [f"-isystem{folder}" for folder in (*include_paths(), sysconfig.get_path("include"))]
    csrc = ROOT / "csrc"
    own = [f"-I{csrc}", *([] if csrc in path.parents else [f"-I{path.parent}"])]
    defined = ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-DPy_LIMITED_API=0x030A0000"]
    command = [
        clang() or "clang++",
        *flags()[0],
        "-Werror",
        *own,
        *foreign,
        *defined,
        "-fsyntax-only",
        str(path),
    ]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout or ("" if done.returncode == 0 else f"{path}: clang++ exited with {done.returncode}\n")


def main() -> None:
    os.environ["CXX"] = clang() or "clang++"  # also for the flags
    files = [Path(name).resolve() for name in sys.argv[1:]]
    files = files or sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.cpp"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [text for text in pool.map(check, files) if text]
    print(*texts, sep="", end="")
    print(f"clang-check: {len(files) - len(texts)} of {len(files)} files have no warning")
    sys.exit(bool(texts))


if __name__ == "__main__":
    main()
