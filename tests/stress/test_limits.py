"""Limits of int32: the short form of `make stress CHECK=limits`."""

from support.programs import run_stress


def test_too_large_arguments_and_results_are_rejected_in_bounded_memory_and_time():
    # In a child process, whose address space is limited.
    done = run_stress("limits", "--short", timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
