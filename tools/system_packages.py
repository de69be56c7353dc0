"""The system packages that the build needs: setup.py names missing ones in an error, set_up.py installs them."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

# Requirement -> the packages that provide it: apt (Debian, Ubuntu), dnf (Fedora, RHEL), brew (macOS).
SYSTEM_PACKAGES = {
    "c++": ("g++", "gcc-c++", "gcc"),
    "Python.h": ("python3-dev", "python3-devel", "python"),
}
# Only needed to create .venv, not for `pip install .`.
VENV_PACKAGES = {"ensurepip": ("python3-venv", "python3", "python")}
# Only for tests, which are skipped if these are missing.
TEST_PACKAGES = {"valgrind": ("valgrind", "valgrind", "valgrind")}
# For `make sanitize KIND=fuzz`: any release of clang. Debian has libFuzzer in a separate package.
FUZZ_PACKAGES = {
    "clang++": ("clang", "clang", "llvm"),
    "clang++ -fsanitize=fuzzer": ("libclang-rt-dev", "compiler-rt", "llvm"),
}
# For `make arm-test` and `make arm-wheel`: the cross compiler of aarch64, and the emulator that runs its programs.
ARM_PACKAGES = {
    "aarch64-linux-gnu-g++": ("g++-aarch64-linux-gnu", "gcc-c++-aarch64-linux-gnu", "aarch64-elf-gcc"),
    "qemu-aarch64": ("qemu-user", "qemu-user", "qemu"),
}

Needs = dict[str, tuple[str, str, str]]


def has_header(name: str) -> bool:
    """Whether the compiler finds the header, including in CPATH and among Python's headers."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    include = f"-I{sysconfig.get_path('include')}"
    try:
        found = subprocess.run(
            [*compiler, include, "-x", "c++", "-E", "-"],
            input=f"#include <{name}>\n".encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:  # no compiler, which is a requirement of its own
        return (Path("/usr/include") / name).exists()
    return found.returncode == 0


def has_compiler() -> bool:
    try:
        version = subprocess.run([*shlex.split(os.environ.get("CXX", "c++")), "--version"], stdout=subprocess.DEVNULL)
    except FileNotFoundError:
        return False
    return version.returncode == 0


def clang() -> str | None:
    """The name of the newest clang++, without a version if possible."""
    names = ("clang++", *(f"clang++-{release}" for release in range(25, 13, -1)))
    return next((path for name in names if (path := shutil.which(name))), None)


def links_fuzzers() -> bool:
    compiler = clang()
    if compiler is None:
        return False
    program = b'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, "-fsanitize=fuzzer,address", "-x", "c++", "-o", f"{folder}/program", "-"]
        return subprocess.run(command, input=program, stderr=subprocess.DEVNULL).returncode == 0


def is_met(need: str) -> bool:
    if need == "c++":
        return has_compiler()
    if need.startswith("clang++"):
        return links_fuzzers() if "fuzzer" in need else clang() is not None
    if need == "valgrind" or need in ARM_PACKAGES:
        return shutil.which(need) is not None
    return has_header(need) if need.endswith(".h") else importlib.util.find_spec(need) is not None


def missing(needs: Needs = SYSTEM_PACKAGES) -> Needs:
    """The requirements that are not met for the running Python."""
    return {need: packages for need, packages in needs.items() if not is_met(need)}


def commands(rows: Needs) -> str:
    """The exact command for each package manager, one per line."""
    apt, dnf, brew = (" ".join(dict.fromkeys(column)) for column in zip(*rows.values(), strict=True))
    return (
        f"  Debian, Ubuntu:  sudo apt-get install {apt}\n"
        f"  Fedora, RHEL:    sudo dnf install {dnf}\n"
        f"  macOS:           brew install {brew}"
    )
