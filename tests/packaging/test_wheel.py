"""The wheel for every Python >= 3.10, which contains the libraries that it needs, and the source archive.

`make check-wheel` installs the wheel in a fresh environment, and runs all tests there.
"""

import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
import torch

import torch_stringops

ROOT = Path(__file__).resolve().parents[2]
BUILD = pytest.mark.skipif(
    not (ROOT / "setup.py").exists(), reason="needs the sources of the package, not an installed one"
)

# A program that uses the installed wheel.
USE = """
import torch, torch_stringops
s = torch_stringops.StringTensor.from_list(["a1 b22", ""])
pieces, splits = torch_stringops.tokenizer_ragged(s, tokenexp="[a-z](?:[0-9]+)")
assert pieces.tolist() == ["a1", "b22"], pieces
print(torch_stringops.library_path())
"""


@BUILD
@pytest.mark.check
def test_wheel(tmp_path: Path):
    pytest.importorskip("auditwheel")
    command = [sys.executable, str(ROOT / "tools" / "build_wheel.py"), str(tmp_path)]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    version = re.escape(torch_stringops.__version__)
    tag = re.fullmatch(rf"torch_stringops-{version}-cp310-abi3-manylinux_2_(\d+)_\w+\.whl", wheel.name)
    assert tag, wheel.name
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        file.extractall(site)
    package = {name.removeprefix("torch_stringops/") for name in names if name.startswith("torch_stringops/")}
    assert {"_ops.so", "_convert.abi3.so", "libstringops_ort.so", "py.typed"} <= package
    sources = {p.relative_to(ROOT / "torch_stringops").as_posix() for p in ROOT.glob("torch_stringops/**/*.py")}
    python = {name for name in package if name.endswith(".py")}
    assert "include/torch_stringops/strings.h" in package
    assert python == sources, "a folder is not listed in [tool.setuptools] packages, or build/ held old files"

    assert not [name for name in names if ".libs/" in name], "a library of others"
    licences = {Path(name).name for name in names if "/licenses/" in name and not name.endswith("/")}
    assert licences == {"LICENSE", "THIRD_PARTY.md"}
    (metadata,) = site.glob("*.dist-info/METADATA")
    assert set(re.findall(r"^License-File: (.*)$", metadata.read_text(encoding="utf-8"), re.M)) == licences

    # No library needs a newer glibc than that of the tag.
    libraries = [path for path in site.rglob("*") if ".so" in path.suffixes]
    assert len(libraries) == 3
    versions = [re.findall(rb"GLIBC_2\.(\d+)", path.read_bytes()) for path in libraries]
    assert all(versions)
    assert max(int(minor) for found in versions for minor in found) <= int(tag[1])

    environment = {**os.environ, "PYTHONPATH": str(site)}
    used = subprocess.run([sys.executable, "-c", USE], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert used.returncode == 0, used.stderr
    assert used.stdout.strip() == str(site / "torch_stringops" / "_ops.so")


def test_a_library_that_cannot_be_loaded_is_an_import_error_with_the_requirements(monkeypatch: pytest.MonkeyPatch):
    def load_library(path: Path) -> None:
        # As torch does.
        raise OSError(f"Could not load this library: {path}") from OSError("undefined symbol: torch_newer")

    monkeypatch.setattr(torch.ops, "load_library", load_library)
    wanted = f"torch {torch.__version__} could not load _ops.so, which needs torch >= 2.10: "
    with pytest.raises(ImportError, match=re.escape(wanted) + "undefined symbol: torch_newer$"):
        runpy.run_path(torch_stringops._native.__file__)


@pytest.mark.parametrize("missing", ["_ops.so", "_convert.abi3.so"])
def test_importing_from_an_unbuilt_source_folder_explains_the_error(missing: str, tmp_path: Path):
    package = Path(torch_stringops.__file__).parent
    shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns(missing, "__pycache__"))
    found = subprocess.run(
        [sys.executable, "-c", "import torch_stringops"], capture_output=True, text=True, cwd=tmp_path
    )
    error = found.stderr.splitlines()[-1]
    assert error.startswith(f"ImportError: torch_stringops: {missing} is missing in {tmp_path / package.name}, ")
    assert error.endswith("change to another folder; or build here, with `make build` or `pip install -e .`")


@pytest.mark.check
@BUILD
def test_source_archive_contains_the_inputs_of_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import build_wheel

    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        build_wheel.build_archive(tmp_path / name, build_wheel.source_date())
        time.sleep(1.1)  # files have times in seconds
    archive, same = sorted(tmp_path.glob("*/*.tar.gz"))
    assert archive.read_bytes() == same.read_bytes()
    with tarfile.open(archive) as file:
        names = {member.name.split("/", 1)[1] for member in file.getmembers() if member.isfile()}
    needed = {
        "pyproject.toml", "setup.py", "README.md", "LICENSE", "THIRD_PARTY.md", "torch_stringops/py.typed",
    }  # fmt: skip
    for pattern in (
        "csrc/**/*.h",
        "csrc/**/*.cpp",
        "csrc/**/*.map",
        "torch_stringops/**/*.py",
        "torch_stringops/**/*.h",
    ):
        needed |= {p.relative_to(ROOT).as_posix() for p in ROOT.glob(pattern)}
    for name in re.findall(r"^from (\w+) import", (ROOT / "setup.py").read_text(encoding="utf-8"), re.M):
        needed |= {f"tools/{name}.py"} if (ROOT / "tools" / f"{name}.py").exists() else set()
    assert needed <= names, needed - names
    other = {
        name
        for name in names - needed
        if not re.match(r"PKG-INFO|setup\.cfg|.*\.egg-info/|MANIFEST\.in$|.*\.md$", name)
    }
    assert not other, "files that do not belong to the package are in the archive"
