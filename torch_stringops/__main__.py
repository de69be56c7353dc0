"""`python -m torch_stringops` prints what a report of a bug needs: versions, CPU tiers, threads and the build.

`--library-path` prints the path of the operator library instead, and `--include-path` that of the C++ header.
"""

import argparse
import os
import platform
from pathlib import Path

import numpy
import torch

import torch_stringops
from torch_stringops._native import build_info


def report() -> str:
    """The report, a fact a line. It contains no path and no name of the user or the machine."""
    selected = torch_stringops.simd_tier()
    tiers = torch_stringops.simd_tiers()
    rows = {
        "torch_stringops": torch_stringops.__version__,
        "torch": torch.__version__,
        "numpy": numpy.__version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "C library": " ".join(platform.libc_ver()) or "unknown",
        "CPU": _cpu(),
        "CPU tier": f"{selected} (of {', '.join(tiers)})",
        "threads": f"{torch.get_num_threads()} of torch, {_cpus()} CPUs",
        "Unicode": torch_stringops.unicode_version(),
        "build": build_info(),
        "CUDA": torch.version.cuda or "none",
    }
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())


def _cpus() -> int:
    """The number of CPUs that this process may use; macOS does not restrict processes."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _cpu() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def main() -> None:
    parser = argparse.ArgumentParser("python -m torch_stringops", description="Prints a report of this installation.")
    parser.add_argument("--library-path", action="store_true", help="print the path of the operator library")
    parser.add_argument("--include-path", action="store_true", help="print the folder of torch_stringops/strings.h")
    given = parser.parse_args()
    lines = [torch_stringops.library_path()] if given.library_path else []
    lines += [str(Path(__file__).parent / "include")] if given.include_path else []
    print("\n".join(lines or [report()]))


if __name__ == "__main__":
    main()
