"""One odd character in 1,000 strings: the short form of `make stress CHECK=triggers`."""

from support.programs import run_stress


def test_one_character_does_not_slow_a_call():
    done = run_stress("triggers", "--limit", "3", timeout=600)
    assert done.returncode == 0, done.stdout[-5000:]
