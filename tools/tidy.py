"""Runs clang-tidy on csrc, with the flags of the build and the checks of .clang-tidy (`make lint TIDY=1`).

tidy.py [FILE ...]
"""

import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from torch.utils.cpp_extension import include_paths

ROOT = Path(__file__).resolve().parent.parent


def check(path: Path) -> tuple[int, str]:
    foreign = [f"-isystem{folder}" for folder in (*include_paths(), sysconfig.get_path("include"))]
    defined = ["-DTORCH_TARGET_VERSION=0x020a000000000000", "-DPy_LIMITED_API=0x030A0000"]
    options = ["-std=c++17", f"-I{ROOT / 'csrc'}", "-Wno-unknown-pragmas", *foreign, *defined]
    command = [str(Path(sysconfig.get_path("scripts")) / "clang-tidy"), "--quiet", str(path), "--"]
    done = subprocess.run([*command, *options], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def main() -> int:
    paths = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "csrc").rglob("*.cpp"))
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (status, text) in zip(paths, pool.map(check, paths), strict=True):
            failed += status != 0
            print(f"tidy: {path.name}{text and ':'}\n{text}" if status else f"tidy: {path.name}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
