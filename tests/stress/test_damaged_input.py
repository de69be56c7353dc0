"""Damaged pickles, files, state_dicts and Arrow structures: the short form of `make stress CHECK=damaged_input`."""

from support.programs import run_stress


def test_damaged_input_raises_or_gives_a_valid_object():
    # In a child process, as a crash would end the other tests too.
    done = run_stress("damaged_input", "--rounds", "1500")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("valid, in") == 13, done.stdout
