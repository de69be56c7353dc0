"""Sizes at the border of int32 are refused before they are allocated. See hostile/borders.py; the long form, with calls
at the border itself, is `make borders`."""

from support.programs import run_stress


def test_what_is_too_large_is_refused_in_bounded_memory_and_time():
    # In a child, whose address space is limited.
    done = run_stress("limits", "--short", timeout=300)
    assert done.returncode == 0, done.stdout[-5000:]
