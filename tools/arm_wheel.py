"""Builds the wheel for Linux on aarch64 by a cross compiler, and runs tests of it under QEMU (`make arm-wheel`).

    arm_wheel.py [argument of pytest ...]

It needs apt with Debian's packages. Everything is in build/arm_wheel. `root` has the system's files for aarch64, Python
among them. `env` is an environment of that Python, with torch and the wheel; its interpreter is a script that calls
QEMU. The wheel is compiled with the headers of this machine's torch, and linked with the oldest torch that it may run
on. CXX names another compiler for aarch64, ARGS other tests.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from check_wheel import copy_tests, test

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "arm_wheel"
SYSTEM = FOLDER / "root"
PYTHON = FOLDER / "env" / "bin" / "python"
SYSTEM_PACKAGES = ("python3-minimal", "libpython3-stdlib", "libstdc++6", "libgomp1")
PYTHON_PACKAGES = ("torch==2.10.0", "numpy", "pytest", "hypothesis", "rapidfuzz", "regex")
# They call primitives that only NEON has in this form. They take minutes under QEMU.
TESTS = ("tests/ops/test_hash.py", "--hypothesis-profile=emulated")


def run(*command: str | Path, **settings: str) -> None:
    done = subprocess.run(command, env={**os.environ, **settings})
    if done.returncode:
        sys.exit(f"arm-wheel: {' '.join(map(str, command))} exited with {done.returncode}")


def unpack_system() -> None:
    """Unpacks packages and what they depend on, by an apt that knows no installed package, and changes none."""
    apt = FOLDER / "apt"
    for name in ("lists/partial", "archives/partial"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::State": apt,
        "Dir::State::Lists": apt / "lists",
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt,
    }
    command = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in settings.items())]
    run(*command, "update")
    run(*command, "install", "--yes", "--no-install-recommends", "--download-only", *SYSTEM_PACKAGES)
    for package in (apt / "archives").glob("*.deb"):
        run("dpkg", "-x", package, SYSTEM)


def create_environment() -> None:
    """An environment whose interpreter calls QEMU, so that pip and processes that tests start run there, too."""
    PYTHON.parent.mkdir(parents=True)
    PYTHON.write_text(f'#!/bin/sh\nexec qemu-aarch64 -L "{SYSTEM}" -0 "$0" "{SYSTEM}/usr/bin/python3" "$@"\n')
    PYTHON.chmod(0o755)
    (PYTHON.parent.parent / "pyvenv.cfg").write_text(f"home = {SYSTEM}/usr/bin\n")
    pip_install(*PYTHON_PACKAGES)


def pip_install(*arguments: str | Path) -> None:
    options = ["--no-cache-dir", "--disable-pip-version-check", "--no-compile", "--quiet"]
    run(sys.executable, "-m", "pip", f"--python={PYTHON}", "install", *options, *arguments)


def build() -> Path:
    """Builds the wheel; the platform that Python believes to be on gives its name."""
    (torch,) = FOLDER.glob("env/lib/python3*/site-packages/torch/lib")
    run(
        sys.executable,
        ROOT / "tools" / "build_wheel.py",
        FOLDER / "dist",
        CXX=os.environ.get("CXX", "aarch64-linux-gnu-g++"),
        LDFLAGS=f"-L{torch} -Wl,-rpath-link,{torch}",
        _PYTHON_HOST_PLATFORM="linux-aarch64",
    )
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    return wheel


def main() -> None:
    ready = FOLDER / "ready"
    if not ready.exists():
        for part in (SYSTEM, PYTHON.parent.parent):
            shutil.rmtree(part, ignore_errors=True)
        unpack_system()
        create_environment()
        ready.touch()
    wheel = build()
    pip_install("--no-deps", "--force-reinstall", wheel)
    for part in ("checkout", "tmp"):
        shutil.rmtree(FOLDER / part, ignore_errors=True)
    (FOLDER / "checkout").mkdir()
    copy_tests(FOLDER / "checkout")
    status, summary = test(FOLDER, sys.argv[1:] or list(TESTS))
    print(f"arm-wheel: {wheel.name} under QEMU: {summary}")
    sys.exit(status)


if __name__ == "__main__":
    main()
