"""Operators and kernels under sanitizers: the short form of `make sanitize KIND=address`.

Stored inputs and mutations of them, on this machine and on aarch64, arguments that change concurrently, guarded memory and
failing allocations. `make sanitize KIND=thread` has no short form, since it compiles everything once more.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.check
FUZZ = Path(__file__).parents[1] / "fuzz"


def require(sanitizers: str, folder: Path) -> None:
    program = folder / "program.cpp"
    program.write_text("int main() {}")
    compiler = os.environ.get("CXX", "c++").split()
    command = [*compiler, f"-fsanitize={sanitizers}", "-o", str(folder / "program"), str(program)]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        pytest.skip(f"the compiler cannot link -fsanitize={sanitizers}")


def run(*arguments: str) -> None:
    command = [sys.executable, str(FUZZ / "run.py"), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout


def test_stored_inputs_and_their_mutations(tmp_path: Path):
    require("address,undefined", tmp_path)
    run("replay", "--quick", "--mutations", "300")


@pytest.mark.parametrize("memory", ["--guard", "--fail-allocations"])
def test_operators_with_memory_that_is_guarded_or_fails(memory: str, tmp_path: Path):
    require("address,undefined", tmp_path)
    run("replay", "--quick", memory, "--mutations", "0", "operators")


def test_primitives_on_aarch64():
    """The short form of `make arm-test`: the comparison of the tiers, without that of the kernels."""
    for program in ("aarch64-linux-gnu-g++", "qemu-aarch64"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    run("replay", "--arm", "--mutations", "300", *(f"primitives{of}" for of in ("", "_words", "_limited", "_hashes")))


def test_concurrent_changes_stay_in_bounds(tmp_path: Path):
    require("address,undefined", tmp_path)
    run("damage", "--quick", "--seconds", "4")
