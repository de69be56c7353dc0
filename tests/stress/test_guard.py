"""The short form of `make stress CHECK=guard`, and whether its allocator notices a read outside."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from stress.guard import build
from support.programs import run_stress

pytestmark = pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")

READ = """
import ctypes, sys
import torch
t = torch.zeros(int(sys.argv[1]), dtype=torch.uint8)
at = t.data_ptr() + int(sys.argv[2])
print(ctypes.c_ubyte.from_address(at).value, flush=True)
"""


@pytest.mark.parametrize("size", [1, 63, 4096, 10_001])
def test_a_read_after_the_last_byte_of_a_tensor_ends_the_process(size: int, tmp_path: Path):
    def read(at: int) -> int:
        command = [sys.executable, "-c", READ, str(size), str(at)]
        return subprocess.run(
            command, env={"LD_PRELOAD": str(build(tmp_path))}, capture_output=True
        ).returncode

    assert read(size - 1) == 0
    assert read(size) == -signal.SIGSEGV


def test_damaged_calls_read_nothing_outside():
    done = run_stress("guard", "--short")
    assert done.returncode == 0, done.stdout
