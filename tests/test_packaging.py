"""What users install: one wheel for every Python >= 3.10, with both libraries, types and licences."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import torch_stringops

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_wheel(tmp_path: Path):
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-cache-dir", "--wheel-dir", str(tmp_path)]
    built = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    version = re.escape(torch_stringops.__version__)
    assert re.fullmatch(rf"torch_stringops-{version}-cp310-abi3-linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    package = {name.removeprefix("torch_stringops/") for name in names if name.startswith("torch_stringops/")}
    assert {"_ops.so", "_convert.abi3.so", "py.typed"} <= package
    sources = {
        p.relative_to(ROOT / "torch_stringops").as_posix() for p in ROOT.glob("torch_stringops/**/*.py")
    }
    assert sources <= package, "a folder is not listed in [tool.setuptools] packages"
    licences = {Path(name).name for name in names if "/licenses/" in name}
    assert licences == {"LICENSE", "THIRD_PARTY.md"}


def test_operator_library_has_no_python_symbol():
    symbols = subprocess.run(
        ["nm", "-D", torch_stringops.library_path()], capture_output=True, text=True, check=True
    )
    assert "aoti_torch" in symbols.stdout
    assert not re.search(r" _?Py[A-Z_]", symbols.stdout)
