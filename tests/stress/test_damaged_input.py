"""Damaged pickles, files, state_dicts and Arrow structures: an error or a valid object. The short form of `make doors`."""

from support.programs import run_stress


def test_what_is_damaged_raises_or_gives_a_valid_object():
    # In a child, as a crash would take the other tests along.
    done = run_stress("damaged_input", "--rounds", "1500")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("valid, in") == 10, done.stdout
