"""What the build needs from the system, in one list: read by setup.py (which names what is missing) and set_up.py
(which installs it)."""

import importlib.util
import os
import shlex
import subprocess
import sysconfig
from pathlib import Path

# What is needed -> the packages that bring it.  apt (Debian, Ubuntu) | dnf (Fedora, RHEL) | brew (macOS)
SYSTEM_PACKAGES = {
    "c++": ("g++", "gcc-c++", "gcc"),
    "Python.h": ("python3-dev", "python3-devel", "python"),
    "xxhash.h": ("libxxhash-dev", "xxhash-devel", "xxhash"),
    "re2/re2.h": ("libre2-dev", "re2-devel", "re2"),
}
# Only a checkout's own environment needs this one, an ordinary `pip install .` does not.
VENV_PACKAGES = {"ensurepip": ("python3-venv", "python3", "python")}


def has_header(name: str) -> bool:
    """Whether the compiler that will build finds it, CPATH and Python's own headers included."""
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    include = f"-I{sysconfig.get_path('include')}"
    try:
        found = subprocess.run(
            [*compiler, include, "-x", "c++", "-E", "-"],
            input=f"#include <{name}>\n".encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except FileNotFoundError:  # no compiler, which the list names too
        return (Path("/usr/include") / name).exists()
    return found.returncode == 0


def has_compiler() -> bool:
    try:
        version = subprocess.run(
            [*shlex.split(os.environ.get("CXX", "c++")), "--version"], stdout=subprocess.DEVNULL
        )
    except FileNotFoundError:
        return False
    return version.returncode == 0


def missing(*, venv: bool = False) -> dict[str, tuple[str, str, str]]:
    """The rows of the list whose need is not met for the running Python."""
    wanted = {**SYSTEM_PACKAGES, **(VENV_PACKAGES if venv else {})}
    met = {
        need: has_compiler()
        if need == "c++"
        else has_header(need)
        if need.endswith(".h")
        else importlib.util.find_spec(need) is not None
        for need in wanted
    }
    return {need: packages for need, packages in wanted.items() if not met[need]}


def commands(rows: dict[str, tuple[str, str, str]]) -> str:
    """The exact command for each package manager, one a line."""
    apt, dnf, brew = (" ".join(dict.fromkeys(column)) for column in zip(*rows.values(), strict=True))
    return (
        f"  Debian, Ubuntu:  sudo apt-get install {apt}\n"
        f"  Fedora, RHEL:    sudo dnf install {dnf}\n"
        f"  macOS:           brew install {brew}"
    )
