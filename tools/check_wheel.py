"""Installs the wheel in dist/ into a fresh environment, as a user would, and runs the tests there (`make check-wheel`).

    python tools/check_wheel.py [--torch 2.10.0] [--sdist] [--keep] [argument of pytest ...]

The environment has the Python that runs this. Without --torch it gets the newest torch that pip finds, which takes
6 GB if it is built for CUDA. --sdist installs the source archive instead, which pip builds in isolation.
The tests are copied next to the environment without the package, so that they import only what was installed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Variables of the caller's environment that lead to other packages, or that make passes to every make that a test
# starts, such as TORCH=2.10.0.
NOT_PASSED = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
# Files of a checkout that the tests must not find.
NOT_COPIED = ("torch_stringops/", "setup.py", "MANIFEST.in", ".ci/")
VERSIONS = "import torch, sys; print('Python', sys.version.split()[0] + ', torch', torch.__version__)"


def say(text: str) -> None:
    print(f"check-wheel: {text}", flush=True)


def stop(text: str) -> None:
    sys.exit(f"check-wheel: {text}")


def built(pattern: str) -> Path:
    found = list((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        stop(f"expected one dist/{pattern}, got {[path.name for path in found]} (run `make wheel`)")
    return found[0]


def copy_tests(folder: Path) -> None:
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    for name in filter(None, listed):
        if not name.startswith(NOT_COPIED) and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def install(python: Path, archive: Path, torch: str) -> None:
    options = ["--no-cache-dir", "--disable-pip-version-check", "--quiet"]
    requirements = [f"torch=={torch}" if torch else "torch", f"{archive}[test]"]
    if subprocess.run([str(python), "-m", "pip", "install", *options, *requirements]).returncode:
        stop(f"pip could not install {' '.join(requirements)}")


def environment(folder: Path) -> dict[str, str]:
    """The caller's environment without NOT_PASSED, with caches in the folder, and its scripts on PATH."""
    clean = {k: v for k, v in os.environ.items() if k not in NOT_PASSED}
    (folder / "tmp").mkdir()
    return {
        **clean,
        "PATH": f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "TMPDIR": str(folder / "tmp"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "MPLCONFIGDIR": str(folder / "matplotlib"),
    }


def test(folder: Path, arguments: list[str]) -> tuple[int, str]:
    """The exit status of pytest, and its last line."""
    python = str(folder / "env" / "bin" / "python")
    settings = {"cwd": folder / "checkout", "env": environment(folder), "text": True}
    code = "import torch_stringops; print(torch_stringops.__file__)"
    where = subprocess.check_output([python, "-c", code], **settings).strip()
    if not where.startswith(str(folder / "env")):
        stop(f"the tests would import {where}, which is not the installed package")
    command = [python, "-m", "pytest", *(arguments or ["tests", "--pyargs", "torch_stringops"])]
    last = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, **settings) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode, last.strip("= ")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--torch", default="", metavar="VERSION", help="default: the newest")
    parser.add_argument("--sdist", action="store_true", help="install the source archive, not the wheel")
    parser.add_argument("--keep", action="store_true", help="keep the environment")
    options, arguments = parser.parse_known_args()
    archive = built("torch_stringops-*.tar.gz" if options.sdist else "torch_stringops-*.whl")
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}-torch{options.torch or '-newest'}"
    folder = ROOT / "build" / "check" / re.sub(r"[^\w.+-]", "_", name)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "checkout").mkdir(parents=True)
    start = time.monotonic()
    say(f"installing {archive.name} and torch {options.torch or '(the newest)'} into {folder.relative_to(ROOT)}")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    python = folder / "env" / "bin" / "python"
    install(python, archive, options.torch)
    copy_tests(folder / "checkout")
    versions = subprocess.check_output([str(python), "-c", VERSIONS], text=True).strip()
    ready = time.monotonic()
    say(f"{versions}: ready after {(ready - start) / 60:.1f} min")
    status, summary = test(folder, arguments)
    if options.keep or status:
        say(f"left in {folder.relative_to(ROOT)}; `make clean` removes it")
    else:
        shutil.rmtree(folder)
    say(f"{archive.name} on {versions}: {summary}; {(time.monotonic() - ready) / 60:.1f} min")
    sys.exit(status)


if __name__ == "__main__":
    main()
