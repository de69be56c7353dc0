"""Sizes at the border of int32 are refused before they are allocated. See hostile/borders.py; the long form, with calls
at the border itself, is `make borders`."""

import subprocess
import sys
from pathlib import Path


def test_what_is_too_large_is_refused_in_bounded_memory_and_time():
    # In a child, whose address space is limited.
    command = [sys.executable, str(Path(__file__).parent / "hostile" / "borders.py")]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
