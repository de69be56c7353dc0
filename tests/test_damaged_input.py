"""Damaged pickles, files, state_dicts and Arrow structures: an error or a valid object. The short form of `make doors`."""

import subprocess
import sys
from pathlib import Path


def test_what_is_damaged_raises_or_gives_a_valid_object():
    # In a child, as a crash would take the other tests along.
    command = [
        sys.executable,
        str(Path(__file__).parent / "fuzz" / "doors.py"),
        "--guard",
        "--rounds",
        "1500",
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("valid, in") == 10, done.stdout
