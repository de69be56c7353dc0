"""Failing allocations: the short form of `make stress CHECK=allocation`."""

import platform
import re
import subprocess
import sys

import pytest
from support.programs import run_stress
from support.registry import OVERLOADS


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        pytest.skip("the failing allocator stands before glibc's")
    return run_stress("allocation", *arguments, stderr=subprocess.PIPE)


def test_without_memory_each_call_raises_and_leaks_nothing(record_property):
    done = run("--short")
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    size = re.search(r"^(\d+) operators and \d+ conversions: .*", done.stdout, re.MULTILINE)
    assert size, done.stdout
    record_property("allocation", size.group())
    print(size.group())
    assert int(size.group(1)) == len(OVERLOADS)


def test_a_crash_and_a_leak_and_a_wrong_result_are_noticed():
    done = run("--short", "--faults", "--shares=1", "string_equal")
    assert done.returncode == 1
    for text in ("the process ended with -6", "leaks: [", "but a result"):
        assert text in done.stdout, done.stdout
