"""Failing allocations of conversions: `make stress CHECK=allocation`."""

import platform
import re
import subprocess
import sys

import pytest
from support.programs import run_stress


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    if sys.platform != "linux" or platform.libc_ver()[0] != "glibc":
        pytest.skip("the failing allocator needs glibc")
    return run_stress("allocation", *arguments, stderr=subprocess.PIPE)


def test_failing_allocations_raise_and_leak_nothing(record_property):
    done = run()
    assert done.returncode == 0, done.stdout[:3000] + done.stdout[-3000:] + done.stderr[-2000:]
    size = re.search(r"^conversions: .*", done.stdout, re.MULTILINE)
    assert size, done.stdout
    record_property("allocation", size.group())
    print(size.group())


def test_crashes_leaks_and_wrong_results_are_detected():
    done = run("--faults", "to_arrow")
    assert done.returncode == 1
    for text in ("the process ended with -6", "leaks: [", "got AssertionError"):
        assert text in done.stdout, done.stdout
